use super::{Hierarchy, slot_table::Row};
use crate::{HierarchyError, InstructionSet, NodeId, Place, Transform, Trs};

/// The basic operations: create a hierarchy, insert nodes, propagate, read world transforms.
impl<X: Transform> Hierarchy<X> {
    /// Creates a hierarchy without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// Adds a node with a local pose, and returns its id.
    ///
    /// As `place`, a [`NodeId`] means the last child of that node, and `None` means the last root.
    ///
    /// # Errors
    ///
    /// An unknown node in `place`; a pose that [`Trs::normalized`] refuses; more nodes than a `u32` can number.
    ///
    /// # Examples
    ///
    /// A root, a child of it, and another child before that one:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Vector3, Place, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>) -> Result<(), HierarchyError> {
    /// let arm = hierarchy.insert(None, Trs::identity())?;
    /// let hand = hierarchy.insert(arm, Trs::from_translation(Vector3::new(0.0, 0.5, 0.0)))?;
    /// let shoulder = hierarchy.insert(Place::Before(hand), Trs::identity())?;
    /// assert!(hierarchy.children(arm)?.eq([shoulder, hand]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert(
        &mut self,
        place: impl Into<Place>,
        local: Trs<X::Scalar>,
    ) -> Result<NodeId, HierarchyError> {
        let point = self.tree.insertion_point(place.into())?;
        let local = local.normalized()?;
        // Called before anything changes, because a strategy may panic.
        let world = X::identity();
        let id = self.tree.allocate_one()?;
        self.compact_if_mostly_vacant();
        self.tree.attach(id.index, point);
        self.append_leaf(Row::new(id.index, local, world), point);
        Ok(id)
    }

    /// Brings every world transform up to date.
    ///
    /// Recomputes only the nodes that changed and their descendants, each once, parents before children. If nothing
    /// changed, it returns at once. After many structural edits it first puts the nodes in order again. That takes
    /// linear time, which amounts to constant time for each of those edits.
    ///
    /// # Examples
    ///
    /// Once a frame, after all moving nodes were set:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::{UnitQuaternion, Vector3}, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, wheels: &[NodeId]) -> Result<(), HierarchyError> {
    /// let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.57);
    /// for &wheel in wheels {
    ///     hierarchy.set_rotation(wheel, quarter)?;
    /// }
    /// hierarchy.propagate();
    /// assert!(hierarchy.worlds().is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn propagate(&mut self) {
        self.propagate_by(InstructionSet::best());
    }

    /// Returns this hierarchy for reading, after a [propagation](Self::propagate) if any edit is pending.
    ///
    /// Use this to read many world transforms between edits. With no edit pending, each read takes a few
    /// nanoseconds. While an edit is pending, each read climbs to the root and accumulates again from the uppermost
    /// ancestor that changed. This method costs one propagation of the changes, once.
    ///
    /// It counts as a propagation, so [`changed`](Self::changed) and [`change_of`](Self::change_of) then refer to
    /// this one. To see all changes of a frame, use a [cursor](Self::change_cursor) or a [watcher](Self::watch),
    /// which miss none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Vector3, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, hip: NodeId, fingers: &[NodeId]) -> Result<(), HierarchyError> {
    /// hierarchy.set_translation(hip, Vector3::y())?;
    /// let settled = hierarchy.settled();
    /// for &finger in fingers {
    ///     let tip = settled.world_translation(finger)?;
    ///     # let _ = tip;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    // World transforms that are read while edits are pending are not cached: a read takes `&self`, so the cache
    // would need locks or cells in each hierarchy. Propagating first is enough: 2 000 reads at the end of a chain of
    // 2 000 nodes take 46 ms while an edit is pending, and 21 µs after a propagation (`ratios handed-on`).
    pub fn settled(&mut self) -> &Self {
        if !self.is_propagated() {
            self.propagate();
        }
        self
    }

    /// Returns the world transform of a node, which takes points from the node's own space to the world.
    ///
    /// The result is correct even while edits are pending. Reading is free if none are. Otherwise it takes time at
    /// most in proportion to the node's depth.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// Picking: whether a point of the world is inside a node's unit cube.
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Point3, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, chest: NodeId, picked: Point3<f32>) -> Result<(), HierarchyError> {
    /// let own = hierarchy.world(chest)?.inverse_transform_point(&picked);
    /// let is_inside = own.is_some_and(|own| own.coords.amax() <= 0.5);
    /// # let _ = is_inside;
    /// # Ok(())
    /// # }
    /// ```
    pub fn world(&self, node: NodeId) -> Result<X, HierarchyError> {
        Ok(self.world_of(self.tree.index(node)?))
    }
}
