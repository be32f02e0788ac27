use std::iter;

use nalgebra::{Matrix3, Matrix4};
use xform_core::{Hierarchy, HierarchyError, Inherit, Transform, Trs};
use xform_matrix::{AccumulatedMatrix, Method};
use xform_scene::{LocalPose, Scene};
use xform_trs::CombinedTrs;

use super::metrics::length;
use crate::audit::{CompareError, DIFFERING_FRACTION};

/// The local poses of a scene as the strategies use them.
pub(super) struct Poses {
    parents: Vec<Option<usize>>,
    /// The parts of the parent's transform that each node inherits.
    inherits: Vec<Inherit>,
    /// The local pose of each node; if the file has a `matrix`, the nearest pose.
    pub(super) locals: Vec<Trs<f64>>,
    /// The nodes whose `matrix` is not a pose, in ascending order.
    nested: Vec<NestedPose>,
}

/// A local matrix that is not a translation, rotation and scale.
struct NestedPose {
    node: usize,
    /// Its distance from the nearest pose, as a fraction.
    residual: f64,
    /// Two nested poses whose product is exactly the matrix.
    outer_and_inner: [Trs<f64>; 2],
}

impl Poses {
    pub(super) fn of(scene: &Scene, parents: Vec<Option<usize>>) -> Result<Self, CompareError> {
        let mut locals = Vec::with_capacity(scene.nodes.len());
        let mut nested = Vec::new();
        for (node, entry) in scene.nodes.iter().enumerate() {
            match &entry.local {
                LocalPose::Trs(trs) => locals.push(*trs),
                LocalPose::Matrix(matrix) => {
                    let (nearest, rest) = nearest_trs(node, matrix)
                        .ok_or_else(|| CompareError::overflow(scene, node))?;
                    locals.push(nearest);
                    nested.extend(rest);
                }
            }
        }
        let inherits = scene.nodes.iter().map(|node| node.inherit).collect();
        Ok(Self { parents, inherits, locals, nested })
    }

    /// Returns the exact 3×3 part of a node's local map.
    pub(super) fn linear(&self, node: usize) -> Matrix3<f64> {
        match self.nested(node) {
            Some(NestedPose { outer_and_inner: [outer, inner], .. }) => {
                outer.to_linear() * inner.to_linear()
            }
            None => self.locals[node].to_linear(),
        }
    }

    /// Returns the exact local map of a node.
    pub(super) fn matrix(&self, node: usize) -> Matrix4<f64> {
        match self.nested(node) {
            Some(NestedPose { outer_and_inner: [outer, inner], .. }) => {
                outer.to_homogeneous() * inner.to_homogeneous()
            }
            None => self.locals[node].to_homogeneous(),
        }
    }

    /// Returns the world transform of a node in accumulated matrices, below this parent.
    pub(super) fn matrix_below(
        &self,
        node: usize,
        parent: &AccumulatedMatrix<f64>,
    ) -> AccumulatedMatrix<f64> {
        let locals = match self.nested(node) {
            Some(nested) => nested.outer_and_inner.as_slice(),
            None => &self.locals[node..=node],
        };
        below(parent, self.inherits[node], locals)
    }

    /// Returns the world transform of a node in combined TRS, below this parent.
    pub(super) fn trs_below(&self, node: usize, parent: &CombinedTrs<f64>) -> CombinedTrs<f64> {
        below(parent, self.inherits[node], &self.locals[node..=node])
    }

    /// Returns the distance of a node's `matrix` from its pose; `None` if the matrix is a pose.
    pub(super) fn residual(&self, node: usize) -> Option<f64> {
        Some(self.nested(node)?.residual)
    }

    /// Whether any `matrix` is not a pose.
    pub(super) fn has_sheared_matrices(&self) -> bool {
        !self.nested.is_empty()
    }

    /// Whether every node inherits its parent's whole world transform.
    pub(super) fn all_inherit_everything(&self) -> bool {
        self.inherits.iter().all(|&inherit| inherit == Inherit::All)
    }

    fn nested(&self, node: usize) -> Option<&NestedPose> {
        let position = self.nested.binary_search_by_key(&node, |nested| nested.node);
        position.ok().map(|position| &self.nested[position])
    }

    /// Returns the world transform of each node in accumulated matrices.
    ///
    /// A nested matrix takes two nodes. The inner pose has the node's own index, so that the node's children
    /// are below both; the outer pose is added behind all other nodes.
    pub(super) fn by_matrix(&self) -> Result<Vec<AccumulatedMatrix<f64>>, HierarchyError> {
        let mut parents = self.parents.clone();
        let mut inherits = self.inherits.clone();
        let mut locals = self.locals.clone();
        for NestedPose { node, outer_and_inner: [outer, inner], .. } in &self.nested {
            let outer_parent = parents[*node].replace(locals.len());
            parents.push(outer_parent);
            let inherit = std::mem::take(&mut inherits[*node]);
            inherits.push(inherit);
            locals[*node] = *inner;
            locals.push(*outer);
        }
        let mut worlds = worlds(&parents, &inherits, &locals)?;
        worlds.truncate(self.locals.len());
        Ok(worlds)
    }

    /// Returns the world transform of each node in combined TRS.
    pub(super) fn by_trs(&self) -> Result<Vec<CombinedTrs<f64>>, HierarchyError> {
        worlds(&self.parents, &self.inherits, &self.locals)
    }
}

/// Returns the nearest pose of a local matrix, and the matrix itself if it is not the same. `None` if it
/// overflows.
fn nearest_trs(
    node: usize,
    matrix: &AccumulatedMatrix<f64>,
) -> Option<(Trs<f64>, Option<NestedPose>)> {
    let nearest = matrix.decompose(Method::NearestTrs)?;
    if is_same(&matrix.linear(), &nearest.trs.to_linear()) {
        return Some((nearest.trs, None));
    }
    let outer_and_inner = matrix.to_nested_trs()?;
    Some((nearest.trs, Some(NestedPose { node, residual: nearest.residual, outer_and_inner })))
}

/// Whether each axis is the same within authored rounding. Axes are compared one by one, so that a long one
/// does not hide the skew of the others.
fn is_same(linear: &Matrix3<f64>, pose: &Matrix3<f64>) -> bool {
    (0..3).all(|i| {
        let axis = linear.column(i).into_owned();
        let off = length(&(axis - pose.column(i)));
        off <= DIFFERING_FRACTION * length(&axis)
    })
}

/// Returns the world transform at the end of a path below a parent. `inherit` applies to the first node of
/// the path.
fn below<X: Transform<Scalar = f64>>(parent: &X, inherit: Inherit, locals: &[Trs<f64>]) -> X {
    let path = locals.iter().zip(iter::once(inherit).chain(iter::repeat(Inherit::All)));
    path.fold(*parent, |parent, (local, inherit)| parent.concat_inheriting(local, inherit))
}

fn worlds<X: Transform<Scalar = f64>>(
    parents: &[Option<usize>],
    inherits: &[Inherit],
    locals: &[Trs<f64>],
) -> Result<Vec<X>, HierarchyError> {
    let mut hierarchy = Hierarchy::<X>::new();
    let ids = hierarchy.insert_forest(None, parents, locals)?;
    for (&id, &inherit) in ids.iter().zip(inherits) {
        hierarchy.set_inherit(id, inherit)?;
    }
    hierarchy.propagate();
    ids.into_iter().map(|id| hierarchy.world(id)).collect()
}
