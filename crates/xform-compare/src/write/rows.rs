//! JSON Lines: a row a file, and a row a node where they are wanted.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Nodes,
    json::{MotionView, write_value},
};
use crate::{NodeAudit, SceneAudit, Summary, WarningCode, warning::by_code};

/// What a row is about.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum About {
    File,
    Node,
    Motion,
    Ignored,
    Error,
}

#[derive(Serialize)]
struct FileRow<'a> {
    row: About,
    source: &'a str,
    summary: &'a Summary,
    warnings: Vec<Count>,
    exceeded: &'a [String],
}

/// How often there is a warning of a kind.
#[derive(Serialize)]
struct Count {
    code: WarningCode,
    count: usize,
}

#[derive(Serialize)]
struct NodeRow<'a> {
    row: About,
    source: &'a str,
    node: &'a NodeAudit,
}

#[derive(Serialize)]
struct MotionRow<'a> {
    row: About,
    source: &'a str,
    motion: MotionView<'a>,
}

#[derive(Serialize)]
struct IgnoredRow<'a> {
    row: About,
    source: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    row: About,
    source: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
}

/// Why a file was not audited.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// Its kind; stable, for programs: mostly an [`ErrorCode`](crate::ErrorCode).
    pub code: &'static str,
    /// Where it is in the file, as a JSON pointer (RFC 6901); empty for the whole of it.
    pub pointer: String,
    /// One line for people, which names the file.
    pub error: String,
}

/// Writes what was found on a scene in one line: its summary, its warnings counted, and the limits that
/// it exceeds, in words.
///
/// # Errors
///
/// Those of the output.
pub fn write_file_row(
    scene: &SceneAudit,
    exceeded: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let count = |(warning, count): (&crate::Warning, usize)| Count { code: warning.code, count };
    let warnings = by_code(&scene.warnings).into_iter().map(count).collect();
    let (source, summary) = (&scene.source, &scene.summary);
    write_value(&FileRow { row: About::File, source, summary, warnings, exceeded }, 0, out)
}

/// Writes the nodes of a scene, a line each, then what its animations move, a line a node and animation.
///
/// # Errors
///
/// Those of the output.
pub fn write_node_rows(scene: &SceneAudit, nodes: Nodes, out: &mut impl Write) -> io::Result<()> {
    nodes.of(scene).try_for_each(|(node, _)| {
        write_value(&NodeRow { row: About::Node, source: &scene.source, node }, 0, out)
    })?;
    nodes.in_motion(scene).try_for_each(|motion| {
        write_value(&MotionRow { row: About::Motion, source: &scene.source, motion }, 0, out)
    })
}

/// Writes why a file was not audited on purpose in one line.
///
/// # Errors
///
/// Those of the output.
pub fn write_ignored_row(source: &str, reason: &str, out: &mut impl Write) -> io::Result<()> {
    write_value(&IgnoredRow { row: About::Ignored, source, reason }, 0, out)
}

/// Writes why a file could not be audited in one line.
///
/// # Errors
///
/// Those of the output.
pub fn write_error_row(source: &str, problem: &Problem, out: &mut impl Write) -> io::Result<()> {
    write_value(&ErrorRow { row: About::Error, source, problem }, 0, out)
}
