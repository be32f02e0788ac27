//! What was answered, step by step from a parent to its child.

use nalgebra::Matrix4;
use xform_engines::Accumulation;

use crate::{asked::Asked, convention::Convention, mistake::Step, rule::Rule, trial::Trial};

/// Whether one of these rules is that matrices are multiplied.
pub(super) fn are_by_matrices(rules: &[Rule]) -> bool {
    let is =
        |rule: &Rule| rule.engine.accumulation.rule == Accumulation::Matrix && rule.is_import();
    rules.iter().any(is)
}

/// Up to which a step from a parent to its child is right: the answer of the parent is rounded too.
pub(super) fn step_bound(trial: &Trial<'_>) -> f64 {
    10.0 * trial.bound()
}

/// The world transforms of a scene at rest, in glTF's axes and metres.
pub(super) fn at_rest(asked: &Asked<'_>, axes: &Convention) -> Vec<(usize, Matrix4<f64>)> {
    let moment = asked.moments.iter().find(|moment| moment.seconds.is_none());
    let worlds = moment.into_iter().flat_map(|moment| &moment.worlds);
    worlds.map(|(node, world)| (*node, axes.undone(world))).collect()
}

/// The steps of all scenes from a parent to its child, as answered.
pub(super) fn steps_in(all: &[Asked<'_>], axes: &Convention) -> Vec<Step> {
    let of_scene = |asked: &Asked<'_>| -> Vec<Step> {
        let worlds = at_rest(asked, axes);
        Step::all(&asked.found.scene.scene, &worlds).map(|(_, step)| step).collect()
    };
    all.iter().flat_map(of_scene).collect()
}
