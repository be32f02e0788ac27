use std::ops::Range;

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Transform, WorldMatrix};

/// All world transforms at once, by slot, for upload or for a loop over them.
///
/// A node keeps its slot until [`order_generation`](Hierarchy::order_generation) changes. The slot of a
/// node that was removed or moved is vacant until then, and its contents mean nothing.
impl<X: Transform> Hierarchy<X> {
    /// The world transforms by slot; `None` while an edit waits for
    /// [`propagate`](Self::propagate), so that a stale one cannot be read by mistake.
    #[must_use]
    pub fn worlds(&self) -> Option<&[X]> {
        self.is_propagated().then(|| self.layout.slots.worlds())
    }

    /// The world transforms as matrices, by slot; `None` unless [`keep_matrices`](Self::keep_matrices) is
    /// on, and while an edit waits for [`propagate`](Self::propagate).
    #[must_use]
    pub fn matrices(&self) -> Option<&[WorldMatrix<X::Scalar>]> {
        self.layout.slots.matrices().filter(|_| self.is_propagated())
    }

    fn is_propagated(&self) -> bool {
        self.changes.is_empty() && !self.layout.is_stale()
    }

    /// Sets whether propagation also writes each world transform as a 4×4 matrix.
    ///
    /// Useful for a strategy whose world transforms are not matrices. Off by default.
    pub fn keep_matrices(&mut self, keep: bool) {
        self.layout.slots.keep_matrices(keep);
    }

    /// The slots that the last [`propagate`](Self::propagate) wrote, as ascending ranges that neither
    /// overlap nor touch.
    ///
    /// They contain every slot whose world transform differs from before. They contain no slot that was not
    /// at or below a change, except after the order changed: then they contain all slots.
    #[must_use]
    pub fn changed(&self) -> &[Range<usize>] {
        &self.changed
    }

    /// The slot of a node: its index in [`worlds`](Self::worlds).
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn slot(&self, node: NodeId) -> Result<usize, HierarchyError> {
        self.tree.slot_of(node)
    }

    /// The node in a slot; `None` if the slot is vacant or beyond the last.
    #[must_use]
    pub fn node_in(&self, slot: usize) -> Option<NodeId> {
        self.layout.slots.node(slot).map(|index| self.tree.id(index))
    }

    /// A number that changes whenever a living node is given another slot.
    #[must_use]
    pub fn order_generation(&self) -> u64 {
        self.layout.generation()
    }
}
