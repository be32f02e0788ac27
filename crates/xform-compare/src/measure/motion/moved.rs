mod in_lanes;
mod place;
mod sample;
mod search;

use std::collections::HashMap;

use nalgebra::Matrix3;
use xform_engines::CannotSay;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Animation, Fixture, Node, Scene, animation::KnownTurn};

use super::non_uniformity::{Apart, Extremes, NonUniformity, radius};
use crate::{
    audit::{CompareError, DIFFERING_FRACTION, NodeMotion, Peak, SKEWED_DEGREES, TimelinePoint},
    measure::{
        metrics::{percent, size},
        moved_nodes::MovedNodes,
        shows::{Placed, Show, ShowPair},
        skinned::PosedJoint,
        subtrees::Subtrees,
        worlds::Worlds,
    },
};
use in_lanes::{BothInLanes, TIMES, WorldInLanes};

/// The nodes that an animation moves, including descendants of the animated nodes, and their worst figures.
pub(super) struct Moved<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    pair: ShowPair<'a>,
    /// Both shows; `None` if they are the strategies, which are placed at several times at once.
    placed: Option<[Placed<'a>; 2]>,
    nodes: MovedNodes<'a>,
    /// The places of cameras and lights in the list of moved nodes.
    fixtures: Vec<(usize, Fixture)>,
    /// By place.
    figures: Vec<MovedFigures>,
    /// By place: the last turn that the rotation was in.
    known_turns: Vec<KnownTurn<'a>>,
    /// The times at which everything is placed, in seconds.
    times: [f64; TIMES],
    /// By place: both shows at these times.
    both_now: Vec<BothInLanes>,
    /// The same for the strategies, as accumulated.
    worlds_now: Vec<WorldInLanes>,
    /// By place: whether it may have an axis that is only rounding at any of the times.
    may_be_rounding: Vec<bool>,
    /// By place: the axes of nodes that may have one that is only rounding, with those axes set to zero, at
    /// the last examined time.
    axes: HashMap<usize, Matrix3<f64>>,
    timeline: Vec<TimelinePoint>,
}

/// The figures of a node so far.
struct MovedFigures {
    motion: NodeMotion,
    /// The placement in the reference when its displacement is largest.
    at_worst: Option<PlacedBy>,
}

/// The placement of a node or its skinned mesh in the world.
enum PlacedBy {
    Matrix(AccumulatedMatrix<f64>),
    Joints(Vec<PosedJoint>),
}

/// The reason why measuring stops.
pub(super) enum Stopped {
    /// The figures of a node exceed the range of `f64`.
    Overflow { node: usize },
    /// The world transform in one of the shows is unknown at a time: in the reference (0) or the other (1).
    Unknown { side: usize, unknown: CannotSay },
}

impl<'a> Moved<'a> {
    /// Fails with the number of nodes if it exceeds `at_most`.
    pub(super) fn new(
        scene: &'a Scene,
        worlds: &'a Worlds,
        pair: ShowPair<'a>,
        subtrees: &Subtrees,
        animation: &'a Animation,
        at_most: usize,
    ) -> Result<Result<Self, usize>, CompareError> {
        let nodes = match MovedNodes::of(scene, worlds, subtrees, animation, at_most)? {
            Ok(nodes) => nodes,
            Err(count) => return Ok(Err(count)),
        };
        let count = nodes.len();
        let figures = (0..count).map(|place| MovedFigures {
            motion: unmeasured(nodes.node(place), worlds),
            at_worst: None,
        });
        let fixture = |place: usize| Some((place, worlds.fixture(scene, nodes.node(place))?));
        let fixtures = (0..count).filter_map(fixture).collect();
        let shows = || [pair.reference, pair.other].map(Placed::new);
        Ok(Ok(Self {
            scene,
            worlds,
            pair,
            placed: (!pair.are_strategies()).then(shows),
            figures: figures.collect(),
            fixtures,
            known_turns: vec![KnownTurn::default(); count],
            times: [0.0; TIMES],
            both_now: Vec::with_capacity(count),
            worlds_now: Vec::new(),
            may_be_rounding: Vec::with_capacity(count),
            axes: HashMap::new(),
            timeline: Vec::new(),
            nodes,
        }))
    }

    /// Whether no node can look different at any time except by rounding.
    ///
    /// That holds if both shows are the same; or if all scales above each node are uniform throughout, as far
    /// as a scene of this size shows, and nothing else makes the strategies differ.
    pub(super) fn is_alike(&self, rest: &NonUniformity, diagonal: f64) -> bool {
        // If every scale above a node is uniform throughout, both strategies agree however the node turns.
        // This is proved from the keys, so only the ends are sampled, to show the effect of rounding. The sum
        // of the non-uniformity on a path must stay below 1e-6. So must the displacement that it can cause, as
        // a fraction of the diagonal: each scale's non-uniformity times the greatest length of what is below
        // it. With the non-uniformity alone, a walk far away from a non-uniform root would have passed. A non-
        // uniform scale that passes zero, or a non-uniform spline, proves nothing. docs/benchmarks.md has the
        // gain.
        if std::ptr::eq(self.pair.reference, self.pair.other) {
            return true;
        }
        let is_known = |show: &Show| show.takes_poses_as_they_are();
        if ![self.pair.reference, self.pair.other].into_iter().all(is_known) {
            return false;
        }
        let mut apart: Vec<Apart> = Vec::with_capacity(self.len());
        for place in 0..self.len() {
            let node = self.nodes.node(place);
            let parent = match self.nodes.parent(place) {
                Some(place) => &apart[place],
                None => rest.of_parent(self.scene.nodes[node].parent),
            };
            let pose = Extremes::of(&self.worlds.poses.locals[node], self.nodes.tracks(place));
            let own = parent.child(&pose, rest.is_known(node));
            if !own.is_nothing(radius(&self.scene.nodes[node].bounds), diagonal) {
                return false;
            }
            apart.push(own);
        }
        self.nodes.skinned().iter().flat_map(|(_, mesh)| mesh.reaches()).all(|(joint, radius)| {
            let place = self.nodes.place(joint);
            let apart = place.map_or_else(|| rest.at_rest(joint), |place| &apart[place]);
            apart.is_nothing(radius, diagonal)
        })
    }

    /// Returns the node at a place.
    fn shown(&self, place: usize) -> &Node {
        &self.scene.nodes[self.nodes.node(place)]
    }

    /// Returns the number of moved nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of vertices and joints of moved skinned meshes.
    pub(super) fn vertices(&self) -> usize {
        self.nodes.skinned().iter().map(|(_, mesh)| mesh.len()).sum()
    }

    /// Returns the times at which nodes that count as skewed or differing are at their worst: for each
    /// figure, those of its `at_most` largest peaks.
    pub(super) fn worst_times(&self, diagonal: f64, at_most: usize) -> Vec<f64> {
        let times = |figure: fn(&NodeMotion) -> Option<Peak>, from: f64| {
            let peaks = self.figures.iter().filter_map(|moved| figure(&moved.motion));
            let mut peaks: Vec<_> = peaks.filter(|peak| peak.max > from).collect();
            peaks.sort_by(|a, b| b.max.total_cmp(&a.max));
            let mut times: Vec<f64> = Vec::new();
            for peak in peaks {
                if times.len() < at_most && !times.contains(&peak.seconds) {
                    times.push(peak.seconds);
                }
            }
            times
        };
        let mut times = [
            times(|node| node.displacement, DIFFERING_FRACTION * diagonal),
            times(|node| node.linear_difference, DIFFERING_FRACTION),
            times(|node| node.skew_difference_degrees, SKEWED_DEGREES),
            times(|node| node.turned_degrees, SKEWED_DEGREES),
        ]
        .concat();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Returns the figures of each node, in file order, and those over time.
    pub(super) fn finish(mut self, diagonal: f64) -> (Vec<NodeMotion>, Vec<TimelinePoint>) {
        self.timeline.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        self.timeline.dedup_by_key(|point| point.seconds);
        let (scene, worlds) = (self.scene, self.worlds);
        let figures =
            self.figures.into_iter().map(|MovedFigures { mut motion, at_worst, .. }| {
                let displacement = motion.displacement.map(|peak| peak.max);
                motion.displacement_percent =
                    displacement.and_then(|moved| percent(moved, diagonal));
                motion.displacement_percent_of_itself = at_worst.and_then(|at_worst| {
                    let size = match at_worst {
                        PlacedBy::Matrix(world) => size(&world, &scene.nodes[motion.index].bounds),
                        PlacedBy::Joints(joints) => worlds.skinned(motion.index)?.size(&joints),
                    };
                    percent(displacement?, size)
                });
                motion
            });
        let mut nodes: Vec<_> = figures.collect();
        nodes.sort_by_key(|node| node.index);
        (nodes, self.timeline)
    }
}

/// Returns a node before anything was measured.
fn unmeasured(index: usize, worlds: &Worlds) -> NodeMotion {
    NodeMotion {
        index,
        group: None,
        skew_difference_degrees: None,
        skew_group: None,
        linear_difference: None,
        turned_degrees: None,
        displacement: None,
        displacement_percent: None,
        displacement_percent_of_itself: None,
        role: worlds.roles[index],
    }
}
