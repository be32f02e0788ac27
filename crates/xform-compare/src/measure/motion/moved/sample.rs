use nalgebra::{Matrix3, Matrix4};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::{Moved, Overflow, Placed};
use crate::{
    audit::{Peak, SKEWED_DEGREES, TimelinePoint},
    measure::{
        metrics::{axes_below, displacement, is_hidden, linear_difference, worst_skew_degrees},
        motion::may_exceed::{
            may_be_rounding, may_differ_more, may_move_more, may_skew_more, sine_of_skew,
        },
    },
    scene::Node,
};

/// The largest figures of all nodes at one time.
#[derive(Default)]
struct Most {
    skew_degrees: f64,
    sine_of_skew: f64,
    displacement: f64,
}

impl Moved<'_> {
    /// Measures all the nodes at a time.
    pub(in crate::measure::motion) fn sample(&mut self, seconds: f64) -> Result<(), Overflow> {
        self.place_all(seconds)?;
        let mut most = Most::default();
        // First those that were the worst at the last time: mostly nothing exceeds them, which takes less to find out than
        // by how much.
        for place in std::mem::take(&mut self.worst).into_iter().flatten() {
            if !self.may_be_rounding[place] {
                self.measure(place, seconds, &mut most)?;
            }
        }
        for place in 0..self.nodes.len() {
            self.measure(place, seconds, &mut most)?;
        }
        for index in 0..self.nodes.skinned().len() {
            let (place, mesh) = self.nodes.skinned()[index];
            let joints = mesh.posed(|node| self.both(node));
            let displacement = mesh.farthest(&joints).map(|farthest| farthest.displacement);
            if !displacement.is_none_or(f64::is_finite) {
                return Err(Overflow { node: mesh.node });
            }
            let moved = &mut self.figures[place];
            if raise(&mut moved.motion.displacement, displacement, seconds) {
                moved.at_worst = Some(Placed::ByJoints(joints));
            }
            most.displacement = most.displacement.max(displacement.unwrap_or(0.0));
        }
        let Most { skew_degrees, displacement, .. } = most;
        self.timeline.push(TimelinePoint { seconds, skew_degrees, displacement });
        Ok(())
    }

    /// Finds the world transforms of all the nodes at a time.
    pub(in crate::measure) fn place_all(&mut self, seconds: f64) -> Result<(), Overflow> {
        self.locals.clear();
        self.by_matrix.clear();
        self.by_trs.clear();
        self.trs_matrices.clear();
        self.axes.clear();
        self.may_be_rounding.clear();
        for place in 0..self.nodes.len() {
            self.locals.push(self.local(place, seconds));
            let (matrix, trs) = self.worlds_of(place);
            let trs_matrix = trs.to_homogeneous();
            if !is_finite(matrix.matrix()) || !is_finite(&trs_matrix) {
                return Err(Overflow { node: self.nodes.node(place) });
            }
            self.by_matrix.push(matrix);
            self.by_trs.push(trs);
            self.trs_matrices.push(trs_matrix);
            let may_be_rounding = self.may_be_rounding(place);
            self.may_be_rounding.push(may_be_rounding);
        }
        Ok(())
    }

    /// Measures a node at the time that is being sampled: each figure only where it may exceed the node's own peak or the
    /// most of all nodes at that time. Those that have an axis which may be rounding come after their parents.
    fn measure(&mut self, place: usize, seconds: f64, most: &mut Most) -> Result<(), Overflow> {
        let (matrix, by_trs) = (self.by_matrix[place], self.trs_matrices[place]);
        let worlds = [matrix.matrix(), &by_trs];
        let [linear, trs_linear] = worlds.map(|world| world.fixed_view::<3, 3>(0, 0).into_owned());
        let motion = &self.figures[place].motion;
        let shown = &self.scene.nodes[motion.index];
        let moves_more = |peak: Peak| {
            let than = peak.max.min(most.displacement);
            may_move_more(worlds[0], worlds[1], &shown.bounds, than)
        };
        let is_seen = || !shown.draws() || !is_hidden(&linear, &trs_linear);
        let moved = motion.displacement.is_none_or(moves_more);
        let moved = moved.then(|| displacement(worlds[0], worlds[1], &shown.bounds)).flatten();
        let moved = moved.filter(|_| is_seen());
        if !moved.is_none_or(f64::is_finite) {
            return Err(Overflow { node: motion.index });
        }

        let [mut skew, mut difference] = [None; 2];
        // The axes of a node whose mesh is skinned show nowhere.
        if shown.skin.is_none() {
            let differs_more = |peak: Peak| may_differ_more(&linear, &trs_linear, peak.max);
            let differs = motion.linear_difference.is_none_or(differs_more);
            difference = differs.then(|| linear_difference(&linear, &trs_linear)).flatten();
            if self.may_be_rounding[place] {
                skew = self.skew_without_rounding(place, &matrix);
            } else if motion.skew_degrees.is_none()
                || may_skew_more(&linear, self.figures[place].sine_of_skew.min(most.sine_of_skew))
            {
                skew = worst_skew_degrees(&linear);
            }
        }

        let moved_node = &mut self.figures[place];
        if raise(&mut moved_node.motion.displacement, moved, seconds) {
            moved_node.at_worst = Some(Placed::ByMatrix(matrix));
        }
        if raise(&mut moved_node.motion.skew_degrees, skew, seconds) {
            moved_node.sine_of_skew = skew.map_or(0.0, sine_of_skew);
        }
        raise(&mut moved_node.motion.linear_difference, difference, seconds);
        if let Some(skew) = skew.filter(|skew| *skew > most.skew_degrees) {
            most.skew_degrees = skew;
            most.sine_of_skew = sine_of_skew(skew);
            self.worst[0] = Some(place);
        }
        if let Some(moved) = moved.filter(|moved| *moved > most.displacement) {
            most.displacement = moved;
            self.worst[1] = Some(place);
        }
        Ok(())
    }

    /// The skew of a node at the time that everything was placed at. Parents come before their children.
    pub(in crate::measure) fn skew_degrees(&mut self, place: usize) -> Option<f64> {
        let matrix = self.by_matrix[place];
        match self.scene.nodes[self.nodes.node(place)].skin {
            Some(_) => None,
            None if self.may_be_rounding[place] => self.skew_without_rounding(place, &matrix),
            None => worst_skew_degrees(&matrix.linear()),
        }
    }

    /// The skew of a node that has an axis which may be rounding alone; its parent was looked at before.
    fn skew_without_rounding(
        &mut self,
        place: usize,
        matrix: &AccumulatedMatrix<f64>,
    ) -> Option<f64> {
        let skew = worst_skew_degrees(&matrix.linear());
        if skew.is_none_or(|degrees| degrees <= SKEWED_DEGREES) {
            return skew;
        }
        let axes = self.axes_of(place, matrix);
        if axes != matrix.linear() {
            self.axes.insert(place, axes);
        }
        worst_skew_degrees(&axes)
    }

    /// Whether an axis of a node may be rounding alone at the time that is being sampled.
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
        let of_parent = self.above(place).0.linear().amax();
        is_above
            || self.worlds.poses.residual(node).is_some()
            || may_be_rounding(
                &self.by_matrix[place].linear(),
                of_parent,
                &self.locals[place].scale,
            )
    }

    /// The world matrices of a node by both strategies at the time that is being sampled.
    pub(in crate::measure) fn both(&self, node: usize) -> [Matrix4<f64>; 2] {
        match self.nodes.place(node) {
            Some(place) => [*self.by_matrix[place].matrix(), self.trs_matrices[place]],
            None => self.worlds.both(node),
        }
    }

    /// The world transforms of a node at the time that is being sampled; those of its parent are known.
    fn worlds_of(&self, place: usize) -> (AccumulatedMatrix<f64>, CombinedTrs<f64>) {
        let node = self.nodes.node(place);
        let (matrix, trs) = self.above(place);
        let poses = &self.worlds.poses;
        if self.nodes.tracks(place).is_empty() {
            return (poses.matrix_below(node, &matrix), poses.trs_below(node, &trs));
        }
        let (local, inherit) = (self.locals[place], self.scene.nodes[node].inherit);
        (matrix.concat_inheriting(&local, inherit), trs.concat_inheriting(&local, inherit))
    }

    /// The world transforms of the parent of a node at the time that is being sampled.
    fn above(&self, place: usize) -> (AccumulatedMatrix<f64>, CombinedTrs<f64>) {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        match (parent, self.scene.nodes[node].parent) {
            (Some(place), _) => (self.by_matrix[place], self.by_trs[place]),
            (None, Some(parent)) => (self.worlds.by_matrix[parent], self.worlds.by_trs[parent]),
            (None, None) => (AccumulatedMatrix::identity(), CombinedTrs::identity()),
        }
    }

    /// The local pose of a node at a time.
    fn local(&self, place: usize, seconds: f64) -> Trs<f64> {
        let rest = &self.worlds.poses.locals[self.nodes.node(place)];
        self.nodes.pose(place, rest, seconds).unwrap_or(*rest)
    }

    /// The axes of a node by accumulated matrices, without those that are rounding alone.
    fn axes_of(&self, place: usize, world: &AccumulatedMatrix<f64>) -> Matrix3<f64> {
        let (node, parent) = (self.nodes.node(place), self.nodes.parent(place));
        if self.scene.nodes[node].inherit != Inherit::All {
            return world.linear();
        }
        let local = match self.nodes.tracks(place).is_empty() {
            true => self.worlds.poses.linear(node),
            false => self.locals[place].to_linear(),
        };
        let of_parent = self.above(place).0.linear();
        let parent = match (parent, self.scene.nodes[node].parent) {
            (Some(place), _) => self.axes.get(&place).copied(),
            (None, parent) => parent.map(|parent| self.worlds.axes[parent]),
        };
        axes_below(&parent.unwrap_or(of_parent), &of_parent, &world.linear(), &local)
    }
}

/// Without a branch for each component.
fn is_finite(matrix: &Matrix4<f64>) -> bool {
    matrix.iter().fold(true, |are_finite, component| are_finite & component.is_finite())
}

/// Keeps the larger of a peak and a value, of equals the first. Returns whether that is the value.
fn raise(peak: &mut Option<Peak>, value: Option<f64>, seconds: f64) -> bool {
    let larger = value.filter(|&value| peak.is_none_or(|peak| value > peak.max));
    if let Some(max) = larger {
        *peak = Some(Peak { max, seconds });
    }
    larger.is_some()
}
