use nalgebra::{UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    HierarchyError, Inherit, NodeId, PoseError, Transform, Trs, change::Change,
    transform::can_inherit,
};

/// Local poses.
impl<X: Transform> Hierarchy<X> {
    /// The local pose of a node: its parent's space from its own.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn local(&self, node: NodeId) -> Result<&Trs<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(&self.layout.slots.locals()[self.tree.slot(index)])
    }

    /// Sets the local pose of a node. A pose with exactly the same bits counts as no change.
    ///
    /// A rotation whose length is at most [`Trs::NEAR_UNIT`] off is [made unit](Trs::normalized), here and wherever a
    /// hierarchy takes a rotation.
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

    /// Changes the local pose of a node in place, and returns what `change` does.
    ///
    /// # Errors
    ///
    /// An unknown node; a changed pose that [`Trs::normalized`] refuses, and the pose is as it was.
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

    /// Sets it where changes are tracked, which takes longer; apart, so that the rest is small enough to be inlined.
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

    /// Inlined into its callers, and these into theirs: what they pass was mostly just stored, component by component, and
    /// a function would load two of them as one and wait until they have left the store buffer.
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

    /// What a node inherits of its parent's world transform: everything, unless set otherwise.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn inherit(&self, node: NodeId) -> Result<Inherit, HierarchyError> {
        Ok(self.inherit_of(self.tree.index(node)?))
    }

    /// Sets what a node inherits of its parent's world transform.
    ///
    /// The local pose stays as it is, so the node moves. To leave it where it is, read its
    /// [`world`](Self::world) before and [set](Self::set_world) it after. The setting stays with the node
    /// below any parent.
    ///
    /// The node's rotation and scale act in the frame that it inherits, and a turn about the parent's axes
    /// is one about the axes of that frame. Its translation is in the whole of its parent's space, unless
    /// it inherits nothing. Nodes that inherit everything cost nothing more. Others take a plain step of
    /// their own, and in accumulated matrices a decomposition.
    ///
    /// # Errors
    ///
    /// An unknown node; an `inherit` that leaves out a rotation or scale which this strategy cannot leave
    /// out.
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
