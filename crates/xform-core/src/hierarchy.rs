mod cast;
mod edit;
mod layout;
mod pose;
mod query;
mod relative;
mod space;
#[cfg(feature = "rayon")]
mod threads;
mod track;
mod upload;
mod world;
mod world_edit;

use std::ops::Range;

use crate::{
    InstructionSet, Sweep, Transform, Trs, WorldMatrix,
    bit_set::BitSet,
    tree::{NIL, Tree},
};
use layout::Layout;
use track::Tracker;

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
/// it was before. So it is where a strategy of your own panics in an edit; a propagation in which one
/// panics leaves everything pending to the next. Nothing recurses, so depth is bounded by memory alone.
///
/// # Examples
///
/// See the [crate](crate) for one with a strategy in it.
#[derive(Clone, Debug)]
pub struct Hierarchy<X: Transform> {
    tree: Tree,
    layout: Layout,
    /// By slot.
    locals: Vec<Trs<X::Scalar>>,
    /// By slot; up to date for every node with no change at or above it.
    worlds: Vec<X>,
    /// By slot, where they are wanted.
    matrices: Option<Vec<WorldMatrix<X::Scalar>>>,
    /// The slots whose pose or parent changed since the last propagation.
    changes: BitSet,
    /// What the last propagation recomputed.
    changed: Vec<Range<usize>>,
    /// What of each node changed, where somebody wants to know.
    tracker: Option<Box<Tracker>>,
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
        let mut layout = Layout::default();
        layout.reserve(capacity);
        Self {
            tree: Tree::with_capacity(capacity),
            layout,
            locals: Vec::with_capacity(capacity),
            worlds: Vec::with_capacity(capacity),
            matrices: None,
            changes: BitSet::with_capacity(capacity),
            changed: Vec::new(),
            tracker: None,
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
        if let Some(matrices) = &mut self.matrices {
            matrices.reserve(additional);
        }
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
    /// nothing changed it returns at once. After many structural edits the nodes are first put in
    /// order again, in linear time, which is constant time for each of those edits.
    pub fn propagate(&mut self) {
        self.propagate_by(InstructionSet::best());
    }

    /// The same by another kernel, for tests and benches.
    ///
    /// # Panics
    ///
    /// If this processor does not have the instruction set.
    #[doc(hidden)]
    pub fn propagate_by(&mut self, instruction_set: InstructionSet) {
        if let Some(tracker) = &mut self.tracker {
            tracker.begin(&self.changed);
        }
        self.changed.clear();
        if self.layout.is_stale() {
            self.compact();
        }
        if !self.changes.is_empty() {
            let children = |index| self.tree.child_indices(index);
            self.layout.subtrees(self.changes.iter(), children, &mut self.changed);
            self.sweep_changed(instruction_set);
            self.track_changed();
            self.changes.clear();
        }
    }

    fn sweep_changed(&mut self, instruction_set: InstructionSet) {
        #[cfg(feature = "rayon")]
        if self.sweep_on_threads(instruction_set) {
            return;
        }
        let ranges = std::mem::take(&mut self.changed);
        self.sweep_ranges(&ranges, instruction_set);
        self.changed = ranges;
    }

    fn sweep_ranges(&mut self, ranges: &[Range<usize>], instruction_set: InstructionSet) {
        let topology = &self.layout.topology;
        let sweep = Sweep::new(topology, &self.locals, &mut self.worlds, ranges);
        let sweep = match &mut self.matrices {
            Some(matrices) => sweep.with_matrices(matrices),
            None => sweep,
        };
        X::sweep(sweep.with_instruction_set(instruction_set));
    }

    /// Compacts where edits without a propagation have left more behind than there is: memory follows
    /// the number of nodes, not that of the edits.
    fn take_back(&mut self) {
        if self.layout.is_mostly_left(self.len()) {
            self.compact();
        }
    }

    /// Puts all nodes in the order of their slots that is best to propagate in.
    ///
    /// All of them are to be recomputed then, which takes less time than to move what they have.
    fn compact(&mut self) {
        let old_slots = self.layout.compact(|index| self.tree.parent(index));
        self.changed = layout::renumbered(&self.changed, &old_slots);
        let mut locals = Vec::with_capacity(self.locals.capacity());
        locals.extend(old_slots.iter().map(|&slot| self.locals[slot as usize]));
        self.locals = locals;
        self.worlds.truncate(self.locals.len());
        if let Some(tracker) = &mut self.tracker {
            tracker.compact(&old_slots);
        }
        if let Some(matrices) = &mut self.matrices {
            matrices.truncate(self.locals.len());
        }
        self.changes.clear();
        for root in self.tree.child_indices(NIL) {
            self.changes.insert(self.layout.slot(root));
        }
    }
}

impl<X: Transform> Default for Hierarchy<X> {
    /// A hierarchy without nodes.
    fn default() -> Self {
        Self::new()
    }
}
