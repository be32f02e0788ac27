use std::collections::HashMap;

use xform_scene::{LocalPose, Scene, Warning, WarningCode, animation::NotSampled};

use super::ablation::{REFOLDED, TRIED};
use crate::audit::{AnimationAudit, NodeAudit};

/// The warnings that only show once a scene is measured at rest, in the order of their nodes.
pub(super) fn at_rest(scene: &Scene, nodes: &[NodeAudit], diagonal: f64) -> Vec<Warning> {
    let of_nodes = nodes.iter().flat_map(|node| {
        let field = match scene.nodes[node.index].local {
            LocalPose::Trs(_) => "/scale",
            LocalPose::Matrix(_) => "/matrix",
        };
        [of_scale(node, field), of_matrix(node), of_figures(node)].into_iter().flatten()
    });
    of_nodes.chain(cut_causes(nodes)).chain(no_diagonal(diagonal)).collect()
}

fn of_scale(node: &NodeAudit, field: &str) -> Option<Warning> {
    let scale = &node.local.scale;
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if scale.iter().any(|&factor| factor == 0.0) {
        let message = "a scale of 0 flattens the node and all below it";
        return Some(Warning::of_node(WarningCode::ZeroScale, node.index, field, message));
    }
    let message = "a negative scale mirrors the node and all below it";
    (sign < 0.0).then(|| Warning::of_node(WarningCode::Mirrored, node.index, field, message))
}

fn of_matrix(node: &NodeAudit) -> Option<Warning> {
    let percent = node.local_residual? * 100.0;
    let message = format!(
        "no translation, rotation and scale; combined TRS takes the nearest, {percent:.3} % off"
    );
    Some(Warning::of_node(WarningCode::MatrixNotTrs, node.index, "/matrix", message))
}

fn of_figures(node: &NodeAudit) -> Option<Warning> {
    let is_undefined = node.skew_pairs_degrees.contains(&None) || node.linear_difference.is_none();
    let message = "an axis has no length in the world, so its angles are undefined";
    is_undefined.then(|| Warning::of_node(WarningCode::UndefinedFigure, node.index, "", message))
}

/// One warning for all nodes, since in a deep hierarchy it would be most of them.
fn cut_causes(nodes: &[NodeAudit]) -> Option<Warning> {
    let is_cut = |node: &&NodeAudit| node.cause.as_ref().is_some_and(|cause| cause.is_cut);
    let first = nodes.iter().find(is_cut)?;
    let count = nodes.iter().filter(is_cut).count();
    let message = format!(
        "{count} of {} nodes have a non-uniform scale above them that was not tried as their cause: the nearest \
         {TRIED} were tried, and above a node that inherits less than everything those at most {REFOLDED} nodes away",
        nodes.len()
    );
    let node = Some(first.index);
    Some(Warning::new(WarningCode::CauseCut, "/nodes", message).with_node(node))
}

/// The warnings about animations: what was not sampled of them, one for each reason.
pub(super) fn in_motion(nodes: &[NodeAudit], animations: &[AnimationAudit]) -> Vec<Warning> {
    animations.iter().flat_map(|one| not_sampled(one).chain(thinned(nodes, one))).collect()
}

fn not_sampled(animation: &AnimationAudit) -> impl Iterator<Item = Warning> {
    let mut reasons: Vec<(&NotSampled, usize)> = Vec::new();
    let mut places = HashMap::new();
    for part in &animation.not_sampled {
        let place = *places.entry(&part.why).or_insert(reasons.len());
        if place == reasons.len() {
            reasons.push((part, 0));
        }
        reasons[place].1 += 1;
    }
    reasons.into_iter().map(|(first, count)| {
        let message = match count {
            1 => format!("not sampled: {}", first.why),
            count => format!("{count} channels not sampled: {}", first.why),
        };
        let warning = Warning::new(WarningCode::AnimationNotSampled, &first.pointer, message);
        warning.with_node(first.node)
    })
}

fn thinned(nodes: &[NodeAudit], animation: &AnimationAudit) -> Option<Warning> {
    let AnimationAudit { index, keyframes, samples, nodes: ref moved, .. } = *animation;
    (samples < keyframes && !animation.is_uniform).then(|| {
        let count = moved.len();
        let is_skinned = moved.iter().any(|moved| nodes[moved.index].is_skinned);
        let skinned = if is_skinned { " and the vertices of skinned meshes" } else { "" };
        let message = format!(
            "sampled at {samples} of {keyframes} keyframes, since it moves {count} nodes{skinned}"
        );
        Warning::new(WarningCode::AnimationThinned, format!("/animations/{index}"), message)
    })
}

fn no_diagonal(diagonal: f64) -> Option<Warning> {
    let message = "all bounds are one point, so there is no diagonal to take percentages of";
    (diagonal == 0.0).then(|| Warning::new(WarningCode::UndefinedFigure, "", message))
}
