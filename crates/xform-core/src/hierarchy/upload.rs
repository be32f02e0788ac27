use std::ops::Range;

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Transform, WorldMatrix};

/// World transforms all at once, by slot, for upload or for a loop over all of them.
///
/// A node keeps its slot until [`order_generation`](Hierarchy::order_generation) changes. A slot
/// that was left by a node, because it was removed or moved, is vacant until then, and what it
/// holds means nothing.
impl<X: Transform> Hierarchy<X> {
    /// The world transforms by slot; `None` while an edit waits for
    /// [`propagate`](Self::propagate), so that a stale one cannot be read by mistake.
    #[must_use]
    pub fn worlds(&self) -> Option<&[X]> {
        self.is_propagated().then_some(&*self.worlds)
    }

    /// The world transforms as matrices by slot; `None` unless [`keep_matrices`](Self::keep_matrices)
    /// asked for them, and while an edit waits for [`propagate`](Self::propagate).
    #[must_use]
    pub fn matrices(&self) -> Option<&[WorldMatrix<X::Scalar>]> {
        self.matrices.as_deref().filter(|_| self.is_propagated())
    }

    fn is_propagated(&self) -> bool {
        self.changes.is_empty() && !self.layout.is_stale()
    }

    /// Whether propagation also writes each world transform as a 4×4 matrix.
    ///
    /// For a strategy whose world transforms are no matrices; off at first.
    pub fn keep_matrices(&mut self, keep: bool) {
        if keep && self.matrices.is_none() {
            let matrix = |world: &X| WorldMatrix(world.to_homogeneous());
            self.matrices = Some(self.worlds.iter().map(matrix).collect());
        } else if !keep {
            self.matrices = None;
        }
    }

    /// The slots that the last [`propagate`](Self::propagate) wrote: ascending ranges, apart.
    ///
    /// Every slot whose world transform differs from before is in them; none that was not at or
    /// below a change, except that they are all slots where the order changed.
    #[must_use]
    pub fn changed(&self) -> &[Range<usize>] {
        &self.changed
    }

    /// The slot of a node: its place in [`worlds`](Self::worlds).
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn slot(&self, node: NodeId) -> Result<usize, HierarchyError> {
        Ok(self.layout.slot(self.tree.index(node)?))
    }

    /// The node in a slot; `None` where it is vacant, or beyond the last.
    #[must_use]
    pub fn node_in(&self, slot: usize) -> Option<NodeId> {
        self.layout.node(slot).map(|index| self.tree.id(index))
    }

    /// A number that changes whenever a node that lives on gets another slot.
    #[must_use]
    pub fn order_generation(&self) -> u64 {
        self.layout.generation()
    }
}
