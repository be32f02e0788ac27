//! What is drawn of two scenes beside one another, both by multiplied matrices: where it is, which side of it is seen, and who is
//! who.

mod matching;
mod surface;
mod things;

use std::collections::HashMap;

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_scene::{
    Animation, Fixture, Scene,
    animation::{Curve, Track},
    text::path,
};

use crate::audit::{
    CompareError, Compared, FixtureDiff, MatchCounts, MatchedBy, NodeChange, NodeChangeKind,
    ShapeDiff, ThingDiff,
};
use matching::{Matching, at_the_same_place, is_of_file, named_parent};
use surface::Surface;
use things::{Moment, Side, Thing, around, drawing};

/// How far boxes may be apart that are in the same place, and how near what is seen from its other side must be, as parts of the
/// diagonal: a vertex that is stored in 10 bits is off by less.
const SAME_PLACE: f64 = 1e-3;

/// How far vertices may be from an affine map of those of the same number, as a part of their extent: those that are stored in 8
/// bits are off by less.
const SAME_VERTICES: f64 = 4e-3;

/// The most times of an animation, and how many vertices may be placed at all times together; a node counts for a hundred. Where
/// there are more keyframes, as many of them are left out evenly.
const MOST_TIMES: usize = 1_000;
const PLACED: usize = 2_000_000_000;
const OF_A_NODE: usize = 100;

/// How many vertices of an animation are compared with surfaces in all, each at each time.
const ON_SURFACES: usize = 2_000_000;

/// Two nodes that are the same, or one that only one scene has.
pub(crate) type NodePair = [Option<usize>; 2];

/// What two scenes draw beside one another.
pub(crate) struct ShapesApart {
    pub(crate) diff: ShapeDiff,
    /// The nodes that draw something.
    pub(crate) drawn: Vec<NodePair>,
    /// All nodes.
    pub(crate) nodes: Vec<NodePair>,
}

/// Compares what two scenes draw.
pub(crate) fn shapes_apart(before: &Scene, after: &Scene) -> Result<ShapesApart, CompareError> {
    let drawings = [drawing(before), drawing(after)];
    let sides = [Side::of(before, &drawings[0])?, Side::of(after, &drawings[1])?];
    let shapes = Shapes::of(&sides);
    Ok(ShapesApart { diff: shapes.compared(), drawn: shapes.drawn(), nodes: shapes.nodes() })
}

/// A thing at rest.
struct AtRest {
    matrices: Vec<Matrix4<f64>>,
    weights: Vec<f64>,
    placed: Vec<Point3<f64>>,
    bounds: Option<[Point3<f64>; 2]>,
}

/// Things of both scenes that are the same, by their places.
struct Pair {
    things: [usize; 2],
    by: MatchedBy,
    compared: Compared,
}

/// How far something is elsewhere, and when.
#[derive(Clone, Copy, Default)]
struct Moved {
    by: f64,
    /// The animation by its index in the scene before, and the time.
    at: Option<Moment>,
}

impl Moved {
    fn farther(self, other: Self) -> Self {
        if other.by > self.by { other } else { self }
    }
}

struct Shapes<'a, 'b> {
    sides: &'b [Side<'a>; 2],
    at_rest: [Vec<AtRest>; 2],
    diagonal: f64,
    matching: Matching,
    pairs: Vec<Pair>,
    /// By side and thing, whether it has a partner.
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
        let diagonal = at_rest.iter().map(|things| diagonal(things)).find(|&found| found > 0.0);
        let matching = Matching::by_names(sides.each_ref().map(|side| side.scene));
        let is_paired = sides.each_ref().map(|side| vec![false; side.things.len()]);
        let diagonal = diagonal.unwrap_or(0.0);
        let mut shapes = Self { sides, at_rest, diagonal, matching, pairs: Vec::new(), is_paired };
        shapes.match_things();
        shapes
    }

    /// The node of the file that a thing is of.
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
        // What is symmetric in another order fits a map too, a turn or a mirror; a few vertices fit any.
        let is_same = same_vertices(both).is_some_and(|map| {
            is_scale(&map) || farthest(placed[0], placed[1]) <= SAME_PLACE * self.diagonal
        });
        let compared = if is_same { Compared::Vertices } else { Compared::Surface };
        self.pairs.push(Pair { things: [old, new], by, compared });
        self.is_paired[0][old] = true;
        self.is_paired[1][new] = true;
    }

    /// The nodes of the files that draw something, in pairs.
    fn drawn(&self) -> Vec<NodePair> {
        let pairs = self.pairs.iter().map(|Pair { things: [old, new], .. }| {
            [Some(self.owner(0, *old)), Some(self.owner(1, *new))]
        });
        let [gone, new] = self.alone();
        let gone = gone.into_iter().map(|thing| [Some(self.owner(0, thing)), None]);
        let new = new.into_iter().map(|thing| [None, Some(self.owner(1, thing))]);
        pairs.chain(gone).chain(new).collect()
    }

    fn nodes(&self) -> Vec<NodePair> {
        let scenes = [self.sides[0].scene, self.sides[1].scene];
        let old = (0..scenes[0].nodes.len()).filter(|&node| is_of_file(scenes[0], node));
        let pairs = old.map(|old| [Some(old), self.matching.after[old].map(|(new, _)| new)]);
        let new = (0..scenes[1].nodes.len())
            .filter(|&node| is_of_file(scenes[1], node) && !self.matching.is_taken(node));
        pairs.chain(new.map(|node| [None, Some(node)])).collect()
    }

    fn compared(&self) -> ShapeDiff {
        let (mut animations, mut not_compared) = self.animations();
        let most = self.most_times(animations.len());
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
        let mut moved = self.moved_at_rest();
        let mut alone = self.alone_at_rest();
        for played in &animations {
            self.add_moved_in(played, &mut moved, &mut alone);
        }
        let mut things: Vec<_> =
            self.pairs.iter().zip(&moved).map(|(pair, moved)| self.of_pair(pair, *moved)).collect();
        for (side, alone) in alone.iter().enumerate() {
            things.extend(alone.iter().map(|&(thing, moved)| self.of_one(side, thing, moved)));
        }
        let least = crate::audit::Grade::IDENTICAL_PERCENT;
        things.retain(|thing| {
            thing.moved_percent > least || thing.inside_out > 0 || thing.matched.is_none()
        });
        things.sort_by(|a, b| b.moved.total_cmp(&a.moved));
        let sides = ["before", "after"].into_iter().zip(self.sides);
        for (name, side) in sides {
            not_compared.extend(side.not_read.iter().map(|why| format!("{name}, {why}")));
        }
        ShapeDiff {
            diagonal: self.diagonal,
            drawn: self.sides.each_ref().map(|side| side.things.len()),
            things,
            fixtures: self.fixtures(),
            nodes: self.node_changes(),
            matched: self.counts(),
            thinned,
            not_compared,
        }
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

    fn of_pair(&self, pair: &Pair, moved: Moved) -> ThingDiff {
        let [old, new] = pair.things;
        let (nodes, both) = ([self.owner(0, old), self.owner(1, new)], pair.things);
        let (inside_out, normals) = match pair.compared {
            Compared::Vertices => (self.turned_over(both), self.normals_turned(both)),
            Compared::Surface => (self.seen_from_behind(both), None),
        };
        ThingDiff {
            path: self.path(1, nodes[1]),
            before: Some(nodes[0]),
            after: Some(nodes[1]),
            matched: Some(pair.by),
            compared: pair.compared,
            moved: moved.by,
            moved_percent: self.percent(moved.by),
            animation: moved
                .at
                .map(|(animation, _)| self.sides[0].scene.animations[animation].index),
            seconds: moved.at.map(|(_, seconds)| seconds),
            inside_out,
            normals_turned_degrees: normals,
        }
    }

    fn of_one(&self, side: usize, thing: usize, moved: Moved) -> ThingDiff {
        let node = self.owner(side, thing);
        ThingDiff {
            path: self.path(side, node),
            before: (side == 0).then_some(node),
            after: (side == 1).then_some(node),
            matched: None,
            compared: Compared::Surface,
            moved: moved.by,
            moved_percent: self.percent(moved.by),
            animation: moved
                .at
                .map(|(animation, _)| self.sides[0].scene.animations[animation].index),
            seconds: moved.at.map(|(_, seconds)| seconds),
            inside_out: 0,
            normals_turned_degrees: None,
        }
    }

    /// The things that have no partner, by side.
    fn alone(&self) -> [Vec<usize>; 2] {
        self.is_paired
            .each_ref()
            .map(|is_paired| (0..is_paired.len()).filter(|&thing| !is_paired[thing]).collect())
    }

    fn needs_surfaces(&self) -> bool {
        self.pairs.iter().any(|pair| pair.compared == Compared::Surface)
            || self.is_paired.iter().flatten().any(|is_paired| !is_paired)
    }

    /// How far each pair is apart at rest.
    fn moved_at_rest(&self) -> Vec<Moved> {
        let placed = [0, 1].map(|side| {
            self.at_rest[side].iter().map(|at| at.placed.as_slice()).collect::<Vec<_>>()
        });
        let surfaces = self.needs_surfaces().then(|| self.surfaces(&placed, None));
        let apart =
            |pair: &Pair| Moved { by: self.apart(pair, &placed, surfaces.as_ref()), at: None };
        self.pairs.par_iter().map(apart).collect()
    }

    /// How far what has no partner is from what the other scene draws.
    fn alone_at_rest(&self) -> [Vec<(usize, Moved)>; 2] {
        let alone = self.alone();
        if alone.iter().all(Vec::is_empty) {
            return [Vec::new(), Vec::new()];
        }
        let placed = [0, 1].map(|side| {
            self.at_rest[side].iter().map(|at| at.placed.as_slice()).collect::<Vec<_>>()
        });
        let surfaces = self.surfaces(&placed, None);
        let mut found = [Vec::new(), Vec::new()];
        for (side, alone) in alone.iter().enumerate() {
            for &thing in alone {
                let by = self.distance_of(side, thing, &placed, &surfaces);
                found[side].push((thing, Moved { by, at: None }));
            }
        }
        found
    }

    /// How far a thing is from what the other scene draws; where that draws nothing, as far as it is large.
    fn distance_of(
        &self,
        side: usize,
        thing: usize,
        placed: &[Vec<&[Point3<f64>]>; 2],
        surfaces: &[Surface; 2],
    ) -> f64 {
        let points = placed[side][thing];
        surfaces[1 - side]
            .farthest(points)
            .unwrap_or_else(|| around(points).map_or(0.0, |[low, high]| (high - low).norm()))
    }

    fn apart(
        &self,
        pair: &Pair,
        placed: &[Vec<&[Point3<f64>]>; 2],
        surfaces: Option<&[Surface; 2]>,
    ) -> f64 {
        let [old, new] = pair.things;
        match (pair.compared, surfaces) {
            (Compared::Vertices, _) | (_, None) => farthest(placed[0][old], placed[1][new]),
            (Compared::Surface, Some(surfaces)) => {
                let each = [(0, old), (1, new)];
                let each =
                    each.map(|(side, thing)| self.distance_of(side, thing, placed, surfaces));
                each[0].max(each[1])
            }
        }
    }

    /// What each scene draws, as it is placed.
    fn surfaces(
        &self,
        placed: &[Vec<&[Point3<f64>]>; 2],
        worlds: Option<&[Vec<Matrix4<f64>>; 2]>,
    ) -> [Surface; 2] {
        [0, 1].map(|side| {
            let of_side = &self.sides[side];
            let worlds = worlds.map_or(&of_side.at_rest, |worlds| &worlds[side]);
            Surface::of(of_side.things.iter().zip(&placed[side]).flat_map(|(thing, &points)| {
                let seen = thing.side(worlds);
                let corners = thing.corners().into_iter();
                corners.map(move |corners| (corners.map(|corner| points[corner]), seen))
            }))
        })
    }

    /// The animations that both scenes have, by their places, with the times at which they are compared; and those that only one
    /// has, for people.
    fn animations(&self) -> (Vec<Played>, Vec<String>) {
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
            // Without a name of its own it is the one in the same order.
            let by_order = (order < played[1].len() && !is_unique).then_some(order);
            match by_name.or(by_order).filter(|&place| !is_taken[place]) {
                Some(place) => {
                    is_taken[place] = true;
                    let both = [old, played[1][place].0];
                    found.push(Played { animations: both, times: self.times(both) });
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

    /// The keyframes of both, and the times between two of them.
    fn times(&self, animations: [usize; 2]) -> Vec<f64> {
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
        let between: Vec<_> = times.windows(2).map(|pair| pair[0].midpoint(pair[1])).collect();
        times.extend(between);
        times.sort_unstable_by(f64::total_cmp);
        times
    }

    /// The most times of each of so many animations.
    fn most_times(&self, animations: usize) -> usize {
        let vertices = self.at_rest.iter().flatten().map(|at| at.placed.len()).sum::<usize>();
        let nodes = self.sides.iter().map(|side| side.scene.nodes.len()).sum::<usize>();
        let at_a_time = vertices + OF_A_NODE * (nodes + 1);
        (PLACED / at_a_time / animations.max(1)).clamp(2, MOST_TIMES)
    }

    /// Adds how far everything is apart in an animation.
    fn add_moved_in(
        &self,
        &Played { animations, ref times }: &Played,
        moved: &mut [Moved],
        alone: &mut [Vec<(usize, Moved)>; 2],
    ) {
        let at_each = |&seconds: &f64| self.at_time(animations, seconds);
        let each: Vec<_> = times.par_iter().filter_map(at_each).collect();
        for found in &each {
            let at = Some((animations[0], found.seconds));
            for (moved, by) in moved.iter_mut().zip(&found.moved) {
                *moved = moved.farther(Moved { by: *by, at });
            }
        }
        if !self.needs_surfaces() {
            return;
        }
        // Surfaces take longer: where there are many vertices, those times count at which their boxes are farthest apart.
        let vertices = self.at_rest.iter().flatten().map(|at| at.placed.len()).sum::<usize>();
        let mut moments: Vec<_> = each.iter().filter(|found| found.boxes_apart > 0.0).collect();
        moments.sort_by(|a, b| b.boxes_apart.total_cmp(&a.boxes_apart));
        for AtTime { seconds, .. } in
            moments.into_iter().take((ON_SURFACES / vertices.max(1)).max(1))
        {
            self.add_surfaces_at(animations, *seconds, moved, alone);
        }
    }

    /// Adds how far the surfaces are apart at a time of an animation.
    fn add_surfaces_at(
        &self,
        animations: [usize; 2],
        seconds: f64,
        moved: &mut [Moved],
        alone: &mut [Vec<(usize, Moved)>; 2],
    ) {
        let Some(worlds) = self.worlds(animations, seconds) else { return };
        let owned = [0, 1].map(|side| self.placed_in(side, &worlds, (animations[side], seconds)));
        let placed = owned.each_ref().map(|things| things.iter().map(Vec::as_slice).collect());
        let surfaces = self.surfaces(&placed, Some(&worlds));
        let at = Some((animations[0], seconds));
        for (pair, moved) in self.pairs.iter().zip(moved) {
            if pair.compared == Compared::Surface {
                let by = self.apart(pair, &placed, Some(&surfaces));
                *moved = moved.farther(Moved { by, at });
            }
        }
        for (side, alone) in alone.iter_mut().enumerate() {
            for (thing, moved) in alone {
                let by = self.distance_of(side, *thing, &placed, &surfaces);
                *moved = moved.farther(Moved { by, at });
            }
        }
    }

    fn worlds(&self, animations: [usize; 2], seconds: f64) -> Option<[Vec<Matrix4<f64>>; 2]> {
        let of_side = |side: usize| self.sides[side].worlds((animations[side], seconds)).ok();
        Some([of_side(0)?, of_side(1)?])
    }

    fn placed_in(
        &self,
        side: usize,
        worlds: &[Vec<Matrix4<f64>>; 2],
        moment: Moment,
    ) -> Vec<Vec<Point3<f64>>> {
        let of_side = &self.sides[side];
        let placed = |thing: &Thing<'_>| {
            let weights = thing.weights(of_side.scene, Some(moment));
            thing.placed(&thing.matrices(&worlds[side]), &weights)
        };
        of_side.things.iter().map(placed).collect()
    }

    /// Everything at a time; `None` where a world transform is too large then.
    fn at_time(&self, animations: [usize; 2], seconds: f64) -> Option<AtTime> {
        let worlds = self.worlds(animations, seconds)?;
        // What stands as at rest was compared there.
        let posed = |side: usize, thing: usize| {
            let (it, at_rest) = self.thing(side, thing);
            let matrices = it.matrices(&worlds[side]);
            let weights = it.weights(self.sides[side].scene, Some((animations[side], seconds)));
            let is_moved = matrices != at_rest.matrices || weights != at_rest.weights;
            (matrices, weights, is_moved)
        };
        let placed = |side: usize, thing: usize| {
            let (matrices, weights, _) = posed(side, thing);
            self.sides[side].things[thing].placed(&matrices, &weights)
        };
        let mut boxes_apart = 0.0_f64;
        let mut moved = Vec::with_capacity(self.pairs.len());
        for Pair { things: [old, new], compared, .. } in &self.pairs {
            let is_moved = posed(0, *old).2 || posed(1, *new).2;
            if !is_moved {
                moved.push(0.0);
                continue;
            }
            let both = [placed(0, *old), placed(1, *new)];
            if *compared == Compared::Vertices {
                moved.push(farthest(&both[0], &both[1]));
            } else {
                boxes_apart = boxes_apart.max(apart([around(&both[0]), around(&both[1])]));
                moved.push(0.0);
            }
        }
        let alone = self.alone();
        let boxes = [0, 1].map(|side| {
            let points = alone[side].iter().flat_map(|&thing| placed(side, thing));
            around(&points.collect::<Vec<_>>())
        });
        boxes_apart = boxes_apart.max(apart(boxes));
        Some(AtTime { seconds, moved, boxes_apart })
    }

    /// How many triangles of two things with the same vertices are seen from their other side: all of them, or none.
    fn turned_over(&self, [old, new]: [usize; 2]) -> usize {
        let [(before, old), (after, new)] = [self.thing(0, old), self.thing(1, new)];
        let sides = before.side(&self.sides[0].at_rest) * after.side(&self.sides[1].at_rest);
        let triangles = before.corners().into_iter().filter(|[a, b, c]| a != b && b != c);
        let triangles: Vec<_> = triangles.collect();
        let Some((map, _)) = affine(&old.placed, &new.placed) else { return 0 };
        let columns = [0, 1, 2].map(|i| map.column(i).norm());
        let volume = columns.iter().product::<f64>();
        let is_over = if map.determinant().abs() > 1e-6 * volume {
            map.determinant() * sides < 0.0
        } else {
            // It is flat: by what most of its triangles look at.
            let facing = |points: &[Point3<f64>], corners: &[usize; 3]| {
                surface::normal(corners.map(|corner| points[corner]), 1.0)
            };
            let dots = triangles
                .iter()
                .map(|corners| facing(&old.placed, corners).dot(&facing(&new.placed, corners)));
            dots.sum::<f64>() * sides < 0.0
        };
        if is_over { triangles.len() } else { 0 }
    }

    /// The same where vertices are others: triangles that are where one was that is seen from the other side alone.
    fn seen_from_behind(&self, [old, new]: [usize; 2]) -> usize {
        let (before, at_before) = self.thing(0, old);
        let (after, at_after) = self.thing(1, new);
        let triangles = |thing: &Thing<'_>, at: &AtRest, side: usize| {
            let seen = thing.side(&self.sides[side].at_rest);
            let corners = thing.corners().into_iter();
            let points = |corners: [usize; 3]| (corners.map(|corner| at.placed[corner]), seen);
            corners.map(points).collect::<Vec<_>>()
        };
        let within = SAME_PLACE * self.diagonal;
        let surface = Surface::of(triangles(before, at_before, 0).into_iter());
        let is_behind = |(corners, seen): &([Point3<f64>; 3], f64)| {
            let normal = surface::normal(*corners, *seen);
            let sum: Vector3<f64> = corners.iter().map(|corner| corner.coords).sum();
            let middle = Point3::from(sum / 3.0);
            let nearest = surface.nearest(&middle);
            nearest.is_some_and(|nearest| {
                nearest.distance <= within
                    && nearest.normal.dot(&normal) < -0.5
                    && !surface.has_side(&middle, &normal, within)
            })
        };
        triangles(after, at_after, 1).par_iter().filter(|triangle| is_behind(triangle)).count()
    }

    fn normals_turned(&self, [old, new]: [usize; 2]) -> Option<f64> {
        let of = |side: usize, thing: usize| {
            let (thing, at_rest) = self.thing(side, thing);
            thing.normals(&at_rest.matrices)
        };
        let (before, after) = (of(0, old)?, of(1, new)?);
        let angles = before
            .iter()
            .zip(&after)
            .map(|(a, b)| libm::atan2(a.cross(b).norm(), a.dot(b)).to_degrees());
        Some(angles.fold(0.0, f64::max))
    }

    fn fixtures(&self) -> Vec<FixtureDiff> {
        let mut found = Vec::new();
        for (old, partner) in self.matching.after.iter().enumerate() {
            let Some((new, _)) = *partner else { continue };
            let shown = [(0, old), (1, new)].map(|(side, node)| {
                let scene = self.sides[side].scene;
                (scene.nodes[node].fixture, &self.sides[side].at_rest[scene.shown_by(node)])
            });
            let [(Some(before), old_world), (Some(after), new_world)] = shown else { continue };
            let origin = |world: &Matrix4<f64>| world.fixed_view::<3, 1>(0, 3).into_owned();
            let moved = if after.kind.has_place() {
                (origin(new_world) - origin(old_world)).norm()
            } else {
                0.0
            };
            let turned_degrees = turned([(before, old_world), (after, new_world)]);
            let moved_percent = self.percent(moved);
            let is_same = moved_percent <= crate::audit::Grade::IDENTICAL_PERCENT
                && turned_degrees.unwrap_or(0.0) <= crate::audit::SKEWED_DEGREES;
            if !is_same {
                found.push(FixtureDiff {
                    path: self.path(1, new),
                    before: old,
                    after: new,
                    kind: after.kind,
                    moved,
                    moved_percent,
                    turned_degrees,
                });
            }
        }
        found
    }

    fn node_changes(&self) -> Vec<NodeChange> {
        let scenes = [self.sides[0].scene, self.sides[1].scene];
        let mut changes = Vec::new();
        for (old, partner) in self.matching.after.iter().enumerate() {
            if !is_of_file(scenes[0], old) {
                continue;
            }
            let before = Some(self.path(0, old));
            let Some((new, _)) = *partner else {
                changes.push(NodeChange { change: NodeChangeKind::Gone, before, after: None });
                continue;
            };
            let after = Some(self.path(1, new));
            let parents = [named_parent(scenes[0], old), named_parent(scenes[1], new)];
            let then = parents[0].and_then(|parent| self.matching.after[parent]);
            if scenes[0].nodes[old].name != scenes[1].nodes[new].name {
                let change = NodeChangeKind::Renamed;
                changes.push(NodeChange { change, before: before.clone(), after: after.clone() });
            }
            if then.map(|(parent, _)| parent) != parents[1]
                || parents[0].is_some() != parents[1].is_some()
            {
                changes.push(NodeChange { change: NodeChangeKind::Reparented, before, after });
            }
        }
        let new = (0..scenes[1].nodes.len())
            .filter(|&node| is_of_file(scenes[1], node) && !self.matching.is_taken(node));
        changes.extend(new.map(|node| NodeChange {
            change: NodeChangeKind::New,
            before: None,
            after: Some(self.path(1, node)),
        }));
        changes
    }

    fn counts(&self) -> MatchCounts {
        let mut counts = MatchCounts::default();
        for (_, by) in self.matching.after.iter().flatten() {
            *match by {
                MatchedBy::Path => &mut counts.path,
                MatchedBy::Name => &mut counts.name,
                MatchedBy::Place => &mut counts.place,
                MatchedBy::Order => &mut counts.order,
            } += 1;
        }
        counts
    }
}

/// An animation that both scenes have, by its place in each, and when it is looked at.
struct Played {
    animations: [usize; 2],
    times: Vec<f64>,
}

struct AtTime {
    seconds: f64,
    /// By pair; 0 of those whose surfaces are compared.
    moved: Vec<f64>,
    /// How far the boxes around those are apart.
    boxes_apart: f64,
}

fn called(animation: &Animation) -> String {
    match &animation.name {
        Some(name) => format!("the animation \"{}\"", xform_scene::text::printable(name)),
        None => format!("animation {}", animation.index),
    }
}

fn diagonal(things: &[AtRest]) -> f64 {
    let corners: Vec<_> = things.iter().filter_map(|thing| thing.bounds).flatten().collect();
    around(&corners).map_or(0.0, |[low, high]| (high - low).norm())
}

fn farthest(a: &[Point3<f64>], b: &[Point3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// How far the corners of two boxes are apart.
fn apart(boxes: [Option<[Point3<f64>; 2]>; 2]) -> f64 {
    match boxes {
        [Some(a), Some(b)] => (a[0] - b[0]).norm().max((a[1] - b[1]).norm()),
        [None, None] => 0.0,
        [Some(one), None] | [None, Some(one)] => (one[1] - one[0]).norm(),
    }
}

/// How far a camera or light points elsewhere: as [`turned_degrees`](super::metrics::turned_degrees), of one that may point along
/// another axis on either side.
fn turned(both: [(Fixture, &Matrix4<f64>); 2]) -> Option<f64> {
    if !both[1].0.kind.has_direction() {
        return None;
    }
    let axes = both.map(|(fixture, world)| {
        let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
        let forward = (linear * fixture.forward()).try_normalize(0.0)?;
        let up = linear * fixture.up();
        Some([forward, up - forward * up.dot(&forward)])
    });
    let [Some([forward, up]), Some([new_forward, new_up])] = axes else { return None };
    let angle =
        |a: &Vector3<f64>, b: &Vector3<f64>| libm::atan2(a.cross(b).norm(), a.dot(b)).to_degrees();
    let turned = angle(&forward, &new_forward);
    Some(if both[1].0.kind.has_up() { turned.max(angle(&up, &new_up)) } else { turned })
}

/// The map from the vertices of one thing to those of another, if these may be the same in the same order: as many, joined alike, and
/// an affine map takes one to the other, as quantization and scales that were put into them do.
fn same_vertices([a, b]: [&Thing<'_>; 2]) -> Option<Matrix3<f64>> {
    let is_alike = a.parts.len() == b.parts.len()
        && a.parts.iter().zip(b.parts).all(|(a, b)| {
            a.kind == b.kind && a.positions.len() == b.positions.len() && a.indices == b.indices
        });
    if !is_alike {
        return None;
    }
    let points = |thing: &Thing<'_>| -> Vec<Point3<f64>> {
        let positions = thing.parts.iter().flat_map(|part| &part.positions);
        positions.map(|position| position.map(f64::from).into()).collect()
    };
    let (a, b) = (points(a), points(b));
    if a == b {
        return Some(Matrix3::identity());
    }
    let (map, off) = affine(&a, &b)?;
    let extent = around(&b).map_or(0.0, |[low, high]| (high - low).norm());
    (off <= SAME_VERTICES * extent).then_some(map)
}

/// Whether a map only scales along the axes, and mirrors nothing.
fn is_scale(map: &Matrix3<f64>) -> bool {
    let size = map.amax();
    let is_along = |i: usize, j: usize| i == j || map[(i, j)].abs() <= 10.0 * SAME_VERTICES * size;
    (0..3).all(|i| map[(i, i)] >= 0.0 && (0..3).all(|j| is_along(i, j)))
}

/// The linear part of the affine map that takes points to others best, and how far one is off at most; `None` of points that are
/// not finite.
fn affine(a: &[Point3<f64>], b: &[Point3<f64>]) -> Option<(Matrix3<f64>, f64)> {
    let middle = |points: &[Point3<f64>]| {
        let sum: Vector3<f64> = points.iter().map(|point| point.coords).sum();
        sum / points.len().max(1) as f64
    };
    let middles = [middle(a), middle(b)];
    let from_middle =
        |(a, b): (&Point3<f64>, &Point3<f64>)| (a.coords - middles[0], b.coords - middles[1]);
    let (mut across, mut within) = (Matrix3::zeros(), Matrix3::zeros());
    for (a, b) in a.iter().zip(b).map(from_middle) {
        across += b * a.transpose();
        within += a * a.transpose();
    }
    if !across.iter().chain(&within).all(|entry| entry.is_finite()) {
        return None;
    }
    let inverse = within.pseudo_inverse(1e-12 * within.norm()).ok()?;
    let map = across * inverse;
    let off = a.iter().zip(b).map(from_middle).map(|(a, b)| (map * a - b).norm());
    Some((map, off.fold(0.0, f64::max)))
}
