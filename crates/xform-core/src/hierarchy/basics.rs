use super::{Hierarchy, slot_table::Row};
use crate::{HierarchyError, InstructionSet, NodeId, Place, Transform, Trs};

/// What every program calls: make a hierarchy, insert nodes, propagate, read world transforms.
impl<X: Transform> Hierarchy<X> {
    /// A hierarchy without nodes.
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
    /// An unknown node in `place`, a pose that [`Trs::normalized`] refuses, more nodes than a `u32` can
    /// number.
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
    /// Recomputes only nodes at or below a change, each once, parents before children. If nothing changed,
    /// it returns at once. After many structural edits it first puts the nodes in order again. That takes
    /// linear time, which comes to constant time for each of those edits.
    pub fn propagate(&mut self) {
        self.propagate_by(InstructionSet::best());
    }

    /// The world transform of a node: the world's space from its own.
    ///
    /// Correct even while edits are pending. Reading is free if none are; otherwise it takes time in
    /// proportion to the node's depth at most.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world(&self, node: NodeId) -> Result<X, HierarchyError> {
        Ok(self.world_of(self.tree.index(node)?))
    }
}
