use nalgebra::{ComplexField, Point3, UnitQuaternion, Vector3};

use super::{Hierarchy, space::WaysUp};
use crate::{
    HierarchyError, Inherit, Kept, NodeId, Place, Trs,
    conversion::inverse_of,
    index::NIL,
    transform::{ParentFrame, RelativeTransform},
};

/// A local pose, and how much of a requested world transform it keeps.
type Fitted<T> = (Trs<T>, Kept<T>);

/// A node, and how much of its world transform it keeps.
type KeptBy<T> = (NodeId, Kept<T>);

/// Setting and keeping the world transform of a node.
impl<X: RelativeTransform> Hierarchy<X> {
    /// Returns the local pose with which a node would stay where it is in the world as a child of `base`, or as a
    /// root if `base` is `None`.
    ///
    /// Also returns how much of its world transform the node would keep. The node is assumed to [inherit](Inherit)
    /// the same parts as now.
    ///
    /// # Errors
    ///
    /// An unknown node; a base without an inverse; a pose that would not be finite.
    pub fn relative_pose(
        &self,
        node: NodeId,
        base: impl Into<Option<NodeId>>,
    ) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let base = base.into().map_or(Ok(NIL), |base| self.tree.index(base))?;
        self.relative(self.tree.index(node)?, base)
    }

    fn relative(&self, node: u32, base: u32) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let inherit = self.inherit_of(node);
        let frame = ParentFrame::new(self.world_of(base), inherit);
        if inherit != Inherit::All {
            let wanted = self.world_of(node);
            return self.fitted((node, base), &frame, &wanted, frame.relative(&wanted));
        }
        let ways = self.ways_up(node, base);
        let ends = self.endpoints(&ways);
        let wanted = self.world_of(node);
        let (id, matrix) = (self.tree.id(node), wanted.to_homogeneous());
        let exact = |local: Trs<X::Scalar>| {
            let is_exact = local.check().is_ok()
                && Kept::displacement(id, &frame, &local, &matrix) == Ok(None);
            is_exact.then_some((local, Kept::Exact))
        };
        // Prefer the rotations as they were authored if they keep everything. A matrix does not show which axis is
        // mirrored, nor how an object without a size is rotated. The authored rotation is also found faster. A
        // strategy that keeps its parts apart finds no other rotation.
        let is_whole = X::identity().parts().is_none();
        let own = is_whole.then(|| self.own_rotation_between(&ways, &ends)).flatten();
        if let Some(fitted) = own.and_then(exact) {
            return Ok(fitted);
        }
        let nearest = ends[0].relative_to(&ends[1]);
        // A strategy may compute the origin with more digits than the scalar has.
        let own = own.zip(nearest).map(|(own, nearest)| own.with_translation(nearest.translation));
        match own.and_then(exact) {
            Some(fitted) => Ok(fitted),
            None => self.fitted((node, base), &frame, &wanted, nearest),
        }
    }

    /// Checks a local pose for a node below a parent, and finds how much of the requested world transform it keeps.
    ///
    /// Fails if there is no pose, or an invalid one.
    fn fitted(
        &self,
        (node, parent): (u32, u32),
        frame: &ParentFrame<X>,
        wanted: &X,
        local: Option<Trs<X::Scalar>>,
    ) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let node = self.tree.id(node);
        let parent_id = (parent != NIL).then(|| self.tree.id(parent));
        let wanted = wanted.to_homogeneous();
        let is_finite = wanted.iter().all(ComplexField::is_finite);
        let local = local.ok_or_else(|| frame.why_outside(node, parent_id, is_finite))?;
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        let kept = Kept::comparing((node, parent_id), frame, &local, &wanted)?;
        Ok((local, kept))
    }

    /// Moves a node with all its descendants to another parent, and keeps its world transform as far as a local pose
    /// can.
    ///
    /// In combined TRS, a local pose keeps all of it unless the new parent's world scale contains a zero. In
    /// accumulated matrices, it cannot if the node's axes are skewed as seen in the new parent's space. The node
    /// then gets the nearest translation, rotation and scale, and keeps its origin.
    /// [`relative_pose`](Self::relative_pose) reports beforehand how much will be kept.
    ///
    /// If only the node's position among its siblings changes, its pose stays as it is.
    ///
    /// # Errors
    ///
    /// As for [`reparent`](Self::reparent); a new parent without an inverse; a pose that would not be finite.
    ///
    /// # Examples
    ///
    /// A crate is dropped where it is:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, strategy::RelativeTransform};
    /// # fn example<Strategy: RelativeTransform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, chest: NodeId) -> Result<(), HierarchyError> {
    /// let kept = hierarchy.reparent_keeping_world(chest, None)?;
    /// if !kept.is_exact() {
    ///     println!("its shape changed: {kept:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn reparent_keeping_world(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let place = place.into();
        let (index, parent) = self.with_parent(node)?;
        let point = self.tree.insertion_point(place)?;
        if point.parent == parent {
            self.reparent(node, place)?;
            return Ok(Kept::Exact);
        }
        self.check_not_below(index, point)?;
        let (local, kept) = self.relative(index, point.parent)?;
        self.reparent(node, place)?;
        self.set_local(node, local)?;
        Ok(kept)
    }

    /// Removes a node and puts its children in its position among its siblings.
    ///
    /// The children keep their order, and their world transforms as far as a local pose can. Returns how much each
    /// of them keeps, in their order.
    ///
    /// # Errors
    ///
    /// As for [`reparent_keeping_world`](Self::reparent_keeping_world), for any of the children. Nothing is removed
    /// then.
    ///
    /// # Examples
    ///
    /// Dissolving a group:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, strategy::RelativeTransform};
    /// # fn ungroup<Strategy: RelativeTransform>(
    /// #     hierarchy: &mut Hierarchy<Strategy>, group: NodeId,
    /// # ) -> Result<(), HierarchyError> {
    /// for (child, kept) in hierarchy.remove_keeping_children(group)? {
    ///     if !kept.is_exact() {
    ///         println!("{child:?} looks different now: {kept:?}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_keeping_children(
        &mut self,
        node: NodeId,
    ) -> Result<Vec<KeptBy<X::Scalar>>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let children = self.tree.child_indices(index);
        let fitted = children.map(|child| Ok((self.tree.id(child), self.relative(child, parent)?)));
        let fitted = fitted.collect::<Result<Vec<_>, HierarchyError>>()?;
        let kept = fitted.into_iter().map(|(child, (local, kept))| {
            self.reparent(child, Place::Before(node))?;
            self.set_local(child, local)?;
            Ok((child, kept))
        });
        let kept = kept.collect::<Result<_, HierarchyError>>()?;
        self.remove(node)?;
        Ok(kept)
    }

    /// Sets the local pose of a node so that its world transform comes as near to `world` as a local pose allows.
    /// The node's origin always goes where `world` puts it.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse; a `world` or a pose that is not finite.
    pub fn set_world(&mut self, node: NodeId, world: X) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let frame = self.parent_frame(index);
        let local = frame.relative(&world);
        let (local, kept) = self.fitted((index, parent), &frame, &world, local)?;
        self.set_local(node, local)?;
        Ok(kept)
    }

    /// Returns the pose of a node relative to another, with the rotation between them as authored and the scale that
    /// fits it best.
    fn own_rotation_between(
        &self,
        ways: &WaysUp,
        [end, base_end]: &[X; 2],
    ) -> Option<Trs<X::Scalar>> {
        let rotation = self.rotations_between(ways).rotation(&UnitQuaternion::identity());
        let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
        let linear = |of: &X| of.to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned();
        let to_base = inverse_of(base_end, &linear(base_end))?;
        let origin = |of: &X| of.transform_point(&Point3::origin());
        let translation = to_base * (origin(end) - origin(base_end));
        let own = to_base * linear(end);
        let axes = rotation.to_rotation_matrix();
        let fit = |i| axes.matrix().column(i).dot(&own.column(i));
        Some(Trs::from_parts(translation, rotation, Vector3::new(fit(0), fit(1), fit(2))))
    }
}
