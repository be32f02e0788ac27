use nalgebra::{UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{Change, HierarchyError, Inherit, NodeId, Transform, Trs, transform::can_inherit};

/// Local poses.
impl<X: Transform> Hierarchy<X> {
    /// The local pose of a node: its parent's space from its own.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn local(&self, node: NodeId) -> Result<&Trs<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(&self.layout.slots.locals()[self.layout.slot(index)])
    }

    /// Sets the local pose of a node. A pose with exactly the same bits counts as no change.
    ///
    /// # Errors
    ///
    /// An unknown node; a pose that [`Trs::check`] refuses.
    #[inline]
    pub fn set_local(&mut self, node: NodeId, local: Trs<X::Scalar>) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        local.check()?;
        let slot = self.layout.slot(index);
        let current = self.layout.slots.local_mut(slot);
        let change = current.change_to(&local);
        if !change.is_empty() {
            *current = local;
            self.mark_slot(slot, change);
        }
        Ok(())
    }

    /// Marks a node as changed in its pose or its parent, so that the next propagation recomputes it.
    #[inline]
    pub(super) fn mark(&mut self, index: u32, change: Change) {
        self.mark_slot(self.layout.slot(index), change);
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
    pub fn set_translation(
        &mut self,
        node: NodeId,
        translation: Vector3<X::Scalar>,
    ) -> Result<(), HierarchyError> {
        self.set_local(node, self.local(node)?.with_translation(translation))
    }

    /// Sets the rotation of a node's local pose and keeps the rest.
    ///
    /// # Errors
    ///
    /// An unknown node; a rotation that is not finite or not of unit length.
    pub fn set_rotation(
        &mut self,
        node: NodeId,
        rotation: UnitQuaternion<X::Scalar>,
    ) -> Result<(), HierarchyError> {
        self.set_local(node, self.local(node)?.with_rotation(rotation))
    }

    /// Sets the scale of a node's local pose and keeps the rest.
    ///
    /// # Errors
    ///
    /// An unknown node; a scale that is not finite.
    pub fn set_scale(
        &mut self,
        node: NodeId,
        scale: Vector3<X::Scalar>,
    ) -> Result<(), HierarchyError> {
        self.set_local(node, self.local(node)?.with_scale(scale))
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
            self.layout.slots.set_inherit(self.layout.slot(index), inherit);
            self.mark(index, Change::ALL);
        }
        Ok(())
    }
}
