//! Finds groups: a node with a non-uniform scale and its subtree.

use std::collections::BTreeSet;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_compare::{
    SceneAudit,
    audit::{DIFFERING_FRACTION, SCALE_ROUNDING, is_non_uniform},
};
use xform_scene::{
    LocalPose, Scene,
    animation::{Curve, Interpolation, Track},
};

/// Returns the uppermost nodes with a non-uniform scale that have a differing drawn node in their subtree.
pub(crate) fn tops(scene: &Scene, audit: &SceneAudit) -> BTreeSet<usize> {
    let non_uniform = non_uniform(scene);
    let upwards = |node| std::iter::successors(Some(node), |&at: &usize| scene.nodes[at].parent);
    let top = |node| upwards(node).filter(|&at| non_uniform[at]).last();
    let apart = apart(audit);
    let drawn = drawn_apart(audit);
    let skins = drawn.iter().filter_map(|&node| scene.nodes[node].skin.as_ref());
    let joints = skins.flat_map(|skin| skin.joints.iter()).map(|joint| joint.node);
    let joints = joints.filter(|joint| apart.contains(joint));
    drawn.iter().copied().chain(joints).filter_map(top).collect()
}

/// Returns the nodes that are skewed or differ, at rest or in motion. A node counts even if only its axes differ,
/// because then vertices that follow it differ.
fn apart(audit: &SceneAudit) -> BTreeSet<usize> {
    let is_turned =
        |difference: Option<f64>| difference.is_some_and(|far| far > DIFFERING_FRACTION);
    let at_rest = audit.nodes.iter().filter(|node| {
        node.is_skewed() || node.is_differing() || is_turned(node.linear_difference)
    });
    let in_motion = audit.animations.iter().flat_map(|animation| &animation.nodes);
    let in_motion = in_motion.filter(|node| {
        let difference = node.linear_difference.map(|peak| peak.max);
        node.is_skewed() || node.is_differing() || is_turned(difference)
    });
    at_rest.map(|node| node.index).chain(in_motion.map(|node| node.index)).collect()
}

/// Returns the drawn nodes that differ, at rest or in motion.
pub(crate) fn drawn_apart(audit: &SceneAudit) -> BTreeSet<usize> {
    // A scene without extent shows nothing, and the least rounding would count as a difference.
    if audit.summary.diagonal == 0.0 {
        return BTreeSet::new();
    }
    let counts = |node: usize| audit.nodes[node].counts;
    let at_rest = audit.nodes.iter().filter(|node| node.is_differing());
    let in_motion = audit.animations.iter().flat_map(|animation| &animation.nodes);
    let in_motion = in_motion.filter(|node| node.is_differing());
    let all = at_rest.map(|node| node.index).chain(in_motion.map(|node| node.index));
    all.filter(|&node| counts(node)).collect()
}

/// Returns the largest displacement of each node's subtree in percent of the scene, at rest or in motion. It covers
/// everything drawn in the subtree, and skinned meshes that follow a joint in it.
pub(crate) fn worst_percents(scene: &Scene, audit: &SceneAudit) -> Vec<f64> {
    let mut worst = vec![0.0_f64; scene.nodes.len()];
    let at_rest = audit.nodes.iter().map(|node| (node.index, node.percent_of_scene()));
    let in_motion = audit.animations.iter().flat_map(|animation| &animation.nodes);
    let in_motion = in_motion.map(|node| (node.index, node.percent_of_scene()));
    for (node, percent) in at_rest.chain(in_motion).filter(|&(node, _)| audit.nodes[node].counts) {
        let percent = percent.unwrap_or(0.0);
        match &scene.nodes[node].skin {
            Some(skin) => skin.joints.iter().for_each(|joint| {
                worst[joint.node] = worst[joint.node].max(percent);
            }),
            None => worst[node] = worst[node].max(percent),
        }
    }
    let children = children(scene);
    let roots = (0..scene.nodes.len()).filter(|&node| scene.nodes[node].parent.is_none());
    let order: Vec<_> = roots.flat_map(|root| subtree(&children, root)).collect();
    for node in order.into_iter().rev() {
        if let Some(parent) = scene.nodes[node].parent {
            worst[parent] = worst[parent].max(worst[node]);
        }
    }
    worst
}

/// Returns for each node whether its scale is non-uniform, at rest or at a keyframe, or its matrix sheared.
pub(crate) fn non_uniform(scene: &Scene) -> Vec<bool> {
    let mut non_uniform: Vec<_> =
        scene.nodes.iter().map(|node| is_non_uniform_pose(&node.local)).collect();
    for channel in scene.animations.iter().flat_map(|animation| &animation.channels) {
        if let Track::Scale(curve) = &channel.track {
            non_uniform[channel.node] |= !is_uniform_curve(curve);
        }
    }
    non_uniform
}

fn is_non_uniform_pose(local: &LocalPose) -> bool {
    match local {
        LocalPose::Trs(trs) => is_non_uniform(&trs.scale),
        LocalPose::Matrix(matrix) => {
            let linear = matrix.linear();
            let squared = linear.transpose() * linear;
            let mean = squared.trace() / 3.0;
            // A matrix does not record which axis a mirror flips, and each engine chooses one.
            linear.determinant() < 0.0
                || (squared - Matrix3::identity() * mean).amax() > 2.0 * SCALE_ROUNDING * mean
        }
    }
}

/// Whether a track leaves scales uniform at all times.
pub(crate) fn stays_uniform(track: &Track) -> bool {
    match track {
        Track::Scale(curve) => is_uniform_curve(curve),
        _ => true,
    }
}

/// Whether a curve of scales is uniform at all times.
fn is_uniform_curve(curve: &Curve<3>) -> bool {
    let mut values = (0..curve.times().len()).map(|keyframe| curve.value(keyframe));
    values.all(|&value| !is_non_uniform(&value.into())) && has_uniform_tangents(curve)
}

/// Whether spline tangents change all components equally, so that a scale that is uniform at the keyframes is uniform
/// between them too. True for curves without tangents.
pub(crate) fn has_uniform_tangents(curve: &Curve<3>) -> bool {
    if curve.interpolation() != Interpolation::CubicSpline {
        return true;
    }
    let times = curve.times();
    // A tangent is a rate: its weight is what it adds over the whole curve.
    let long = times[times.len() - 1] - times[0];
    let largest = curve.values().iter().skip(1).step_by(3).flatten();
    let largest = largest.fold(0.0_f64, |largest, component| largest.max(component.abs()));
    curve.values().chunks_exact(3).all(|keyframe| {
        [keyframe[0], keyframe[2]].into_iter().all(|tangent| {
            let tangent = Vector3::from(tangent);
            (tangent.max() - tangent.min()) * long <= SCALE_ROUNDING * largest
        })
    })
}

/// Whether a matrix is a multiple of the identity, so that it commutes with every matrix.
pub(crate) fn commutes(linear: &Matrix3<f64>) -> bool {
    let factor = linear.trace() / 3.0;
    (linear - Matrix3::identity() * factor).amax() <= 1e-7 * factor.abs()
}

/// Whether a matrix is the identity up to rounding of products.
pub(crate) fn is_nothing(matrix: &Matrix3<f64>) -> bool {
    (matrix - Matrix3::identity()).amax() <= 1e-12
}

pub(crate) fn matrix(local: &LocalPose) -> Matrix4<f64> {
    *local.to_affine().matrix()
}

/// Returns the subtree of a node, each node after its parent.
pub(crate) fn subtree(children: &[Vec<usize>], top: usize) -> Vec<usize> {
    let mut nodes = vec![top];
    let mut at = 0;
    while let Some(&node) = nodes.get(at) {
        nodes.extend(&children[node]);
        at += 1;
    }
    nodes
}

/// Returns the children of each node.
pub(crate) fn children(scene: &Scene) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); scene.nodes.len()];
    for (index, node) in scene.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent].push(index);
        }
    }
    children
}
