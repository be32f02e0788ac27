//! Code Quality reports of GitLab: the members of CodeClimate's format that GitLab reads, as its documentation on "Code Quality report
//! format" lists them.

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
    /// By which GitLab tells whether a merge request brings it: the same as long as the node has the same names above it.
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

/// Assets have no lines, and GitLab asks for one.
#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// What stands before the issues.
pub(crate) fn begin(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")
}

/// What was found in a scene, with a comma before each. What is ignored is left out: GitLab has no word for it.
pub(crate) fn write_scene(
    source: &str,
    findings: &[Finding],
    max_per_rule: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = path(source);
    // Nodes of one name beside one another, in the order of the file.
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

/// What is wrong with scenes that could not be audited, with a comma before each.
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

/// Of parts that hold no line break, so that no two come to the same.
fn fingerprint(parts: [&str; 3]) -> String {
    parts.map(without_controls).join("\n")
}

/// What stands behind the issues.
pub(crate) fn end(has_issues: bool, out: &mut dyn Write) -> io::Result<()> {
    end_list(has_issues, 0, out)?;
    out.write_all(b"\n")
}
