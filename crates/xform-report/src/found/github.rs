//! Workflow commands of GitHub Actions, which become annotations of a commit ("Workflow commands for GitHub Actions"; how they are
//! escaped: `packages/core/src/command.ts` of actions/toolkit).

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use xform_compare::{Finding, audit::Problem, judge::Severity};
use xform_scene::text::without_controls;

use super::{path, told, with_more};

/// How many annotations of a level GitHub takes from a step; it drops others without a word ("Usage limits", GitHub's documentation on
/// annotations of check runs).
const MOST: usize = 10;

/// The levels, the worst first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Level {
    Error,
    Warning,
    Notice,
}

const LEVELS: [Level; 3] = [Level::Error, Level::Warning, Level::Notice];

impl Level {
    fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// One thing that is said beside a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Annotation {
    level: Level,
    file: String,
    title: String,
    message: String,
    /// How many findings it stands for beside itself.
    more: usize,
}

/// What is said of a scene; of what is ignored nothing.
pub(crate) fn of_scene(source: &str, findings: &[Finding], max_per_rule: usize) -> Vec<Annotation> {
    let told = told(findings, max_per_rule);
    let counting = told.iter().filter(|told| told.finding.ignored.is_none());
    let annotation = |level, told: &super::Told<'_>| Annotation {
        level,
        file: path(source),
        title: format!("xform: {}", told.finding.rule),
        message: told.finding.message.clone(),
        more: told.more,
    };
    let annotations = counting.filter_map(|told| match told.finding.severity {
        Severity::Off => None,
        Severity::Note => Some(annotation(Level::Notice, told)),
        Severity::Warning => Some(annotation(Level::Warning, told)),
        Severity::Error => Some(annotation(Level::Error, told)),
    });
    annotations.collect()
}

/// Annotations of any number of scenes, of which those are kept that will be written: the first of each scene before the second of any.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    kept: [Vec<(usize, Annotation)>; LEVELS.len()],
    /// How many findings of each level there are.
    found: [usize; LEVELS.len()],
}

impl Annotations {
    pub(crate) fn add(&mut self, of_scene: Vec<Annotation>) {
        let mut ranks = [0; LEVELS.len()];
        for annotation in of_scene {
            let level = annotation.level as usize;
            let (kept, rank) = (&mut self.kept[level], ranks[level]);
            self.found[level] += 1 + annotation.more;
            ranks[level] += 1;
            let place = kept.partition_point(|(before, _)| *before <= rank);
            kept.insert(place, (rank, annotation));
            kept.truncate(MOST);
        }
    }

    fn add_problem(&mut self, problem: &Problem) {
        let annotation = |message| Annotation {
            level: Level::Error,
            file: path(&problem.source),
            title: "xform: not audited".to_owned(),
            message,
            more: 0,
        };
        self.add(problem.lines().map(annotation).collect());
    }

    /// Writes them, the worst level first. Where there are more than GitHub takes, the last one says how many.
    pub(crate) fn write(mut self, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
        problems.iter().for_each(|problem| self.add_problem(problem));
        for (level, (mut kept, found)) in
            LEVELS.into_iter().zip(self.kept.into_iter().zip(self.found))
        {
            let told = |kept: &[(usize, Annotation)]| {
                kept.iter().map(|(_, annotation)| 1 + annotation.more).sum::<usize>()
            };
            let is_whole = told(&kept) == found;
            if !is_whole {
                kept.truncate(MOST - 1);
            }
            let command = level.command();
            for (_, Annotation { file, title, message, more, .. }) in &kept {
                let (file, title) = (property(file), property(title));
                let message = data(&with_more(message, *more));
                // A folder without scenes has no file to name.
                let file = if file.is_empty() { file } else { format!("file={file},line=1,") };
                writeln!(out, "::{command} {file}title={title}::{message}")?;
            }
            if !is_whole {
                let more = found - told(&kept);
                writeln!(out, "::{command} title=xform::and {more} more: {HINT}")?;
            }
        }
        Ok(())
    }
}

/// Where those are that GitHub would drop.
const HINT: &str = "GitHub shows ten of a kind; `xform audit --format sarif` writes the others too";

fn data(text: &str) -> String {
    without_controls(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
