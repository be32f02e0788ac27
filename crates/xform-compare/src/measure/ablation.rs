use std::iter;

use nalgebra::{Matrix3, Vector3};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::{
    metrics::{linear_difference, without_rounding, worst_skew_degrees},
    worlds::Worlds,
};
use crate::{
    audit::{Cause, Contribution, DIFFERING_FRACTION},
    scene::{Node, Scene},
};

/// How many of the nearest candidates are tried for a node.
pub(super) const TRIED: usize = 32;

/// How many nodes below a candidate are gone through again for a node, where one of them inherits
/// less than everything.
const REFOLDED: usize = 1000;

/// What ablation needs to know of every node, so that a candidate costs the same however far it is.
pub(super) struct Ablation<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    steps: Vec<Step>,
}

/// A node, seen from its nearest candidate.
#[derive(Clone)]
struct Step {
    /// What it would be with a uniform scale, where it is a candidate.
    ablated: Option<(Matrix3<f64>, Vector3<f64>)>,
    /// The nearest candidate above it.
    candidate: Option<usize>,
    /// The product of all local linear parts from below that candidate down to this node.
    linear: Matrix3<f64>,
    /// The product of their scales, component by component.
    scale: Vector3<f64>,
    /// The first of these nodes whose rotation does not commute with the candidate's scale.
    turned: Option<usize>,
    /// The first of these nodes that has a rotation.
    rotated: Option<usize>,
    /// The nearest node at or above it that inherits rotation without scale, or scale without
    /// rotation, so that steps across it are no products.
    reduced: Option<usize>,
}

/// A node's linear part without one scale.
struct Ablated {
    difference: f64,
    skew_degrees: Option<f64>,
}

impl Ablated {
    /// Of the product of two linear parts; none where they are undefined.
    fn of([above, below]: [&Matrix3<f64>; 2], by_trs: &Matrix3<f64>) -> Option<Self> {
        let linear = above * below;
        let is_finite = linear.iter().chain(by_trs.iter()).all(|component| component.is_finite());
        let difference = linear_difference(&linear, by_trs).filter(|_| is_finite)?;
        let axes = without_rounding(&linear, above, below);
        Some(Self { difference, skew_degrees: worst_skew_degrees(&axes) })
    }
}

impl<'a> Ablation<'a> {
    pub(super) fn new(scene: &'a Scene, worlds: &'a Worlds) -> Self {
        let blank = Step {
            ablated: None,
            candidate: None,
            linear: Matrix3::identity(),
            scale: Vector3::repeat(1.0),
            turned: None,
            rotated: None,
            reduced: None,
        };
        let mut ablation = Self { scene, worlds, steps: vec![blank; scene.nodes.len()] };
        for &node in &worlds.order {
            ablation.steps[node] = ablation.step(node);
        }
        ablation
    }

    /// The step of a node whose parent's is known.
    fn step(&self, node: usize) -> Step {
        let local = self.local(node);
        let above = self.handing_down(node).map(|parent| (parent, &self.steps[parent]));
        let is_reduced = above.is_some() && self.scene.nodes[node].inherit != Inherit::All;
        let is_candidate =
            is_non_uniform(&local.scale) || self.worlds.poses.residual(node).is_some();
        let is_rotated = local.rotation.vector().amax() > 0.0;
        let own = Step {
            ablated: is_candidate.then(|| self.ablated(node)),
            candidate: above.and_then(|(parent, step)| {
                if step.ablated.is_some() { Some(parent) } else { step.candidate }
            }),
            linear: self.worlds.poses.linear(node),
            scale: local.scale,
            turned: None,
            rotated: is_rotated.then_some(node),
            reduced: if is_reduced { Some(node) } else { above.and_then(|(_, step)| step.reduced) },
        };
        let step = match above {
            Some((_, above)) if above.ablated.is_none() => Step {
                linear: above.linear * own.linear,
                scale: above.scale.component_mul(&own.scale),
                turned: above.turned,
                rotated: above.rotated.or(own.rotated),
                ..own
            },
            _ => own,
        };
        let is_turned = step.candidate.is_some_and(|candidate| self.is_turned(node, candidate));
        Step { turned: step.turned.or(is_turned.then_some(node)), ..step }
    }

    /// The parent of a node, where its axes act on those of the node.
    fn handing_down(&self, node: usize) -> Option<usize> {
        let Node { parent, inherit, .. } = self.scene.nodes[node];
        parent.filter(|_| inherit.rotation() || inherit.scale())
    }

    fn local(&self, node: usize) -> &Trs<f64> {
        &self.worlds.poses.locals[node]
    }

    /// Whether a node's rotation and a candidate's scale do not commute.
    fn is_turned(&self, node: usize, candidate: usize) -> bool {
        let scaled = CombinedTrs::from(Trs::from_scale(self.local(candidate).scale));
        let turn = Trs::from_rotation(self.local(node).rotation);
        !scaled.is_step_exact(&turn, DIFFERING_FRACTION)
    }

    /// The cause of a node's difference; none where there is no candidate, or where its linear
    /// difference is undefined.
    pub(super) fn cause(&self, node: usize, is_in_full: bool) -> Option<Cause> {
        let linear = self.worlds.by_matrix[node].linear();
        let by_trs = self.worlds.by_trs[node].to_trs().to_linear();
        let difference = linear_difference(&linear, &by_trs)?;
        let skew = worst_skew_degrees(&self.worlds.axes(self.scene, node));
        let unscaled = self.worlds.by_trs[node].to_trs().with_scale(Vector3::repeat(1.0));
        let turned = unscaled.to_linear();
        let mut path = vec![node];
        let mut contributions = Vec::new();
        let mut below = (Matrix3::identity(), Vector3::repeat(1.0));
        let mut candidate = match self.worlds.poses.residual(node) {
            Some(_) => Some(node),
            None => self.extend(node, &mut below),
        };
        while let Some(scaler) = candidate.filter(|_| path.len() <= TRIED) {
            let is_product = self.steps[scaler].reduced == self.steps[node].reduced;
            let ablated = if is_product {
                self.without(scaler, &turned, &below)
            } else if let Some(between) = self.between(scaler, node) {
                self.refolded(scaler, &between)
            } else {
                break;
            };
            if let Some(ablated) = ablated {
                let remaining = ablated.skew_degrees;
                contributions.push(Contribution {
                    scaler,
                    removes_skew_degrees: skew.zip(remaining).map(|(skew, rest)| skew - rest),
                    removes_difference: difference - ablated.difference,
                });
            }
            path.push(scaler);
            candidate = self.extend(scaler, &mut below);
        }
        let best = most(&contributions)?;
        Some(Cause {
            scaler: best.scaler,
            rotator: self.rotator(best.scaler, &path),
            removes_skew_degrees: best.removes_skew_degrees,
            removes_difference: best.removes_difference,
            candidates: contributions.len(),
            is_cut: candidate.is_some(),
            contributions: if is_in_full && contributions.len() > 1 {
                contributions
            } else {
                vec![]
            },
        })
    }

    /// Extends what is below to the nodes below the next candidate, and returns that.
    fn extend(&self, node: usize, below: &mut (Matrix3<f64>, Vector3<f64>)) -> Option<usize> {
        let step = &self.steps[node];
        below.0 = step.linear * below.0;
        below.1.component_mul_assign(&step.scale);
        step.candidate
    }

    /// The world of a candidate with its scale made uniform: the 3×3 part by matrices, and the scale
    /// by combined TRS.
    fn ablated(&self, candidate: usize) -> (Matrix3<f64>, Vector3<f64>) {
        let local = self.local(candidate);
        let uniform = Vector3::repeat(made_uniform(&local.scale));
        let linear = local.with_scale(uniform).to_linear();
        let Some(parent) = self.handing_down(candidate) else { return (linear, uniform) };
        let (matrix, trs) = (&self.worlds.by_matrix[parent], &self.worlds.by_trs[parent]);
        let (local, inherit) = (local.with_scale(uniform), self.scene.nodes[candidate].inherit);
        (
            matrix.concat_inheriting(&local, inherit).linear(),
            trs.concat_inheriting(&local, inherit).scale,
        )
    }

    /// The figures of a node with one scale on its path made uniform; none where they are
    /// undefined. `turned` is its rotation by combined TRS, which no scale changes.
    fn without(
        &self,
        scaler: usize,
        turned: &Matrix3<f64>,
        (below, below_scale): &(Matrix3<f64>, Vector3<f64>),
    ) -> Option<Ablated> {
        let (above, above_scale) = self.steps[scaler].ablated.as_ref()?;
        let by_trs = turned * Matrix3::from_diagonal(&above_scale.component_mul(below_scale));
        Ablated::of([above, below], &by_trs)
    }

    /// The nodes below a candidate down to a node, uppermost first; none where they are too many.
    fn between(&self, scaler: usize, node: usize) -> Option<Vec<usize>> {
        let upwards = iter::successors(Some(node), |&node| self.handing_down(node));
        let below = upwards.take_while(|&node| node != scaler).take(REFOLDED + 1);
        let mut nodes: Vec<_> = below.collect();
        nodes.reverse();
        (nodes.len() <= REFOLDED).then_some(nodes)
    }

    /// Like [`without`](Self::without), but step by step, for paths on which steps are no products.
    fn refolded(&self, scaler: usize, below: &[usize]) -> Option<Ablated> {
        let (linear, scale) = self.steps[scaler].ablated.as_ref()?;
        let rotation = self.worlds.by_trs[scaler].rotation;
        let matrix = AccumulatedMatrix::from_matrix(linear.to_homogeneous())?;
        let trs = CombinedTrs::from_parts(Vector3::zeros(), rotation, *scale);
        let poses = &self.worlds.poses;
        let linear = below.iter().fold(matrix, |matrix, &node| poses.matrix_below(node, &matrix));
        let by_trs = below.iter().fold(trs, |trs, &node| poses.trs_below(node, &trs));
        Ablated::of([&linear.linear(), &Matrix3::identity()], &by_trs.to_trs().to_linear())
    }

    /// The first node below the scaler whose rotation does not commute with its scale. `path` are
    /// the node and the candidates above it, upwards.
    fn rotator(&self, scaler: usize, path: &[usize]) -> Option<usize> {
        let position = path.iter().skip(1).position(|&node| node == scaler)?;
        let turned = self.steps[path[position]].turned;
        turned.filter(|_| self.steps[path[position]].candidate == Some(scaler)).or_else(|| {
            // Below the next candidate only the first rotation is looked at.
            let lower = path[..position].iter().rev();
            lower
                .filter_map(|&node| self.steps[node].rotated)
                .find(|&node| self.is_turned(node, scaler))
        })
    }
}

/// The contribution that removes most of the difference; the nearest of equals.
fn most(contributions: &[Contribution]) -> Option<&Contribution> {
    contributions.iter().reduce(|best, other| {
        if other.removes_difference > best.removes_difference { other } else { best }
    })
}

/// Whether a scale differs among the axes by more than authored rounding.
pub(crate) fn is_non_uniform(scale: &Vector3<f64>) -> bool {
    scale.max() - scale.min() > DIFFERING_FRACTION * scale.amax()
}

/// The uniform scale that stands for another: the geometric mean of |s|, the sign of the
/// determinant kept, 1 where it is 0.
pub(crate) fn made_uniform(scale: &Vector3<f64>) -> f64 {
    // One root at a time, so that the product neither overflows nor vanishes.
    let mean: f64 = scale.iter().map(|factor| libm::cbrt(factor.abs())).product();
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if mean > 0.0 { mean * sign } else { 1.0 }
}
