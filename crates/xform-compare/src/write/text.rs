use std::{
    borrow::Cow,
    io::{self, Write},
};

use textwrap::{Options, wrap};

use super::warning_counts::WarningCount;
use crate::{
    audit::{Audit, NodeAudit, SceneAudit, max, node_path},
    judge::{explain, explain_at_worst, is_safe, verdict},
    text::{significant, without_controls},
};

/// How many nodes are listed for a scene.
const LISTED: usize = 20;
/// Terminals have at least 80 columns.
const WIDTH: usize = 80;

/// Whether text has terminal colours.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Colour {
    /// ANSI escape sequences for what matters.
    Ansi,
    /// Plain text.
    None,
}

impl Colour {
    fn painted(self, line: &str, code: &str) -> String {
        match self {
            Self::Ansi => format!("\u{1b}[{code}m{line}\u{1b}[0m"),
            Self::None => line.to_owned(),
        }
    }
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// Writes an audit for people on 80 columns: per scene the verdict, the worst nodes with their
/// causes, the kinds of warnings.
///
/// # Errors
///
/// Those of the output.
pub fn write_text(audit: &Audit, colour: Colour, mut out: impl Write) -> io::Result<()> {
    for (position, scene) in audit.scenes.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        write_scene(scene, colour, &mut out)?;
    }
    Ok(())
}

fn write_scene(scene: &SceneAudit, colour: Colour, out: &mut impl Write) -> io::Result<()> {
    let summary = &scene.summary;
    let ranked = &scene.ranking.at_rest;
    writeln!(out, "{}", colour.painted(&without_controls(&scene.source), BOLD))?;
    let judged = if is_safe(scene) { GREEN } else { YELLOW };
    for line in wrapped(&verdict(scene), "  ", "  ") {
        writeln!(out, "{}", colour.painted(&line, judged))?;
    }
    let diagonal = significant(summary.diagonal, 4);
    writeln!(out, "  {} nodes, depth {}, diagonal {diagonal}", summary.nodes, summary.max_depth)?;
    for (position, &node) in ranked.iter().take(LISTED).enumerate() {
        writeln!(out)?;
        let node = &scene.nodes[node];
        let path = node_path(scene, node.index);
        for line in wrapped(&format!("{}. {path} [{}]", position + 1, node.index), "  ", "     ") {
            writeln!(out, "{}", colour.painted(&line, BOLD))?;
        }
        write_node(scene, node, out)?;
    }
    if let Some(rest) = ranked.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
        writeln!(out, "\n  … and {rest} more nodes; --format json has them all")?;
    }
    write_motion(scene, colour, out)?;
    for (position, kind) in WarningCount::of(&scene.warnings).into_iter().enumerate() {
        if position == 0 {
            writeln!(out)?;
        }
        let place = match kind.first.pointer.as_str() {
            "" => String::new(),
            pointer => format!("{pointer}: "),
        };
        let line = format!("warning: {place}{} ({})", kind.first.message, kind.label());
        write_lines(&wrapped(&without_controls(&line), "  ", "    "), out)?;
    }
    Ok(())
}

fn write_node(scene: &SceneAudit, node: &NodeAudit, out: &mut impl Write) -> io::Result<()> {
    let moves = moves(node.displacement, node.displacement_percent);
    let (skew, linear) = (figure(node.skew_degrees), figure(node.linear_difference));
    let figures = format!("{moves}, skew {skew}°, linear difference {linear}");
    write_lines(&wrapped(&figures, "     ", "     "), out)?;
    let cause = explain(scene, node.index).unwrap_or_default();
    write_lines(&wrapped(&cause, "     ", "     "), out)
}

fn moves(displacement: Option<f64>, percent: Option<f64>) -> String {
    match (displacement, percent) {
        (None, _) => "no bounds of its own".to_owned(),
        (Some(moved), None) => format!("moves {}", significant(moved, 4)),
        (Some(moved), Some(percent)) => {
            format!("moves {} ({} % of the scene)", significant(moved, 4), significant(percent, 4))
        }
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or("undefined".to_owned(), |value| significant(value, 4))
}

/// The nodes that are worse in motion than at rest.
fn write_motion(scene: &SceneAudit, colour: Colour, out: &mut impl Write) -> io::Result<()> {
    let ranked = &scene.ranking.in_motion;
    if !ranked.is_empty() {
        writeln!(out, "\n  In motion:")?;
    }
    for (position, worst) in ranked.iter().take(scene.at_worst.len()).enumerate() {
        writeln!(out)?;
        let (animation, node) = scene.in_motion(worst);
        let path = node_path(scene, node.index);
        for line in wrapped(&format!("{}. {path} [{}]", position + 1, node.index), "  ", "     ") {
            writeln!(out, "{}", colour.painted(&line, BOLD))?;
        }
        let moves = moves(max(node.displacement), node.displacement_percent);
        let skew = figure(max(node.skew_degrees));
        let seconds = significant(node.worst_seconds().unwrap_or(0.0), 4);
        let name = animation.label();
        let figures = format!("at its worst {seconds} s into {name}: {moves}; skew up to {skew}°");
        write_lines(&wrapped(&figures, "     ", "     "), out)?;
        let at_worst = scene.at_worst_of(worst.animation, node.index);
        let why = at_worst.and_then(|at_worst| explain_at_worst(scene, at_worst));
        write_lines(&wrapped(&why.unwrap_or_default(), "     ", "     "), out)?;
    }
    match ranked.len().saturating_sub(scene.at_worst.len()) {
        0 => Ok(()),
        rest => writeln!(out, "\n  … and {rest} more nodes; --format json has them all"),
    }
}

fn wrapped(text: &str, first: &str, rest: &str) -> Vec<String> {
    let options = Options::new(WIDTH).initial_indent(first).subsequent_indent(rest);
    let lines = if text.is_empty() { Vec::new() } else { wrap(text, options) };
    lines.into_iter().map(Cow::into_owned).collect()
}

fn write_lines(lines: &[String], out: &mut impl Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
