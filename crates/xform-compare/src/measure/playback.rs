//! The data that a viewer plays: world transforms of a scene at sampled times, in every show.

use std::{cmp::Reverse, collections::HashSet};

use nalgebra::Matrix4;
use xform_engines::Engine;
use xform_scene::{Node, Scene, drawing::MorphTrack};

use super::{
    metrics::{displacement, is_hidden},
    motion::played_times,
    moved_nodes::MovedNodes,
    shows::{Placed, Show, Strategy, skew_difference},
    skinned::SkinnedMesh,
    subtrees::Subtrees,
    worlds::Worlds,
};
use crate::audit::{
    CompareError, DIFFERING_FRACTION, Playback, PlayedAnimation, PlayedApart, PlayedFigures,
    PlayedShow, PlayedWeights, SKEWED_DEGREES, SceneAudit,
};

/// The total number of nodes that are placed, counted at each time.
const PLACED: usize = 60_000;
/// The fewest times of an animation that is played.
const FEWEST: usize = 4;
/// The most times of an animation.
const MOST: usize = 600;

/// Returns the data that a viewer plays of an audited scene. With `is_split`, two engines get a show each
/// even if they show the same.
pub(crate) fn playback(
    scene: &Scene,
    audit: &SceneAudit,
    is_split: bool,
) -> Result<Playback, CompareError> {
    let worlds = Worlds::of(scene)?;
    let shown = Shown::new(scene, &worlds, audit, is_split);
    let apart = shown.pairs.iter().map(|&[a, b]| {
        let both = |node| [a, b].map(|show| shown.at_rest(show, node));
        of_the_file(scene).map(|node| shown.apart(node, both)).collect()
    });
    let apart = apart.collect();
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
                // A placed node takes as much space as twelve weights.
                let used = played.nodes.len() * played.seconds.len() + weights / 12;
                left = left.saturating_sub(used);
                animations.push(played);
            }
            None => not_played += 1,
        }
    }
    let Shown { shows, engines, pairs, .. } = shown;
    let shows = shows.iter().zip(engines).map(|(show, engines)| PlayedShow {
        engines,
        strategy: show.strategy.map(Strategy::engine),
        worlds: match show.strategy {
            Some(_) => Vec::new(),
            None => of_the_file(scene).map(|node| show.matrix(&worlds, node)).collect(),
        },
    });
    Ok(Playback { shows: shows.collect(), pairs, apart, animations, not_played })
}

/// Returns for each node of the file the node of the scene that shows it.
fn of_the_file(scene: &Scene) -> impl Iterator<Item = usize> {
    (0..scene.nodes_of_the_file()).map(|node| scene.shown_by(node))
}

/// Returns the world matrices of a scene at rest, in the shows of another scene: by show, then by node.
pub(crate) fn worlds_in(
    scene: &Scene,
    reference: Option<&'static Engine>,
    shows: &[PlayedShow],
) -> Result<Vec<Vec<Matrix4<f64>>>, CompareError> {
    let worlds = Worlds::of(scene)?;
    let others = shows.iter().skip(1).map(|show| show.engines.first().copied());
    let firsts = [reference].into_iter().chain(others);
    let all = firsts.map(|first| {
        let show = Show::of_engine(scene, &worlds, first);
        of_the_file(scene).map(|node| show.matrix(&worlds, node)).collect()
    });
    Ok(all.collect())
}

/// A scene with all its shows at rest.
struct Shown<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    audit: &'a SceneAudit,
    /// One for each group of engines, followed by the engines of each.
    shows: Vec<Show>,
    engines: Vec<Vec<&'static Engine>>,
    pairs: Vec<[usize; 2]>,
}

impl<'a> Shown<'a> {
    fn new(scene: &'a Scene, worlds: &'a Worlds, audit: &'a SceneAudit, is_split: bool) -> Self {
        let mut shows = Show::of_groups(scene, worlds, &audit.engines);
        let groups = audit.engines.groups.iter();
        let mut engines: Vec<_> = groups.map(|group| group.engines.clone()).collect();
        if let [only] = &mut engines[..]
            && is_split
            && only.len() > 1
        {
            let last = only.pop();
            shows.push(Show::of_engine(scene, worlds, last));
            engines.push(last.into_iter().collect());
        }
        let count = shows.len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
        Self { scene, worlds, audit, shows, engines, pairs }
    }

    fn at_rest(&self, show: usize, node: usize) -> Matrix4<f64> {
        self.shows[show].matrix(self.worlds, node)
    }

    /// Returns the difference of a node between two world transforms, which `both` gives for each node.
    fn apart(&self, node: usize, both: impl Fn(usize) -> [Matrix4<f64>; 2]) -> PlayedApart {
        if let Some(mesh) = self.worlds.skinned(node) {
            return PlayedApart {
                displacement: farthest(mesh, both),
                skew_difference_degrees: None,
            };
        }
        let (entry, [a, b]): (&Node, _) = (&self.scene.nodes[node], both(node));
        let [linear, other] = [a, b].map(|world| world.fixed_view::<3, 3>(0, 0).into_owned());
        let is_seen = !entry.draws() || !is_hidden(&linear, &other);
        PlayedApart {
            displacement: displacement(&a, &b, &entry.bounds).filter(|_| is_seen),
            skew_difference_degrees: Some(skew_difference(&linear, &other)),
        }
    }

    /// Returns an animation at some times; `None` if there is not enough room for it.
    fn played(
        &self,
        place: usize,
        subtrees: &Subtrees,
        room: usize,
    ) -> Result<Option<PlayedAnimation>, CompareError> {
        let (scene, worlds) = (self.scene, self.worlds);
        let animation = &scene.animations[place];
        let moved = MovedNodes::of(scene, worlds, subtrees, animation, room / FEWEST)?;
        let Ok(moved) = moved else { return Ok(None) };
        let at_most = (room / moved.len().max(1)).min(MOST);
        let times =
            played_times(animation, &self.audit.animations[place], &self.musts(place), at_most);
        // The moved nodes that show a node of the file, by place.
        let places = 0..moved.len();
        let shown = places.filter_map(|place| {
            let node = moved.node(place);
            let of_file = scene.of_file(node).filter(|&own| scene.shown_by(own) == node)?;
            Some((of_file, place))
        });
        let (nodes, places): (Vec<_>, Vec<_>) = shown.unzip();
        let mut played = PlayedAnimation {
            animation: place,
            seconds: Vec::new(),
            is_keyframe: Vec::new(),
            worlds: vec![Vec::new(); self.shows.len()],
            figures: nodes.iter().map(|&node| self.unmeasured(node)).collect(),
            weights: Vec::new(),
            nodes,
        };
        let mut placed: Vec<_> = self.shows.iter().map(Placed::new).collect();
        for (seconds, is_keyframe) in times {
            for placed in &mut placed {
                placed.pose(scene, worlds, &moved, seconds);
                if placed.unknown.is_some() {
                    return Ok(None);
                }
            }
            self.record(&mut played, &moved, &places, &placed);
            played.seconds.push(seconds);
            played.is_keyframe.push(is_keyframe);
        }
        let diagonal = self.audit.summary.diagonal;
        played.figures.retain(|figures| is_apart(figures, diagonal));
        played.weights = weights(scene, animation.index, &played.seconds);
        Ok((played.seconds.len() >= 2).then_some(played))
    }

    /// Returns the times at which something is at its worst.
    fn musts(&self, animation: usize) -> Vec<f64> {
        let worst = self.audit.at_worst.iter().filter(|worst| worst.animation == animation);
        let groups = self.audit.engines.others().iter();
        let of_engines = groups.filter_map(|group| group.nodes.first()?.motion);
        let of_engines = of_engines.filter(|(place, _)| *place == animation);
        worst.map(|worst| worst.seconds).chain(of_engines.map(|(_, seconds)| seconds)).collect()
    }

    fn unmeasured(&self, node: usize) -> PlayedFigures {
        PlayedFigures { node, apart: vec![Vec::new(); self.pairs.len()] }
    }

    /// Adds the time at which everything is currently placed.
    fn record(
        &self,
        played: &mut PlayedAnimation,
        nodes: &MovedNodes<'_>,
        places: &[usize],
        placed: &[Placed<'_>],
    ) {
        let now = |show: usize, node: usize| match nodes.place(node) {
            Some(place) => placed[show].matrices[place],
            None => self.at_rest(show, node),
        };
        for figures in &mut played.figures {
            for (all, &[a, b]) in figures.apart.iter_mut().zip(&self.pairs) {
                let shown = self.scene.shown_by(figures.node);
                all.push(self.apart(shown, |node| [now(a, node), now(b, node)]));
            }
        }
        for (worlds, placed) in played.worlds.iter_mut().zip(placed) {
            worlds.extend(places.iter().map(|&place| placed.matrices[place]));
        }
    }
}

/// Returns the largest distance of a skinned mesh's vertices between two world transforms, which `both` gives
/// for each node.
fn farthest(mesh: &SkinnedMesh, both: impl Fn(usize) -> [Matrix4<f64>; 2]) -> Option<f64> {
    mesh.farthest(&mesh.posed(both)).map(|farthest| farthest.displacement)
}

/// Whether a node differs at any time by more than rounding.
fn is_apart(figures: &PlayedFigures, diagonal: f64) -> bool {
    figures.apart.iter().flatten().any(|apart| {
        apart.displacement.is_some_and(|moved| moved > DIFFERING_FRACTION * diagonal)
            || apart.skew_difference_degrees.is_some_and(|skew| skew > SKEWED_DEGREES)
    })
}

/// Returns the morph weights of an animation, given by its index in the file, at these times.
pub(super) fn weights(scene: &Scene, animation: usize, seconds: &[f64]) -> Vec<PlayedWeights> {
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
