use std::{collections::HashMap, ops::Range};

use nalgebra::{Matrix3, Matrix4};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::{
    subtrees::Subtrees,
    unevenness::{Apart, Extremes, Unevenness, radius},
};
use crate::{
    audit::{
        CompareError, DIFFERING_FRACTION, NodeMotion, Peak, SKEWED_DEGREES, TimelinePoint, max,
    },
    measure::{
        metrics::{
            axes_below, displacement, is_hidden, linear_difference, percent, size,
            worst_skew_degrees,
        },
        skinned::{PosedJoint, SkinnedMesh},
        worlds::Worlds,
    },
    scene::{Animation, LocalPose, Scene, Track},
};

/// The nodes that an animation moves, those below what it animates included, and how bad they get.
pub(super) struct Moved<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    /// Parents before children.
    nodes: Vec<MovedNode<'a>>,
    /// The place of each among them.
    places: HashMap<usize, usize>,
    /// The skinned meshes that follow any of them, each with the place of the node that shows it.
    skinned: Vec<(usize, &'a SkinnedMesh)>,
    /// The local poses at the time that is being sampled, and the world transforms.
    locals: Vec<Trs<f64>>,
    by_matrix: Vec<AccumulatedMatrix<f64>>,
    by_trs: Vec<CombinedTrs<f64>>,
    /// By place, the axes of the nodes at that time that have one which is rounding alone.
    axes: HashMap<usize, Matrix3<f64>>,
    timeline: Vec<TimelinePoint>,
}

struct MovedNode<'a> {
    /// The place of its parent among the nodes that are moved, where that is one of them.
    parent: Option<usize>,
    tracks: Vec<&'a Track>,
    motion: NodeMotion,
    /// What places it by accumulated matrices when its displacement is the largest.
    at_worst: Option<Placed>,
}

/// What places a node or its skinned mesh in the world.
enum Placed {
    ByMatrix(AccumulatedMatrix<f64>),
    ByJoints(Vec<PosedJoint>),
}

/// A node whose figures are out of the range of `f64`.
pub(super) struct Overflow {
    pub(super) node: usize,
}

/// Skew in degrees, linear difference and displacement.
type Figures = [Option<f64>; 3];

impl<'a> Moved<'a> {
    /// Fails with their number if they are more than `at_most`.
    pub(super) fn new(
        scene: &'a Scene,
        worlds: &'a Worlds,
        subtrees: &Subtrees,
        animation: &'a Animation,
        at_most: usize,
    ) -> Result<Result<Self, usize>, CompareError> {
        let mut tracks: HashMap<usize, Vec<&Track>> = HashMap::new();
        for channel in &animation.channels {
            let local = scene.nodes.get(channel.node).map(|node| &node.local);
            if !matches!(local, Some(LocalPose::Trs(_))) {
                let (animation, node) = (animation.index, channel.node);
                return Err(CompareError::NotAnimatable { animation, node });
            }
            tracks.entry(channel.node).or_default().push(&channel.track);
        }
        let ranges = subtrees.joined(tracks.keys().copied());
        let count = ranges.iter().map(Range::len).sum();
        if count > at_most {
            return Ok(Err(count));
        }
        let mut moved = Self {
            scene,
            worlds,
            nodes: Vec::with_capacity(count),
            places: HashMap::with_capacity(count),
            skinned: Vec::new(),
            locals: Vec::with_capacity(count),
            by_matrix: Vec::with_capacity(count),
            by_trs: Vec::with_capacity(count),
            axes: HashMap::new(),
            timeline: Vec::new(),
        };
        for &node in ranges.into_iter().flat_map(|range| &subtrees.order[range]) {
            moved.add(node, tracks.remove(&node).unwrap_or_default());
        }
        let is_moved = |mesh: &&SkinnedMesh| {
            mesh.joints().chain([mesh.node]).any(|node| moved.places.contains_key(&node))
        };
        let skinned: Vec<_> = worlds.skinned.iter().filter(is_moved).collect();
        for mesh in skinned {
            let known = moved.places.get(&mesh.node).copied();
            let place = known.unwrap_or_else(|| moved.add(mesh.node, Vec::new()));
            moved.skinned.push((place, mesh));
        }
        Ok(Ok(moved))
    }

    /// Adds a node below those that are there already, and returns its place.
    fn add(&mut self, node: usize, tracks: Vec<&'a Track>) -> usize {
        let parent = self.scene.nodes[node].parent;
        let parent = parent.and_then(|parent| self.places.get(&parent).copied());
        let place = self.nodes.len();
        self.places.insert(node, place);
        self.nodes.push(MovedNode { parent, tracks, motion: unmeasured(node), at_worst: None });
        place
    }

    /// Whether no node can look different at any time but by rounding, since all scales above it are uniform throughout,
    /// to what shows in a scene of this size, and nothing else is in the way.
    pub(super) fn is_alike(&self, rest: &Unevenness, diagonal: f64) -> bool {
        let mut apart: Vec<Apart> = Vec::with_capacity(self.nodes.len());
        for moved in &self.nodes {
            let node = moved.motion.index;
            let parent = match moved.parent {
                Some(place) => &apart[place],
                None => rest.of_parent(self.scene.nodes[node].parent),
            };
            let pose = Extremes::of(&self.worlds.poses.locals[node], &moved.tracks);
            let own = parent.child(&pose, rest.is_known(node));
            if !own.is_nothing(radius(&self.scene.nodes[node].bounds), diagonal) {
                return false;
            }
            apart.push(own);
        }
        self.skinned.iter().flat_map(|(_, mesh)| mesh.reaches()).all(|(joint, radius)| {
            let place = self.places.get(&joint);
            let apart = place.map_or_else(|| rest.at_rest(joint), |&place| &apart[place]);
            apart.is_nothing(radius, diagonal)
        })
    }

    /// The number of nodes that are moved.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of vertices and joints of skinned meshes that are moved.
    pub(super) fn vertices(&self) -> usize {
        self.skinned.iter().map(|(_, mesh)| mesh.len()).sum()
    }

    /// Measures all the nodes at a time.
    pub(super) fn sample(&mut self, seconds: f64) -> Result<(), Overflow> {
        self.locals.clear();
        self.by_matrix.clear();
        self.by_trs.clear();
        self.axes.clear();
        let mut most = [0.0_f64; 2];
        for place in 0..self.nodes.len() {
            self.locals.push(self.local(place, seconds));
            let (matrix, trs) = self.worlds_of(place);
            self.by_matrix.push(matrix);
            self.by_trs.push(trs);
            let index = self.nodes[place].motion.index;
            let figures = figures(self.scene, index, &matrix, &trs);
            let [skew, linear, displacement] = figures.ok_or(Overflow { node: index })?;
            // What counts as skewed may be rounding, which is looked into for these few alone.
            let is_skewed = skew.is_some_and(|degrees| degrees > SKEWED_DEGREES);
            let skew = match is_skewed.then(|| self.axes_of(place, &matrix)) {
                Some(axes) => {
                    if axes != matrix.linear() {
                        self.axes.insert(place, axes);
                    }
                    worst_skew_degrees(&axes)
                }
                None => skew,
            };
            let moved = &mut self.nodes[place];
            if raise(&mut moved.motion.displacement, displacement, seconds) {
                moved.at_worst = Some(Placed::ByMatrix(matrix));
            }
            let moved = &mut moved.motion;
            raise(&mut moved.skew_degrees, skew, seconds);
            raise(&mut moved.linear_difference, linear, seconds);
            most = [most[0].max(skew.unwrap_or(0.0)), most[1].max(displacement.unwrap_or(0.0))];
        }
        for index in 0..self.skinned.len() {
            let (place, mesh) = self.skinned[index];
            let joints = mesh.posed(|node| self.both(node));
            let displacement = mesh.farthest(&joints).map(|farthest| farthest.displacement);
            if !displacement.is_none_or(f64::is_finite) {
                return Err(Overflow { node: mesh.node });
            }
            let moved = &mut self.nodes[place];
            if raise(&mut moved.motion.displacement, displacement, seconds) {
                moved.at_worst = Some(Placed::ByJoints(joints));
            }
            most[1] = most[1].max(displacement.unwrap_or(0.0));
        }
        let [skew_degrees, displacement] = most;
        self.timeline.push(TimelinePoint { seconds, skew_degrees, displacement });
        Ok(())
    }

    /// The world matrices of a node by both strategies at the time that is being sampled.
    fn both(&self, node: usize) -> [Matrix4<f64>; 2] {
        match self.places.get(&node) {
            Some(&place) => [*self.by_matrix[place].matrix(), self.by_trs[place].to_homogeneous()],
            None => self.worlds.both(node),
        }
    }

    /// The world transforms of a node at the time that is being sampled; those of its parent are known.
    fn worlds_of(&self, place: usize) -> (AccumulatedMatrix<f64>, CombinedTrs<f64>) {
        let node = self.nodes[place].motion.index;
        let (matrix, trs) = self.above(place);
        let poses = &self.worlds.poses;
        if self.nodes[place].tracks.is_empty() {
            return (poses.matrix_below(node, &matrix), poses.trs_below(node, &trs));
        }
        let (local, inherit) = (self.locals[place], self.scene.nodes[node].inherit);
        (matrix.concat_inheriting(&local, inherit), trs.concat_inheriting(&local, inherit))
    }

    /// The world transforms of the parent of a node at the time that is being sampled.
    fn above(&self, place: usize) -> (AccumulatedMatrix<f64>, CombinedTrs<f64>) {
        let MovedNode { parent, motion, .. } = &self.nodes[place];
        match (parent, self.scene.nodes[motion.index].parent) {
            (Some(place), _) => (self.by_matrix[*place], self.by_trs[*place]),
            (None, Some(parent)) => (self.worlds.by_matrix[parent], self.worlds.by_trs[parent]),
            (None, None) => (AccumulatedMatrix::identity(), CombinedTrs::identity()),
        }
    }

    /// The local pose of a node at a time.
    fn local(&self, place: usize, seconds: f64) -> Trs<f64> {
        let MovedNode { tracks, motion, .. } = &self.nodes[place];
        let rest = self.worlds.poses.locals[motion.index];
        tracks.iter().fold(rest, |pose, track| track.pose(&pose, seconds))
    }

    /// The axes of a node by accumulated matrices, without those that are rounding alone.
    fn axes_of(&self, place: usize, world: &AccumulatedMatrix<f64>) -> Matrix3<f64> {
        let MovedNode { parent, tracks, motion, .. } = &self.nodes[place];
        if self.scene.nodes[motion.index].inherit != Inherit::All {
            return world.linear();
        }
        let local = match tracks.is_empty() {
            true => self.worlds.poses.linear(motion.index),
            false => self.locals[place].to_linear(),
        };
        let of_parent = self.above(place).0.linear();
        let parent = match (parent, self.scene.nodes[motion.index].parent) {
            (Some(place), _) => self.axes.get(place).copied(),
            (None, parent) => parent.map(|parent| self.worlds.axes[parent]),
        };
        axes_below(&parent.unwrap_or(of_parent), &of_parent, &world.linear(), &local)
    }

    /// The times at which nodes that count as skewed or differing are at their worst: for each figure those of its
    /// largest peaks, `at_most` of them.
    pub(super) fn worst_times(&self, diagonal: f64, at_most: usize) -> Vec<f64> {
        let times = |figure: fn(&NodeMotion) -> Option<Peak>, from: f64| {
            let peaks = self.nodes.iter().filter_map(|moved| figure(&moved.motion));
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
            times(|node| node.skew_degrees, SKEWED_DEGREES),
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
        let figures = self.nodes.into_iter().map(|MovedNode { mut motion, at_worst, .. }| {
            let displacement = max(motion.displacement);
            motion.displacement_percent = displacement.and_then(|moved| percent(moved, diagonal));
            motion.displacement_percent_of_itself = at_worst.and_then(|at_worst| {
                let size = match at_worst {
                    Placed::ByMatrix(world) => size(&world, &scene.nodes[motion.index].bounds),
                    Placed::ByJoints(joints) => worlds.skinned(motion.index)?.size(&joints),
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
fn unmeasured(index: usize) -> NodeMotion {
    NodeMotion {
        index,
        skew_degrees: None,
        linear_difference: None,
        displacement: None,
        displacement_percent: None,
        displacement_percent_of_itself: None,
    }
}

/// The figures of a node; `None` where values overflow. What is hidden by a scale of zero is displaced by nothing, and
/// the axes of a node whose mesh is skinned show nowhere.
fn figures(
    scene: &Scene,
    node: usize,
    matrix: &AccumulatedMatrix<f64>,
    trs: &CombinedTrs<f64>,
) -> Option<Figures> {
    let worlds: [Matrix4<f64>; 2] = [*matrix.matrix(), trs.to_homogeneous()];
    let is_finite = worlds.iter().flatten().all(|component| component.is_finite());
    let (linear, trs_linear) = (matrix.linear(), trs.to_trs().to_linear());
    let shown = &scene.nodes[node];
    let is_seen = !shown.draws() || !is_hidden(&linear, &trs_linear);
    let displacement = displacement(&worlds[0], &worlds[1], &shown.bounds).filter(|_| is_seen);
    (is_finite && displacement.is_none_or(f64::is_finite)).then(|| {
        if shown.skin.is_some() {
            return [None; 3];
        }
        let difference = linear_difference(&linear, &trs_linear);
        [worst_skew_degrees(&linear), difference, displacement]
    })
}

/// Keeps the larger of a peak and a value, of equals the first. Returns whether that is the value.
fn raise(peak: &mut Option<Peak>, value: Option<f64>, seconds: f64) -> bool {
    let larger = value.filter(|&value| peak.is_none_or(|peak| value > peak.max));
    if let Some(max) = larger {
        *peak = Some(Peak { max, seconds });
    }
    larger.is_some()
}
