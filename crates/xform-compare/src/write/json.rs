mod layout;
mod views;

use std::io::{self, Write};

use serde::Serialize;

use super::NodeSelection;
use crate::{
    audit::{Audit, DIFFERING_FRACTION, Grade, Problem, SKEWED_DEGREES, Summary},
    scene::Warning,
};
pub(super) use layout::write_value;
use views::AnimationView;
pub(super) use views::{MotionView, NodeView};

/// Writes an audit as JSON: the contract that programs read, described in docs/report-format.md.
///
/// One line a node, so that two reports can be compared line by line.
///
/// # Errors
///
/// Those of the output.
pub fn write_json(audit: &Audit, nodes: NodeSelection, out: impl Write) -> io::Result<()> {
    let scenes = audit.scenes.iter().map(|scene| SceneView {
        source: &scene.source,
        summary: &scene.summary,
        warnings: &scene.warnings,
        nodes: nodes.of(scene).map(|(node, _)| NodeView::new(node)).collect(),
        animations: scene.animations.iter().map(AnimationView::new).collect(),
        motion: MotionView::all(scene, nodes).collect(),
    });
    let view = AuditView {
        schema: Audit::SCHEMA,
        thresholds: ThresholdsView {
            skewed_degrees: SKEWED_DEGREES,
            differing_fraction: DIFFERING_FRACTION,
            identical_percent: Grade::IDENTICAL_PERCENT,
            visible_percent: Grade::VISIBLE_PERCENT,
            visible_if_large_percent: Grade::VISIBLE_IF_LARGE_PERCENT,
            large_percent_of_itself: Grade::LARGE_PERCENT_OF_ITSELF,
            severe_percent: Grade::SEVERE_PERCENT,
        },
        scenes: scenes.collect(),
        errors: &audit.errors,
    };
    // Audit, scenes, scene, its lists: a node stands on one line.
    write_value(&view, 4, out)
}

/// An audit with the nodes that are asked for.
#[derive(Serialize)]
struct AuditView<'a> {
    schema: &'a str,
    thresholds: ThresholdsView,
    scenes: Vec<SceneView<'a>>,
    errors: &'a [Problem],
}

#[derive(Serialize)]
struct ThresholdsView {
    skewed_degrees: f64,
    differing_fraction: f64,
    identical_percent: f64,
    visible_percent: f64,
    visible_if_large_percent: f64,
    large_percent_of_itself: f64,
    severe_percent: f64,
}

#[derive(Serialize)]
struct SceneView<'a> {
    source: &'a str,
    summary: &'a Summary,
    warnings: &'a [Warning],
    nodes: Vec<NodeView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    animations: Vec<AnimationView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    motion: Vec<MotionView<'a>>,
}
