//! An audit that is written as it goes, for any number of scenes: a few at a time on all cores, and a bad one stops
//! none of the others.

use std::io::{self, Write};

#[cfg(feature = "parquet")]
use xform_compare::ParquetTables;
use xform_compare::{
    Grade, GradeCounts, write_error_row, write_file_row, write_ignored_row, write_node_rows,
};

#[cfg(feature = "parquet")]
use crate::arguments::NodeChoice;
use crate::{
    arguments::AuditArguments,
    batches,
    files::Found,
    overwritten::Kept,
    progress::Progress,
    scene_result::{Auditor, SceneResult},
};

/// What came of all scenes.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) files: u64,
    /// Those that were audited, by grade.
    pub(crate) grades: GradeCounts,
    pub(crate) exceeding: u64,
    pub(crate) ignored: u64,
    pub(crate) failed: u64,
}

/// A scene that was audited, or not: what is to be written, and what people are told.
struct Processed<T> {
    output: T,
    lines: Vec<String>,
    ending: SceneEnding,
}

enum SceneEnding {
    Audited(Grade),
    Ignored,
    Failed,
}

/// Audits the scenes, a few at a time on all cores, and makes an output of each result, in the order of the scenes,
/// whatever finishes first. What is wrong with a scene, and what it exceeds, has been said when its output comes.
pub(crate) fn outputs<T: Send>(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    progress: &Progress,
    tally: &mut Tally,
    make: impl Fn(SceneResult, &[String]) -> T + Sync,
) -> impl Iterator<Item = Result<T, Kept>> {
    let one = move |scene: &Found| {
        let result = auditor.audit(scene)?;
        let (lines, ending) = match &result {
            SceneResult::Audited(audited) => {
                (audited.exceeded(), SceneEnding::Audited(audited.audit.summary.grade))
            }
            SceneResult::Ignored { .. } => (Vec::new(), SceneEnding::Ignored),
            SceneResult::Failed(problem) => (vec![problem.error.clone()], SceneEnding::Failed),
        };
        Ok(Processed { output: make(result, &lines), lines, ending })
    };
    batches::made(scenes, progress, one).map(|processed| {
        let Processed { output, lines, ending } = processed.and_then(|processed| processed)?;
        tally.add(&ending, &lines);
        progress.say(&lines);
        Ok(output)
    })
}

impl Tally {
    fn add(&mut self, ending: &SceneEnding, lines: &[String]) {
        self.files += 1;
        match ending {
            SceneEnding::Audited(grade) => {
                self.grades.add(*grade);
                self.exceeding += u64::from(!lines.is_empty());
            }
            SceneEnding::Ignored => self.ignored += 1,
            SceneEnding::Failed => self.failed += 1,
        }
    }
}

/// Writes the rows of each scene as JSON Lines.
pub(crate) fn write(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    tally: &mut Tally,
    out: &mut dyn Write,
) -> io::Result<()> {
    let progress = auditor.progress();
    let rows = |result, lines: &[String]| rows(auditor.arguments, &result, lines);
    for rows in outputs(auditor, scenes, &progress, tally, rows) {
        // A row at a time, so that what is written is whole rows.
        let rows = rows.map_err(io::Error::other)?;
        rows.split_inclusive(|&byte| byte == b'\n').try_for_each(|row| out.write_all(row))?;
    }
    out.flush()
}

fn rows(arguments: &AuditArguments, result: &SceneResult, lines: &[String]) -> Vec<u8> {
    let mut rows = Vec::new();
    let written = match result {
        SceneResult::Audited(audited) => {
            let audit = &audited.audit;
            write_file_row(audit, lines, &mut rows).and_then(|()| match arguments.nodes {
                Some(nodes) => write_node_rows(audit, nodes.into(), &mut rows),
                None => Ok(()),
            })
        }
        SceneResult::Ignored { source, reason } => write_ignored_row(source, reason, &mut rows),
        SceneResult::Failed(problem) => write_error_row(problem, &mut rows),
    };
    written.expect("a vector takes whatever is written to it");
    rows
}

/// Writes the two tables, assets and nodes.
#[cfg(feature = "parquet")]
pub(crate) fn write_tables(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    tally: &mut Tally,
    [assets, nodes]: [&mut (dyn Write + Send); 2],
) -> io::Result<()> {
    let shown = auditor.arguments.nodes.unwrap_or(NodeChoice::All).into();
    let mut tables = ParquetTables::new(assets, nodes)?;
    let progress = auditor.progress();
    let count = |result, lines: &[String]| (result, lines.len());
    for output in outputs(auditor, scenes, &progress, tally, count) {
        match output.map_err(io::Error::other)? {
            (SceneResult::Audited(audited), exceeded) => {
                tables.scene(&audited.audit, exceeded, shown)?;
            }
            (SceneResult::Ignored { source, reason }, _) => tables.ignored(&source, &reason)?,
            (SceneResult::Failed(problem), _) => tables.failed(&problem.source, &problem.error)?,
        }
    }
    tables.finish()?.into_iter().try_for_each(Write::flush)
}
