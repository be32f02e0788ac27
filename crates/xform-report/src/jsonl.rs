//! JSON Lines: one row per file, and one per node if requested.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::{SceneAudit, Summary, audit::Problem};
use xform_scene::WarningCode;

use super::{
    json::{ColliderView, EnginesView, MotionView, NodeView, PhysicsCount, write_value},
    warning_counts::WarningCount,
};
use crate::NodeSelection;

/// The kind of a row.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum About {
    File,
    Node,
    Motion,
    Collider,
    Ignored,
    Error,
}

#[derive(Serialize)]
struct FileRow<'a> {
    row: About,
    source: &'a str,
    summary: &'a Summary,
    engines: EnginesView<'a>,
    warnings: Vec<Count>,
    exceeded: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    physics: Option<PhysicsCount<'a>>,
}

/// The number of warnings of a kind.
#[derive(Serialize)]
struct Count {
    code: WarningCode,
    count: usize,
}

#[derive(Serialize)]
struct NodeRow<'a> {
    row: About,
    source: &'a str,
    node: NodeView<'a>,
}

#[derive(Serialize)]
struct MotionRow<'a> {
    row: About,
    source: &'a str,
    motion: MotionView<'a>,
}

#[derive(Serialize)]
struct ColliderRow<'a> {
    row: About,
    source: &'a str,
    collider: ColliderView<'a>,
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
    #[serde(flatten)]
    problem: &'a Problem,
}

/// Writes a scene in one line: its summary, the results of engines, its warnings counted, and the exceeded limits in
/// words. Then follow its nodes, what its animations move by node and animation, and its colliders, one line each.
pub(super) fn write_scene(
    scene: &SceneAudit,
    nodes: Option<NodeSelection>,
    exceeded: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = |kind: WarningCount<'_>| Count { code: kind.first.code, count: kind.count };
    let warnings = WarningCount::of(&scene.warnings).into_iter().map(count).collect();
    let (source, summary) = (&scene.source, &scene.summary);
    // The row of the file has only the worst node of each group.
    let engines = EnginesView::of(scene, 1);
    let physics = PhysicsCount::of(scene);
    let row = FileRow { row: About::File, source, summary, engines, warnings, exceeded, physics };
    write_value(&row, 0, &mut *out)?;
    let Some(nodes) = nodes else { return Ok(()) };
    nodes.of(scene).try_for_each(|(node, _)| {
        let node = NodeView::of(scene, node);
        write_value(&NodeRow { row: About::Node, source, node }, 0, &mut *out)
    })?;
    MotionView::all(scene, nodes).try_for_each(|motion| {
        write_value(&MotionRow { row: About::Motion, source, motion }, 0, &mut *out)
    })?;
    ColliderView::all(scene).try_for_each(|collider| {
        write_value(&ColliderRow { row: About::Collider, source, collider }, 0, &mut *out)
    })
}

/// Writes why a file was ignored, in one line.
pub(super) fn write_ignored(source: &str, reason: &str, out: &mut dyn Write) -> io::Result<()> {
    write_value(&IgnoredRow { row: About::Ignored, source, reason }, 0, out)
}

/// Writes why a file could not be audited, in one line.
pub(super) fn write_problem(problem: &Problem, out: &mut dyn Write) -> io::Result<()> {
    write_value(&ErrorRow { row: About::Error, problem }, 0, out)
}
