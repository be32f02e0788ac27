//! Writes whole documents from audits.

use std::{
    borrow::Borrow,
    io::{self, Write},
};

use xform_compare::{Finding, SceneAudit, audit::Problem};

use super::document::{Document, DocumentFormat};
use crate::{FindingsFormat, NodeSelection, TextStyle};

/// Writes audits for people: the verdict, the worst nodes with their causes, the kinds of warnings.
///
/// Several scenes begin with a table, worst first, followed by those with visible differences only. Scenes that could
/// not be audited are listed.
///
/// # Errors
///
/// Those of the output.
pub fn write_text<S: Borrow<SceneAudit>>(
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    style: TextStyle,
    out: impl Write,
) -> io::Result<()> {
    write_all(DocumentFormat::Text(style, NodeSelection::Seen), audits, out)
}

/// Writes audits as JSON: the stable format for programs, described in docs/report-format.md.
///
/// Each node is on one line, so that two reports can be compared line by line. Each scene is written before the next is
/// requested. Scenes that could not be audited come last.
///
/// # Errors
///
/// Those of the output.
pub fn write_json<S: Borrow<SceneAudit>>(
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    nodes: NodeSelection,
    out: impl Write,
) -> io::Result<()> {
    write_all(DocumentFormat::Json(nodes), audits, out)
}

/// Writes audits as CSV (RFC 4180): one row per node with the figures of the JSON except poses and matrices. Values
/// that are undefined or do not apply are empty.
///
/// A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-` or `@`, gets a leading `'`,
/// and control characters are replaced.
///
/// # Errors
///
/// Those of the output.
pub fn write_csv<S: Borrow<SceneAudit>>(
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    nodes: NodeSelection,
    out: impl Write,
) -> io::Result<()> {
    write_all(DocumentFormat::Csv(nodes), audits, out)
}

/// Writes audits as Markdown, for pull requests and wikis: for each scene the verdict, a table of the worst nodes with
/// their causes, and the kinds of warnings. Names are escaped.
///
/// # Errors
///
/// Those of the output.
pub fn write_markdown<S: Borrow<SceneAudit>>(
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    out: impl Write,
) -> io::Result<()> {
    write_all(DocumentFormat::Markdown(NodeSelection::Seen), audits, out)
}

/// Writes findings in scenes, each paired with its source. At most `max_per_rule` findings of each rule are written per
/// scene: the worst. The last of them states how many more there are.
///
/// # Errors
///
/// Those of the output.
pub fn write_findings<N: AsRef<str>, F: AsRef<[Finding]>>(
    format: FindingsFormat,
    max_per_rule: usize,
    scenes: impl IntoIterator<Item = Result<(N, F), Problem>>,
    out: impl Write,
) -> io::Result<()> {
    let mut document = Document::new(DocumentFormat::Findings(format, max_per_rule), out)?;
    for scene in scenes {
        match scene {
            Ok((source, findings)) => {
                document.add_found(format, max_per_rule, source.as_ref(), findings.as_ref())
            }
            Err(problem) => document.add_failed(problem),
        }?;
    }
    document.finish()
}

/// Writes a whole document.
fn write_all<S: Borrow<SceneAudit>>(
    format: DocumentFormat,
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    out: impl Write,
) -> io::Result<()> {
    let mut document = Document::new(format, out)?;
    for audit in audits {
        match audit {
            Ok(audit) => document.add_audited(audit.borrow(), &[], &[]),
            Err(problem) => document.add_failed(problem),
        }?;
    }
    document.finish()
}
