use std::iter::successors;

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::Hierarchy;
use crate::{
    HierarchyError, Inherit, NodeId, Real, Space, Transform, Trs,
    conversion::{Conversion, RotationConversion},
    index::NIL,
    path_rotation::PathRotation,
    transform::ParentFrame,
};

/// A node and its ancestors. Up to 32 nodes, which is deeper than scenes usually are, it takes no memory on the
/// heap.
type Path = SmallVec<[u32; 32]>;

/// Two nodes, and the ways from them to their nearest common ancestor.
pub(super) struct WaysUp {
    nodes: [u32; 2],
    /// The ancestor, which may be one of the nodes. `None` if there is no such ancestor, or if a node on the way inherits
    /// less than everything.
    common: Option<u32>,
    /// The path from each node up to the ancestor, without it.
    paths: [Path; 2],
}

/// Conversion between spaces.
impl<X: Transform> Hierarchy<X> {
    /// Returns a conversion from one space to another, for points, vectors, directions and normals.
    ///
    /// The result is correct even while edits are pending. A conversion to or from the world takes constant time, or
    /// time in proportion to the depth while edits are pending.
    ///
    /// Two nodes are compared below their nearest common ancestor, in time proportional to their depth below it. So
    /// the distance to the world's origin costs no precision, and in accumulated matrices neither does anything else
    /// that the two nodes have in common. If a node on the way [inherits](crate::Inherit) less than everything, they
    /// are compared in the world.
    ///
    /// # Errors
    ///
    /// An unknown node; a target space without an inverse, as seen from the space in which the two are compared; a
    /// world transform that is not finite.
    ///
    /// # Examples
    ///
    /// The tip of a sword in the space of the knight who holds it, and in the world:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Point3, NodeId, Space, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, sword: NodeId, knight: NodeId) -> Result<(), HierarchyError> {
    /// let tip = hierarchy.conversion(sword, knight)?.point(&Point3::new(0.0, 1.0, 0.0));
    /// let tip_in_world = hierarchy.conversion(sword, Space::World)?.point(&Point3::new(0.0, 1.0, 0.0));
    /// # let _ = (tip, tip_in_world);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn conversion(
        &self,
        from: impl Into<Space>,
        to: impl Into<Space>,
    ) -> Result<Conversion<X::Scalar>, HierarchyError> {
        let (source, target) = (self.node_of(from.into())?, self.node_of(to.into())?);
        if source == NIL || target != NIL {
            return self.conversion_to(source, target);
        }
        // A conversion to the world is inlined. If a call returned it in memory, it would have to leave the store
        // buffer before it could be used.
        let node = self.tree.id(source);
        if self.is_outdated(source) {
            Conversion::to_world(node, &self.world_now(source))
        } else {
            Conversion::to_world(node, &self.layout.slots.worlds()[self.tree.slot(source)])
        }
    }

    #[inline(never)]
    fn conversion_to(
        &self,
        source: u32,
        target: u32,
    ) -> Result<Conversion<X::Scalar>, HierarchyError> {
        if target == NIL {
            return Ok(Conversion::identity());
        }
        let id = self.tree.id(target);
        if source == NIL {
            return Conversion::from_world(id, &self.world_of(target));
        }
        let [from, to] = self.endpoints(&self.ways_up(source, target));
        Conversion::between((self.tree.id(source), &from), (id, &to))
    }

    /// Returns a conversion of rotations from one space to another.
    ///
    /// The rotations of the nodes on the way are multiplied as for [`world_rotation`](Self::world_rotation), so in
    /// accumulated matrices it takes time in proportion to the depth. Scales have no effect, so this describes what
    /// happens to an object only if they are uniform.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// The rotation of a gun as seen from the vehicle on which it is mounted:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Real, Transform, nalgebra::UnitQuaternion};
    /// # fn seen_from<Strategy: Transform>(
    /// #     hierarchy: &Hierarchy<Strategy>, gun: NodeId, vehicle: NodeId,
    /// # ) -> Result<UnitQuaternion<Strategy::Scalar>, HierarchyError> {
    /// let to_vehicle = hierarchy.rotation_conversion(gun, vehicle)?;
    /// Ok(to_vehicle.rotation(&UnitQuaternion::identity()))
    /// # }
    /// ```
    pub fn rotation_conversion(
        &self,
        from: impl Into<Space>,
        to: impl Into<Space>,
    ) -> Result<RotationConversion<X::Scalar>, HierarchyError> {
        let [source, target] = [self.node_of(from.into())?, self.node_of(to.into())?];
        Ok(self.rotations_between(&self.ways_up(source, target)))
    }

    pub(super) fn rotations_between(&self, ways: &WaysUp) -> RotationConversion<X::Scalar> {
        let [source, target] = match ways.common {
            Some(_) => ways.paths.each_ref().map(|path| self.rotation_up(path.iter().copied())),
            None => ways.nodes.map(|node| self.path_rotation(node)),
        };
        RotationConversion::between(source, target)
    }

    /// Returns the index of the node whose own space this is; `NIL` for the world.
    #[inline]
    fn node_of(&self, space: Space) -> Result<u32, HierarchyError> {
        match space {
            Space::World => Ok(NIL),
            Space::Local(node) => self.tree.index(node),
            Space::Parent(node) => Ok(self.tree.parent(self.tree.index(node)?)),
        }
    }

    /// Returns the transforms of two nodes, both as seen from below their nearest common ancestor. They are seen
    /// from the world if there is no such ancestor, or if a node on the way inherits less than everything.
    pub(super) fn endpoints(&self, ways: &WaysUp) -> [X; 2] {
        let Some(common) = ways.common else {
            return ways.nodes.map(|node| self.world_of(node));
        };
        let above = self.world_of(common).for_descendants();
        let [a, b] = &ways.paths;
        [self.world_below(above, a), self.world_below(above, b)]
    }

    fn world_below(&self, above: X, path: &[u32]) -> X {
        let mut transform = above;
        for local in self.locals_down(path) {
            transform = transform.concat(local);
        }
        transform
    }

    /// Returns the ways from two nodes to their nearest common ancestor.
    pub(super) fn ways_up(&self, a: u32, b: u32) -> WaysUp {
        // Filled in place: the paths are large, and moving them took a tenth of a conversion.
        let mut ways = WaysUp { nodes: [a, b], common: None, paths: [Path::new(), Path::new()] };
        if a == NIL || b == NIL {
            return ways;
        }
        let [path_a, path_b] = &mut ways.paths;
        path_a.extend(self.upwards(a));
        path_b.extend(self.upwards(b));
        let mut common = None;
        while path_a.last().is_some_and(|last| path_b.last() == Some(last)) {
            common = path_a.pop();
            path_b.pop();
        }
        let inherits_all = |path: &Path| self.inherits_less(path).is_none();
        ways.common = common.filter(|_| inherits_all(path_a) && inherits_all(path_b));
        ways
    }

    fn path(&self, node: u32) -> Path {
        let mut path = Path::new();
        path.extend(self.upwards(node));
        path
    }

    /// Returns a node and all its ancestors, the root last; nothing for `NIL`.
    #[inline]
    pub(super) fn upwards(&self, node: u32) -> impl Iterator<Item = u32> {
        let live = |index: u32| (index != NIL).then_some(index);
        successors(live(node), move |&node| live(self.tree.parent(node)))
    }

    /// Returns the local poses of a path from its last node to its first, that is, from the root down.
    pub(super) fn locals_down<'a>(
        &'a self,
        path: &'a [u32],
    ) -> impl Iterator<Item = &'a Trs<X::Scalar>> {
        path.iter().rev().map(|&node| self.local_of(node))
    }

    fn local_of(&self, node: u32) -> &Trs<X::Scalar> {
        &self.layout.slots.locals()[self.tree.slot(node)]
    }

    /// Returns the accumulated rotation of nodes, each of which is below the next.
    fn rotation_up(&self, upwards: impl Iterator<Item = u32>) -> PathRotation<X::Scalar> {
        let passes_signs = X::identity().parts().is_none();
        let own = |node| PathRotation::of_local(self.local_of(node), passes_signs);
        let mut rotations = upwards.map(own);
        let mut all = PathRotation::identity();
        // Two at a time, so that only every other product waits for the one before. After sixteen products the
        // length is off by so little that one step of renormalising, which squares the error, corrects it.
        for pair in 1_usize.. {
            let Some(below) = rotations.next() else { break };
            let both = rotations.next().map_or(below, |above| above.then(below));
            all = both.then(all);
            if pair % 8 == 0 {
                all = all.renormalized();
            }
        }
        all.renormalized().renormalized()
    }

    /// Returns the accumulated rotation of a node: from the root down, or from the last node on the way that
    /// inherits less than everything.
    pub(super) fn path_rotation(&self, node: u32) -> PathRotation<X::Scalar> {
        if X::identity().parts().is_some()
            && let Some(world) = self.world_of(node).parts()
        {
            return PathRotation::of(world.rotation);
        }
        if self.layout.slots.topology().inherits().is_empty() {
            return self.rotation_up(self.upwards(node));
        }
        let path = self.path(node);
        match self.inherits_less(&path) {
            Some(last) => {
                let below = self.rotation_up(path[..=last].iter().copied());
                self.parent_rotation(path[last]).then(below).renormalized()
            }
            None => self.rotation_up(path.into_iter()),
        }
    }

    /// Returns the accumulated rotation that a node inherits, in which its local rotation acts.
    pub(super) fn parent_rotation(&self, node: u32) -> PathRotation<X::Scalar> {
        match self.inherit_of(node) {
            Inherit::All => self.path_rotation(self.tree.parent(node)),
            some => PathRotation::of_frame(&self.parent_frame(node).frame(), some),
        }
    }

    /// Returns the product of the local scales from the root down, or from the last node on the way that does not
    /// inherit scale.
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

    /// Returns the first index of a path whose node inherits less than everything.
    fn inherits_less(&self, path: &[u32]) -> Option<usize> {
        if self.layout.slots.topology().inherits().is_empty() {
            return None;
        }
        path.iter().position(|&node| self.inherit_of(node) != Inherit::All)
    }

    pub(super) fn inherit_of(&self, node: u32) -> Inherit {
        self.layout.slots.topology().inherit(self.tree.slot(node))
    }

    /// Returns the frame in which a node's local pose acts.
    pub(super) fn parent_frame(&self, node: u32) -> ParentFrame<X> {
        ParentFrame::new(self.world_of(self.tree.parent(node)), self.inherit_of(node))
    }

    /// Returns the index of a node and that of its parent, which is `NIL` for a root.
    pub(super) fn with_parent(&self, node: NodeId) -> Result<(u32, u32), HierarchyError> {
        let index = self.tree.index(node)?;
        Ok((index, self.tree.parent(index)))
    }
}
