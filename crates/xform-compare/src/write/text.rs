use std::io::{self, Write};

use textwrap::{Options, wrap};

use super::{number::significant, verdict::verdict};
use crate::{Audit, NodeAudit, SceneAudit, explain, node_path, ranking::ranked};

/// How many nodes, and how many warnings, are listed for a scene.
const LISTED: usize = 20;
/// Terminals have at least 80 columns.
const WIDTH: usize = 80;

/// Writes an audit for people on 80 columns: per scene the verdict, the worst nodes with their
/// causes, the warnings.
///
/// # Errors
///
/// Those of the output.
pub fn write_text(audit: &Audit, out: &mut impl Write) -> io::Result<()> {
    for (position, scene) in audit.scenes.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        write_scene(scene, out)?;
    }
    Ok(())
}

fn write_scene(scene: &SceneAudit, out: &mut impl Write) -> io::Result<()> {
    let summary = &scene.summary;
    let diagonal = significant(summary.diagonal, 4);
    writeln!(out, "{}", scene.source.replace(|c: char| c.is_control(), "\u{FFFD}"))?;
    write_wrapped(&verdict(scene), "  ", "  ", out)?;
    writeln!(out, "  {} nodes, depth {}, diagonal {diagonal}", summary.nodes, summary.max_depth)?;
    let ranked = ranked(&scene.nodes);
    for (position, node) in ranked.iter().take(LISTED).enumerate() {
        write_node(scene, node, position + 1, out)?;
    }
    write_rest(ranked.len(), "nodes; --format json has them all", out)?;
    if !scene.warnings.is_empty() {
        writeln!(out)?;
        for warning in scene.warnings.iter().take(LISTED) {
            let code = warning.code.name();
            let line = format!("warning: {}: {} ({code})", warning.pointer, warning.message);
            write_wrapped(&line, "  ", "    ", out)?;
        }
        write_rest(scene.warnings.len(), "warnings; --format json has them all", out)?;
    }
    Ok(())
}

fn write_node(
    scene: &SceneAudit,
    node: &NodeAudit,
    position: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let heading = format!("{position}. {} [{}]", node_path(scene, node.index), node.index);
    writeln!(out)?;
    write_wrapped(&heading, "  ", "     ", out)?;
    let moves = match (node.displacement, node.displacement_percent) {
        (None, _) => "no bounds of its own".to_owned(),
        (Some(moved), None) => format!("moves {}", significant(moved, 4)),
        (Some(moved), Some(percent)) => {
            format!("moves {} ({} % of the scene)", significant(moved, 4), significant(percent, 4))
        }
    };
    let figure =
        |value: Option<f64>| value.map_or("undefined".to_owned(), |value| significant(value, 4));
    let (skew, linear) = (figure(node.skew_degrees), figure(node.linear_difference));
    writeln!(out, "     {moves}, skew {skew}°, linear difference {linear}")?;
    match explain(scene, node.index) {
        Some(cause) => write_wrapped(&cause, "     ", "     ", out),
        None => Ok(()),
    }
}

fn write_wrapped(text: &str, first: &str, rest: &str, out: &mut impl Write) -> io::Result<()> {
    let options = Options::new(WIDTH).initial_indent(first).subsequent_indent(rest);
    wrap(text, options).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn write_rest(len: usize, what: &str, out: &mut impl Write) -> io::Result<()> {
    match len.checked_sub(LISTED) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(out, "\n  … and {rest} more {what}"),
    }
}
