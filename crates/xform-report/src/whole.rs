//! Documents about scenes whose audits are at hand.

use std::{
    borrow::Borrow,
    io::{self, Write},
};

use xform_compare::{Finding, SceneAudit, audit::Problem};

use super::document::{Document, DocumentFormat};
use crate::{FindingsFormat, NodeSelection, TextStyle};

/// Writes audits for people: the verdict, the worst nodes with their causes, the kinds of warnings.
///
/// Of several scenes it is first a table, worst first, and then those alone whose difference is seen. Scenes that
/// could not be audited are named.
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

/// Writes audits as JSON: the contract that programs read, described in docs/report-format.md.
///
/// One line a node, so that two reports can be compared line by line. Each scene is written before the next is asked for;
/// those that could not be audited are written last.
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

/// Writes audits as CSV (RFC 4180): one row a node with the figures of the JSON but for poses and
/// matrices. What is undefined, or does not apply, is empty.
///
/// A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-` or `@`,
/// gets a `'` in front, and control characters are replaced.
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

/// Writes audits as Markdown, for pull requests and wikis: per scene the verdict, the worst nodes
/// as a table with their causes, the kinds of warnings. Names are escaped.
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

/// Writes what was found in scenes, each with its source, and of each rule so many findings in a scene at most: the worst, of which the
/// last says how many more there are.
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

/// Writes all of a document.
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
