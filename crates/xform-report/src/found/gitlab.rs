//! Code Quality reports of GitLab: the members of CodeClimate's format that GitLab reads, as listed in its
//! documentation on the "Code Quality report format".

use std::{
    collections::HashMap,
    io::{self, Write},
    iter,
};

use serde::Serialize;
use xform_compare::{Finding, audit::Problem, judge::Severity};
use xform_scene::text::without_controls;

use super::{identity, path, told};
use crate::json::{end_list, write_item};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    /// Identifies the finding, so that GitLab can tell whether a merge request adds it. It stays the same as long as
    /// the names from the root down to the node do.
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

/// Assets have no lines, but GitLab requires one.
#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Writes the text before the issues.
pub(crate) fn begin(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")
}

/// Writes the findings in a scene, each with a leading comma. Ignored ones are left out, because GitLab cannot express
/// them.
pub(crate) fn write_scene(
    source: &str,
    findings: &[Finding],
    max_per_rule: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = path(source);
    // Siblings with the same name are numbered in the order of the file.
    let mut times = HashMap::<String, usize>::new();
    for told in told(findings, max_per_rule) {
        let finding = told.finding;
        let severity = match finding.severity {
            Severity::Note => "info",
            Severity::Warning => "minor",
            Severity::Error => "major",
            Severity::Off => continue,
        };
        if finding.ignored.is_some() {
            continue;
        }
        let fingerprint = fingerprint([finding.rule, &path, &identity(finding)]);
        let seen = times.entry(fingerprint.clone()).or_default();
        *seen += 1;
        let issue = Issue {
            description: without_controls(&told.message()),
            check_name: finding.rule,
            fingerprint: format!("{fingerprint}\n{seen}"),
            severity,
            location: Location { path: &path, lines: Lines { begin: 1 } },
        };
        write_item(&issue, 0, 1, out)?;
    }
    Ok(())
}

/// Writes the problems of scenes that could not be audited, each with a leading comma.
pub(crate) fn write_problems(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        let path = path(&problem.source);
        let defects = problem.defects().map(Some).chain(iter::repeat(None));
        for (line, defect) in problem.lines().zip(defects) {
            let code = defect.map_or("more", |defect| &defect.code);
            let issue = Issue {
                description: without_controls(&line),
                check_name: code,
                fingerprint: fingerprint([code, &path, &line]),
                severity: "blocker",
                location: Location { path: &path, lines: Lines { begin: 1 } },
            };
            write_item(&issue, 0, 1, out)?;
        }
    }
    Ok(())
}

/// Hashes parts. They contain no line break, so different parts cannot be joined to the same text.
fn fingerprint(parts: [&str; 3]) -> String {
    parts.map(without_controls).join("\n")
}

/// Writes the text after the issues.
pub(crate) fn end(has_issues: bool, out: &mut dyn Write) -> io::Result<()> {
    end_list(has_issues, 0, out)?;
    out.write_all(b"\n")
}
