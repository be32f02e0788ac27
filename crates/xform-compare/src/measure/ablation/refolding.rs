//! Placement of a node in any two shows without some of the scales above it, by applying their rules again
//! step by step.

use xform_engines::World;
use xform_scene::LocalPose;

use super::placing::{Ablatable, Placed, Placing, linear_of};
use crate::measure::shows::{Show, ShowPair, skew_difference};

/// Places a node with the scales of some candidates made uniform, or their rotations made unit quaternions.
/// `None` if none of them is above it, or if the result is unknown.
pub(super) fn placed(
    placing: &Placing<'_>,
    pair: ShowPair<'_>,
    target: &Ablatable,
    removed: &[usize],
) -> Option<Placed> {
    let is_removed = |(candidate, _): &&(usize, _)| removed.contains(candidate);
    let &(top, _) = target.candidates.iter().rev().find(is_removed)?;
    let below = placing.between(top, target.node)?;
    let world = |show: &Show| {
        let (scene, worlds) = (placing.scene, placing.worlds);
        let mut world = scene.nodes[top].parent.map(|parent| show.world(worlds, parent));
        for node in std::iter::once(top).chain(below.iter().copied()) {
            let parent: Option<World> = match world {
                Some(known) => Some(known?),
                None => None,
            };
            let step = if removed.contains(&node) {
                let local = LocalPose::Trs(placing.uniform(node));
                show.below(scene, worlds, node, &local, parent.as_ref())
            } else {
                show.step(scene, worlds, node, None, parent.as_ref())
            };
            world = Some(step.ok());
        }
        world.flatten().map(|world| world.to_homogeneous())
    };
    let worlds = [world(pair.reference)?, world(pair.other)?];
    let [a, b] = worlds.map(|world| linear_of(&world));
    Some(Placed { worlds, skew_difference_degrees: Some(skew_difference(&a, &b)) })
}
