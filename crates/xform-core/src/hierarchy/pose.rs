use nalgebra::{UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{Change, HierarchyError, Inherit, NodeId, Transform, Trs};

/// Local poses.
impl<X: Transform> Hierarchy<X> {
    /// The local pose of a node: its parent's space from its own.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn local(&self, node: NodeId) -> Result<&Trs<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(&self.locals[self.layout.slot(index)])
    }

    /// Sets the local pose of a node. The same bits again are no change.
    ///
    /// # Errors
    ///
    /// An unknown node; a pose that [`Trs::check`] refuses.
    pub fn set_local(&mut self, node: NodeId, local: Trs<X::Scalar>) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        local.check()?;
        let current = &mut self.locals[self.layout.slot(index)];
        let change = current.change_to(&local);
        if !change.is_empty() {
            *current = local;
            self.mark(index, change);
        }
        Ok(())
    }

    /// Notes that the pose or the parent of a node changed.
    #[inline]
    pub(super) fn mark(&mut self, index: u32, change: Change) {
        let slot = self.layout.slot(index);
        self.changes.insert(slot);
        if let Some(tracker) = &mut self.tracker {
            tracker.mark(slot, change);
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

    /// Sets what a node inherits of its parent's world transform. Its local pose stays as it is, so
    /// it moves; to leave it where it is, read its [`world`](Self::world) before and
    /// [set](Self::set_world) it after.
    ///
    /// Its rotation and scale act in what it inherits, and a turn about the parent's axes is one about
    /// those; its translation is in the whole of its parent's space. It keeps this below any parent. Nodes that inherit everything cost
    /// nothing more; others take a plain step of their own, and where matrices are accumulated a
    /// decomposition.
    ///
    /// # Errors
    ///
    /// An unknown node; a strategy that has no rotation or scale that it could leave out.
    pub fn set_inherit(&mut self, node: NodeId, inherit: Inherit) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        if !inherit.is_possible::<X>() {
            return Err(HierarchyError::InheritsAll(node));
        }
        if inherit != self.inherit_of(index) {
            self.layout.topology.set_inherit(self.layout.slot(index), inherit);
            self.mark(index, Change::ALL);
        }
        Ok(())
    }
}
