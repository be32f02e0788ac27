mod precision;

use std::collections::HashMap;

use xform_core::Trs;
use xform_scene::{
    LocalPose, Scene, Warning, WarningCode, animation::NotSampled, fbx::FbxSettings,
    text::significant,
};

use super::ablation::{REFOLDED, TRIED};
use crate::audit::{AnimationAudit, EngineAudit, NodeAudit, is_non_uniform};

/// Returns the warnings that appear only when a scene is measured at rest, in the order of their nodes.
pub(super) fn at_rest(
    scene: &Scene,
    nodes: &[NodeAudit],
    diagonal: f64,
    engines: &EngineAudit,
) -> Vec<Warning> {
    let is_in_three = engines.shown().iter().any(|engine| engine.id == "three");
    let of_nodes = nodes.iter().flat_map(|node| {
        let field = match scene.nodes[node.index].local {
            LocalPose::Trs(_) => "/scale",
            LocalPose::Matrix(_) => "/matrix",
        };
        [of_scale(node, field), of_matrix(node), of_figures(node)].into_iter().flatten()
    });
    let size = odd_size(scene, diagonal);
    of_nodes
        .chain(cut_causes(nodes))
        .chain(no_diagonal(diagonal))
        .chain(unit_scales(scene, is_in_three))
        .chain(size)
        .chain(precision::of(nodes, diagonal))
        .collect()
}

/// The factors by which exporters mistake units: centimetres, millimetres and inches for metres, and inches
/// for centimetres.
const UNITS: [f64; 4] = [100.0, 1000.0, 39.370_1, 2.54];

/// Returns warnings about uniform scales of topmost nodes that equal the ratio of two units.
fn unit_scales(scene: &Scene, is_in_three: bool) -> Vec<Warning> {
    let settings = scene.fbx_settings();
    let tops: Vec<_> = match &scene.fbx {
        Some(file) => {
            let tops = file.nodes.iter().filter(|node| node.parent.is_none());
            tops.map(|node| (node.scaled, node.local)).collect()
        }
        None => {
            let nodes = scene.nodes.iter().enumerate().filter(|(_, node)| node.parent.is_none());
            let poses = nodes.filter_map(|(node, entry)| match entry.local {
                LocalPose::Trs(pose) => Some((node, pose)),
                LocalPose::Matrix(_) => None,
            });
            poses.collect()
        }
    };
    let warning = |(node, pose): (usize, Trs<f64>)| {
        let factor = pose.scale.x;
        let is_near = |unit: f64| (factor / unit - 1.0).abs() < 1e-3;
        let is_unit = UNITS.into_iter().any(|unit| is_near(unit) || is_near(unit.recip()));
        if is_non_uniform(&pose.scale) || !is_unit {
            return None;
        }
        let factor = significant(factor, 4);
        let without_unit = settings.filter(|of| is_in_three && of.unit_metres != 1.0);
        let who = without_unit.map_or_else(String::new, |settings| {
            let times = significant(settings.unit_metres.recip(), 4);
            format!(
                "; three.js ignores the unit and shows the whole file {times} times as large, which does not count as a difference"
            )
        });
        let message = format!(
            "a uniform scale of {factor} at the top, typical of exporters that mistake the unit{who}"
        );
        Some(Warning::of_node(WarningCode::UnitScale, node, "/scale", message))
    };
    tops.into_iter().filter_map(warning).collect()
}

/// The plausible sizes of a scene, in metres.
const PLAUSIBLE: std::ops::Range<f64> = 0.01..10_000.0;

/// Warns of a scene of implausible size, if it draws something.
fn odd_size(scene: &Scene, diagonal: f64) -> Option<Warning> {
    let is_drawn = scene.nodes.iter().any(|node| node.uses.mesh.is_some() && node.draws());
    let is_odd = is_drawn && diagonal > 0.0 && !PLAUSIBLE.contains(&diagonal);
    let size = significant(diagonal, 3);
    let message = match scene.fbx_settings() {
        Some(FbxSettings { unit_metres, .. }) => {
            let unit = significant(unit_metres, 4);
            format!(
                "the scene is {size} m across, in the file's unit of {unit} m; is the unit right?"
            )
        }
        None => {
            format!("the scene is {size} m across, because glTF uses metres; is the unit right?")
        }
    };
    is_odd.then(|| Warning::new(WarningCode::Size, "", message))
}

fn of_scale(node: &NodeAudit, field: &str) -> Option<Warning> {
    let scale = &node.local.scale;
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if scale.iter().any(|&factor| factor == 0.0) {
        let message = "a scale of 0 flattens the node and its descendants";
        return Some(Warning::of_node(WarningCode::ZeroScale, node.index, field, message));
    }
    let message = "a negative scale mirrors the node and its descendants";
    (sign < 0.0).then(|| Warning::of_node(WarningCode::Mirrored, node.index, field, message))
}

fn of_matrix(node: &NodeAudit) -> Option<Warning> {
    let percent = node.local_residual? * 100.0;
    let message = format!(
        "not a translation, rotation and scale; combined TRS takes the nearest, {percent:.3} % off"
    );
    Some(Warning::of_node(WarningCode::MatrixNotTrs, node.index, "/matrix", message))
}

fn of_figures(node: &NodeAudit) -> Option<Warning> {
    let is_undefined = node.skew_pairs_degrees.contains(&None) || node.linear_difference.is_none();
    let message = "an axis has no length in the world, so its angles are undefined";
    is_undefined.then(|| Warning::of_node(WarningCode::UndefinedFigure, node.index, "", message))
}

/// Returns one warning for all nodes, because in a deep hierarchy it would concern most of them.
fn cut_causes(nodes: &[NodeAudit]) -> Option<Warning> {
    let is_cut = |node: &&NodeAudit| node.cause.as_ref().is_some_and(|cause| cause.is_cut);
    let first = nodes.iter().find(is_cut)?;
    let count = nodes.iter().filter(is_cut).count();
    let message = format!(
        "{count} of {} nodes have a non-uniform scale above them that was not tried as their cause: the nearest \
         {TRIED} were tried, and above a node that does not inherit everything, only those at most {REFOLDED} nodes away",
        nodes.len()
    );
    let node = Some(first.index);
    Some(Warning::new(WarningCode::CauseCut, "/nodes", message).with_node(node))
}

/// Returns the warnings about animations: the parts that were not sampled, with one warning for each reason.
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
            "sampled at {samples} of {keyframes} keyframes, because it moves {count} nodes{skinned}"
        );
        Warning::new(WarningCode::AnimationThinned, format!("/animations/{index}"), message)
    })
}

fn no_diagonal(diagonal: f64) -> Option<Warning> {
    let message = "all bounds are one point, so there is no diagonal for percentages";
    (diagonal == 0.0).then(|| Warning::new(WarningCode::UndefinedFigure, "", message))
}
