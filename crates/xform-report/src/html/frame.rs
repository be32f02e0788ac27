//! A built-in scene at one setting of its sliders, for the page's scripts.

use serde::Serialize;
use xform_compare::{
    NodeAudit, SceneAudit,
    audit::node_path,
    judge::{Advised, ReportFrame, headline},
};
use xform_core::{Trs, linear::axis_lengths};
use xform_scene::text::{capitalised, rounded};

use super::{
    bytes::{Bytes, rows},
    stage::Stage,
    words::{effect, tip},
};

/// World transforms by show and place, figures by place, and the texts about them.
#[derive(Serialize)]
pub(super) struct Frame {
    worlds: usize,
    displacement: Vec<Option<f64>>,
    percent: Vec<Option<f64>>,
    skew: Vec<Option<f64>>,
    /// The name of the grade, the same capitalised, and the answer.
    headline: [String; 3],
    cards: Vec<CardText>,
    /// The poses of each node of the scene.
    poses: Vec<Poses>,
}

/// The text of a card. Names of nodes stand between backticks.
#[derive(Serialize)]
struct CardText {
    node: usize,
    path: String,
    grade: &'static str,
    effect: String,
    why: String,
    tips: Vec<String>,
}

/// The poses of a node: its local pose, and its world transform by combined TRS and by matrices.
#[derive(Serialize)]
struct Poses {
    path: String,
    local: Pose,
    by_trs: Pose,
    /// A matrix has no rotation to show unless it is free of skew.
    by_matrix: MatrixPose,
}

/// Position; rotation as w, x, y, z; scale.
#[derive(Serialize)]
struct Pose([f64; 3], [f64; 4], [f64; 3]);

/// Position, lengths of the axes, and the largest skew between them in degrees.
#[derive(Serialize)]
struct MatrixPose([f64; 3], [f64; 3], Option<f64>);

const DIGITS: usize = 5;

impl Frame {
    pub(super) fn new(frame: &ReportFrame, stage: &Stage, bytes: &mut Bytes) -> Self {
        let audit = &frame.audit;
        let nodes = || stage.nodes.iter().map(|&node| &audit.nodes[node]);
        let worlds = frame.worlds.iter().flat_map(|worlds| {
            stage.nodes.iter().flat_map(|&node| rows(&stage.relative(&worlds[node])))
        });
        let shown = |value: Option<f64>| value.map(|value| value + 0.0); // −0 + 0 is 0
        let (grade, answer) = headline(audit);
        Self {
            worlds: bytes.push_f32(worlds),
            displacement: nodes().map(|node| shown(node.displacement)).collect(),
            percent: nodes().map(|node| shown(node.displacement_percent)).collect(),
            skew: nodes().map(|node| shown(node.skew_difference_degrees)).collect(),
            headline: [grade.name().to_owned(), capitalised(grade.name()), answer],
            cards: frame.advice.iter().map(|advised| CardText::new(audit, advised)).collect(),
            poses: audit.nodes_of_the_file().iter().map(|node| Poses::new(audit, node)).collect(),
        }
    }
}

impl CardText {
    fn new(scene: &SceneAudit, Advised { group, advice }: &Advised) -> Self {
        let node = &scene.nodes[group.nodes[0]];
        let possible = advice.iter().filter(|advice| advice.outcome.is_ok());
        Self {
            node: node.index,
            path: node_path(scene, node.index),
            grade: node.grade().name(),
            effect: effect(scene, node),
            why: group.explain(scene).unwrap_or_default(),
            tips: possible.map(|advice| tip(scene, &group.nodes, advice)).collect(),
        }
    }
}

impl Poses {
    fn new(scene: &SceneAudit, node: &NodeAudit) -> Self {
        let matrix = node.by_matrix.matrix();
        let lengths = axis_lengths(&node.by_matrix.linear());
        Self {
            path: node_path(scene, node.index),
            local: Pose::of(&node.local),
            by_trs: Pose::of(&node.by_trs.to_trs()),
            by_matrix: MatrixPose(
                std::array::from_fn(|i| number(matrix[(i, 3)])),
                std::array::from_fn(|i| number(lengths[i])),
                node.skew_degrees.map(number),
            ),
        }
    }
}

impl Pose {
    fn of(pose: &Trs<f64>) -> Self {
        let q = pose.rotation;
        Self(
            std::array::from_fn(|i| number(pose.translation[i])),
            [q.w, q.i, q.j, q.k].map(number),
            std::array::from_fn(|i| number(pose.scale[i])),
        )
    }
}

fn number(value: f64) -> f64 {
    rounded(value, DIGITS) + 0.0 // −0 + 0 is 0
}
