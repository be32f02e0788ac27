//! The distances of things in motion.

use nalgebra::{Matrix4, Point3};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_scene::{
    Animation,
    animation::{Curve, Track},
    text::printable,
};

use super::{
    Moved, Pair, Placed, Shapes,
    things::{Moment, Side, Thing, around, farthest},
};
use crate::audit::Compared;

/// The most times of an animation, the number of vertices that may be placed over all times, and the number
/// of vertices that a node counts for. If there are more keyframes, some are left out evenly.
const MOST_TIMES: usize = 1_000;
const PLACED: usize = 2_000_000_000;
const OF_A_NODE: usize = 100;

/// The number of vertices, each counted at each time, that are compared with surfaces in one animation, and
/// in all animations.
const ON_SURFACES: usize = 2_000_000;
const ON_SURFACES_IN_ALL: usize = 20_000_000;

/// The number of times of an animation at which surfaces are compared though the boxes of their parts agree, beside the one
/// at which something is farthest from rest.
const WITHIN_BOXES: usize = 4;

/// An animation that both scenes have, as an index into each, with the times at which it is compared.
pub(super) struct Played {
    pub(super) animations: [usize; 2],
    pub(super) times: Vec<f64>,
    /// The keyframes of both. Some may not be among the times.
    pub(super) keyframes: Vec<f64>,
}

/// The distances at one time.
struct AtTime {
    seconds: f64,
    /// By pair; 0 for pairs whose surfaces are compared.
    moved: Vec<f64>,
    /// The largest distance between the boxes of those pairs.
    boxes_apart: f64,
    /// The farthest that a vertex of anything is from its position at rest, if surfaces are compared.
    away: f64,
}

impl Shapes<'_, '_> {
    /// Returns the animations that both scenes have, with the times at which they are compared, and
    /// descriptions of those that only one scene has.
    pub(super) fn animations(&self) -> (Vec<Played>, Vec<String>) {
        let played = self.sides.each_ref().map(|side| {
            let all = side.scene.animations.iter().enumerate();
            let all = all.filter(|(_, animation)| !animation.takes_first_channels);
            all.collect::<Vec<_>>()
        });
        let count = |side: &[(usize, &Animation)], name: &Option<String>| {
            side.iter().filter(|(_, other)| other.name == *name).count()
        };
        let (mut found, mut alone) = (Vec::new(), Vec::new());
        let mut is_taken = vec![false; played[1].len()];
        for (order, &(old, animation)) in played[0].iter().enumerate() {
            let name = &animation.name;
            let is_unique = name.is_some() && played.iter().all(|side| count(side, name) == 1);
            let by_name = played[1].iter().position(|(_, other)| is_unique && other.name == *name);
            // An animation without a unique name is matched by order.
            let by_order = (order < played[1].len() && !is_unique).then_some(order);
            match by_name.or(by_order).filter(|&place| !is_taken[place]) {
                Some(place) => {
                    is_taken[place] = true;
                    let animations = [old, played[1][place].0];
                    let keyframes = self.keyframes(animations);
                    found.push(Played { animations, times: with_between(&keyframes), keyframes });
                }
                None => alone.push(format!("after, {} is missing", called(animation))),
            }
        }
        let new = played[1].iter().zip(&is_taken).filter(|(_, is_taken)| !**is_taken);
        alone.extend(
            new.map(|((_, animation), _)| format!("before, {} is missing", called(animation))),
        );
        (found, alone)
    }

    /// Returns the keyframes of both, in ascending order.
    fn keyframes(&self, animations: [usize; 2]) -> Vec<f64> {
        let mut times = Vec::new();
        for (side, &animation) in self.sides.iter().zip(&animations) {
            let animation = &side.scene.animations[animation];
            for channel in &animation.channels {
                times.extend_from_slice(match &channel.track {
                    Track::Translation(curve) | Track::Scale(curve) => curve.times(),
                    Track::Rotation(curve) => curve.times(),
                });
            }
            let morphs = side.scene.drawing.morphs.iter();
            let morphs = morphs.filter(|track| track.animation == animation.index);
            times.extend(morphs.flat_map(|track| &track.weights).flat_map(Curve::times));
        }
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Leaves out times of animations that have too many, evenly. Returns the number of animations that this
    /// affects.
    pub(super) fn thin(&self, animations: &mut [Played]) -> usize {
        let nodes = self.sides.iter().map(|side| side.scene.nodes.len()).sum::<usize>();
        let at_a_time = self.vertices() + OF_A_NODE * (nodes + 1);
        let most = (PLACED / at_a_time / animations.len().max(1)).clamp(2, MOST_TIMES);
        let mut thinned = 0;
        for Played { times, .. } in animations.iter_mut().filter(|played| played.times.len() > most)
        {
            let (step, last) = (times.len().div_ceil(most), times.len() - 1);
            let mut place = 0..;
            times.retain(|_| {
                place.next().is_some_and(|place: usize| place.is_multiple_of(step) || place == last)
            });
            thinned += 1;
        }
        thinned
    }

    fn vertices(&self) -> usize {
        self.at_rest.iter().flatten().map(|at| at.placed.len()).sum()
    }

    /// Adds the distance of each pair in one of `of_animations` animations.
    pub(super) fn add_moved_in(
        &self,
        &Played { animations, ref times, .. }: &Played,
        of_animations: usize,
        moved: &mut [Moved],
    ) {
        let at_each = |&seconds: &f64| self.at_time(animations, seconds);
        let mut each: Vec<_> = times.par_iter().filter_map(at_each).collect();
        for found in &each {
            let at = Some((animations[0], found.seconds));
            for (moved, &by) in moved.iter_mut().zip(&found.moved) {
                moved.add(Moved { by, at });
            }
        }
        // Surfaces take longer. If there are many vertices, only the times at which their boxes are farthest apart are
        // compared. Of the others a few are enough: a wheel that turns the other way stays in its box, and what is still is
        // missed where something else moves away from it, but both at nearly every time.
        each.retain(|found| found.boxes_apart > 0.0 || found.away > 0.0);
        let (mut apart, within): (Vec<_>, Vec<_>) =
            each.into_iter().partition(|found| found.boxes_apart > 0.0);
        apart.sort_by(|a, b| b.boxes_apart.total_cmp(&a.boxes_apart));
        let vertices = ON_SURFACES.min(ON_SURFACES_IN_ALL / of_animations);
        apart.truncate((vertices / self.vertices().max(1)).max(1));
        let farthest = within.iter().max_by(|a, b| a.away.total_cmp(&b.away));
        let some = within.iter().step_by(within.len().div_ceil(WITHIN_BOXES).max(1));
        for &AtTime { seconds, .. } in apart.iter().chain(farthest).chain(some) {
            let Some(worlds) = self.worlds(animations, seconds) else { continue };
            let placed = [0, 1].map(|side| {
                let (own, moment) = (&self.sides[side], Some((animations[side], seconds)));
                let placed = |thing| placed(own, thing, &worlds[side], moment);
                own.things.iter().map(placed).collect::<Vec<_>>()
            });
            let placed: Placed<'_> =
                placed.each_ref().map(|things| things.iter().map(Vec::as_slice).collect());
            let surfaces = self.surfaces(&placed, &worlds);
            for (pair, moved) in self.pairs.iter().zip(&mut *moved) {
                if pair.compared == Compared::Surface {
                    let by = self.apart(pair, &placed, Some(&surfaces));
                    moved.add(Moved { by, at: Some((animations[0], seconds)) });
                }
            }
        }
    }

    /// Returns the world matrices at a time; `None` if a world transform is too large then.
    pub(super) fn worlds(
        &self,
        animations: [usize; 2],
        seconds: f64,
    ) -> Option<[Vec<Matrix4<f64>>; 2]> {
        let of_side = |side: usize| self.sides[side].worlds((animations[side], seconds)).ok();
        Some([of_side(0)?, of_side(1)?])
    }

    fn at_time(&self, animations: [usize; 2], seconds: f64) -> Option<AtTime> {
        let worlds = self.worlds(animations, seconds)?;
        let moved = Vec::with_capacity(self.pairs.len());
        let mut found = AtTime { seconds, moved, boxes_apart: 0.0, away: 0.0 };
        let has_surfaces = self.pairs.iter().any(|pair| pair.compared == Compared::Surface);
        for Pair { things, compared, .. } in &self.pairs {
            let posed = [0, 1].map(|side| {
                let (it, at_rest) = self.thing(side, things[side]?);
                let matrices = it.matrices(&worlds[side]);
                let weights = it.weights(self.sides[side].scene, Some((animations[side], seconds)));
                let is_moved = matrices != at_rest.matrices || weights != at_rest.weights;
                Some((it, matrices, weights, is_moved))
            });
            // Poses that equal those at rest were compared at rest.
            if !posed.iter().flatten().any(|&(.., is_moved)| is_moved) {
                found.moved.push(0.0);
                continue;
            }
            let placed = posed.map(|posed| {
                let (it, matrices, weights, _) = posed?;
                Some(it.placed(&matrices, &weights))
            });
            for (side, placed) in placed.iter().enumerate().filter(|_| has_surfaces) {
                if let (Some(placed), Some(thing)) = (placed, things[side]) {
                    found.away =
                        found.away.max(farthest(placed, &self.thing(side, thing).1.placed));
                }
            }
            let by = match (compared, &placed) {
                (Compared::Vertices, [Some(old), Some(new)]) => farthest(old, new),
                _ => {
                    let boxes = [0, 1].map(|side| match &placed[side] {
                        Some(placed) => around(placed),
                        // A thing without a partner is examined when it is farthest from its position at
                        // rest.
                        None => self.thing(1 - side, things[1 - side]?).1.bounds,
                    });
                    found.boxes_apart = found.boxes_apart.max(boxes_apart(boxes));
                    0.0
                }
            };
            found.moved.push(by);
        }
        Some(found)
    }
}

/// Adds the midpoint between every two successive times.
fn with_between(times: &[f64]) -> Vec<f64> {
    let between = times.windows(2).map(|pair| pair[0].midpoint(pair[1]));
    let mut all: Vec<_> = times.iter().copied().chain(between).collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Returns the positions of a thing's vertices at a moment, or at rest.
pub(super) fn placed(
    side: &Side<'_>,
    thing: &Thing<'_>,
    worlds: &[Matrix4<f64>],
    moment: Option<Moment>,
) -> Vec<Point3<f64>> {
    thing.placed(&thing.matrices(worlds), &thing.weights(side.scene, moment))
}

fn called(animation: &Animation) -> String {
    match &animation.name {
        Some(name) => format!("the animation \"{}\"", printable(name)),
        None => format!("animation {}", animation.index),
    }
}

/// Returns the distance of the corners of two boxes.
fn boxes_apart(boxes: [Option<[Point3<f64>; 2]>; 2]) -> f64 {
    match boxes {
        [Some(a), Some(b)] => farthest(&a, &b),
        _ => 0.0,
    }
}
