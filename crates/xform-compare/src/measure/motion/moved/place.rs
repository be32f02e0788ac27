use nalgebra::{Matrix3, Matrix4, SimdBool, Vector3};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::Node;
use xform_trs::CombinedTrs;

use super::{
    Moved, Stopped,
    in_lanes::{AtTimes, BothInLanes, PoseInLanes, TIMES, WorldInLanes},
};
use crate::measure::{
    metrics::{axes_below, worst_skew_degrees},
    motion::at_most::may_be_rounding,
};

impl Moved<'_> {
    /// Computes the world transforms of all the nodes at no more than [`TIMES`] times.
    pub(super) fn place_all(&mut self, times: &[f64]) -> Result<(), Stopped> {
        self.both_now.clear();
        self.worlds_now.clear();
        self.axes.clear();
        self.may_be_rounding.clear();
        let Some(&last) = times.last() else { return Ok(()) };
        // Unused lanes repeat the last time.
        self.times = std::array::from_fn(|lane| times.get(lane).copied().unwrap_or(last));
        if self.placed.is_some() {
            return self.place_shows(times.len());
        }
        for place in 0..self.nodes.len() {
            let local = PoseInLanes::of(&self.locals_now(place));
            let world = self.with_parent(place, |parent| self.below(place, parent, &local));
            let both = world.both();
            self.add_both(place, both)?;
            let may_be_rounding = self.may_be_rounding(place, &both.reference.linear, &local.scale);
            self.worlds_now.push(world);
            self.may_be_rounding.push(may_be_rounding);
        }
        Ok(())
    }

    /// The same with the rules of both shows, one time after another.
    fn place_shows(&mut self, times: usize) -> Result<(), Stopped> {
        let count = self.nodes.len();
        let mut matrices: [Vec<[Matrix4<f64>; TIMES]>; 2] =
            [0, 1].map(|_| vec![[Matrix4::identity(); TIMES]; count]);
        let placed = self.placed.iter_mut().flatten();
        for (side, (placed, matrices)) in placed.zip(&mut matrices).enumerate() {
            for lane in 0..times {
                placed.pose(self.scene, self.worlds, &self.nodes, self.times[lane]);
                if let Some(unknown) = placed.unknown {
                    return Err(Stopped::Unknown { side, unknown });
                }
                for (all, matrix) in matrices.iter_mut().zip(&placed.matrices) {
                    all[lane..].fill(*matrix);
                }
            }
        }
        let [reference, other] = &matrices;
        for (place, (reference, other)) in reference.iter().zip(other).enumerate() {
            self.add_both(place, BothInLanes::of(reference, other))?;
            self.may_be_rounding.push(false);
        }
        Ok(())
    }

    fn add_both(&mut self, place: usize, both: BothInLanes) -> Result<(), Stopped> {
        self.both_now.push(both);
        both.is_finite().then_some(()).ok_or(Stopped::Overflow { node: self.nodes.node(place) })
    }

    /// Returns the world matrices of a node in both shows, at one of the current times.
    pub(super) fn both(&self, node: usize, lane: usize) -> [Matrix4<f64>; 2] {
        match self.nodes.place(node) {
            Some(place) => self.both_now[place].matrices(lane),
            None => self.pair.matrices(self.worlds, node),
        }
    }

    /// Returns the local poses of a node at the current times.
    fn locals_now(&mut self, place: usize) -> [Trs<f64>; TIMES] {
        let rest = &self.worlds.poses.locals[self.nodes.node(place)];
        let known = &mut self.known_turns[place];
        self.nodes.poses(place, rest, &self.times, known).unwrap_or([*rest; TIMES])
    }

    /// Returns the world transforms of a node below those of its parent.
    fn below(&self, place: usize, parent: &WorldInLanes, local: &PoseInLanes) -> WorldInLanes {
        let node = self.nodes.node(place);
        let (inherit, poses) = (self.scene.nodes[node].inherit, &self.worlds.poses);
        if inherit == Inherit::All && poses.residual(node).is_none() {
            return parent.concat(local);
        }
        let child = |lane: usize| {
            let (matrix, trs) = (parent.by_matrix(lane), parent.by_trs(lane));
            if self.nodes.tracks(place).is_empty() {
                return (poses.matrix_below(node, &matrix), poses.trs_below(node, &trs));
            }
            let local = local.at(lane);
            (matrix.concat_inheriting(&local, inherit), trs.concat_inheriting(&local, inherit))
        };
        let children: [_; TIMES] = std::array::from_fn(child);
        WorldInLanes::of(&children.map(|(matrix, _)| matrix), &children.map(|(_, trs)| trs))
    }

    /// Calls `make` with the world transforms of a node's parent, which must be known.
    fn with_parent<R>(&self, place: usize, make: impl FnOnce(&WorldInLanes) -> R) -> R {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        match (parent, self.scene.nodes[node].parent) {
            (Some(place), _) => make(&self.worlds_now[place]),
            (None, Some(parent)) => {
                let (matrix, trs) = (&self.worlds.by_matrix[parent], &self.worlds.by_trs[parent]);
                make(&WorldInLanes::always(matrix, trs))
            }
            (None, None) => {
                let (matrix, trs) = (AccumulatedMatrix::identity(), CombinedTrs::identity());
                make(&WorldInLanes::always(&matrix, &trs))
            }
        }
    }

    /// Whether an axis of a node may be only rounding at any of the times.
    fn may_be_rounding(
        &self,
        place: usize,
        linear: &Matrix3<AtTimes>,
        scale: &Vector3<AtTimes>,
    ) -> bool {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        let Node { parent: above, inherit, .. } = &self.scene.nodes[node];
        if *inherit != Inherit::All {
            return false;
        }
        let is_above = match (parent, above) {
            (Some(place), _) => self.may_be_rounding[place],
            (None, Some(above)) => {
                self.worlds.axes[*above] != self.worlds.by_matrix[*above].linear()
            }
            (None, None) => false,
        };
        is_above
            || self.worlds.poses.residual(node).is_some()
            || self.with_parent(place, |parent| may_be_rounding(linear, parent.axes(), scale).any())
    }

    /// Returns the skew of a node that may have an axis that is only rounding. Its parent must have been
    /// examined at this time before.
    pub(super) fn skew_without_rounding(&mut self, place: usize, lane: usize) -> Option<f64> {
        let axes = self.axes_of(place, lane);
        self.axes.insert(place, axes);
        worst_skew_degrees(&axes)
    }

    /// Returns the axes of a node in accumulated matrices, without those that are only rounding.
    fn axes_of(&mut self, place: usize, lane: usize) -> Matrix3<f64> {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        let linear = self.both_now[place].reference.linear_at(lane);
        if self.scene.nodes[node].inherit != Inherit::All {
            return linear;
        }
        let local = if self.nodes.tracks(place).is_empty() {
            self.worlds.poses.linear(node)
        } else {
            self.locals_now(place)[lane].to_linear()
        };
        let of_parent = self.with_parent(place, |parent| parent.by_matrix(lane).linear());
        let parent = match (parent, self.scene.nodes[node].parent) {
            (Some(place), _) => self.axes.get(&place).copied(),
            (None, parent) => parent.map(|parent| self.worlds.axes[parent]),
        };
        axes_below(&parent.unwrap_or(of_parent), &of_parent, &linear, &local)
    }
}
