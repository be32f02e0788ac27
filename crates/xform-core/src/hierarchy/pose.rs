use nalgebra::{UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    HierarchyError, Inherit, NodeId, PoseError, Transform, Trs, change::Change,
    transform::can_inherit,
};

/// Reading and setting local poses.
impl<X: Transform> Hierarchy<X> {
    /// Returns the local pose of a node, which takes points from its own space to its parent's.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn local(&self, node: NodeId) -> Result<&Trs<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(&self.layout.slots.locals()[self.tree.slot(index)])
    }

    /// Sets the local pose of a node. A pose with exactly the same bits does not count as a change.
    ///
    /// A rotation whose length is off by at most [`Trs::NEAR_UNIT`] is [made unit length](Trs::normalized), here and
    /// in every method of a hierarchy that takes a rotation.
    ///
    /// # Errors
    ///
    /// An unknown node; a pose that [`Trs::normalized`] refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::{UnitQuaternion, Vector3}, NodeId, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, door: NodeId) -> Result<(), HierarchyError> {
    /// let open = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 1.2);
    /// hierarchy.set_local(door, Trs::from_rotation(open))?;
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn set_local(
        &mut self,
        node: NodeId,
        mut local: Trs<X::Scalar>,
    ) -> Result<(), HierarchyError> {
        let slot = self.tree.slot_of(node)?;
        local.normalize().map_err(|error| HierarchyError::PoseOf { node, error })?;
        self.change_local(slot, &local);
        Ok(())
    }

    /// Changes the local pose of a node in place, and returns the result of `change`.
    ///
    /// # Errors
    ///
    /// An unknown node; a changed pose that [`Trs::normalized`] refuses. The pose is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use nalgebra::{Matrix4, Point3, Vector3};
    /// # use xform_core::{Hierarchy, HierarchyError, Transform, Trs};
    /// # fn raise<Strategy: Transform<Scalar = f32>>() -> Result<(), HierarchyError> {
    /// let mut hierarchy = Hierarchy::<Strategy>::new();
    /// let lift = hierarchy.insert(None, Trs::identity())?;
    /// hierarchy.update(lift, |pose| pose.translation.y += 1.5)?;
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn update<R>(
        &mut self,
        node: NodeId,
        change: impl FnOnce(&mut Trs<X::Scalar>) -> R,
    ) -> Result<R, HierarchyError> {
        let mut local = *self.local(node)?;
        let returned = change(&mut local);
        self.set_local(node, local)?;
        Ok(returned)
    }

    /// Sets the pose in a slot to a valid one.
    #[inline]
    pub(super) fn change_local(&mut self, slot: usize, local: &Trs<X::Scalar>) {
        let is_tracked = self.tracker.is_some();
        let current = self.layout.slots.local_mut(slot);
        if current.differs_from(local) {
            if is_tracked {
                return self.change_tracked_local(slot, local);
            }
            *current = *local;
            self.changes.insert(slot);
        }
    }

    /// The part of [`change_local`](Self::change_local) for tracked changes. It takes longer, and is separate so
    /// that the rest is small enough to be inlined.
    #[inline(never)]
    fn change_tracked_local(&mut self, slot: usize, local: &Trs<X::Scalar>) {
        let current = self.layout.slots.local_mut(slot);
        let change = current.change_to(local);
        *current = *local;
        self.mark_slot(slot, change);
    }

    /// Marks a node as changed in its pose or its parent, so that the next propagation recomputes it.
    #[inline]
    pub(super) fn mark(&mut self, index: u32, change: Change) {
        self.mark_slot(self.tree.slot(index), change);
    }

    #[inline]
    pub(super) fn mark_slot(&mut self, slot: usize, change: Change) {
        self.changes.insert(slot);
        if let Some(changes) = self.layout.slots.changes_mut() {
            changes[slot].local |= change;
        }
    }

    /// Sets the translation of a node's local pose and keeps the rest.
    ///
    /// # Errors
    ///
    /// An unknown node; a translation that is not finite.
    #[inline(always)]
    pub fn set_translation(
        &mut self,
        node: NodeId,
        translation: impl Into<Vector3<X::Scalar>>,
    ) -> Result<(), HierarchyError> {
        let translation = translation.into();
        self.set_part(node, |local| local.set_translation(&translation))
    }

    /// Sets the rotation of a node's local pose and keeps the rest.
    ///
    /// # Errors
    ///
    /// An unknown node; a rotation that is not finite or not [near unit length](Trs::NEAR_UNIT).
    #[inline(always)]
    pub fn set_rotation(
        &mut self,
        node: NodeId,
        rotation: impl Into<UnitQuaternion<X::Scalar>>,
    ) -> Result<(), HierarchyError> {
        let rotation = rotation.into();
        self.set_part(node, |local| local.set_rotation(&rotation))
    }

    /// Sets the scale of a node's local pose and keeps the rest.
    ///
    /// # Errors
    ///
    /// An unknown node; a scale that is not finite.
    #[inline(always)]
    pub fn set_scale(
        &mut self,
        node: NodeId,
        scale: impl Into<Vector3<X::Scalar>>,
    ) -> Result<(), HierarchyError> {
        let scale = scale.into();
        self.set_part(node, |local| local.set_scale(&scale))
    }

    /// Sets a part of a node's local pose and marks the slot if it changed.
    //
    // This and its callers are always inlined. The caller usually has just stored the vector component by component.
    // A function would load two components as one and wait until they have left the store buffer. In one build the
    // setter of a translation was called as a function, and setting half of 100 000 nodes in order took 1.33 of
    // glam's time; inlined it takes 0.81 (`ratios some-set`).
    #[inline(always)]
    fn set_part(
        &mut self,
        node: NodeId,
        set: impl FnOnce(&mut Trs<X::Scalar>) -> Result<Change, PoseError>,
    ) -> Result<(), HierarchyError> {
        let slot = self.tree.slot_of(node)?;
        let change = set(self.layout.slots.local_mut(slot))
            .map_err(|error| HierarchyError::PoseOf { node, error })?;
        if !change.is_empty() {
            self.mark_slot(slot, change);
        }
        Ok(())
    }

    /// Returns which parts of its parent's world transform a node inherits: everything, unless set otherwise.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn inherit(&self, node: NodeId) -> Result<Inherit, HierarchyError> {
        Ok(self.inherit_of(self.tree.index(node)?))
    }

    /// Sets which parts of its parent's world transform a node inherits.
    ///
    /// The local pose stays as it is, so the node moves. To leave it where it is, read its [`world`](Self::world)
    /// before and [set](Self::set_world) it after. The node keeps the setting below any parent.
    ///
    /// The node's rotation and scale act in the inherited frame, and rotating it about the parent's axes means about
    /// the axes of that frame. Its translation is given in the whole of its parent's space, unless it inherits
    /// nothing. Nodes that inherit everything cost nothing extra. Others take a plain step of their own, with a
    /// decomposition in accumulated matrices.
    ///
    /// # Errors
    ///
    /// An unknown node; an `inherit` that leaves out a rotation or scale which this strategy cannot leave out.
    pub fn set_inherit(&mut self, node: NodeId, inherit: Inherit) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        if !can_inherit::<X>(inherit) {
            return Err(HierarchyError::InheritsAll(node));
        }
        if inherit != self.inherit_of(index) {
            self.layout.slots.set_inherit(self.tree.slot(index), inherit);
            self.mark(index, Change::ALL);
        }
        Ok(())
    }
}
