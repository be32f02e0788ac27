//! Parts of an audit as the numbers and names of the JSON.

// World transforms stay mathematics in the audit until a writer turns them into numbers, as here. Advice and pictures
// transform points with them; with arrays in their place they had to be made into matrices again.

use nalgebra::Matrix4;
use serde::Serialize;
use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{AnimationAudit, AtWorst, Cause, NodeMotion},
    judge::{UndrawnFigures, UndrawnNode},
};
use xform_core::{Inherit, Trs};
use xform_scene::{animation::NotSampled, fbx::InheritType};

use crate::NodeSelection;

/// A node with its poses and world transforms as numbers.
#[derive(Serialize)]
pub(crate) struct NodeView<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_of: Option<usize>,
    name: Option<&'a str>,
    parent: Option<usize>,
    depth: usize,
    grade: Grade,
    counts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invisible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skinned: Option<bool>,
    local: LocalView,
    #[serde(skip_serializing_if = "Option::is_none")]
    inherit: Option<Inherit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inherit_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_residual: Option<f64>,
    matrix: MatrixView,
    trs: TrsView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupWorldView>,
    skew_degrees: Option<f64>,
    skew_pairs_degrees: [Option<f64>; 3],
    orthogonality: Option<f64>,
    nearest_trs_distance: f64,
    group: Option<usize>,
    linear_difference: Option<f64>,
    skew_difference_degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skew_group: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned_degrees: Option<f64>,
    displacement: Option<f64>,
    displacement_percent: Option<f64>,
    displacement_percent_of_itself: Option<f64>,
    cause: Option<&'a Cause>,
}

#[derive(Serialize)]
struct LocalView {
    translation: [f64; 3],
    /// In the order x, y, z, w.
    rotation: [f64; 4],
    scale: [f64; 3],
}

#[derive(Serialize)]
struct MatrixView {
    /// Column-major.
    world: [f64; 16],
}

/// The world transform in a group of engines whose result is that of neither strategy.
#[derive(Serialize)]
struct GroupWorldView {
    group: usize,
    /// Column-major.
    world: [f64; 16],
}

#[derive(Serialize)]
struct TrsView {
    #[serde(flatten)]
    parts: LocalView,
    /// Column-major.
    world: [f64; 16],
}

impl LocalView {
    fn new(pose: &Trs<f64>) -> Self {
        Self {
            translation: pose.translation.into(),
            rotation: pose.rotation.coords.into(),
            scale: pose.scale.into(),
        }
    }
}

impl<'a> NodeView<'a> {
    /// Returns a node at rest, with its world transforms in the groups of engines.
    pub(crate) fn of(scene: &SceneAudit, node: &'a NodeAudit) -> Self {
        let groups = scene.engines.groups.iter().enumerate();
        let groups = groups.filter_map(|(group, found)| {
            Some(GroupWorldView { group, world: columns(found.worlds.get(node.index)?) })
        });
        Self { groups: groups.collect(), ..Self::new(node) }
    }

    fn new(node: &'a NodeAudit) -> Self {
        let by_trs = node.by_trs.to_trs();
        Self {
            index: node.index,
            instance_of: node.instance_of,
            name: node.name.as_deref(),
            parent: node.parent,
            depth: node.depth,
            grade: node.grade(),
            counts: node.counts_at_rest(),
            role: node.role.name(),
            invisible: node.is_invisible.then_some(true),
            skinned: node.is_skinned.then_some(true),
            local: LocalView::new(&node.local),
            inherit: Some(node.inherit).filter(|&inherit| inherit != Inherit::All),
            inherit_type: node.inherit_type.map(|kind| match kind {
                InheritType::ComponentWise => "RrSs",
                InheritType::Matrix => "RSrs",
                InheritType::WithoutParent => "Rrs",
            }),
            local_residual: node.local_residual,
            matrix: MatrixView { world: columns(node.by_matrix.matrix()) },
            trs: TrsView {
                parts: LocalView::new(&by_trs),
                world: columns(&by_trs.to_homogeneous()),
            },
            groups: Vec::new(),
            skew_degrees: node.skew_degrees,
            skew_pairs_degrees: node.skew_pairs_degrees,
            orthogonality: node.orthogonality,
            nearest_trs_distance: node.nearest_trs_distance,
            group: node.group,
            linear_difference: node.linear_difference,
            skew_difference_degrees: node.skew_difference_degrees,
            skew_group: node.skew_group,
            turned_degrees: node.turned_degrees,
            displacement: node.displacement,
            displacement_percent: node.displacement_percent,
            displacement_percent_of_itself: node.displacement_percent_of_itself,
            cause: node.cause.as_ref(),
        }
    }
}

/// A node that draws nothing and would differ visibly.
#[derive(Serialize)]
pub(crate) struct UndrawnView<'a> {
    node: usize,
    grade: Grade,
    engines: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned_degrees: Option<f64>,
    skew_difference_degrees: Option<f64>,
    linear_difference: Option<f64>,
    displacement_percent: Option<f64>,
    #[serde(flatten)]
    when: MomentView<'a>,
}

/// The moment of an animation at which something is at its worst. Empty at rest.
#[derive(Serialize)]
pub(super) struct MomentView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    animation: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    animation_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl<'a> MomentView<'a> {
    /// `motion` is the index of the animation in the audit, and the time.
    pub(super) fn new(scene: &'a SceneAudit, motion: Option<(usize, f64)>) -> Self {
        let animation = motion.map(|(animation, _)| &scene.animations[animation]);
        Self {
            animation: animation.map(|animation| animation.index),
            animation_name: animation.and_then(|animation| animation.name.as_deref()),
            seconds: motion.map(|(_, seconds)| seconds),
        }
    }
}

impl<'a> UndrawnView<'a> {
    pub(crate) fn new(scene: &'a SceneAudit, node: &UndrawnNode) -> Self {
        let UndrawnFigures {
            role,
            turned_degrees,
            skew_difference_degrees,
            linear_difference,
            percent_of_scene,
            ..
        } = node.figures;
        let engines = &scene.nodes[node.index].undrawn_in;
        Self {
            node: node.index,
            grade: node.grade,
            engines: engines.iter().map(|engine| engine.id).collect(),
            role: role.name(),
            turned_degrees,
            skew_difference_degrees,
            linear_difference,
            displacement_percent: percent_of_scene.filter(|percent| percent.is_finite()),
            when: MomentView::new(scene, node.motion),
        }
    }
}

fn columns(matrix: &Matrix4<f64>) -> [f64; 16] {
    matrix.as_slice().try_into().expect("a 4×4 matrix has 16 components")
}

/// An animation without its nodes, which are in a list of their own.
#[derive(Serialize)]
pub(super) struct AnimationView<'a> {
    index: usize,
    name: Option<&'a str>,
    start_seconds: Option<f64>,
    end_seconds: Option<f64>,
    keyframes: usize,
    samples: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_channels: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uniform: Option<bool>,
    grade: Option<Grade>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<usize>,
    nodes: usize,
    not_sampled: &'a [NotSampled],
}

impl<'a> AnimationView<'a> {
    pub(super) fn new(animation: &'a AnimationAudit) -> Self {
        Self {
            index: animation.index,
            name: animation.name.as_deref(),
            start_seconds: animation.start_seconds,
            end_seconds: animation.end_seconds,
            keyframes: animation.keyframes,
            samples: animation.samples,
            first_channels: animation.takes_first_channels.then_some(true),
            uniform: animation.is_uniform.then_some(true),
            grade: animation.grade,
            group: animation.group,
            nodes: animation.nodes.len(),
            not_sampled: &animation.not_sampled,
        }
    }
}

/// A node in an animation.
#[derive(Serialize)]
pub(crate) struct MotionView<'a> {
    animation: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_channels: Option<bool>,
    grade: Grade,
    #[serde(flatten)]
    node: &'a NodeMotion,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_worst: Option<AtWorstView<'a>>,
}

/// A node at its worst.
#[derive(Serialize)]
struct AtWorstView<'a> {
    seconds: f64,
    node: NodeView<'a>,
}

impl<'a> MotionView<'a> {
    pub(crate) fn all(scene: &'a SceneAudit, nodes: NodeSelection) -> impl Iterator<Item = Self> {
        nodes.in_motion(scene).map(|(animation, node)| Self {
            animation: scene.animations[animation].index,
            first_channels: scene.animations[animation].takes_first_channels.then_some(true),
            grade: node.grade(),
            node,
            at_worst: scene.at_worst_of(animation, node.index).map(AtWorstView::new),
        })
    }
}

impl<'a> AtWorstView<'a> {
    fn new(worst: &'a AtWorst) -> Self {
        Self { seconds: worst.seconds, node: NodeView::new(&worst.node) }
    }
}
