//! The data that a viewer shows of two scenes at once.

use std::collections::{BTreeMap, HashSet};

use nalgebra::{Matrix4, Point3};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_core::{HierarchyError, slices::parents_first};
use xform_scene::Scene;

use super::{
    super::playback::weights,
    Found, Moved, Placed, Shapes,
    apart::Surfaces,
    motion::{Played, placed},
    things::{Side, around},
};
use crate::audit::{
    CompareError, Compared, PlayedAnimation, PlayedWeights, ShapePlayback, ShownThing,
};

/// The total number of nodes that are placed, counted at each time.
const PLACED: usize = 60_000;
/// The fewest times of an animation that is played, and the most.
const FEWEST: usize = 4;
const MOST: usize = 600;
/// The largest interval between two played times, in seconds, if there is room for that many. Motion at this
/// rate looks smooth.
const STEP: f64 = 1.0 / 30.0;

impl Shapes<'_, '_> {
    /// Returns the data that a viewer shows of the comparison.
    pub(super) fn playback(&self, found: &Found) -> Result<ShapePlayback, CompareError> {
        let corners: Vec<_> =
            self.at_rest.iter().flatten().filter_map(|at| at.bounds).flatten().collect();
        let mut left = PLACED;
        let (mut animations, mut not_played) = (Vec::new(), 0);
        // If there is no room for all, animations in which something is farthest take precedence.
        let moments = found.listed.iter().filter_map(|&pair| found.moved[pair].at);
        let worst: HashSet<_> = moments.map(|(animation, _)| animation).collect();
        let mut order: Vec<_> = found.animations.iter().collect();
        order.sort_by_key(|played| !worst.contains(&played.animations[0]));
        for played in order {
            match self.played(played, &found.moved, left)? {
                Some(shown) => {
                    let weights: usize =
                        shown.weights.iter().flat_map(|own| &own.weights).map(Vec::len).sum();
                    // A placed node takes as much space as twelve weights.
                    left = left.saturating_sub(shown.worlds[0].len() + weights / 12);
                    animations.push(shown);
                }
                None => not_played += 1,
            }
        }
        Ok(ShapePlayback {
            bounds: around(&corners),
            at_rest: self.sides.iter().flat_map(|side| &side.at_rest).copied().collect(),
            things: self.shown(found),
            animations,
            not_played,
        })
    }

    /// Returns the number of a node, counted through both scenes.
    fn through(&self, side: usize, node: usize) -> usize {
        node + if side == 0 { 0 } else { self.sides[0].scene.nodes.len() }
    }

    /// Returns the listed things, each with the distances of its vertices at its worst time.
    fn shown(&self, found: &Found) -> Vec<ShownThing> {
        // Things with the same worst time share one placement.
        let mut moments: BTreeMap<Option<(usize, u64)>, Vec<usize>> = BTreeMap::new();
        for &pair in &found.listed {
            let at =
                found.moved[pair].at.map(|(animation, seconds)| (animation, seconds.to_bits()));
            moments.entry(at).or_default().push(pair);
        }
        let mut distances = BTreeMap::new();
        for (at, pairs) in moments {
            let moment = at.and_then(|(animation, seconds)| {
                let mut all = found.animations.iter();
                let played = all.find(|played| played.animations[0] == animation)?;
                Some((played.animations, f64::from_bits(seconds)))
            });
            let needs_surfaces =
                pairs.iter().any(|&pair| self.pairs[pair].compared == Compared::Surface);
            let Some((worlds, points)) = self.placed_at(moment, &pairs, needs_surfaces) else {
                continue;
            };
            let points: Placed<'_> =
                points.each_ref().map(|things| things.iter().map(Vec::as_slice).collect());
            let surfaces = needs_surfaces.then(|| self.surfaces(&points, &worlds));
            for pair in pairs {
                distances.insert(pair, self.distances(pair, &points, surfaces.as_ref()));
            }
        }
        let shown = found.listed.iter().map(|pair| {
            let node = |side: usize| {
                let thing = self.pairs[*pair].things[side]?;
                Some(self.through(side, self.sides[side].things[thing].node()))
            };
            let distances = distances.remove(pair).unwrap_or_default();
            ShownThing { nodes: [node(0), node(1)], distances }
        });
        shown.collect()
    }

    /// Returns the vertices of these pairs, or of everything, at a moment, and the world matrices. `None` if
    /// a world matrix is too large.
    #[expect(clippy::type_complexity, reason = "of both scenes")]
    fn placed_at(
        &self,
        moment: Option<([usize; 2], f64)>,
        pairs: &[usize],
        is_everything: bool,
    ) -> Option<([Vec<Matrix4<f64>>; 2], [Vec<Vec<Point3<f64>>>; 2])> {
        let worlds = match moment {
            Some((animations, seconds)) => self.worlds(animations, seconds)?,
            None => self.sides.each_ref().map(|side| side.at_rest.clone()),
        };
        let points = [0, 1].map(|side| {
            let own: HashSet<_> =
                pairs.iter().filter_map(|&pair| self.pairs[pair].things[side]).collect();
            let at = moment.map(|(animations, seconds)| (animations[side], seconds));
            let things = self.sides[side].things.iter().enumerate();
            let placed = things.map(|(place, thing)| {
                let is_needed = is_everything || own.contains(&place);
                if is_needed {
                    placed(&self.sides[side], thing, &worlds[side], at)
                } else {
                    Vec::new()
                }
            });
            placed.collect()
        });
        Some((worlds, points))
    }

    /// Returns the distance of each vertex of a pair, by side.
    fn distances(
        &self,
        pair: usize,
        points: &Placed<'_>,
        surfaces: Option<&Surfaces>,
    ) -> [Vec<f64>; 2] {
        let pair = &self.pairs[pair];
        if let (Compared::Vertices, [Some(old), Some(new)]) = (pair.compared, pair.things) {
            let both = points[0][old].iter().zip(points[1][new]);
            return [Vec::new(), both.map(|(a, b)| (a - b).norm()).collect()];
        }
        let mut distances = [Vec::new(), Vec::new()];
        for (side, thing) in self.compared_with_surface(pair) {
            let Some(surfaces) = surfaces else { continue };
            let across = self.across(surfaces, side, thing);
            let each = points[side][thing].par_iter();
            distances[side] = each.map(|point| self.distance_from(across, point)).collect();
        }
        distances
    }

    /// Returns an animation at some times; `None` if there is not enough room for it, or if a world transform
    /// is too large.
    fn played(
        &self,
        &Played { animations, ref times, ref keyframes }: &Played,
        moved: &[Moved],
        room: usize,
    ) -> Result<Option<PlayedAnimation>, CompareError> {
        let nodes = [self.moving(0, animations[0])?, self.moving(1, animations[1])?];
        let count = nodes.iter().map(Vec::len).sum::<usize>().max(1);
        let musts = moved.iter().filter_map(|moved| moved.at);
        let musts = musts.filter(|(animation, _)| *animation == animations[0]);
        let at_most = (room / count).min(MOST);
        let seconds = played_times(times, musts.map(|(_, seconds)| seconds), at_most);
        if at_most < FEWEST || seconds.len() < 2 {
            return Ok(None);
        }
        let mut worlds = Vec::with_capacity(seconds.len() * count);
        for &seconds in &seconds {
            let Some(both) = self.worlds(animations, seconds) else { return Ok(None) };
            for (nodes, worlds_of_side) in nodes.iter().zip(&both) {
                worlds.extend(nodes.iter().map(|&node| worlds_of_side[node]));
            }
        }
        let each = self.sides.iter().enumerate().flat_map(|(side, own)| {
            let animation = own.scene.animations[animations[side]].index;
            let weights = weights(own.scene, animation, &seconds);
            weights.into_iter().map(move |weights| PlayedWeights {
                node: self.through(side, weights.node),
                ..weights
            })
        });
        let weights = each.collect();
        let through = nodes
            .iter()
            .enumerate()
            .flat_map(|(side, nodes)| nodes.iter().map(move |&node| self.through(side, node)));
        let is_keyframe =
            |time: &f64| keyframes.binary_search_by(|key| key.total_cmp(time)).is_ok();
        Ok(Some(PlayedAnimation {
            animation: animations[0],
            nodes: through.collect(),
            is_keyframe: seconds.iter().map(is_keyframe).collect(),
            seconds,
            worlds: vec![worlds],
            figures: Vec::new(),
            weights,
        }))
    }

    /// Returns the nodes that an animation moves and that something drawn follows.
    fn moving(&self, side: usize, animation: usize) -> Result<Vec<usize>, CompareError> {
        let Side { scene, things, .. } = &self.sides[side];
        let is_moved = moved(scene, animation)?;
        let followed = things.iter().flat_map(|thing| {
            let joints = thing.shown.joints.iter().flat_map(|joints| joints.iter());
            joints.map(|joint| joint.node).chain([thing.node()])
        });
        let mut nodes: Vec<_> = followed.filter(|&node| is_moved[node]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }
}

/// Returns for each node whether an animation moves it or an ancestor.
fn moved(scene: &Scene, animation: usize) -> Result<Vec<bool>, CompareError> {
    let mut is_moved = vec![false; scene.nodes.len()];
    for channel in &scene.animations[animation].channels {
        if let Some(is_moved) = is_moved.get_mut(channel.node) {
            *is_moved = true;
        }
    }
    let parents: Vec<_> = scene.nodes.iter().map(|node| node.parent).collect();
    for node in parents_first(&parents).map_err(HierarchyError::from)? {
        is_moved[node] |= parents[node].is_some_and(|parent| is_moved[parent]);
    }
    Ok(is_moved)
}

/// Returns the times at which two scenes are shown, in ascending order: the ends and `musts`, then as many of
/// the compared times as there is room for, evenly, and then times in between.
fn played_times(times: &[f64], musts: impl Iterator<Item = f64>, at_most: usize) -> Vec<f64> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    let mut played: Vec<f64> = [first, last].into_iter().chain(musts).collect();
    sort(&mut played);
    let add = |more: &[f64], played: &mut Vec<f64>| {
        let count = more.len().min(at_most.saturating_sub(played.len()));
        played.extend((0..count).map(|i| more[i * more.len() / count]));
        sort(played);
    };
    add(times, &mut played);
    let between: Vec<f64> = played
        .windows(2)
        .flat_map(|pair| {
            let (from, by) = (pair[0], pair[1] - pair[0]);
            let wanted = (by / STEP).min(MOST as f64);
            let parts = (1..MOST).take_while(move |&i| (i as f64) < wanted);
            parts.map(move |i| from + by * i as f64 / wanted.ceil())
        })
        .collect();
    add(&between, &mut played);
    played
}

/// Sorts the times in ascending order and removes duplicates.
fn sort(times: &mut Vec<f64>) {
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
}
