mod changes;
mod edit;
mod layout;
mod pose;
mod query;
mod world;

use crate::{Topology, Transform, Trs, tree::Tree};
use changes::Changes;
use layout::Layout;

/// Nodes with local poses under one another, and the world transforms that follow from them.
///
/// Generic over the strategy `X`: everything but the one step down is the same for all of them.
/// A node is named by a [`NodeId`](crate::NodeId), which stays valid until the node is removed.
/// The order of roots and of siblings is kept and can be chosen with a [`Place`](crate::Place).
///
/// An edit changes poses or structure at once and world transforms not at all;
/// [`propagate`](Self::propagate) then recomputes those that are affected. A world read in between
/// is computed on the spot from the poses as they are, so it is never stale.
///
/// Every operation that can be refused checks everything first: after an error the hierarchy is as
/// it was before. Nothing recurses, so depth is bounded by memory alone.
///
/// # Examples
///
/// See the [crate](crate) for one with a strategy in it.
#[derive(Clone, Debug)]
pub struct Hierarchy<X: Transform> {
    tree: Tree,
    layout: Layout,
    topology: Topology,
    /// By slot.
    locals: Vec<Trs<X::Scalar>>,
    /// By slot; up to date for every node with no change at or above it.
    worlds: Vec<X>,
    changes: Changes,
}

impl<X: Transform> Hierarchy<X> {
    /// A hierarchy without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// A hierarchy without nodes that will take `capacity` of them without growing.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            tree: Tree::with_capacity(capacity),
            layout: Layout::with_capacity(capacity),
            topology: Topology::default(),
            locals: Vec::with_capacity(capacity),
            worlds: Vec::with_capacity(capacity),
            changes: Changes::with_capacity(capacity),
        }
    }

    /// How many nodes it can hold without growing.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let poses = self.locals.capacity().min(self.worlds.capacity());
        poses.min(self.tree.capacity())
    }

    /// Makes room for `additional` more nodes.
    pub fn reserve(&mut self, additional: usize) {
        self.tree.reserve(additional);
        self.layout.reserve(additional);
        self.locals.reserve(additional);
        self.worlds.reserve(additional);
        self.changes.reserve(additional);
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings every world transform up to date.
    ///
    /// Only nodes at or below a change are recomputed, each once, parents before children; with
    /// nothing changed it returns at once. After a structural edit the nodes are first put in
    /// order again, in time linear in their number.
    pub fn propagate(&mut self) {
        if self.layout.is_stale() {
            self.compact();
        }
        if self.changes.is_empty() {
            return;
        }
        let slots = self.changes.iter().filter(|&index| self.tree.is_live(index));
        let ranges = self.layout.subtrees(slots);
        X::accumulate(&self.topology, &self.locals, &mut self.worlds, &ranges);
        self.changes.clear();
    }

    /// Puts the slots in depth-first order, so that each subtree is one range of them.
    fn compact(&mut self) {
        let (old_slots, topology) = self.layout.rebuild(&self.tree);
        self.locals = permuted(&self.locals, &old_slots);
        self.worlds = permuted(&self.worlds, &old_slots);
        self.topology = topology;
    }
}

/// The values at these positions, in a vector of no less capacity.
fn permuted<T: Copy>(values: &Vec<T>, positions: &[usize]) -> Vec<T> {
    let mut permuted = Vec::with_capacity(values.capacity());
    permuted.extend(positions.iter().map(|&position| values[position]));
    permuted
}

impl<X: Transform> Default for Hierarchy<X> {
    /// A hierarchy without nodes.
    fn default() -> Self {
        Self::new()
    }
}
