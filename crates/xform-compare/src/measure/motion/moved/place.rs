use nalgebra::{Matrix3, Matrix4, SimdBool};
use xform_core::{Inherit, Transform};

use super::{
    Moved, Overflow,
    in_lanes::{PoseInLanes, TIMES, WorldInLanes},
};
use crate::{
    audit::SKEWED_DEGREES,
    measure::{
        metrics::{axes_below, worst_skew_degrees},
        motion::at_most::may_be_rounding,
    },
    scene::Node,
};

impl Moved<'_> {
    /// Finds the world transforms of all the nodes at some times, at most [`TIMES`].
    pub(in crate::measure) fn place_all(&mut self, times: &[f64]) -> Result<(), Overflow> {
        self.locals.clear();
        self.worlds_now.clear();
        self.axes.clear();
        self.may_be_rounding.clear();
        let Some(&last) = times.last() else { return Ok(()) };
        // The lanes that are left have the last time too.
        let in_lanes = std::array::from_fn(|lane| times.get(lane).copied().unwrap_or(last));
        let mut overflow: Option<Overflow> = None;
        for place in 0..self.nodes.len() {
            let node = self.nodes.node(place);
            let rest = &self.worlds.poses.locals[node];
            let locals = self.nodes.poses(place, rest, &in_lanes, &mut self.known_turns[place]);
            self.locals.push(PoseInLanes::of(&locals.unwrap_or([*rest; TIMES])));
            self.worlds_now.push(self.world_now(place));
            let world = &self.worlds_now[place];
            let before = overflow.as_ref().map_or(times.len(), |overflow| overflow.lane);
            if let Some(lane) = world.first_not_finite().filter(|&lane| lane < before) {
                overflow = Some(Overflow { node, lane });
            }
            self.may_be_rounding.push(self.may_be_rounding(place));
        }
        overflow.map_or(Ok(()), Err)
    }

    /// The world matrices of a node by both strategies at a time that everything is placed at.
    pub(in crate::measure) fn both(&self, node: usize, lane: usize) -> [Matrix4<f64>; 2] {
        match self.nodes.place(node) {
            Some(place) => self.worlds_now[place].both(lane),
            None => self.worlds.both(node),
        }
    }

    /// The world transforms of a node; those of its parent are known.
    fn world_now(&self, place: usize) -> WorldInLanes {
        let node = self.nodes.node(place);
        let above = self.above(place);
        let (inherit, poses) = (self.scene.nodes[node].inherit, &self.worlds.poses);
        if inherit == Inherit::All && poses.residual(node).is_none() {
            return above.concat(&self.locals[place]);
        }
        let child = |lane: usize| {
            let (matrix, trs) = (above.by_matrix(lane), above.by_trs(lane));
            if self.nodes.tracks(place).is_empty() {
                return (poses.matrix_below(node, &matrix), poses.trs_below(node, &trs));
            }
            let local = self.locals[place].at(lane);
            (matrix.concat_inheriting(&local, inherit), trs.concat_inheriting(&local, inherit))
        };
        let children: [_; TIMES] = std::array::from_fn(child);
        WorldInLanes::of(&children.map(|(matrix, _)| matrix), &children.map(|(_, trs)| trs))
    }

    /// The world transforms of the parent of a node.
    fn above(&self, place: usize) -> &WorldInLanes {
        match self.nodes.parent(place) {
            Some(parent) => &self.worlds_now[parent],
            None => &self.above_roots[&place],
        }
    }

    /// Whether an axis of a node may be rounding alone at any of the times.
    fn may_be_rounding(&self, place: usize) -> bool {
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
        let (linear, scale) = (&self.worlds_now[place].linear, &self.locals[place].scale);
        is_above
            || self.worlds.poses.residual(node).is_some()
            || may_be_rounding(linear, &self.above(place).linear, scale).any()
    }

    /// The skew of a node that has an axis which may be rounding alone; its parent was looked at before at this time.
    pub(super) fn skew_without_rounding(&mut self, place: usize, lane: usize) -> Option<f64> {
        self.axes.remove(&place);
        let linear = self.worlds_now[place].linear_at(lane);
        let skew = worst_skew_degrees(&linear);
        if skew.is_none_or(|degrees| degrees <= SKEWED_DEGREES) {
            return skew;
        }
        let axes = self.axes_of(place, lane);
        if axes != linear {
            self.axes.insert(place, axes);
        }
        worst_skew_degrees(&axes)
    }

    /// The axes of a node by accumulated matrices, without those that are rounding alone.
    fn axes_of(&self, place: usize, lane: usize) -> Matrix3<f64> {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        let linear = self.worlds_now[place].linear_at(lane);
        if self.scene.nodes[node].inherit != Inherit::All {
            return linear;
        }
        let local = match self.nodes.tracks(place).is_empty() {
            true => self.worlds.poses.linear(node),
            false => self.locals[place].at(lane).to_linear(),
        };
        let of_parent = self.above(place).linear_at(lane);
        let parent = match (parent, self.scene.nodes[node].parent) {
            (Some(place), _) => self.axes.get(&place).copied(),
            (None, parent) => parent.map(|parent| self.worlds.axes[parent]),
        };
        axes_below(&parent.unwrap_or(of_parent), &of_parent, &linear, &local)
    }
}
