mod escaped;

use std::io::{self, Write};

use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{Problem, node_path},
    explain,
    judge::{
        ColliderText, colliders_cause, colliders_line, colliders_note, explain_at_worst, footnotes,
        names, undrawn, undrawn_line, verdict,
    },
};
use xform_scene::text::significant;

use super::warning_counts::WarningCount;
use crate::NodeSelection;
pub(super) use escaped::{escaped, sentences};

/// The number of nodes listed per scene.
const LISTED: usize = 100;

/// Writes the title.
pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Differences between engines")
}

/// Writes the text after the scenes.
pub(super) fn end(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    if !problems.is_empty() {
        writeln!(out, "\n## Not audited\n")?;
    }
    let mut lines = problems.iter().flat_map(Problem::lines);
    lines.try_for_each(|line| writeln!(out, "- {}", escaped(&line)))
}

pub(super) fn write_scene(
    scene: &SceneAudit,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\n## {}\n", escaped(&scene.source))?;
    writeln!(out, "{}", escaped(&verdict(scene)))?;
    for line in colliders_line(scene).into_iter().chain(colliders_cause(scene)) {
        writeln!(out, "\n{}", escaped(&line))?;
    }
    for note in footnotes(scene) {
        writeln!(out, "\n{}", escaped(&note))?;
    }
    if let Some(note) = colliders_note(scene) {
        writeln!(out, "\n{}", sentences(&note))?;
    }
    if scene.physics.is_asked {
        let told = ColliderText::all(scene);
        for (place, ColliderText { collider, title, grade, lines, .. }) in
            told.iter().take(LISTED).enumerate()
        {
            let (number, path) = (place + 1, escaped(&node_path(scene, collider.node)));
            let said = escaped(&lines.join(" "));
            writeln!(out, "\n{number}. {path}, {}: {grade}. {said}", escaped(title))?;
        }
        if let Some(rest) = told.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
            writeln!(out, "\n… and more colliders ({rest}); the JSON has them all.")?;
        }
    }
    let mut apart = scene.apart_at_rest();
    apart.retain(|node| nodes.lists_at_rest(node));
    if !apart.is_empty() {
        writeln!(out, "\n| node | grade | displacement | % of scene | skew ° | cause |")?;
        writeln!(out, "|---|---|---:|---:|---:|---|")?;
        for node in apart.iter().take(LISTED) {
            write_node(scene, node, out)?;
        }
        if let Some(rest) = apart.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
            writeln!(out, "\n… and {rest} more nodes; the JSON has them all.")?;
        }
    }
    write_motion(scene, nodes, out)?;
    let undrawn = if nodes == NodeSelection::Seen { undrawn(scene) } else { Vec::new() };
    if !undrawn.is_empty() {
        writeln!(out, "\nNot counted, because they draw nothing:\n")?;
        for node in undrawn.iter().take(LISTED) {
            writeln!(out, "- {}", escaped(&undrawn_line(scene, node)))?;
        }
        if let Some(rest) = undrawn.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
            writeln!(out, "\n… and {rest} more nodes; the JSON has them all.")?;
        }
    }
    if let Some(more) = nodes.unseen(scene) {
        writeln!(out, "\n{more}.")?;
    }
    if !scene.warnings.is_empty() {
        writeln!(out, "\nWarnings:\n")?;
        for kind in WarningCount::of(&scene.warnings) {
            let (place, message) = (escaped(&kind.place(scene)), sentences(&kind.first.message));
            let place = if place.is_empty() { place } else { format!("{place}: ") };
            writeln!(out, "- {place}{message} ({})", kind.label())?;
        }
    }
    Ok(())
}

/// Writes the nodes that are worse in motion than at rest.
fn write_motion(scene: &SceneAudit, nodes: NodeSelection, out: &mut dyn Write) -> io::Result<()> {
    let mut ranked = scene.apart_in_motion();
    ranked.retain(|ranked| nodes.lists_in_motion(scene, scene.in_motion(ranked).1));
    if ranked.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nIn motion:\n")?;
    writeln!(out, "| node | grade | displacement | % of scene | skew ° | at its worst | cause |")?;
    writeln!(out, "|---|---|---:|---:|---:|---|---|")?;
    for worst in ranked.iter().take(LISTED) {
        let (animation, node) = scene.in_motion(worst);
        let at_worst = scene.at_worst_of(worst.animation, node.index);
        let why = at_worst.and_then(|at_worst| explain_at_worst(scene, at_worst));
        writeln!(
            out,
            "| {} ({}) | {} | {} | {} | {} | {} s into {} | {} |",
            escaped(&node_path(scene, node.index)),
            node.index,
            graded(scene, node.index, node.grade(), node.group),
            figure(node.displacement.map(|peak| peak.max)),
            figure(node.displacement_percent),
            figure(node.skew_difference_degrees.map(|peak| peak.max)),
            significant(node.worst_seconds().unwrap_or(0.0), 4),
            escaped(&animation.label()),
            sentences(&why.unwrap_or_default())
        )?;
    }
    match ranked.len().saturating_sub(LISTED) {
        0 => Ok(()),
        rest => writeln!(out, "\n… and {rest} more nodes; the JSON has them all."),
    }
}

/// Names a grade and the engines with it.
fn graded(scene: &SceneAudit, node: usize, grade: Grade, group: Option<usize>) -> String {
    let engines = match scene.shown_in(node, group) {
        [] => String::new(),
        engines => format!(" in {}", names(engines)),
    };
    format!("{}{engines}", grade.name())
}

fn figure(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| significant(value, 4))
}

fn write_node(scene: &SceneAudit, node: &NodeAudit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "| {} ({}) | {} | {} | {} | {} | {} |",
        escaped(&node_path(scene, node.index)),
        node.index,
        graded(scene, node.index, node.grade(), node.group),
        figure(node.displacement),
        figure(node.displacement_percent),
        figure(node.skew_difference_degrees),
        sentences(&explain(scene, node.index).unwrap_or_default())
    )
}
