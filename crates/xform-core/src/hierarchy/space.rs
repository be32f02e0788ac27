use nalgebra::Vector3;

use super::Hierarchy;
use crate::{
    HierarchyError, Inherit, NodeId, Real, Space, Transform, Trs,
    conversion::{Conversion, Endpoint},
    index::NIL,
    path_rotation::PathRotation,
    transform::ParentFrame,
};

/// Conversion between spaces.
impl<X: Transform> Hierarchy<X> {
    /// A conversion from one space to another, for points, vectors, directions, normals and rotations.
    ///
    /// Correct even while edits are pending; takes time in proportion to the depth at most. Two nodes are
    /// compared below their nearest common ancestor. So the distance to the world's origin costs no
    /// precision, and in accumulated matrices nothing else that the two have in common does. If a node on
    /// the way [inherits](crate::Inherit) less than everything, they are compared in the world.
    ///
    /// # Errors
    ///
    /// An unknown node; a target space without an inverse, as seen from where the two are compared; a world
    /// transform that is not finite.
    pub fn conversion(
        &self,
        from: impl Into<Space>,
        to: impl Into<Space>,
    ) -> Result<Conversion<X::Scalar>, HierarchyError> {
        let [source, target] = self.endpoints(self.node_of(from.into())?, self.node_of(to.into())?);
        Conversion::between(&source, &target)
    }

    /// The index of the node whose own space this is, `NIL` for the world.
    fn node_of(&self, space: Space) -> Result<u32, HierarchyError> {
        match space {
            Space::World => Ok(NIL),
            Space::Local(node) => self.tree.index(node),
            Space::Parent(node) => Ok(self.tree.parent(self.tree.index(node)?)),
        }
    }

    /// The own spaces of two nodes, both seen from below their nearest common ancestor. They are seen from
    /// the world if there is no such ancestor, or if a node on the way inherits less than everything.
    pub(super) fn endpoints(&self, a: u32, b: u32) -> [Endpoint<X>; 2] {
        if a == NIL || b == NIL {
            return [a, b].map(|node| self.endpoint_in_world(node));
        }
        let [mut path_a, mut path_b] = [self.path(a), self.path(b)];
        let common = path_a.iter().rev().zip(path_b.iter().rev()).take_while(|(a, b)| a == b);
        let common = common.count();
        let below_common = [&path_a, &path_b].map(|path| &path[..path.len() - common]);
        let inherits_less = |&node: &u32| self.inherit_of(node) != Inherit::All;
        if common == 0 || below_common.into_iter().flatten().any(inherits_less) {
            return [a, b].map(|node| self.endpoint_in_world(node));
        }
        let above = self.world_of(path_a[path_a.len() - common]).for_descendants();
        path_a.truncate(path_a.len() - common);
        path_b.truncate(path_b.len() - common);
        [(a, path_a), (b, path_b)].map(|(node, path)| Endpoint {
            node: Some(self.tree.id(node)),
            transform: self.locals_down(&path).fold(above, |world, local| world.concat(local)),
            rotation: self.rotation_down(PathRotation::identity(), &path),
        })
    }

    /// The own space of a node, or the world for `NIL`, as seen from the world.
    fn endpoint_in_world(&self, node: u32) -> Endpoint<X> {
        Endpoint {
            node: (node != NIL).then(|| self.tree.id(node)),
            transform: self.world_of(node),
            rotation: self.path_rotation(node),
        }
    }

    /// A node and all its ancestors, the root last.
    fn path(&self, node: u32) -> Vec<u32> {
        let live = |index: u32| (index != NIL).then_some(index);
        std::iter::successors(live(node), |&node| live(self.tree.parent(node))).collect()
    }

    /// The local poses of a path from its last node to its first, so from the root down.
    pub(super) fn locals_down<'a>(
        &'a self,
        path: &'a [u32],
    ) -> impl Iterator<Item = &'a Trs<X::Scalar>> {
        path.iter().rev().map(|&node| &self.layout.slots.locals()[self.tree.slot(node)])
    }

    fn rotation_down(&self, top: PathRotation<X::Scalar>, path: &[u32]) -> PathRotation<X::Scalar> {
        self.locals_down(path).fold(top, PathRotation::below::<X>)
    }

    /// The accumulated rotation of a node: from the root down, or from the last node on the way that
    /// inherits less than everything.
    pub(super) fn path_rotation(&self, node: u32) -> PathRotation<X::Scalar> {
        if let Some(world) = self.world_of(node).parts() {
            return PathRotation::of(world.rotation);
        }
        let path = self.path(node);
        match path.iter().position(|&node| self.inherit_of(node) != Inherit::All) {
            Some(last) => self.rotation_down(self.parent_rotation(path[last]), &path[..=last]),
            None => self.rotation_down(PathRotation::identity(), &path),
        }
    }

    /// The accumulated rotation that a node inherits, in which its local rotation acts.
    pub(super) fn parent_rotation(&self, node: u32) -> PathRotation<X::Scalar> {
        match self.inherit_of(node) {
            Inherit::All => self.path_rotation(self.tree.parent(node)),
            some => PathRotation::of_frame(&self.parent_frame(node).frame(), some),
        }
    }

    /// The product of the local scales from the root down, or from the last node on the way that does
    /// not inherit scale.
    pub(super) fn path_scale(&self, node: u32) -> Vector3<X::Scalar> {
        if let Some(world) = self.world_of(node).parts() {
            return world.scale;
        }
        let path = self.path(node);
        let last = path.iter().position(|&node| !self.inherit_of(node).scale());
        let path = &path[..last.map_or(path.len(), |last| last + 1)];
        let one = Vector3::repeat(X::Scalar::rounded(1.0));
        self.locals_down(path).fold(one, |scale, local| scale.component_mul(&local.scale))
    }

    pub(super) fn inherit_of(&self, node: u32) -> Inherit {
        self.layout.slots.topology().inherit(self.tree.slot(node))
    }

    /// The frame that a node's local pose acts in.
    pub(super) fn parent_frame(&self, node: u32) -> ParentFrame<X> {
        ParentFrame::new(self.world_of(self.tree.parent(node)), self.inherit_of(node))
    }

    /// The index of a node, and that of its parent, `NIL` for a root.
    pub(super) fn with_parent(&self, node: NodeId) -> Result<(u32, u32), HierarchyError> {
        let index = self.tree.index(node)?;
        Ok((index, self.tree.parent(index)))
    }
}
