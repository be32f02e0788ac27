//! Comparison of what two scenes draw, both with multiplied matrices: positions, facing, and which parts
//! correspond.

mod apart;
mod facing;
mod matching;
mod motion;
mod nodes;
mod playback;
mod things;
mod vertices;

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_scene::{Scene, text::path};

use crate::audit::{CompareError, Compared, Grade, MatchedBy, ShapeDiff, ShapePlayback, ThingDiff};
use matching::{Matching, at_the_same_place, is_of_file};
use motion::Played;
use things::{Moment, Side, Thing, around, drawing, farthest};
use vertices::{is_scale, same_vertices};

/// The tolerance for boxes in the same place, and for the distance of triangles that face the other way, as a
/// fraction of the diagonal. The error of a vertex stored in 10 bits is smaller.
const SAME_PLACE: f64 = 1e-3;

/// Two matched nodes, or a node that only one scene has.
pub(crate) type NodePair = [Option<usize>; 2];

/// The comparison of what two scenes draw.
pub(crate) struct ShapesApart {
    pub(crate) diff: ShapeDiff,
    /// The nodes that draw something.
    pub(crate) drawn: Vec<NodePair>,
    /// All nodes.
    pub(crate) nodes: Vec<NodePair>,
}

/// Compares what two scenes draw.
pub(crate) fn shapes_apart(before: &Scene, after: &Scene) -> Result<ShapesApart, CompareError> {
    with_shapes(before, after, |shapes, found| Ok(shapes.told(found)))
}

/// Compares what two scenes draw, and returns the data that a viewer shows.
pub(crate) fn shapes_shown(
    before: &Scene,
    after: &Scene,
) -> Result<(ShapesApart, ShapePlayback), CompareError> {
    with_shapes(before, after, |shapes, found| {
        let playback = shapes.playback(&found)?;
        Ok((shapes.told(found), playback))
    })
}

fn with_shapes<T>(
    before: &Scene,
    after: &Scene,
    tell: impl FnOnce(&Shapes<'_, '_>, Found) -> Result<T, CompareError>,
) -> Result<T, CompareError> {
    let drawings = [drawing(before), drawing(after)];
    let sides = [Side::of(before, &drawings[0])?, Side::of(after, &drawings[1])?];
    let shapes = Shapes::of(&sides);
    let found = shapes.found();
    tell(&shapes, found)
}

/// A thing at rest.
struct AtRest {
    matrices: Vec<Matrix4<f64>>,
    weights: Vec<f64>,
    placed: Vec<Point3<f64>>,
    bounds: Option<[Point3<f64>; 2]>,
}

/// Matching things of both scenes, as indices, or one without a partner.
struct Pair {
    things: [Option<usize>; 2],
    /// How they were matched; `None` for a single one.
    by: Option<MatchedBy>,
    compared: Compared,
}

/// The positions of vertices, by side and thing.
type Placed<'a> = [Vec<&'a [Point3<f64>]>; 2];

/// A distance, and the time at which it occurs.
#[derive(Clone, Copy)]
struct Moved {
    by: f64,
    /// The animation, as an index into the scene before, and the time; `None` at rest.
    at: Option<Moment>,
}

impl Moved {
    fn add(&mut self, other: Self) {
        if other.by > self.by {
            *self = other;
        }
    }
}

/// The distances of everything.
struct Found {
    /// The animations that were compared.
    animations: Vec<Played>,
    /// The number of animations in which some times were left out.
    thinned: usize,
    /// By pair.
    moved: Vec<Moved>,
    /// The pairs that are reported, and their reports, in order of decreasing distance.
    listed: Vec<usize>,
    things: Vec<ThingDiff>,
    /// The animations that only one scene has, for people.
    not_compared: Vec<String>,
}

struct Shapes<'a, 'b> {
    sides: &'b [Side<'a>; 2],
    at_rest: [Vec<AtRest>; 2],
    diagonal: f64,
    matching: Matching,
    pairs: Vec<Pair>,
    /// By side and thing: whether it has a partner.
    is_paired: [Vec<bool>; 2],
}

impl<'a, 'b> Shapes<'a, 'b> {
    fn of(sides: &'b [Side<'a>; 2]) -> Self {
        let at_rest = sides.each_ref().map(|side| {
            let at_rest = |thing: &Thing<'_>| {
                let matrices = thing.matrices(&side.at_rest);
                let weights = thing.weights(side.scene, None);
                let placed = thing.placed(&matrices, &weights);
                let bounds = around(&placed);
                AtRest { matrices, weights, placed, bounds }
            };
            side.things.par_iter().map(at_rest).collect::<Vec<_>>()
        });
        // What no program shows first must not make a change of what it shows look small.
        let in_default_scene = [0, 1].map(|side: usize| {
            let Side { scene, things, .. } = &sides[side];
            let is_in = |thing: &Thing<'_>| scene.nodes[thing.node()].is_in_default_scene;
            let things = things.iter().zip(&at_rest[side]);
            diagonal(things.filter(|(thing, _)| is_in(thing)).map(|(_, at)| at))
        });
        let all = at_rest.iter().map(|things| diagonal(things.iter()));
        let diagonal = in_default_scene.into_iter().chain(all).find(|&found| found > 0.0);
        let matching = Matching::by_names(sides.each_ref().map(|side| side.scene));
        let is_paired = sides.each_ref().map(|side| vec![false; side.things.len()]);
        let diagonal = diagonal.unwrap_or(0.0);
        let mut shapes = Self { sides, at_rest, diagonal, matching, pairs: Vec::new(), is_paired };
        shapes.match_things();
        shapes
    }

    /// Returns the node of the file that a thing belongs to.
    fn owner(&self, side: usize, thing: usize) -> usize {
        let (scene, node) = (self.sides[side].scene, self.sides[side].things[thing].node());
        scene.of_file(node).unwrap_or(node)
    }

    fn match_things(&mut self) {
        self.match_by_nodes();
        let free = [0, 1].map(|side| {
            let things = self.at_rest[side].iter().enumerate();
            let free = things.filter(|&(thing, _)| !self.is_paired[side][thing]);
            free.filter_map(|(thing, at)| Some((thing, at.bounds?))).collect::<Vec<_>>()
        });
        for (old, new) in at_the_same_place(&free[0], &free[1], SAME_PLACE * self.diagonal) {
            self.pair(old, new, MatchedBy::Place);
            let [old, new] = [self.owner(0, old), self.owner(1, new)];
            self.matching.take(old, new, MatchedBy::Place);
        }
        self.matching.by_order([self.sides[0].scene, self.sides[1].scene]);
        self.match_by_nodes();
        for (side, is_paired) in self.is_paired.iter().enumerate() {
            for alone in (0..is_paired.len()).filter(|&thing| !is_paired[thing]) {
                let mut things = [None; 2];
                things[side] = Some(alone);
                self.pairs.push(Pair { things, by: None, compared: Compared::Surface });
            }
        }
    }

    fn match_by_nodes(&mut self) {
        let things: HashMap<_, _> =
            (0..self.sides[1].things.len()).map(|thing| (self.owner(1, thing), thing)).collect();
        for old in 0..self.sides[0].things.len() {
            let partner = self.matching.after[self.owner(0, old)];
            let found = partner.and_then(|(new, by)| Some((*things.get(&new)?, by)));
            if let Some((new, by)) = found.filter(|&(new, _)| !self.is_paired[1][new])
                && !self.is_paired[0][old]
            {
                self.pair(old, new, by);
            }
        }
    }

    fn pair(&mut self, old: usize, new: usize, by: MatchedBy) {
        let both = [&self.sides[0].things[old], &self.sides[1].things[new]];
        let placed = [&self.at_rest[0][old].placed, &self.at_rest[1][new].placed];
        // A symmetric mesh with reordered vertices also fits a map, a rotation or a mirror; and a few
        // vertices fit any map.
        let is_same = same_vertices(both).is_some_and(|map| {
            is_scale(&map) || farthest(placed[0], placed[1]) <= SAME_PLACE * self.diagonal
        });
        let is_same = is_same
            && self.scene_change([Some(self.owner(0, old)), Some(self.owner(1, new))]).is_none();
        let compared = if is_same { Compared::Vertices } else { Compared::Surface };
        self.pairs.push(Pair { things: [Some(old), Some(new)], by: Some(by), compared });
        self.is_paired[0][old] = true;
        self.is_paired[1][new] = true;
    }

    /// Returns the nodes of the files that draw something, in pairs.
    fn drawn(&self) -> Vec<NodePair> {
        self.pairs.iter().map(|pair| self.owners(pair)).collect()
    }

    fn owners(&self, pair: &Pair) -> NodePair {
        [0, 1].map(|side| Some(self.owner(side, pair.things[side]?)))
    }

    /// Returns all nodes of the files, in pairs.
    fn nodes(&self) -> Vec<NodePair> {
        let scenes = [self.sides[0].scene, self.sides[1].scene];
        let old = (0..scenes[0].nodes.len()).filter(|&node| is_of_file(scenes[0], node));
        let pairs = old.map(|old| [Some(old), self.matching.after[old].map(|(new, _)| new)]);
        let new = (0..scenes[1].nodes.len())
            .filter(|&node| is_of_file(scenes[1], node) && !self.matching.is_taken(node));
        pairs.chain(new.map(|node| [None, Some(node)])).collect()
    }

    /// Measures the distances of everything, at rest and in motion.
    fn found(&self) -> Found {
        let (mut animations, not_compared) = self.animations();
        let thinned = self.thin(&mut animations);
        let (mut moved, inside_out) = self.at_rest_apart();
        for played in &animations {
            self.add_moved_in(played, animations.len(), &mut moved);
        }
        let things = self.pairs.iter().zip(moved.iter().zip(inside_out));
        let things = things.map(|(pair, (moved, over))| self.thing_diff(pair, *moved, over));
        let is_other = |thing: &ThingDiff| {
            thing.moved_percent > Grade::IDENTICAL_PERCENT
                || thing.inside_out > 0
                || thing.matched.is_none()
        };
        let mut listed: Vec<_> = things.enumerate().filter(|(_, thing)| is_other(thing)).collect();
        listed.sort_by(|(_, a), (_, b)| b.moved.total_cmp(&a.moved));
        let (listed, things) = listed.into_iter().unzip();
        Found { animations, thinned, moved, listed, things, not_compared }
    }

    fn told(&self, found: Found) -> ShapesApart {
        let Found { things, mut not_compared, thinned, .. } = found;
        let sides = ["before", "after"].into_iter().zip(self.sides);
        for (name, side) in sides {
            not_compared.extend(side.not_read.iter().map(|why| format!("{name}, {why}")));
        }
        let diff = ShapeDiff {
            diagonal: self.diagonal,
            drawn: self.sides.each_ref().map(|side| side.things.len()),
            things,
            fixtures: self.fixtures(),
            nodes: self.node_changes(),
            matched: self.counts(),
            thinned,
            not_compared,
        };
        ShapesApart { diff, drawn: self.drawn(), nodes: self.nodes() }
    }

    fn percent(&self, moved: f64) -> f64 {
        if self.diagonal > 0.0 { moved / self.diagonal * 100.0 } else { 0.0 }
    }

    fn thing(&self, side: usize, thing: usize) -> (&Thing<'a>, &AtRest) {
        (&self.sides[side].things[thing], &self.at_rest[side][thing])
    }

    fn path(&self, side: usize, node: usize) -> String {
        path(self.sides[side].scene, node)
    }

    fn thing_diff(&self, pair: &Pair, Moved { by, at }: Moved, inside_out: usize) -> ThingDiff {
        let normals_turned_degrees = match (pair.compared, pair.things) {
            (Compared::Vertices, [Some(old), Some(new)]) => self.normals_turned([old, new]),
            _ => None,
        };
        let [before, after] = self.owners(pair);
        let path = match after {
            Some(node) => self.path(1, node),
            None => before.map_or_else(String::new, |node| self.path(0, node)),
        };
        ThingDiff {
            path,
            before,
            after,
            default_scene: self.scene_change([before, after]),
            matched: pair.by,
            compared: pair.compared,
            moved: by,
            moved_percent: self.percent(by),
            animation: at.map(|(animation, _)| self.sides[0].scene.animations[animation].index),
            seconds: at.map(|(_, seconds)| seconds),
            inside_out,
            normals_turned_degrees,
        }
    }

    /// Returns for each pair the distance at rest, and the number of triangles that face the other way.
    fn at_rest_apart(&self) -> (Vec<Moved>, Vec<usize>) {
        let placed = self
            .at_rest
            .each_ref()
            .map(|things| things.iter().map(|at| at.placed.as_slice()).collect::<Vec<_>>());
        let needs_surfaces = self.pairs.iter().any(|pair| pair.compared == Compared::Surface);
        let worlds = self.sides.each_ref().map(|side| side.at_rest.as_slice());
        let surfaces = needs_surfaces.then(|| self.surfaces(&placed, &worlds));
        let apart = |pair: &Pair| {
            let mut by = self.apart(pair, &placed, surfaces.as_ref());
            if let (Compared::Surface, Some(surfaces)) = (pair.compared, &surfaces) {
                by = by.max(self.insides_apart(pair, surfaces));
            }
            let inside_out = match (pair.compared, pair.things, &surfaces) {
                _ if self.scene_change(self.owners(pair)).is_some() => 0,
                (Compared::Vertices, [Some(old), Some(new)], _) => self.turned_over([old, new]),
                (_, [_, Some(new)], Some(surfaces)) => {
                    self.seen_from_behind(new, by, self.across(surfaces, 1, new))
                }
                _ => 0,
            };
            (Moved { by, at: None }, inside_out)
        };
        self.pairs.par_iter().map(apart).unzip()
    }
}

fn diagonal<'a>(things: impl Iterator<Item = &'a AtRest>) -> f64 {
    let corners: Vec<_> = things.filter_map(|thing| thing.bounds).flatten().collect();
    around(&corners).map_or(0.0, |[low, high]| (high - low).norm())
}
