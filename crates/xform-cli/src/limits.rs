use xform_compare::{NodeAudit, SceneAudit, node_path};

use crate::arguments::AuditArguments;

/// A line for each limit that a scene exceeds, naming its worst node.
pub(crate) fn exceeded(scene: &SceneAudit, arguments: &AuditArguments) -> Vec<String> {
    let skew = arguments.max_skew.and_then(|limit| {
        let node = worst(scene, |node| node.skew_degrees, limit)?;
        Some(line(scene, node, &format!("skew {}° > {limit}°", node.skew_degrees?)))
    });
    let displacement = arguments.max_displacement.and_then(|limit| {
        let node = worst(scene, NodeAudit::percent_of_scene, limit)?;
        Some(line(scene, node, &format!("displacement {} % > {limit} %", node.percent_of_scene()?)))
    });
    skew.into_iter().chain(displacement).collect()
}

/// The first of the nodes with the largest figure, if that is strictly greater than the limit.
fn worst(
    scene: &SceneAudit,
    figure: fn(&NodeAudit) -> Option<f64>,
    limit: f64,
) -> Option<&NodeAudit> {
    let over = scene.nodes.iter().filter(|&node| figure(node) > Some(limit));
    over.rev().max_by(|a, b| figure(a).unwrap_or(0.0).total_cmp(&figure(b).unwrap_or(0.0)))
}

fn line(scene: &SceneAudit, node: &NodeAudit, what: &str) -> String {
    let path = node_path(scene, node.index);
    format!("{}: node {} (\"{path}\"): {what}", scene.source, node.index)
}
