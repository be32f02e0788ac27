//! Placement of a node without some of the scales above it.

use std::iter;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::Scene;
use xform_trs::CombinedTrs;

use crate::{
    audit::{DIFFERING_FRACTION, is_non_uniform},
    measure::{
        metrics::{without_rounding, worst_skew_degrees},
        uniform_scale::made_uniform,
        worlds::Worlds,
    },
};

/// The number of nearest candidates that are tried for a node.
pub(in crate::measure) const TRIED: usize = 32;

/// The largest number of nodes below a candidate that are propagated again for a node, if one of them does
/// not inherit everything.
pub(in crate::measure) const REFOLDED: usize = 1000;

// Walking the path of every node for every candidate would be quadratic in the depth. Instead each node keeps
// the steps from its nearest candidate down to it as one `Path`. For matrices that is the product of the
// local maps. For combined TRS no rotation depends on a scale, so the position is an affine function of the
// scale of the node above, with a 3×3 matrix for the nodes below, and two paths join in one product.
//
// A hop from candidate to candidate is thus one product, and every affected node gets a cause. A random tree
// of 100 000 nodes with 30 candidates each takes 5.4 s on two cores, 9.0 s of processor time, of which pairs
// are 1.8 s and 3.7 s.

/// Precomputed data of every node that places it without a scale at the same cost for any distance to the
/// candidate.
pub(super) struct Placing<'a> {
    pub(super) scene: &'a Scene,
    pub(super) worlds: &'a Worlds,
    /// The nodes whose rotation, not scale, may be the cause, in ascending order.
    odd_rotations: Vec<usize>,
    steps: Vec<Step>,
}

/// A node as seen from its nearest candidate.
#[derive(Clone)]
struct Step {
    /// The node's world transforms with its scale made uniform, if it is a candidate.
    ablated: Option<Both>,
    /// The nearest candidate above it.
    candidate: Option<usize>,
    /// The path from that candidate down to the node's parent.
    above: Path,
    /// The first node on the way from below that candidate to this node whose rotation does not commute with
    /// the candidate's scale.
    turned: Option<usize>,
    /// The first node on that way that has a rotation.
    rotated: Option<usize>,
    /// The nearest node, this one or an ancestor, that does not inherit everything. Steps across it are not
    /// products.
    reduced: Option<usize>,
}

/// A node in the world of both strategies. Its rotation in combined TRS is left out, since it does not depend
/// on any scale.
#[derive(Clone, Copy)]
struct Both {
    matrix: Matrix4<f64>,
    position: Vector3<f64>,
    scale: Vector3<f64>,
}

/// The steps from a node down to another, combined into one that applies to any scale of the node above.
#[derive(Clone, Copy)]
pub(super) struct Path {
    /// The product of the local maps.
    matrix: Matrix4<f64>,
    /// The product of the scales, component by component.
    scale: Vector3<f64>,
    /// In combined TRS: how far the position moves with each component of the scale of the node above.
    reach: Matrix3<f64>,
}

impl Path {
    pub(super) fn empty() -> Self {
        let (matrix, scale) = (Matrix4::identity(), Vector3::repeat(1.0));
        Self { matrix, scale, reach: Matrix3::zeros() }
    }

    fn then(&self, lower: &Self) -> Self {
        Self {
            matrix: self.matrix * lower.matrix,
            scale: self.scale.component_mul(&lower.scale),
            reach: self.reach + lower.reach * Matrix3::from_diagonal(&self.scale),
        }
    }
}

impl Both {
    fn of(matrix: &AccumulatedMatrix<f64>, trs: &CombinedTrs<f64>) -> Self {
        Self { matrix: *matrix.matrix(), position: trs.translation, scale: trs.scale }
    }

    fn below(&self, path: &Path) -> Self {
        Self {
            matrix: self.matrix * path.matrix,
            position: self.position + path.reach * self.scale,
            scale: self.scale.component_mul(&path.scale),
        }
    }
}

/// A node to be placed without some scales.
pub(super) struct Ablatable {
    pub(super) node: usize,
    /// The node and its ancestors whose scale can be made uniform, nearest first, each with the path from it
    /// down to the node.
    pub(super) candidates: Vec<(usize, Path)>,
    /// Whether there are more candidates.
    pub(super) is_cut: bool,
}

/// The world transforms of a node in both shows, and the difference in skew.
pub(in crate::measure) struct Placed {
    pub(in crate::measure) worlds: [Matrix4<f64>; 2],
    pub(super) skew_difference_degrees: Option<f64>,
}

impl<'a> Placing<'a> {
    pub(super) fn new(scene: &'a Scene, worlds: &'a Worlds, odd_rotations: Vec<usize>) -> Self {
        let blank = Step {
            ablated: None,
            candidate: None,
            above: Path::empty(),
            turned: None,
            rotated: None,
            reduced: None,
        };
        let mut placing =
            Self { scene, worlds, odd_rotations, steps: vec![blank; scene.nodes.len()] };
        for &node in &worlds.order {
            placing.steps[node] = placing.step(node);
        }
        placing
    }

    /// Computes the step of a node from that of its parent.
    fn step(&self, node: usize) -> Step {
        let local = self.local(node);
        let parent = self.handing_down(node);
        let above = parent.map(|parent| (parent, &self.steps[parent]));
        let is_reduced = above.is_some() && self.scene.nodes[node].inherit != Inherit::All;
        let is_candidate = is_non_uniform(&local.scale)
            || self.worlds.poses.residual(node).is_some()
            || self.is_odd_rotation(node);
        let own = Step {
            ablated: is_candidate.then(|| self.ablated(node)),
            candidate: above.and_then(|(parent, step)| match step.ablated {
                Some(_) => Some(parent),
                None => step.candidate,
            }),
            above: Path::empty(),
            turned: None,
            rotated: (local.rotation.vector().amax() > 0.0).then_some(node),
            reduced: if is_reduced { Some(node) } else { above.and_then(|(_, step)| step.reduced) },
        };
        let step = match above {
            Some((parent, above)) if above.ablated.is_none() => Step {
                above: above.above.then(&self.own(parent)),
                turned: above.turned,
                rotated: above.rotated.or(own.rotated),
                ..own
            },
            _ => own,
        };
        let is_turned = step.candidate.is_some_and(|candidate| self.is_turned(node, candidate));
        Step { turned: step.turned.or(is_turned.then_some(node)), ..step }
    }

    /// Returns the parent of a node if the node inherits anything from it.
    fn handing_down(&self, node: usize) -> Option<usize> {
        let node = &self.scene.nodes[node];
        node.parent.filter(|_| node.inherit != Inherit::Nothing)
    }

    fn local(&self, node: usize) -> &Trs<f64> {
        &self.worlds.poses.locals[node]
    }

    /// Returns the step from a node's parent down to it.
    fn own(&self, node: usize) -> Path {
        let local = self.local(node);
        Path { matrix: self.worlds.poses.matrix(node), scale: local.scale, reach: self.reach(node) }
    }

    /// In combined TRS: how far a node is from its parent for each component of the parent's world scale.
    fn reach(&self, node: usize) -> Matrix3<f64> {
        let turn = self.handing_down(node).map(|parent| self.worlds.by_trs[parent].rotation);
        let turn = turn.map_or_else(Matrix3::identity, |turn| *turn.to_rotation_matrix().matrix());
        turn * Matrix3::from_diagonal(&self.local(node).translation)
    }

    /// Whether a node's rotation does not commute with a candidate's scale.
    pub(super) fn is_turned(&self, node: usize, candidate: usize) -> bool {
        let scaled = CombinedTrs::from(Trs::from_scale(self.local(candidate).scale));
        let turn = Trs::from_rotation(self.local(node).rotation);
        !scaled.is_step_exact(&turn, DIFFERING_FRACTION)
    }

    /// Returns the first node on the way from below the nearest candidate to a node whose rotation does not
    /// commute with the candidate's scale.
    pub(super) fn turned(&self, node: usize) -> Option<usize> {
        self.steps[node].turned
    }

    /// Returns the first node on that way that has a rotation.
    pub(super) fn rotated(&self, node: usize) -> Option<usize> {
        self.steps[node].rotated
    }

    /// If `is_refolded`, steps are not products, and candidates that are too far away are skipped.
    pub(super) fn target(&self, node: usize, is_refolded: bool) -> Ablatable {
        let mut candidates = Vec::new();
        let mut path = Path::empty();
        if self.steps[node].ablated.is_some() {
            candidates.push((node, path));
        }
        let mut at = node;
        while let Some(candidate) = self.steps[at].candidate {
            let is_step = is_refolded || self.steps[candidate].reduced != self.steps[node].reduced;
            let is_far = is_step && self.between(candidate, node).is_none();
            let tried = candidates.iter().filter(|(other, _)| *other != node).count();
            if tried == TRIED || is_far {
                return Ablatable { node, candidates, is_cut: true };
            }
            path = self.steps[at].above.then(&self.own(at)).then(&path);
            candidates.push((candidate, path));
            at = candidate;
        }
        Ablatable { node, candidates, is_cut: false }
    }

    /// Returns the world transforms of a candidate with its scale made uniform.
    fn ablated(&self, candidate: usize) -> Both {
        let (matrix, trs) = match self.handing_down(candidate) {
            Some(parent) => (self.worlds.by_matrix[parent], self.worlds.by_trs[parent]),
            None => (AccumulatedMatrix::identity(), CombinedTrs::identity()),
        };
        let (local, inherit) = (self.uniform(candidate), self.scene.nodes[candidate].inherit);
        let matrix = matrix.concat_inheriting(&local, inherit);
        Both::of(&matrix, &trs.concat_inheriting(&local, inherit))
    }

    /// Whether a node is a candidate because of its rotation.
    pub(super) fn is_odd_rotation(&self, node: usize) -> bool {
        self.odd_rotations.binary_search(&node).is_ok()
    }

    /// Returns the local pose of a candidate with its scale made uniform, or its rotation made a unit
    /// quaternion.
    pub(super) fn uniform(&self, candidate: usize) -> Trs<f64> {
        let local = self.local(candidate);
        if self.is_odd_rotation(candidate) {
            return *local;
        }
        local.with_scale(Vector3::repeat(made_uniform(&local.scale)))
    }

    /// Places a node with one scale, or two, made uniform; `None` if none of them is above it.
    pub(super) fn placed(&self, target: &Ablatable, removed: &[usize]) -> Option<Placed> {
        let is_removed = |(candidate, _): &(usize, Path)| removed.contains(candidate);
        let top = target.candidates.iter().rposition(is_removed)?;
        let nearest = target.candidates.iter().position(is_removed)?;
        let (uppermost, path) = &target.candidates[top];
        if self.steps[*uppermost].reduced != self.steps[target.node].reduced {
            return self.refolded(*uppermost, target.node, removed);
        }
        let mut both = self.steps[*uppermost].ablated?;
        let mut path = path;
        for (candidate, below) in target.candidates[nearest..top].iter().rev() {
            both = both.below(&self.steps[*candidate].above);
            path = below;
            both = if removed.contains(candidate) {
                let (local, reach) = (self.uniform(*candidate), self.reach(*candidate));
                let (matrix, scale) = (local.to_homogeneous(), local.scale);
                both.below(&Path { matrix, scale, reach })
            } else {
                both.below(&self.own(*candidate))
            };
        }
        let axes = [both.matrix, path.matrix].map(|matrix| linear_of(&matrix));
        let both = both.below(path);
        let rotation = self.worlds.by_trs[target.node].rotation;
        let trs = CombinedTrs::from_parts(both.position, rotation, both.scale);
        let axes = without_rounding(&linear_of(&both.matrix), &axes[0], &axes[1]);
        Some(Placed {
            worlds: [both.matrix, trs.to_homogeneous()],
            skew_difference_degrees: worst_skew_degrees(&axes),
        })
    }

    /// Returns the nodes below a candidate down to a node, topmost first; `None` if there are too many.
    pub(super) fn between(&self, candidate: usize, node: usize) -> Option<Vec<usize>> {
        let upwards = iter::successors(Some(node), |&node| self.handing_down(node));
        let below = upwards.take_while(|&node| node != candidate).take(REFOLDED + 1);
        let mut nodes: Vec<_> = below.collect();
        nodes.reverse();
        (nodes.len() <= REFOLDED).then_some(nodes)
    }

    /// Like [`placed`](Self::placed), but step by step, for paths on which steps are not products.
    fn refolded(&self, uppermost: usize, node: usize, removed: &[usize]) -> Option<Placed> {
        let Both { matrix, position, scale } = self.steps[uppermost].ablated?;
        let rotation = self.worlds.by_trs[uppermost].rotation;
        let mut matrix = AccumulatedMatrix::from_matrix(matrix)?;
        let mut trs = CombinedTrs::from_parts(position, rotation, scale);
        for node in self.between(uppermost, node)? {
            if removed.contains(&node) {
                let (local, inherit) = (self.uniform(node), self.scene.nodes[node].inherit);
                matrix = matrix.concat_inheriting(&local, inherit);
                trs = trs.concat_inheriting(&local, inherit);
            } else {
                matrix = self.worlds.poses.matrix_below(node, &matrix);
                trs = self.worlds.poses.trs_below(node, &trs);
            }
        }
        let axes = without_rounding(&matrix.linear(), &matrix.linear(), &Matrix3::identity());
        Some(Placed {
            worlds: [*matrix.matrix(), trs.to_homogeneous()],
            skew_difference_degrees: worst_skew_degrees(&axes),
        })
    }
}

pub(super) fn linear_of(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}
