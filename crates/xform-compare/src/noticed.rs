use std::collections::HashMap;

use crate::{
    AnimationAudit, Local, NodeAudit, NotSampled, Scene, Warning, WarningCode, cause::TRIED,
};

/// The warnings that only show once a scene is measured, in the order of their nodes.
pub(crate) fn noticed(scene: &Scene, nodes: &[NodeAudit], diagonal: f64) -> Vec<Warning> {
    let of_nodes = nodes.iter().flat_map(|node| {
        let field = match scene.nodes[node.index].local {
            Local::Trs(_) => "/scale",
            Local::Matrix(_) => "/matrix",
        };
        [of_scale(node, field), of_matrix(node), of_figures(node)].into_iter().flatten()
    });
    of_nodes.chain(cut_causes(nodes)).chain(no_diagonal(diagonal)).collect()
}

fn warning(code: WarningCode, node: &NodeAudit, field: &str, message: String) -> Warning {
    let index = node.index;
    Warning { code, node: Some(index), pointer: format!("/nodes/{index}{field}"), message }
}

fn of_scale(node: &NodeAudit, field: &str) -> Option<Warning> {
    let scale = node.local.scale;
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if scale.contains(&0.0) {
        let message = "a scale of 0 flattens the node and all below it".to_owned();
        return Some(warning(WarningCode::ZeroScale, node, field, message));
    }
    let message = "a negative scale mirrors the node and all below it".to_owned();
    (sign < 0.0).then(|| warning(WarningCode::Mirrored, node, field, message))
}

fn of_matrix(node: &NodeAudit) -> Option<Warning> {
    let percent = node.local_residual? * 100.0;
    let message = format!(
        "no translation, rotation and scale; combined TRS takes the nearest, {percent:.3} % off"
    );
    Some(warning(WarningCode::MatrixNotTrs, node, "/matrix", message))
}

fn of_figures(node: &NodeAudit) -> Option<Warning> {
    let is_undefined = node.skew_pairs_degrees.contains(&None) || node.linear_difference.is_none();
    let message = "an axis has no length in the world, so its angles are undefined".to_owned();
    is_undefined.then(|| warning(WarningCode::UndefinedFigure, node, "", message))
}

/// One warning for all nodes, since in a deep hierarchy it would be most of them.
fn cut_causes(nodes: &[NodeAudit]) -> Option<Warning> {
    let is_cut = |node: &&NodeAudit| node.cause.as_ref().is_some_and(|cause| cause.is_cut);
    let first = nodes.iter().find(is_cut)?;
    let count = nodes.iter().filter(is_cut).count();
    Some(Warning {
        code: WarningCode::CauseCut,
        node: Some(first.index),
        pointer: "/nodes".to_owned(),
        message: format!(
            "{count} of {} nodes have more than {TRIED} ancestors with a non-uniform scale; for \
             their cause the nearest {TRIED} were tried",
            nodes.len()
        ),
    })
}

/// The warnings about what of animations was not sampled: one for each reason that an animation has.
pub(crate) fn noticed_in_motion(animations: &[AnimationAudit]) -> Vec<Warning> {
    animations.iter().flat_map(|animation| unread(animation).chain(thinned(animation))).collect()
}

fn unread(animation: &AnimationAudit) -> impl Iterator<Item = Warning> {
    let mut reasons: Vec<(&NotSampled, usize)> = Vec::new();
    let mut places = HashMap::new();
    for part in &animation.not_sampled {
        let place = *places.entry(&part.why).or_insert(reasons.len());
        if place == reasons.len() {
            reasons.push((part, 0));
        }
        reasons[place].1 += 1;
    }
    reasons.into_iter().map(|(first, count)| Warning {
        code: WarningCode::AnimationNotSampled,
        node: first.node,
        pointer: first.pointer.clone(),
        message: match count {
            1 => format!("not sampled: {}", first.why),
            count => format!("{count} channels not sampled: {}", first.why),
        },
    })
}

fn thinned(animation: &AnimationAudit) -> Option<Warning> {
    let AnimationAudit { index, keyframes, samples, ref nodes, .. } = *animation;
    (samples < keyframes).then(|| Warning {
        code: WarningCode::AnimationThinned,
        node: None,
        pointer: format!("/animations/{index}"),
        message: format!(
            "sampled at {samples} of {keyframes} keyframes, since it moves {} nodes",
            nodes.len()
        ),
    })
}

fn no_diagonal(diagonal: f64) -> Option<Warning> {
    (diagonal == 0.0).then(|| Warning {
        code: WarningCode::UndefinedFigure,
        node: None,
        pointer: String::new(),
        message: "all bounds are one point, so there is no diagonal to take percentages of"
            .to_owned(),
    })
}
