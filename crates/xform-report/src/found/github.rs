//! Workflow commands of GitHub Actions, which become annotations of a commit ("Workflow commands for GitHub Actions").
//! Their escaping is in `packages/core/src/command.ts` of actions/toolkit.

use std::{
    cmp::Ordering,
    io::{self, Write},
};

use serde::{Deserialize, Serialize};
use xform_compare::{Finding, audit::Problem, judge::Severity};
use xform_scene::text::without_controls;

use super::{Told, path, told};
use crate::scene_figures::SceneFigures;

/// The number of annotations of a level that GitHub accepts from a step. It drops others silently ("Usage limits",
/// GitHub's documentation on annotations of check runs).
const MOST: usize = 10;

/// The levels, the worst first.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
enum Level {
    Error,
    Warning,
    Notice,
}

const LEVELS: [Level; 3] = [Level::Error, Level::Warning, Level::Notice];

impl Level {
    fn of(severity: Severity) -> Option<Self> {
        match severity {
            Severity::Off => None,
            Severity::Note => Some(Self::Notice),
            Severity::Warning => Some(Self::Warning),
            Severity::Error => Some(Self::Error),
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// The annotations of one scene.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct OfScene {
    annotations: Vec<Annotation>,
    /// The number of findings of each level, written or not.
    found: [usize; LEVELS.len()],
    /// How bad the scene is. `None` if unknown, which counts as worse than anything known.
    figures: Option<SceneFigures>,
}

/// One annotation.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Annotation {
    level: Level,
    file: String,
    title: String,
    message: String,
}

/// Returns the annotations of a scene. Ignored findings have none.
pub(crate) fn of_scene(
    source: &str,
    figures: Option<SceneFigures>,
    findings: &[Finding],
    max_per_rule: usize,
) -> OfScene {
    let counts = |finding: &Finding| finding.ignored.is_none();
    let told = told(findings, max_per_rule).into_iter().filter(|told| counts(told.finding));
    let annotation = |told: Told<'_>| {
        Some(Annotation {
            level: Level::of(told.finding.severity)?,
            file: path(source),
            title: format!("xform: {}", told.finding.rule),
            message: told.message(),
        })
    };
    let mut found = [0; LEVELS.len()];
    let counting = findings.iter().filter(|finding| counts(finding));
    for level in counting.filter_map(|finding| Level::of(finding.severity)) {
        found[level as usize] += 1;
    }
    OfScene { annotations: told.filter_map(annotation).collect(), found, figures }
}

/// The annotations of any number of scenes. Only those that will be written are kept: the first of each scene before
/// the second of any, and those of the worst scenes first.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    kept: [Vec<Kept>; LEVELS.len()],
    /// The number of findings of each level.
    found: [usize; LEVELS.len()],
}

#[derive(Debug)]
struct Kept {
    /// The number of earlier annotations of its level for the same scene.
    rank: usize,
    figures: Option<SceneFigures>,
    annotation: Annotation,
}

impl Kept {
    fn order(&self, other: &Self) -> Ordering {
        let worst_first = match (&self.figures, &other.figures) {
            (Some(own), Some(other)) => own.worst_first(other),
            (own, other) => own.is_some().cmp(&other.is_some()),
        };
        self.rank.cmp(&other.rank).then(worst_first)
    }
}

impl Annotations {
    pub(crate) fn add(&mut self, OfScene { annotations, found, figures }: OfScene) {
        let mut ranks = [0; LEVELS.len()];
        for annotation in annotations {
            let level = annotation.level as usize;
            let new = Kept { rank: ranks[level], figures, annotation };
            ranks[level] += 1;
            let kept = &mut self.kept[level];
            let place = kept.partition_point(|before| before.order(&new).is_le());
            kept.insert(place, new);
            kept.truncate(MOST);
        }
        self.found.iter_mut().zip(found).for_each(|(all, own)| *all += own);
    }

    /// Writes the annotations, the worst level first. If there are more than GitHub accepts, the last one states how
    /// many.
    pub(crate) fn write(mut self, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
        problems.iter().for_each(|problem| self.add(of_problem(problem)));
        for (level, (mut kept, found)) in
            LEVELS.into_iter().zip(self.kept.into_iter().zip(self.found))
        {
            if found > kept.len() {
                kept.truncate(MOST - 1);
            }
            let command = level.command();
            for Kept { annotation: Annotation { file, title, message, .. }, .. } in &kept {
                let (file, title, message) = (property(file), property(title), data(message));
                // A folder without scenes has no file to name.
                let file = if file.is_empty() { file } else { format!("file={file},line=1,") };
                writeln!(out, "::{command} {file}title={title}::{message}")?;
            }
            let more = found - kept.len();
            if more > 0 {
                writeln!(out, "::{command} title=xform::and {more} more: {HINT}")?;
            }
        }
        Ok(())
    }
}

fn of_problem(problem: &Problem) -> OfScene {
    let annotation = |message| Annotation {
        level: Level::Error,
        file: path(&problem.source),
        title: "xform: not audited".to_owned(),
        message,
    };
    let annotations: Vec<_> = problem.lines().map(annotation).collect();
    let mut found = [0; LEVELS.len()];
    found[Level::Error as usize] = annotations.len();
    OfScene { annotations, found, figures: None }
}

/// Where to find the findings that GitHub would drop.
const HINT: &str =
    "GitHub shows only ten per level; `xform audit --format sarif --max-per-rule all` lists all";

fn data(text: &str) -> String {
    without_controls(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
