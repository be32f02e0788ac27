use nalgebra::{Matrix3, Matrix4, Point3};
use xform_core::{HierarchyError, Inherit, Transform, slices::parents_first};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Fixture, Node, Scene};
use xform_trs::CombinedTrs;

use super::{
    metrics::{axes_below, is_hidden, length},
    poses::Poses,
    skinned::SkinnedMesh,
};
use crate::audit::{CompareError, Role};

/// A scene in both strategies: the world transform of each node.
pub(super) struct Worlds {
    pub(super) poses: Poses,
    /// The nodes, parents before children.
    pub(super) order: Vec<usize>,
    pub(super) by_matrix: Vec<AccumulatedMatrix<f64>>,
    pub(super) by_trs: Vec<CombinedTrs<f64>>,
    /// The axes of each node in accumulated matrices. Axes that are only rounding are set to zero.
    pub(super) axes: Vec<Matrix3<f64>>,
    pub(super) skinned: Vec<SkinnedMesh>,
    /// The role of each node.
    pub(super) roles: Vec<Role>,
}

impl Worlds {
    /// Propagates the scene twice. All world transforms are finite.
    pub(super) fn of(scene: &Scene) -> Result<Self, CompareError> {
        let parents: Vec<_> = scene.nodes.iter().map(|node| node.parent).collect();
        let order = parents_first(&parents).map_err(HierarchyError::from)?;
        let poses = Poses::of(scene, parents)?;
        let (by_matrix, by_trs) = (poses.by_matrix()?, poses.by_trs()?);
        let skinned = SkinnedMesh::of_scene(scene)?;
        let axes = axes(scene, &order, &poses, &by_matrix);
        let roles = Role::of_nodes(scene);
        let worlds = Self { by_matrix, by_trs, order, poses, axes, skinned, roles };
        let overflows = |&node: &usize| !worlds.is_finite(node);
        // The first on its path, regardless of the order of the file.
        let first = (0..scene.nodes.len()).find(|node| {
            overflows(node) && !scene.nodes[*node].parent.as_ref().is_some_and(overflows)
        });
        first.map_or(Ok(worlds), |node| Err(CompareError::overflow(scene, node)))
    }

    /// Returns the world matrices of a node in accumulated matrices and in combined TRS.
    pub(super) fn both(&self, node: usize) -> [Matrix4<f64>; 2] {
        [*self.by_matrix[node].matrix(), self.by_trs[node].to_homogeneous()]
    }

    /// Returns the camera or light of a node that is [graded](Role) as one.
    pub(super) fn fixture(&self, scene: &Scene, node: usize) -> Option<Fixture> {
        scene.nodes[node].fixture.filter(|_| matches!(self.roles[node], Role::Fixture(_)))
    }

    /// Returns the skinned mesh of a node.
    pub(super) fn skinned(&self, node: usize) -> Option<&SkinnedMesh> {
        let place = self.skinned.binary_search_by_key(&node, |mesh| mesh.node);
        place.ok().map(|place| &self.skinned[place])
    }

    /// Whether a world scale of zero hides what a node draws, in both strategies.
    pub(super) fn hides(&self, node: usize) -> bool {
        match self.skinned(node) {
            Some(mesh) => mesh.is_hidden(&mesh.posed(|joint| self.both(joint))),
            None => self.is_hidden(node),
        }
    }

    /// Whether a node is invisible because its world scale is zero in both strategies, which is a way to hide
    /// it.
    fn is_hidden(&self, node: usize) -> bool {
        is_hidden(&self.by_matrix[node].linear(), &self.by_trs[node].to_trs().to_linear())
    }

    fn is_finite(&self, node: usize) -> bool {
        self.both(node).iter().flatten().all(|component| component.is_finite())
    }

    /// Returns the number of ancestors of each node.
    pub(super) fn depths(&self, scene: &Scene) -> Vec<usize> {
        let mut depths = vec![0; scene.nodes.len()];
        for &node in &self.order {
            depths[node] = scene.nodes[node].parent.map_or(0, |parent| depths[parent] + 1);
        }
        depths
    }

    // The bounds of a node without a mesh are its origin. So in a scene that draws nothing, a camera far away
    // enlarges the diagonal, and displacements are smaller fractions of it.
    /// Returns the diagonal of the box around the bounds of everything that is drawn, in accumulated
    /// matrices. If that is a point, the diagonal around all bounds; 0 if these are a point too.
    pub(super) fn diagonal(&self, scene: &Scene) -> Result<f64, CompareError> {
        let [mut drawn, mut all]: [Option<(Point3<f64>, Point3<f64>)>; 2] = [None, None];
        for (index, (node, world)) in scene.nodes.iter().zip(&self.by_matrix).enumerate() {
            let is_hidden = node.skin.is_none() && self.is_hidden(index);
            let around = self
                .skinned(index)
                .and_then(|mesh| mesh.around(&mesh.posed(|joint| self.both(joint))));
            let corners = node.bounds.corners().map(|corner| world.transform_point(&corner));
            for corner in corners.chain(around.into_iter().flatten()) {
                if !corner.iter().all(|component| component.is_finite()) {
                    return Err(CompareError::overflow(scene, index));
                }
                let extended = |around: Option<(Point3<f64>, Point3<f64>)>| {
                    let (min, max) = around.unwrap_or((corner, corner));
                    Some((min.inf(&corner), max.sup(&corner)))
                };
                all = extended(all);
                if node.draws() && !is_hidden {
                    drawn = extended(drawn);
                }
            }
        }
        let [drawn, all] =
            [drawn, all].map(|around| around.map_or(0.0, |(min, max)| length(&(max - min))));
        let diagonal = if drawn > 0.0 { drawn } else { all };
        if diagonal.is_finite() { Ok(diagonal) } else { Err(CompareError::SceneTooLarge) }
    }
}

/// Returns the axes of each node from those of its parent, because an axis that is only rounding in a parent
/// remains so in its child.
fn axes(
    scene: &Scene,
    order: &[usize],
    poses: &Poses,
    by_matrix: &[AccumulatedMatrix<f64>],
) -> Vec<Matrix3<f64>> {
    let mut axes: Vec<_> = by_matrix.iter().map(AccumulatedMatrix::linear).collect();
    for &node in order {
        if let Node { parent: Some(parent), inherit: Inherit::All, .. } = scene.nodes[node] {
            let (above, of_parent) = (axes[parent], by_matrix[parent].linear());
            axes[node] = axes_below(&above, &of_parent, &axes[node], &poses.linear(node));
        }
    }
    axes
}
