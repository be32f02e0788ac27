//! A scene under both strategies.

use std::iter;

use nalgebra::Matrix3;
use xform_core::{Hierarchy, HierarchyError, Inherit, Transform, Trs, parents_first};
use xform_matrix::{AccumulatedMatrix, Method};
use xform_trs::CombinedTrs;

use crate::{CompareError, Local, Scene, Thresholds, metrics::length};

/// A scene under both strategies: the world transform of each node.
pub(crate) struct Worlds {
    pub(crate) poses: Poses,
    /// The nodes, parents before children.
    pub(crate) order: Vec<usize>,
    pub(crate) by_matrix: Vec<AccumulatedMatrix<f64>>,
    pub(crate) by_trs: Vec<CombinedTrs<f64>>,
}

impl Worlds {
    /// Propagates the scene twice; all worlds are finite.
    pub(crate) fn of(scene: &Scene) -> Result<Self, CompareError> {
        let parents: Vec<_> = scene.nodes.iter().map(|node| node.parent).collect();
        let order = parents_first(&parents).map_err(HierarchyError::from)?;
        let poses = Poses::of(scene, parents)?;
        let worlds = Self { by_matrix: poses.by_matrix()?, by_trs: poses.by_trs()?, order, poses };
        let overflows = |&node: &usize| !worlds.is_finite(node);
        // The first on its path, whatever the order of the file.
        let first = (0..scene.nodes.len()).find(|node| {
            overflows(node) && !scene.nodes[*node].parent.as_ref().is_some_and(overflows)
        });
        first.map_or(Ok(worlds), |node| Err(CompareError::overflow(scene, node)))
    }

    fn is_finite(&self, node: usize) -> bool {
        let matrices = [*self.by_matrix[node].matrix(), self.by_trs[node].to_homogeneous()];
        matrices.iter().flatten().all(|component| component.is_finite())
    }
}

/// The poses of a scene as the strategies take them.
pub(crate) struct Poses {
    parents: Vec<Option<usize>>,
    /// What each node inherits.
    inherits: Vec<Inherit>,
    /// The local pose of each node; where a `matrix` was authored, the nearest.
    pub(crate) locals: Vec<Trs<f64>>,
    /// The nodes whose `matrix` is no pose, in ascending order.
    nested: Vec<Nested>,
}

/// A local matrix that is no translation, rotation and scale.
struct Nested {
    node: usize,
    /// How far it is from the nearest pose, as a fraction.
    residual: f64,
    /// The same map exactly: one pose within another.
    outer_and_inner: [Trs<f64>; 2],
}

impl Poses {
    pub(crate) fn of(scene: &Scene, parents: Vec<Option<usize>>) -> Result<Self, CompareError> {
        let mut locals = Vec::with_capacity(scene.nodes.len());
        let mut nested = Vec::new();
        for (node, entry) in scene.nodes.iter().enumerate() {
            match &entry.local {
                Local::Trs(trs) => locals.push(*trs),
                Local::Matrix(matrix) => {
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

    /// The 3×3 part of a node's local map, exactly.
    pub(crate) fn linear(&self, node: usize) -> Matrix3<f64> {
        match self.nested(node) {
            Some(Nested { outer_and_inner: [outer, inner], .. }) => {
                outer.to_linear() * inner.to_linear()
            }
            None => self.locals[node].to_linear(),
        }
    }

    /// The world transform of a node by accumulated matrices, below a parent with this one.
    pub(crate) fn matrix_below(
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

    /// The same by combined TRS.
    pub(crate) fn trs_below(&self, node: usize, parent: &CombinedTrs<f64>) -> CombinedTrs<f64> {
        below(parent, self.inherits[node], &self.locals[node..=node])
    }

    /// How far the `matrix` of a node is from its pose, where it is none.
    pub(crate) fn residual(&self, node: usize) -> Option<f64> {
        Some(self.nested(node)?.residual)
    }

    fn nested(&self, node: usize) -> Option<&Nested> {
        let position = self.nested.binary_search_by_key(&node, |nested| nested.node);
        position.ok().map(|position| &self.nested[position])
    }

    /// The world transform of each node by accumulated matrices.
    ///
    /// A nested matrix takes two nodes: the inner pose has the node's own index, so that its
    /// children hang below both, and the outer one stands behind all others.
    pub(crate) fn by_matrix(&self) -> Result<Vec<AccumulatedMatrix<f64>>, HierarchyError> {
        let mut parents = self.parents.clone();
        let mut inherits = self.inherits.clone();
        let mut locals = self.locals.clone();
        for Nested { node, outer_and_inner: [outer, inner], .. } in &self.nested {
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

    /// The world transform of each node by combined TRS.
    pub(crate) fn by_trs(&self) -> Result<Vec<CombinedTrs<f64>>, HierarchyError> {
        worlds(&self.parents, &self.inherits, &self.locals)
    }
}

/// The nearest pose of a local matrix, and the matrix itself where that is not the same; `None`
/// where it overflows.
fn nearest_trs(node: usize, matrix: &AccumulatedMatrix<f64>) -> Option<(Trs<f64>, Option<Nested>)> {
    let nearest = matrix.decompose(Method::NearestTrs)?;
    if is_same(&matrix.linear(), &nearest.trs.to_linear()) {
        return Some((nearest.trs, None));
    }
    let outer_and_inner = matrix.to_nested_trs()?;
    Some((nearest.trs, Some(Nested { node, residual: nearest.residual, outer_and_inner })))
}

/// Whether each axis is the same to within authored rounding; axis by axis, so that a long one does
/// not hide the skew of the others.
fn is_same(linear: &Matrix3<f64>, pose: &Matrix3<f64>) -> bool {
    (0..3).all(|i| {
        let axis = linear.column(i).into_owned();
        let off = length(&(axis - pose.column(i)));
        off <= Thresholds::DEFAULT.differing_fraction * length(&axis)
    })
}

/// The world transform at the end of a path below a parent, of which the first node inherits this.
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
