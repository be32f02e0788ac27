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

/// The nodes that an animation moves, those below what it animates included, and how bad they get.
pub(super) struct Moved<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    pair: ShowPair<'a>,
    /// Both shows; none where they are the strategies, which are placed at several times at once.
    placed: Option<[Placed<'a>; 2]>,
    nodes: MovedNodes<'a>,
    /// The places of cameras and lights.
    fixtures: Vec<(usize, Fixture)>,
    /// By place.
    figures: Vec<MovedFigures>,
    /// By place, the turn that its rotation was in last.
    known_turns: Vec<KnownTurn<'a>>,
    /// The times that everything is placed at, in seconds.
    times: [f64; TIMES],
    /// By place, both shows at these times.
    both_now: Vec<BothInLanes>,
    /// The same of the strategies, as they are accumulated.
    worlds_now: Vec<WorldInLanes>,
    /// By place, whether it may have an axis at any of the times that is rounding alone.
    may_be_rounding: Vec<bool>,
    /// By place, the axes of the nodes that may have one which is rounding alone, those made zero, at the time that was looked
    /// at last.
    axes: HashMap<usize, Matrix3<f64>>,
    timeline: Vec<TimelinePoint>,
}

/// What was found on a node so far.
struct MovedFigures {
    motion: NodeMotion,
    /// What places it in the reference when its displacement is the largest.
    at_worst: Option<PlacedBy>,
}

/// What places a node or its skinned mesh in the world.
enum PlacedBy {
    Matrix(AccumulatedMatrix<f64>),
    Joints(Vec<PosedJoint>),
}

/// Why nothing more can be measured.
pub(super) enum Stopped {
    /// The figures of a node are out of the range of `f64`.
    Overflow { node: usize },
    /// It is not known what one of the shows has at a time: the reference, 0, or the other, 1.
    Unknown { side: usize, unknown: CannotSay },
}

impl<'a> Moved<'a> {
    /// Fails with their number if they are more than `at_most`.
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

    /// Whether no node can look different at any time but by rounding, since both shows are one, or all scales above it are uniform
    /// throughout, to what shows in a scene of this size, and nothing else is in the way.
    pub(super) fn is_alike(&self, rest: &NonUniformity, diagonal: f64) -> bool {
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

    /// What shows the node at a place.
    fn shown(&self, place: usize) -> &Node {
        &self.scene.nodes[self.nodes.node(place)]
    }

    /// The number of nodes that are moved.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of vertices and joints of skinned meshes that are moved.
    pub(super) fn vertices(&self) -> usize {
        self.nodes.skinned().iter().map(|(_, mesh)| mesh.len()).sum()
    }

    /// The times at which nodes that count as skewed or differing are at their worst: for each figure those of its
    /// largest peaks, `at_most` of them.
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

    /// What was found on each node, in file order, and over time.
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

/// A node before anything was measured.
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
