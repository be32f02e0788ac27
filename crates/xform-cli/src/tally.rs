//! Counts the results of many scenes.

use xform_compare::{Grade, audit::GradeCounts};

use crate::{ending::Ending, output};

/// The number of scenes by result.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    files: u64,
    /// Audited scenes by grade.
    grades: GradeCounts,
    /// Audited scenes without a visible difference that could not be fully judged.
    unknown: u64,
    exceeding: u64,
    ignored: u64,
    failed: u64,
}

impl Tally {
    pub(crate) fn add_audited(&mut self, grade: Grade, is_unknown: bool, exceeds: bool) {
        self.files += 1;
        self.grades.add(grade);
        self.unknown += u64::from(is_unknown);
        self.exceeding += u64::from(exceeds);
    }

    pub(crate) fn add_ignored(&mut self) {
        self.files += 1;
        self.ignored += 1;
    }

    pub(crate) fn add_failed(&mut self) {
        self.files += 1;
        self.failed += 1;
    }

    /// Prints a summary.
    pub(crate) fn say(&self) {
        let Self { files, grades, unknown, exceeding, ignored, failed } = *self;
        let scenes = if files == 1 { "scene" } else { "scenes" };
        let unknown = match unknown {
            0 => String::new(),
            unknown => format!("; {unknown} of these not fully judged"),
        };
        let ignored = if ignored > 0 { format!("{ignored} ignored, ") } else { String::new() };
        output::say(&format!(
            "xform: {files} {scenes}: {grades}{unknown}; {exceeding} over a limit, {ignored}{failed} not audited"
        ));
    }

    pub(crate) fn ending(&self) -> Ending {
        match (self.failed, self.exceeding) {
            (0, 0) => Ending::Done,
            (0, _) => Ending::Exceeded,
            _ => Ending::SomeFailed,
        }
    }
}
