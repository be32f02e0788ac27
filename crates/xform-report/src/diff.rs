//! What became better or worse, for people, for pull requests and for programs.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::judge::{DiffChange, DiffSide, NodeDiff, NodeFigures, SceneDiff};
use xform_scene::text::{significant, without_controls};

use super::{json::write_value, markdown::escaped};

/// How many nodes text and Markdown list.
const LISTED: usize = 100;

/// Writes what became better or worse as text, a line a node.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_text(diff: &SceneDiff, mut out: impl Write) -> io::Result<()> {
    let name = |side: &DiffSide| without_controls(&side.source);
    writeln!(out, "{} → {}", name(&diff.before), name(&diff.after))?;
    writeln!(out, "  {}", verdict(diff))?;
    for node in diff.nodes.iter().take(LISTED) {
        let [before, after] = [&node.before, &node.after].map(|side| figures(side.as_ref()));
        writeln!(out, "  {}: {}: {before} → {after}", change(node), node.path)?;
    }
    match diff.nodes.len().saturating_sub(LISTED) {
        0 => Ok(()),
        rest => writeln!(out, "  … and {rest} more nodes; --format json has them all"),
    }
}

/// Writes what became better or worse as Markdown, for pull requests. Names are escaped.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_markdown(diff: &SceneDiff, mut out: impl Write) -> io::Result<()> {
    let [before, after] = [&diff.before, &diff.after].map(|side| escaped(&side.source));
    writeln!(out, "# {before} → {after}\n\n{}", verdict(diff))?;
    if !diff.nodes.is_empty() {
        writeln!(out, "\n| | node | before | after |\n|---|---|---|---|")?;
    }
    for node in diff.nodes.iter().take(LISTED) {
        let [before, after] = [&node.before, &node.after].map(|side| figures(side.as_ref()));
        writeln!(out, "| {} | {} | {before} | {after} |", change(node), escaped(&node.path))?;
    }
    match diff.nodes.len().saturating_sub(LISTED) {
        0 => Ok(()),
        rest => writeln!(out, "\n… and {rest} more nodes; the JSON has them all."),
    }
}

/// Writes what became better or worse as JSON, which docs/report-format.md describes.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_json(diff: &SceneDiff, out: impl Write) -> io::Result<()> {
    let view = DiffView { schema: SceneDiff::SCHEMA, is_worse: diff.is_worse(), diff };
    // Diff, its list: a node stands on one line.
    write_value(&view, 2, out)
}

#[derive(Serialize)]
struct DiffView<'a> {
    schema: &'static str,
    is_worse: bool,
    #[serde(flatten)]
    diff: &'a SceneDiff,
}

fn verdict(diff: &SceneDiff) -> String {
    let [worse, better] = diff.counts();
    let [before, after] = [&diff.before, &diff.after].map(|side| side.grade);
    let grade = if before == after {
        format!("The grade stays {}", after.name())
    } else {
        format!("The grade was {} and is {}", before.name(), after.name())
    };
    let nodes =
        |count: usize| if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") };
    match (worse, better) {
        (0, 0) => format!("{grade}. No node is better or worse."),
        (0, better) => format!("{grade}. {} better.", are(better, &nodes(better))),
        (worse, 0) => format!("{grade}. {} worse.", are(worse, &nodes(worse))),
        (worse, better) => {
            format!("{grade}. {} worse, {} better.", are(worse, &nodes(worse)), nodes(better))
        }
    }
}

fn are(count: usize, nodes: &str) -> String {
    format!("{nodes} {}", if count == 1 { "is" } else { "are" })
}

fn change(node: &NodeDiff) -> &'static str {
    match (node.change, node.counts()) {
        (DiffChange::Worse, true) => "worse",
        (DiffChange::Worse, false) => "worse, but draws nothing",
        (DiffChange::Better, true) => "better",
        (DiffChange::Better, false) => "better, but draws nothing",
    }
}

fn figures(node: Option<&NodeFigures>) -> String {
    let Some(NodeFigures { grade, displacement_percent, .. }) = node else {
        return "not there".to_owned();
    };
    match displacement_percent {
        Some(percent) => format!("{} ({} %)", grade.name(), significant(*percent, 3)),
        None => grade.name().to_owned(),
    }
}
