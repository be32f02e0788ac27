use std::collections::HashSet;

use xform_scene::{Scene, Warning};

use super::{
    at_rest, colliders, compared::Compared, metrics::percent, motion, of_the_file, warnings,
    worlds::Worlds,
};
use crate::audit::{
    CompareError, EngineChoice, Grade, GradeCounts, MotionSummary, NodeAudit, Ranking, Repairs,
    SceneAudit, Summary, ranked_at_rest, ranked_in_motion,
};

/// Compares the two strategies over a scene in `f64`: combined TRS against accumulated matrices.
///
/// The same as [`compare_engines`] with [these engines](EngineChoice::strategies).
///
/// # Errors
///
/// As for [`compare_engines`].
pub fn compare(scene: &Scene) -> Result<SceneAudit, CompareError> {
    compare_engines(scene, &EngineChoice::strategies())
}

/// Compares how engines show a scene with how a reference shows it, in `f64`, and measures every node.
///
/// Nodes are measured at rest and in animations, at every keyframe and at times in between. The figures of a
/// node are those of the engines that show it worst, at rest and in each animation.
///
/// The time is linear in the number of nodes and of keyframes. If many keyframes move many nodes, an
/// animation is sampled less often, with a warning.
///
/// # Errors
///
/// If the parents do not form a forest, if [`Trs::normalized`](xform_core::Trs::normalized) refuses a pose,
/// if values overflow, or if an animation moves a node that cannot be animated.
pub fn compare_engines(scene: &Scene, choice: &EngineChoice) -> Result<SceneAudit, CompareError> {
    // A scene uses all cores if its nodes, animations or causes can be computed independently. Results are
    // put in order before they are used, so the output does not depend on the order of threads; of several
    // errors, the first in order is reported.
    let worlds = Worlds::of(scene)?;
    let diagonal = worlds.diagonal(scene)?;
    let nodes = at_rest::unmeasured(scene, &worlds, |_| true);
    let mut compared = Compared::of(scene, &worlds, diagonal, nodes, choice)?;
    let at_rest = ranked_at_rest(&compared.nodes);
    compared.find_causes(&at_rest);
    let in_motion = ranked_in_motion(&compared.nodes, &compared.animations);
    let at_worst = compared.at_worst(&in_motion)?;
    let Compared { nodes, animations, engines, .. } = compared;
    let nodes = of_the_file::nodes(scene, nodes);
    let animations = of_the_file::animations(scene, animations);
    let of_file = &nodes[..scene.nodes_of_the_file()];
    let motion = motion::summary(of_file, &animations, diagonal);
    let warnings = [
        scene.warnings.clone(),
        warnings::at_rest(scene, of_file, diagonal, &engines),
        once(motion::flips(scene)),
        once(motion::scales(scene)),
        warnings::in_motion(of_file, &animations),
    ];
    let audit = SceneAudit {
        source: scene.source.clone(),
        fbx: scene.fbx_settings(),
        summary: summary(of_file, diagonal, motion),
        warnings: warnings.concat(),
        ranking: Ranking {
            at_rest: ranked_at_rest(&nodes),
            in_motion: ranked_in_motion(&nodes, &animations),
        },
        nodes,
        animations,
        at_worst,
        engines,
        repairs: Repairs::default(),
        physics: colliders::unasked(scene, diagonal),
    };
    Ok(of_the_file::audit(scene, audit))
}

/// An animation that occurs twice, with the first and with the last of several channels, gets one warning.
fn once(mut warnings: Vec<Warning>) -> Vec<Warning> {
    let mut seen = HashSet::new();
    warnings.retain(|Warning { node, pointer, message, .. }| {
        seen.insert((*node, pointer.clone(), message.clone()))
    });
    warnings
}

fn summary(nodes: &[NodeAudit], diagonal: f64, motion: Option<MotionSummary>) -> Summary {
    let max = |figure: fn(&NodeAudit) -> Option<f64>| {
        let counting = nodes.iter().filter(|node| node.counts_at_rest());
        counting.filter_map(figure).fold(0.0, f64::max)
    };
    let skews = nodes.iter().filter_map(|node| node.skew_degrees);
    let max_displacement = max(|node| node.displacement);
    let grades = |counts: bool| -> GradeCounts {
        let wanted = nodes.iter().filter(|node| node.counts_at_rest() == counts);
        wanted.map(NodeAudit::grade).collect()
    };
    let [grades, undrawn] = [true, false].map(grades);
    Summary {
        grade: grades.worst().max(motion.map_or(Grade::Identical, |motion| motion.grades.worst())),
        nodes: nodes.len(),
        max_depth: nodes.iter().map(|node| node.depth).max().unwrap_or(0),
        skewed_nodes: nodes.iter().filter(|node| node.is_skewed()).count(),
        differing_nodes: nodes.iter().filter(|node| node.is_differing()).count(),
        grades,
        undrawn,
        diagonal,
        max_skew_degrees: skews.fold(0.0, f64::max),
        max_skew_difference_degrees: max(|node| node.skew_difference_degrees),
        max_displacement,
        max_displacement_percent: percent(max_displacement, diagonal),
        motion,
    }
}
