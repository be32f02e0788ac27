use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{TopologyError, Trs, slices::parents_first};

use crate::{CannotSay, LocalPose, Reason, SourceNode};

/// Folds the nodes from the roots down. The step gets the node and its parent's result.
pub(crate) fn fold<S: Clone>(
    nodes: &[SourceNode],
    mut step: impl FnMut(usize, Option<&S>) -> Result<S, Reason>,
) -> Result<Vec<Result<S, CannotSay>>, TopologyError> {
    let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
    let mut known: Vec<Option<Result<S, CannotSay>>> = vec![None; nodes.len()];
    for node in parents_first(&parents)? {
        let parent = parents[node].and_then(|parent| known[parent].as_ref());
        let below = match parent {
            Some(Err(unknown)) => Err(*unknown),
            Some(Ok(parent)) => Ok(Some(parent)),
            None => Ok(None),
        };
        known[node] =
            Some(below.and_then(|parent| {
                step(node, parent).map_err(|reason| CannotSay { node, reason })
            }));
    }
    Ok(known.into_iter().map(|known| known.expect("every node is in the order")).collect())
}

/// The world matrix of each node, or the reason why it is not known.
pub type WorldMatrices = Vec<Result<Matrix4<f64>, CannotSay>>;

/// Folds the nodes from the roots down and returns their world matrices.
pub(crate) fn world_matrices<S: Clone>(
    nodes: &[SourceNode],
    step: impl FnMut(usize, Option<&S>) -> Result<S, Reason>,
    matrix: impl Fn(S) -> Matrix4<f64>,
) -> Result<WorldMatrices, TopologyError> {
    let known = fold(nodes, step)?.into_iter();
    Ok(known.map(|known| known.map(&matrix)).collect())
}

/// An affine map, split into the parts that individual rules compute with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine {
    pub(crate) linear: Matrix3<f64>,
    pub(crate) origin: Vector3<f64>,
}

impl Affine {
    pub(crate) fn identity() -> Self {
        Self { linear: Matrix3::identity(), origin: Vector3::zeros() }
    }

    pub(crate) fn of(local: &LocalPose) -> Self {
        let affine = local.to_affine();
        Self { linear: affine.linear(), origin: affine.translation() }
    }

    pub(crate) fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.origin
    }

    pub(crate) fn to_homogeneous(self) -> Matrix4<f64> {
        let mut matrix = self.linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.origin);
        matrix
    }
}

impl std::ops::Mul for Affine {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, origin: self.point(&inner.origin) }
    }
}

/// Returns the pose of a node, for a rule that does not take matrices.
pub(crate) fn trs(node: &SourceNode) -> Result<Trs<f64>, Reason> {
    match node.local {
        LocalPose::Trs(trs) => Ok(trs),
        LocalPose::Matrix(_) => Err(Reason::Matrix),
    }
}

/// Returns the lengths of the columns, or an error if one is zero.
pub(crate) fn lengths(linear: &Matrix3<f64>) -> Result<Vector3<f64>, Reason> {
    let lengths = xform_core::linear::axis_lengths(linear);
    if lengths.iter().all(|&length| length > 0.0) { Ok(lengths) } else { Err(Reason::ZeroScale) }
}

/// Multiplies each column by its own factor.
pub(crate) fn scaled(linear: &Matrix3<f64>, by: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| linear[(i, j)] * by[j])
}

/// Divides each column by its own divisor.
pub(crate) fn unscaled(linear: &Matrix3<f64>, by: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| linear[(i, j)] / by[j])
}

/// Returns the rotation of a pose as a matrix.
pub(crate) fn rotation(pose: &Trs<f64>) -> Matrix3<f64> {
    Trs::from_rotation(pose.rotation).to_linear()
}
