use std::ops::Range;

use crate::{
    Inherit, Topology, Transform, Trs,
    change::Change,
    index::{NIL, stored},
    sibling_blocks::SiblingBlocks,
    world_matrix::WorldMatrix,
};

/// A table with a row for each slot: the node in it, and everything that is stored by slot.
///
/// Propagation walks the columns as slices. Rows are added, vacated and reordered only here, so the columns are
/// always equally long.
// There is one table with one `push`, where nine vectors of four structs used to be pushed in step. Each kind of
// data stays a column of its own, because the loop walks poses, parents and world transforms as slices. Columns are
// handed out as slices, which cannot grow. Propagation and structural edits cost the same as before, to within noise
// (docs/benchmarks.md), for two reasons: `reorder` copies columns instead of cloning them, and the row of a moved
// node leaves its old world transform behind. Reading that would touch a cache line that nothing else reads, and
// cost 3 to 4 % of an edit.
#[derive(Clone, Debug)]
pub(super) struct SlotTable<X: Transform> {
    /// The index of the node; `NIL` if the slot is vacant.
    nodes: Vec<u32>,
    /// The slot of the parent, and the parts that are inherited from it.
    topology: Topology,
    /// The slots of the descendants that are laid out with the node.
    descendants: Vec<Range<u32>>,
    locals: Vec<Trs<X::Scalar>>,
    /// Up to date for every node without a pending change in itself or an ancestor.
    worlds: Vec<X>,
    /// `None` unless matrices are wanted.
    matrices: Option<Vec<WorldMatrix<X::Scalar>>>,
    /// `None` unless changes are tracked.
    changes: Option<Vec<SlotChange>>,
    /// `None` until the first tag is set.
    tags: Option<Vec<u64>>,
}

/// The contents of a row, except for the slots of the node's parent and descendants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<X: Transform> {
    pub(super) node: u32,
    pub(super) inherit: Inherit,
    pub(super) local: Trs<X::Scalar>,
    pub(super) world: X,
    pub(super) change: SlotChange,
    pub(super) tag: u64,
}

impl<X: Transform> Row<X> {
    /// Creates the row of a new node.
    pub(super) fn new(node: u32, local: Trs<X::Scalar>, world: X) -> Self {
        Self { node, inherit: Inherit::All, local, world, change: SlotChange::default(), tag: 0 }
    }
}

/// The parts of a node that changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotChange {
    /// The parts of the local pose that changed since the last propagation. All of them if the node is new, or has
    /// another parent or another `inherit`.
    pub(super) local: Change,
    /// The parts of the world transform that the last propagation changed.
    pub(super) world: Change,
}

/// The columns that a pass over the slots reads and writes.
pub(super) struct SweepColumns<'a, X: Transform> {
    pub(super) topology: &'a Topology,
    pub(super) locals: &'a [Trs<X::Scalar>],
    pub(super) worlds: &'a mut [X],
    pub(super) matrices: Option<&'a mut [WorldMatrix<X::Scalar>]>,
}

/// The columns that change tracking reads and writes.
pub(super) struct ChangeColumns<'a, X: Transform> {
    pub(super) nodes: &'a [u32],
    pub(super) topology: &'a Topology,
    pub(super) locals: &'a [Trs<X::Scalar>],
    pub(super) worlds: &'a [X],
    pub(super) changes: &'a mut [SlotChange],
}

impl<X: Transform> SlotTable<X> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(capacity),
            topology: Topology::with_capacity(capacity),
            descendants: Vec::with_capacity(capacity),
            locals: Vec::with_capacity(capacity),
            worlds: Vec::with_capacity(capacity),
            matrices: None,
            changes: None,
            tags: None,
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.locals.capacity().min(self.worlds.capacity())
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        let Self { nodes, topology, descendants, locals, worlds, matrices, changes, tags } = self;
        nodes.reserve(additional);
        topology.reserve(additional);
        descendants.reserve(additional);
        locals.reserve(additional);
        worlds.reserve(additional);
        if let Some(matrices) = matrices {
            matrices.reserve(additional);
        }
        if let Some(changes) = changes {
            changes.reserve(additional);
        }
        if let Some(tags) = tags {
            tags.reserve(additional);
        }
    }

    /// Returns the number of slots, including vacant ones.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a row behind all others, with the slots of its node's parent and descendants.
    pub(super) fn push(&mut self, row: Row<X>, parent: Option<usize>, descendants: Range<u32>) {
        let Row { node, inherit, local, world, change, tag } = row;
        self.nodes.push(node);
        self.topology.push(parent, inherit);
        self.descendants.push(descendants);
        self.locals.push(local);
        self.worlds.push(world);
        if let Some(matrices) = &mut self.matrices {
            matrices.push(WorldMatrix::identity());
        }
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
        if let Some(tags) = &mut self.tags {
            tags.push(tag);
        }
    }

    /// Marks a slot as vacant.
    pub(super) fn vacate(&mut self, slot: usize) {
        self.nodes[slot] = NIL;
        if let Some(changes) = &mut self.changes {
            changes[slot] = SlotChange::default();
        }
        if let Some(tags) = &mut self.tags {
            tags[slot] = 0;
        }
    }

    /// Returns the tag in each slot; empty until the first is set.
    pub(super) fn tags(&self) -> &[u64] {
        self.tags.as_deref().unwrap_or_default()
    }

    pub(super) fn set_tag(&mut self, slot: usize, tag: u64) {
        self.tags.get_or_insert_with(|| vec![0; self.nodes.len()])[slot] = tag;
    }

    /// Vacates a slot and returns its row, to be added again in another slot.
    ///
    /// The world transform in the row is arbitrary. It will be recomputed, and reading the node's own, which is
    /// seldom in a cache, takes time.
    pub(super) fn take(&mut self, slot: usize) -> Row<X> {
        let row = Row {
            node: self.nodes[slot],
            inherit: self.topology.inherit(slot),
            local: self.locals[slot],
            world: self.worlds[self.worlds.len() - 1],
            change: self.changes.as_ref().map_or(SlotChange::default(), |changes| changes[slot]),
            tag: self.tags().get(slot).copied().unwrap_or_default(),
        };
        self.vacate(slot);
        row
    }

    /// Returns the parent of each slot in the form that [`SiblingBlocks::new`] takes. A vacant slot is its own
    /// parent, which leaves it out.
    pub(super) fn parents(&self) -> Vec<u32> {
        let slots = self.nodes.iter().zip(self.topology.parents()).enumerate();
        slots
            .map(|(slot, (&node, &parent))| if node == NIL { stored(slot) } else { parent })
            .collect()
    }

    /// Puts the slots in sibling-block order and drops those that `blocks` leaves out.
    ///
    /// World transforms are not moved: all of them will be recomputed, which takes less time.
    pub(super) fn reorder(&mut self, blocks: &SiblingBlocks) {
        let SiblingBlocks { order, parents, descendants } = blocks;
        self.nodes = in_order(&self.nodes, order);
        self.topology.reorder(parents, order);
        // Reuses the vector because it has spare capacity for the next runs.
        self.descendants.clear();
        self.descendants.extend_from_slice(descendants);
        self.locals = in_order(&self.locals, order);
        self.worlds.truncate(order.len());
        if let Some(matrices) = &mut self.matrices {
            matrices.truncate(order.len());
        }
        if let Some(changes) = &mut self.changes {
            *changes = in_order(changes, order);
        }
        if let Some(tags) = &mut self.tags {
            *tags = in_order(tags, order);
        }
    }

    /// Returns a copy of this table for another strategy, with these local poses, and with nothing propagated or
    /// tracked.
    pub(super) fn cast<Y: Transform>(&self, locals: Vec<Trs<Y::Scalar>>) -> SlotTable<Y> {
        SlotTable {
            nodes: self.nodes.clone(),
            topology: self.topology.clone(),
            descendants: self.descendants.clone(),
            worlds: vec![Y::identity(); locals.len()],
            matrices: self.matrices.as_ref().map(|_| vec![WorldMatrix::identity(); locals.len()]),
            changes: None,
            tags: self.tags.clone(),
            locals,
        }
    }

    /// Returns the index of the node in a slot; `None` if the slot is vacant or out of range.
    pub(super) fn node(&self, slot: usize) -> Option<u32> {
        self.nodes.get(slot).copied().filter(|&index| index != NIL)
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    pub(super) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(super) fn set_inherit(&mut self, slot: usize, inherit: Inherit) {
        self.topology.set_inherit(slot, inherit);
    }

    /// Returns the slots of the descendants that are laid out with a node.
    pub(super) fn descendants(&self, slot: usize) -> Range<usize> {
        let Range { start, end } = self.descendants[slot];
        start as usize..end as usize
    }

    pub(super) fn locals(&self) -> &[Trs<X::Scalar>] {
        &self.locals
    }

    /// Returns how many local poses there is room for.
    pub(super) fn locals_capacity(&self) -> usize {
        self.locals.capacity()
    }

    /// Swaps all local poses, including those of vacant slots, for as many others.
    pub(super) fn swap_locals(&mut self, locals: &mut Vec<Trs<X::Scalar>>) {
        debug_assert_eq!(self.locals.len(), locals.len(), "one local pose per slot");
        std::mem::swap(&mut self.locals, locals);
    }

    /// Returns the local poses, and the changes to mark, which are `None` unless changes are tracked.
    pub(super) fn locals_and_changes(&mut self) -> (&[Trs<X::Scalar>], Option<&mut [SlotChange]>) {
        (&self.locals, self.changes.as_deref_mut())
    }

    pub(super) fn locals_mut(&mut self) -> &mut [Trs<X::Scalar>] {
        &mut self.locals
    }

    pub(super) fn local_mut(&mut self, slot: usize) -> &mut Trs<X::Scalar> {
        &mut self.locals[slot]
    }

    pub(super) fn worlds(&self) -> &[X] {
        &self.worlds
    }

    pub(super) fn matrices(&self) -> Option<&[WorldMatrix<X::Scalar>]> {
        self.matrices.as_deref()
    }

    /// Starts or stops keeping a matrix of each world transform. The first matrices are made from the current world
    /// transforms.
    pub(super) fn keep_matrices(&mut self, keep: bool) {
        if keep && self.matrices.is_none() {
            let matrix = |world: &X| WorldMatrix(world.to_homogeneous());
            self.matrices = Some(self.worlds.iter().map(matrix).collect());
        } else if !keep {
            self.matrices = None;
        }
    }

    /// Returns the changes by slot; `None` unless changes are tracked.
    pub(super) fn changes(&self) -> Option<&[SlotChange]> {
        self.changes.as_deref()
    }

    pub(super) fn changes_mut(&mut self) -> Option<&mut [SlotChange]> {
        self.changes.as_deref_mut()
    }

    /// Starts tracking changes.
    pub(super) fn track(&mut self) {
        let slots = self.len();
        self.changes.get_or_insert_with(|| vec![SlotChange::default(); slots]);
    }

    pub(super) fn sweep_columns(&mut self) -> SweepColumns<'_, X> {
        SweepColumns {
            topology: &self.topology,
            locals: &self.locals,
            worlds: &mut self.worlds,
            matrices: self.matrices.as_deref_mut(),
        }
    }

    /// Returns the columns for change tracking; `None` unless changes are tracked.
    pub(super) fn change_columns(&mut self) -> Option<ChangeColumns<'_, X>> {
        Some(ChangeColumns {
            nodes: &self.nodes,
            topology: &self.topology,
            locals: &self.locals,
            worlds: &self.worlds,
            changes: self.changes.as_deref_mut()?,
        })
    }
}

/// Returns the elements of a column in a new order, in a vector with the capacity of the old one.
fn in_order<T: Copy>(column: &Vec<T>, order: &[u32]) -> Vec<T> {
    let mut ordered = Vec::with_capacity(column.capacity());
    ordered.extend(order.iter().map(|&slot| column[slot as usize]));
    ordered
}
