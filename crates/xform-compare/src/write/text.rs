use std::io::{self, Write};

use super::{number::significant, ranking::ranked, verdict::verdict};
use crate::{Audit, NodeAudit, SceneAudit, Warning, node_path};

/// How many nodes, and how many warnings, are listed for a scene.
const LISTED: usize = 20;

/// Writes an audit for people: per scene the verdict, the worst nodes as a table, the warnings.
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
    writeln!(out, "{}", scene.source)?;
    writeln!(out, "  {}", verdict(scene))?;
    writeln!(
        out,
        "  {} nodes, depth {}, diagonal {}",
        summary.nodes,
        summary.max_depth,
        significant(summary.diagonal, 4)
    )?;
    let ranked = ranked(scene);
    if !ranked.is_empty() {
        writeln!(out)?;
        writeln!(
            out,
            "  {:>12} {:>8} {:>9} {:>10}  node",
            "displacement", "% scene", "skew °", "linear Δ"
        )?;
        for node in ranked.iter().take(LISTED) {
            write_node(scene, node, out)?;
        }
        write_rest(ranked.len(), "nodes", out)?;
    }
    if !scene.warnings.is_empty() {
        writeln!(out)?;
        for warning in scene.warnings.iter().take(LISTED) {
            write_warning(warning, out)?;
        }
        write_rest(scene.warnings.len(), "warnings", out)?;
    }
    Ok(())
}

fn write_node(scene: &SceneAudit, node: &NodeAudit, out: &mut impl Write) -> io::Result<()> {
    let figure =
        |figure: Option<f64>| figure.map_or("–".to_owned(), |value| significant(value, 4));
    writeln!(
        out,
        "  {:>12} {:>8} {:>9} {:>10}  {} [{}]",
        figure(node.displacement),
        figure(node.displacement_percent),
        figure(node.skew_degrees),
        figure(node.linear_difference),
        node_path(scene, node.index),
        node.index
    )
}

fn write_warning(warning: &Warning, out: &mut impl Write) -> io::Result<()> {
    let Warning {
        code,
        pointer,
        message,
        ..
    } = warning;
    writeln!(out, "  warning: {pointer}: {message} ({})", code.name())
}

fn write_rest(len: usize, what: &str, out: &mut impl Write) -> io::Result<()> {
    match len.checked_sub(LISTED) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(out, "  … and {rest} more {what}"),
    }
}
