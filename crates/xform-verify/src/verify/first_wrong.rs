//! The first wrong node and the likely mistake there.

use std::collections::HashMap;

use nalgebra::Matrix4;
use xform_engines::LocalPose;

use super::{
    candidate::{Candidate, finite},
    steps::{are_by_matrices, at_rest, step_bound, steps_in},
};
use crate::{
    asked::Asked,
    mistake::{Mistake, Step, likely, other_parent},
    trial::Trial,
    verification::{FilePose, FirstWrong, LikelyMistake},
};

/// Returns the first answer that contradicts the rule, in the order of the scenes and from the roots down.
pub(super) fn first_wrong(
    all: &[Asked<'_>],
    trial: &Trial<'_>,
    judged: &Candidate,
) -> Option<FirstWrong> {
    let (mut world, mut mesh) = (0, 0);
    let Candidate { residuals, axes, said, .. } = judged;
    for asked in all {
        let paths = &asked.found.scene.paths;
        for moment in &asked.moments {
            let mut worlds = moment.worlds.iter().zip(world..);
            let is_wrong = |off: Option<f64>| off.is_some_and(|off| !trial.is_right(off));
            let wrong = worlds.find(|(_, place)| is_wrong(residuals.worlds[*place]));
            if let Some((&(node, answered), place)) = wrong {
                let expected = said.world(place).map(|world| axes.done(&world));
                let entries = |world: &Matrix4<f64>| -> [f64; 16] {
                    std::array::from_fn(|at| world.as_slice()[at])
                };
                let mut found = FirstWrong {
                    scene: asked.name.to_owned(),
                    seconds: moment.seconds,
                    node: paths[node].clone(),
                    residual: residuals.worlds[place].and_then(finite),
                    answered: Some(entries(&answered).map(finite)),
                    expected: expected.as_ref().map(entries),
                    local: file_pose(&asked.found.scene.scene.nodes[node].local),
                    are_mistakes_tried: false,
                    mistake: None,
                    hangs_below: None,
                };
                if moment.seconds.is_none() {
                    find_mistake(&mut found, (all, asked, node), judged, trial);
                }
                return Some(found);
            }
            world += moment.worlds.len();
            let mut meshes = moment.vertices.iter().zip(mesh..);
            let is_wrong = |off: Option<f64>| off.is_some_and(|off| !trial.are_right(off));
            if let Some((&(node, _), place)) =
                meshes.find(|(_, place)| is_wrong(residuals.vertices[*place]))
            {
                return Some(FirstWrong {
                    scene: asked.name.to_owned(),
                    seconds: moment.seconds,
                    node: paths[node].clone(),
                    residual: residuals.vertices[place].and_then(finite),
                    answered: None,
                    expected: None,
                    local: None,
                    are_mistakes_tried: false,
                    mistake: None,
                    hangs_below: None,
                });
            }
            mesh += moment.vertices.len();
        }
    }
    None
}

fn file_pose(local: &LocalPose) -> Option<FilePose> {
    let LocalPose::Trs(pose) = local else { return None };
    Some(FilePose {
        translation: pose.translation.into(),
        rotation: pose.rotation.coords.into(),
        scale: pose.scale.into(),
    })
}

/// Looks for the mistake at a node. This works only for rules that multiply matrices: for others the world matrix of
/// the parent alone does not determine the step to its child.
fn find_mistake(
    found: &mut FirstWrong,
    (all, asked, node): (&[Asked<'_>], &Asked<'_>, usize),
    judged: &Candidate,
    trial: &Trial<'_>,
) {
    if !are_by_matrices(&judged.rules) {
        return;
    }
    let worlds = at_rest(asked, &judged.axes);
    let steps = Step::all(&asked.found.scene.scene, &worlds);
    let Some((_, wrong)) = steps.into_iter().find(|(place, _)| *place == node) else { return };
    let bound = step_bound(trial);
    // A small error does not identify a mistake.
    if found.residual.is_some_and(|off| off < 10.0 * bound) {
        return;
    }
    found.are_mistakes_tried = true;
    let mistake = likely(&wrong, &steps_in(all, &judged.axes), bound);
    found.mistake = mistake.map(|mistake| explained_by(mistake, all, judged, trial));
    if found.mistake.is_none() {
        // Neither its own parent nor one of its descendants.
        let nodes = &asked.found.scene.scene.nodes;
        let above = |node: usize| std::iter::successors(Some(node), |&node| nodes[node].parent);
        let is_other =
            |place: usize| nodes[node].parent != Some(place) && above(place).all(|at| at != node);
        let others: Vec<_> = worlds.into_iter().filter(|(place, _)| is_other(*place)).collect();
        let other = other_parent(&wrong, &others, bound);
        found.hangs_below = other.map(|other| asked.found.scene.paths[other].clone());
    }
}

/// Counts how many of the nodes that are wrong at rest a mistake explains.
fn explained_by(
    mistake: Mistake,
    all: &[Asked<'_>],
    judged: &Candidate,
    trial: &Trial<'_>,
) -> LikelyMistake {
    let bound = step_bound(trial);
    let (mut nodes, mut below, mut others, mut first_other) = (0, 0, 0, None);
    let mut place = 0;
    for asked in all {
        let worlds = at_rest(asked, &judged.axes);
        let steps: HashMap<_, _> = Step::all(&asked.found.scene.scene, &worlds).collect();
        for moment in &asked.moments {
            let answered = moment.worlds.iter().zip(&judged.residuals.worlds[place..]);
            place += moment.worlds.len();
            if moment.seconds.is_some() {
                continue;
            }
            for ((node, _), off) in answered {
                if off.is_none_or(|off| trial.is_right(off)) {
                    continue;
                }
                match steps.get(node) {
                    Some(step) if step.is_by(mistake, bound) => nodes += 1,
                    Some(step) if step.has_parent && step.is_right(bound) => below += 1,
                    _ => {
                        others += 1;
                        first_other.get_or_insert_with(|| {
                            [asked.name.to_owned(), asked.found.scene.paths[*node].clone()]
                        });
                    }
                }
            }
        }
    }
    LikelyMistake { mistake, words: mistake.words().to_owned(), nodes, others, first_other, below }
}
