//! Where a node is in any two shows without some of the scales above it: their rules are followed again, step by step.

use xform_engines::World;
use xform_scene::LocalPose;

use super::placing::{Ablatable, Placed, Placing, linear_of};
use crate::measure::shows::{Show, ShowPair, skew_difference};

/// Where a node is with the scale of some candidates made uniform, and their rotations unit quaternions; none where none of them is
/// above it, or where nothing can be said of it then.
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
