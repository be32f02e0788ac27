//! Subtrees that were taken out of a hierarchy and may be put back.

use std::{error::Error, fmt};

use crate::{HierarchyError, Inherit, NodeId, Real, Trs, tree::Reservation};

/// A node with all its descendants that was taken out of a hierarchy, and can be put back with its old ids.
///
/// [`Hierarchy::take`](crate::Hierarchy::take) creates it, and [`restore`](crate::Hierarchy::restore) puts it back,
/// once. Until then no other node gets these ids. Dropping it gives them up.
#[derive(Debug)]
pub struct Removed<T: Real> {
    pub(crate) reservation: Reservation,
    pub(crate) branch: Box<Branch<T>>,
}

/// The contents of a removed branch, apart from its ids.
#[derive(Debug)]
pub(crate) struct Branch<T: Real> {
    /// The parent of each node, as an index; `None` for the first node.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) locals: Vec<Trs<T>>,
    pub(crate) inherits: Vec<Inherit>,
    /// The tag of each node; empty if no tag was ever set.
    pub(crate) tags: Vec<u64>,
    /// The parent of the first node, in the hierarchy.
    pub(crate) parent: Option<NodeId>,
    /// The sibling that followed the first node, if there was one.
    pub(crate) next: Option<NodeId>,
}

impl<T: Real> Removed<T> {
    /// Returns the nodes, depth first. The first is the node that was taken.
    #[must_use]
    pub fn ids(&self) -> &[NodeId] {
        self.reservation.ids()
    }
}

/// The error when nodes could not be [restored](crate::Hierarchy::restore). It contains the nodes, so nothing is
/// lost unless it is dropped.
pub struct NotRestored<T: Real> {
    /// The reason.
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
