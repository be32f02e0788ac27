//! The audit of many scenes: a few at a time on all cores, and a bad one stops none of the others.

use xform_compare::{Grade, GradeCounts};

use crate::{
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
pub(crate) fn tallied<T: Send>(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    progress: &Progress,
    tally: &mut Tally,
    make: impl Fn(SceneResult, &[String]) -> T + Sync,
) -> impl Iterator<Item = Result<T, Kept>> {
    let one = move |scene: &Found, fit| {
        let result = auditor.audit(scene, fit)?;
        let (lines, ending) = match &result {
            SceneResult::Audited(audited) => {
                (audited.exceeded(), SceneEnding::Audited(audited.audit.summary.grade))
            }
            SceneResult::Ignored { .. } => (Vec::new(), SceneEnding::Ignored),
            SceneResult::Failed(problem) => (problem.lines().collect(), SceneEnding::Failed),
        };
        Ok(Processed { output: make(result, &lines), lines, ending })
    };
    let at_most =
        move |scene: &Found| scene.as_ref().map_or(0, |scene| auditor.memory.at_most(scene));
    batches::made(scenes, progress, auditor.memory, at_most, one).map(|processed| {
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
