//! The steps from parents to children in answers.

use nalgebra::Matrix4;
use xform_engines::Accumulation;

use crate::{asked::Asked, convention::Convention, mistake::Step, rule::Rule, trial::Trial};

/// Whether one of these rules multiplies matrices.
pub(super) fn are_by_matrices(rules: &[Rule]) -> bool {
    let is =
        |rule: &Rule| rule.engine.accumulation.rule == Accumulation::Matrix && rule.is_import();
    rules.iter().any(is)
}

/// Returns the bound for a step from a parent to its child, which also includes the rounding of the parent.
pub(super) fn step_bound(trial: &Trial<'_>) -> f64 {
    10.0 * trial.bound()
}

/// Returns the world transforms of a scene at rest, in glTF's axes and metres.
pub(super) fn at_rest(asked: &Asked<'_>, axes: &Convention) -> Vec<(usize, Matrix4<f64>)> {
    let moment = asked.moments.iter().find(|moment| moment.seconds.is_none());
    let worlds = moment.into_iter().flat_map(|moment| &moment.worlds);
    worlds.map(|(node, world)| (*node, axes.undone(world))).collect()
}

/// Returns the steps from parents to children in the answers for all scenes.
pub(super) fn steps_in(all: &[Asked<'_>], axes: &Convention) -> Vec<Step> {
    let of_scene = |asked: &Asked<'_>| -> Vec<Step> {
        let worlds = at_rest(asked, axes);
        Step::all(&asked.found.scene.scene, &worlds).map(|(_, step)| step).collect()
    };
    all.iter().flat_map(of_scene).collect()
}
