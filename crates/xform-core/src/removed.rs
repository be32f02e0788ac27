//! What was taken out of a hierarchy, and may come back.

use std::{error::Error, fmt};

use crate::{HierarchyError, Inherit, NodeId, Real, Trs, tree::Reservation};

/// A node with all its descendants that was taken out of a hierarchy, and can be put back with the ids that it had.
///
/// It comes from [`Hierarchy::take`](crate::Hierarchy::take), and goes back by
/// [`restore`](crate::Hierarchy::restore), once. Until then no other node gets these ids. Dropping it gives them up.
#[derive(Debug)]
pub struct Removed<T: Real> {
    pub(crate) reservation: Reservation,
    pub(crate) branch: Box<Branch<T>>,
}

/// What a removed branch was made of, apart from its ids.
#[derive(Debug)]
pub(crate) struct Branch<T: Real> {
    /// Of each node, the first of which has none here.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) locals: Vec<Trs<T>>,
    pub(crate) inherits: Vec<Inherit>,
    /// Empty where none was ever set.
    pub(crate) tags: Vec<u64>,
    /// Where it stood.
    pub(crate) parent: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
}

impl<T: Real> Removed<T> {
    /// The nodes, depth first; the one that was taken is the first.
    #[must_use]
    pub fn ids(&self) -> &[NodeId] {
        self.reservation.ids()
    }
}

/// What could not be [restored](crate::Hierarchy::restore), and why. It has the nodes, so nothing is lost unless it is dropped.
pub struct NotRestored<T: Real> {
    /// Why.
    pub error: HierarchyError,
    /// The nodes, to be restored elsewhere or later.
    pub removed: Removed<T>,
}

impl<T: Real> fmt::Debug for NotRestored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotRestored({:?}, {} nodes)", self.error, self.removed.ids().len())
    }
}

impl<T: Real> fmt::Display for NotRestored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T: Real> Error for NotRestored<T> {}
