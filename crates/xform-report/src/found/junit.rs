//! JUnit's XML, by the schema of Jenkins (junit-10.xsd of its xUnit plugin). GitLab, Azure Pipelines, TeamCity and
//! others read it too.

use std::io::{self, Write};

use askama::Template;
use xform_compare::{Finding, audit::Problem};
use xform_scene::text::without_controls;

use super::{Told, path, told};

/// A case that every scene has, so that a scene without findings is a passing test.
const READ: &str = "audit";

#[derive(Template)]
#[template(path = "junit.xml")]
struct Suite {
    name: String,
    /// The name without dots, at which Jenkins would separate a package from a class.
    class: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    outcome: Outcome,
    /// The findings that do not fail, one per line.
    notes: String,
}

enum Outcome {
    Passed,
    Skipped { reason: String },
    Failed { message: String, lines: String },
    NotRead { code: String, message: String, lines: String },
}

impl Suite {
    fn count(&self, is: fn(&Outcome) -> bool) -> usize {
        self.cases.iter().filter(|case| is(&case.outcome)).count()
    }

    fn failures(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed { .. }))
    }

    fn errors(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::NotRead { .. }))
    }

    fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped { .. }))
    }
}

/// Writes the text before the scenes.
pub(crate) fn begin(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"xform\">\n")
}

/// Writes the findings in a scene, as one case per rule.
pub(crate) fn write_scene(
    source: &str,
    findings: &[Finding],
    max_per_rule: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut by_rule: Vec<(&str, Vec<Told<'_>>)> = Vec::new();
    for told in told(findings, max_per_rule) {
        match by_rule.iter_mut().find(|(rule, _)| *rule == told.finding.rule) {
            Some((_, all)) => all.push(told),
            None => by_rule.push((told.finding.rule, vec![told])),
        }
    }
    let read = Case { name: READ.to_owned(), outcome: Outcome::Passed, notes: String::new() };
    let of_rules = by_rule.into_iter().map(|(rule, all)| of_rule(rule, &all));
    write_suite(source, [read].into_iter().chain(of_rules), out)
}

fn of_rule(rule: &str, all: &[Told<'_>]) -> Case {
    let counts = |told: &&Told<'_>| told.finding.ignored.is_none();
    let lines = |fails: bool| {
        let of = all.iter().filter(counts).filter(|told| told.finding.fails == fails);
        of.map(|told| text(&told.message())).collect::<Vec<_>>()
    };
    let (failed, mut notes) = (lines(true), lines(false));
    let ignored = || all.iter().filter_map(|told| Some((told, told.finding.ignored.as_ref()?)));
    let outcome = match (failed.first(), ignored().next()) {
        (Some(first), _) => Outcome::Failed { message: first.clone(), lines: failed.join("\n") },
        (None, Some((_, reason))) if notes.is_empty() => Outcome::Skipped { reason: text(reason) },
        _ => Outcome::Passed,
    };
    notes.extend(
        ignored().map(|(told, reason)| text(&format!("ignored ({reason}): {}", told.message()))),
    );
    Case { name: rule.to_owned(), outcome, notes: notes.join("\n") }
}

/// Writes a scene that was ignored, with the reason.
pub(crate) fn write_ignored(source: &str, reason: &str, out: &mut dyn Write) -> io::Result<()> {
    let outcome = Outcome::Skipped { reason: text(reason) };
    write_suite(source, [Case { name: READ.to_owned(), outcome, notes: String::new() }], out)
}

/// Writes the scenes that could not be audited, and the text after all scenes.
pub(crate) fn end(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        let lines: Vec<_> = problem.lines().map(|line| text(&line)).collect();
        let code =
            problem.defects().next().map_or_else(String::new, |defect| defect.code.to_string());
        let message = lines.first().cloned().unwrap_or_default();
        let outcome = Outcome::NotRead { code, message, lines: lines.join("\n") };
        let case = Case { name: READ.to_owned(), outcome, notes: String::new() };
        write_suite(&problem.source, [case], out)?;
    }
    out.write_all(b"</testsuites>\n")
}

fn write_suite(
    source: &str,
    cases: impl IntoIterator<Item = Case>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let name = text(&path(source));
    let suite = Suite { class: name.replace('.', "_"), name, cases: cases.into_iter().collect() };
    suite.write_into(&mut out)?;
    out.write_all(b"\n")
}

/// Returns the text on one line, without control characters and the two other characters that XML 1.0 excludes.
fn text(text: &str) -> String {
    without_controls(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
