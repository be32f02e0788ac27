//! What a viewer plays of a scene: world transforms at some times, of every show.

use std::{cmp::Reverse, collections::HashSet};

use nalgebra::Matrix4;
use xform_engines::World;
use xform_scene::{Node, Scene, drawing::MorphTrack};

use super::{
    engines::{Placed, Showing, others},
    metrics::{displacement, is_hidden},
    motion::{Moved, MovedNodes, Subtrees, TIMES, played_times},
    skinned::SkinnedMesh,
    worlds::Worlds,
};
use crate::audit::{
    CompareError, DIFFERING_FRACTION, Playback, PlayedAnimation, PlayedFigures, PlayedWeights,
    SKEWED_DEGREES, SceneAudit, Show,
};

/// The first of the shows are the two strategies.
const STRATEGIES: usize = 2;

/// How many nodes are placed in all, each at each time.
const PLACED: usize = 60_000;
/// The fewest times of an animation that is played.
const FEWEST: usize = 4;
/// The most times of one animation.
const MOST: usize = 600;

/// What a viewer plays of a scene that was audited.
pub(crate) fn playback(scene: &Scene, audit: &SceneAudit) -> Result<Playback, CompareError> {
    let worlds = Worlds::of(scene)?;
    let shown = Shown::new(scene, &worlds, audit);
    // That of the two strategies is in the audit.
    let displacement = shown.pairs.iter().skip(1).map(|&[a, b]| {
        let both = |node| [a, b].map(|show| shown.at_rest(show, node));
        (0..scene.nodes.len()).map(|node| shown.displacement(node, both)).collect()
    });
    let displacement = displacement.collect();
    let subtrees = Subtrees::of(scene, &worlds);
    let mut order: Vec<_> = (0..audit.animations.len()).collect();
    order.sort_by_key(|&animation| Reverse(audit.animations[animation].grade));
    let mut left = PLACED;
    let (mut animations, mut not_played) = (Vec::new(), 0);
    for animation in order {
        if audit.animations[animation].samples == 0 {
            continue;
        }
        match shown.played(animation, &subtrees, left)? {
            Some(played) => {
                let weights: usize =
                    played.weights.iter().flat_map(|own| &own.weights).map(Vec::len).sum();
                // A node that is placed takes as much as twelve weights.
                let used = played.nodes.len() * played.seconds.len() + weights / 12;
                left = left.saturating_sub(used);
                animations.push(played);
            }
            None => not_played += 1,
        }
    }
    let Shown { shows, pairs, .. } = shown;
    Ok(Playback { shows, pairs, displacement, animations, not_played })
}

/// A scene with all that is shown of it at rest.
struct Shown<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    audit: &'a SceneAudit,
    shows: Vec<Show>,
    /// Of the shows after the two strategies.
    others: Vec<(Showing, Vec<Option<World>>)>,
    pairs: Vec<[usize; 2]>,
}

impl<'a> Shown<'a> {
    fn new(scene: &'a Scene, worlds: &'a Worlds, audit: &'a SceneAudit) -> Self {
        let strategy = Show { engines: Vec::new(), worlds: Vec::new() };
        let mut shows = vec![strategy; STRATEGIES];
        let mut other_showings = Vec::new();
        for (mut showing, group) in
            audit.engines.iter().flat_map(|engines| others(scene, worlds, engines))
        {
            if showing.is_strategy(scene, worlds, true) {
                shows[0].engines = group;
            } else if showing.is_strategy(scene, worlds, false) {
                shows[1].engines = group;
            } else if !group.is_empty() {
                let at_rest = showing.at_rest(scene, worlds);
                let matrix = |world: &Option<World>| {
                    world.map_or_else(Matrix4::identity, |world| world.to_homogeneous())
                };
                shows.push(Show { engines: group, worlds: at_rest.iter().map(matrix).collect() });
                other_showings.push((showing, at_rest));
            }
        }
        let count = shows.len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
        Self { scene, worlds, audit, shows, others: other_showings, pairs }
    }

    fn at_rest(&self, show: usize, node: usize) -> Matrix4<f64> {
        match show {
            0..STRATEGIES => self.worlds.both(node)[show],
            _ => self.shows[show].worlds[node],
        }
    }

    /// How far a node is apart between two world transforms that each node has.
    fn displacement(&self, node: usize, both: impl Fn(usize) -> [Matrix4<f64>; 2]) -> Option<f64> {
        if let Some(mesh) = self.worlds.skinned(node) {
            return farthest(mesh, both);
        }
        let (entry, [a, b]): (&Node, _) = (&self.scene.nodes[node], both(node));
        let linear = |world: &Matrix4<f64>| world.fixed_view::<3, 3>(0, 0).into_owned();
        let is_seen = !entry.draws() || !is_hidden(&linear(&a), &linear(&b));
        displacement(&a, &b, &entry.bounds).filter(|_| is_seen)
    }

    /// An animation at some times; `None` where there is room for too few.
    fn played(
        &self,
        place: usize,
        subtrees: &Subtrees,
        room: usize,
    ) -> Result<Option<PlayedAnimation>, CompareError> {
        let (scene, worlds) = (self.scene, self.worlds);
        let animation = &scene.animations[place];
        let Ok(mut moved) = Moved::new(scene, worlds, subtrees, animation, room / FEWEST)? else {
            return Ok(None);
        };
        let at_most = (room / moved.len().max(1)).min(MOST);
        let times =
            played_times(animation, &self.audit.animations[place], &self.musts(place), at_most);
        let nodes: Vec<_> = (0..moved.len()).map(|place| moved.nodes().node(place)).collect();
        let mut played = PlayedAnimation {
            animation: place,
            seconds: Vec::new(),
            is_keyframe: Vec::new(),
            worlds: vec![Vec::new(); self.shows.len()],
            figures: nodes.iter().map(|&node| self.unmeasured(node)).collect(),
            weights: Vec::new(),
            nodes,
        };
        let mut others: Vec<_> =
            self.others.iter().map(|(showing, at_rest)| Placed::new(showing, at_rest)).collect();
        for times in times.chunks(TIMES) {
            let seconds: Vec<f64> = times.iter().map(|(seconds, _)| *seconds).collect();
            if moved.place_all(&seconds).is_err() {
                return Ok(None);
            }
            for (lane, &(seconds, is_keyframe)) in times.iter().enumerate() {
                for other in &mut others {
                    other.pose(scene, worlds, moved.nodes(), seconds);
                }
                self.record(&mut played, &mut moved, lane, &others);
                played.seconds.push(seconds);
                played.is_keyframe.push(is_keyframe);
            }
        }
        let diagonal = self.audit.summary.diagonal;
        played.figures.retain(|figures| is_apart(figures, diagonal));
        played.weights = weights(scene, animation.index, &played.seconds);
        Ok((played.seconds.len() >= 2).then_some(played))
    }

    /// The times at which something was found to be at its worst.
    fn musts(&self, animation: usize) -> Vec<f64> {
        let worst = self.audit.at_worst.iter().filter(|worst| worst.animation == animation);
        let pairs = self.audit.engines.iter().flat_map(|engines| &engines.pairs);
        let of_engines = pairs.filter_map(|pair| pair.nodes.first()?.motion);
        let of_engines = of_engines.filter(|(place, _)| *place == animation);
        worst.map(|worst| worst.seconds).chain(of_engines.map(|(_, seconds)| seconds)).collect()
    }

    fn unmeasured(&self, node: usize) -> PlayedFigures {
        let displacement = vec![Vec::new(); self.pairs.len()];
        PlayedFigures { node, displacement, skew_degrees: Vec::new() }
    }

    /// Adds one of the times at which everything is placed.
    fn record(
        &self,
        played: &mut PlayedAnimation,
        moved: &mut Moved<'_>,
        lane: usize,
        others: &[Placed<'_>],
    ) {
        let count = played.nodes.len();
        for place in 0..count {
            let both = moved.both(played.nodes[place], lane);
            let other = others.iter().map(|other| other.matrices[place]);
            for (worlds, world) in played.worlds.iter_mut().zip(both.into_iter().chain(other)) {
                worlds.push(world);
            }
        }
        let nodes: &MovedNodes<'_> = moved.nodes();
        let now = |show: usize, node: usize| match nodes.place(node) {
            Some(place) => {
                let worlds = &played.worlds[show];
                worlds[worlds.len() - count + place]
            }
            None => self.at_rest(show, node),
        };
        let apart: Vec<Vec<_>> = played
            .nodes
            .iter()
            .map(|&node| {
                let apart = |&[a, b]: &[usize; 2]| {
                    self.displacement(node, |node| [now(a, node), now(b, node)])
                };
                self.pairs.iter().map(apart).collect()
            })
            .collect();
        for (place, (figures, apart)) in played.figures.iter_mut().zip(apart).enumerate() {
            for (all, displacement) in figures.displacement.iter_mut().zip(apart) {
                all.push(displacement);
            }
            figures.skew_degrees.push(moved.skew_degrees(place, lane));
        }
    }
}

/// How far the vertices of a skinned mesh are apart between two world transforms that each node has.
fn farthest(mesh: &SkinnedMesh, both: impl Fn(usize) -> [Matrix4<f64>; 2]) -> Option<f64> {
    mesh.farthest(&mesh.posed(both)).map(|farthest| farthest.displacement)
}

/// Whether a node differs at any time by more than rounding.
fn is_apart(figures: &PlayedFigures, diagonal: f64) -> bool {
    let mut moved = figures.displacement.iter().flatten().flatten();
    moved.any(|&moved| moved > DIFFERING_FRACTION * diagonal)
        || figures.skew_degrees.iter().flatten().any(|&skew| skew > SKEWED_DEGREES)
}

/// The morph weights of an animation, by its index in the file, at these times.
fn weights(scene: &Scene, animation: usize, seconds: &[f64]) -> Vec<PlayedWeights> {
    let tracks = scene.drawing.morphs.iter().filter(|track| track.animation == animation);
    let mut seen = HashSet::new();
    let tracks = tracks.filter(|track| seen.insert(track.node));
    let at = |track: &MorphTrack, seconds: f64| {
        track.weights.iter().map(|curve| curve.at(seconds)[0]).collect()
    };
    tracks
        .map(|track| PlayedWeights {
            node: track.node,
            weights: seconds.iter().map(|&seconds| at(track, seconds)).collect(),
        })
        .collect()
}
