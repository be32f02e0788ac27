use nalgebra::Vector3;

use super::Hierarchy;
use crate::{
    Conversion, HierarchyError, Inherit, NodeId, Real, Space, Transform, Trs, conversion::End,
    inherit::Above, tree::NIL, turn::Turn,
};

/// From space to space.
impl<X: Transform> Hierarchy<X> {
    /// The way from one space to another, for points, vectors, directions, normals and rotations.
    ///
    /// Correct whatever is pending, and takes time in proportion to the depth at most. Two nodes are
    /// compared below their nearest common ancestor, so that what is common to both costs no
    /// precision: not the distance to the world's origin, and in accumulated matrices nothing at all.
    /// Where a node on the way [inherits](crate::Inherit) less than everything, they are compared in
    /// the world.
    ///
    /// # Errors
    ///
    /// An unknown node; a target space without an inverse, as seen from where the two meet; a world
    /// transform that is not finite.
    pub fn conversion(
        &self,
        from: impl Into<Space>,
        to: impl Into<Space>,
    ) -> Result<Conversion<X::Scalar>, HierarchyError> {
        let [source, target] = self.ends(self.node_of(from.into())?, self.node_of(to.into())?);
        Conversion::between(&source, &target)
    }

    /// The index of the node whose own space it is, `NIL` for the world.
    fn node_of(&self, space: Space) -> Result<u32, HierarchyError> {
        match space {
            Space::World => Ok(NIL),
            Space::Local(node) => self.tree.index(node),
            Space::Parent(node) => Ok(self.tree.parent(self.tree.index(node)?)),
        }
    }

    /// Two spaces, both seen from below their nearest common ancestor, or from the world where
    /// there is none.
    pub(super) fn ends(&self, a: u32, b: u32) -> [End<X>; 2] {
        if a == NIL || b == NIL {
            return [a, b].map(|node| self.end(node));
        }
        let [mut path_a, mut path_b] = [self.path(a), self.path(b)];
        let common = path_a.iter().rev().zip(path_b.iter().rev()).take_while(|(a, b)| a == b);
        let common = common.count();
        let below_common = [&path_a, &path_b].map(|path| &path[..path.len() - common]);
        let inherits_less = |&node: &u32| self.inherit_of(node) != Inherit::All;
        if common == 0 || below_common.into_iter().flatten().any(inherits_less) {
            return [a, b].map(|node| self.end(node));
        }
        let above = self.world_of(path_a[path_a.len() - common]).for_descendants();
        path_a.truncate(path_a.len() - common);
        path_b.truncate(path_b.len() - common);
        [(a, path_a), (b, path_b)].map(|(node, path)| End {
            node: Some(self.tree.id(node)),
            transform: self.locals_down(&path).fold(above, |world, local| world.concat(local)),
            turn: self.turn_down(Turn::identity(), &path),
        })
    }

    /// A space seen from the world.
    fn end(&self, node: u32) -> End<X> {
        End {
            node: (node != NIL).then(|| self.tree.id(node)),
            transform: self.world_of(node),
            turn: self.turn_of(node),
        }
    }

    /// A node and all its ancestors, the root last.
    fn path(&self, node: u32) -> Vec<u32> {
        let live = |index: u32| (index != NIL).then_some(index);
        std::iter::successors(live(node), |&node| live(self.tree.parent(node))).collect()
    }

    /// The local poses of a path, its last node's first.
    pub(super) fn locals_down<'a>(
        &'a self,
        path: &'a [u32],
    ) -> impl Iterator<Item = &'a Trs<X::Scalar>> {
        path.iter().rev().map(|&node| &self.locals[self.layout.slot(node)])
    }

    fn turn_down(&self, top: Turn<X::Scalar>, path: &[u32]) -> Turn<X::Scalar> {
        self.locals_down(path).fold(top, Turn::below::<X>)
    }

    /// How the rotations from the root down to a node add up; from the last node on the way that
    /// inherits less than everything, where there is one.
    pub(super) fn turn_of(&self, node: u32) -> Turn<X::Scalar> {
        if let Some(world) = self.world_of(node).parts() {
            return Turn::of(world.rotation);
        }
        let path = self.path(node);
        match path.iter().position(|&node| self.inherit_of(node) != Inherit::All) {
            Some(last) => self.turn_down(self.turn_above(path[last]), &path[..=last]),
            None => self.turn_down(Turn::identity(), &path),
        }
    }

    /// How the rotations that a node inherits add up.
    pub(super) fn turn_above(&self, node: u32) -> Turn<X::Scalar> {
        match self.inherit_of(node) {
            Inherit::All => self.turn_of(self.tree.parent(node)),
            some => Turn::of_frame(&self.above(node).frame(), some),
        }
    }

    /// The product of the local scales from the root down, or from the last node on the way that does
    /// not inherit scale.
    pub(super) fn scale_of(&self, node: u32) -> Vector3<X::Scalar> {
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
        self.layout.topology.inherit(self.layout.slot(node))
    }

    /// What a node hangs from.
    pub(super) fn above(&self, node: u32) -> Above<X> {
        Above::new(self.world_of(self.tree.parent(node)), self.inherit_of(node))
    }

    /// The index of a node, and that of its parent, `NIL` for a root.
    pub(super) fn with_parent(&self, node: NodeId) -> Result<(u32, u32), HierarchyError> {
        let index = self.tree.index(node)?;
        Ok((index, self.tree.parent(index)))
    }
}
