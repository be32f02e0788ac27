use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use super::slot_table::{Row, SlotTable};
use crate::{
    Transform, Trs,
    bit_set::BitSet,
    index::{NIL, stored},
    sibling_blocks::SiblingBlocks,
    tree::Tree,
};

/// The order in which nodes are laid out in slots.
///
/// A compaction puts all slots in sibling-block order. After it, each node or subtree that is added or moved is laid
/// out behind all others, in sibling-block order within itself; these slots are a *run*. The former slots of a moved
/// node are vacant. If there are too many runs and vacant slots, the layout becomes stale: until the next compaction
/// it only keeps track of which slot each node has.
// A structural edit keeps the order up in constant time for each node that it touches. A node with children in
// another run is marked. To find what a change affects, the marks are followed in ascending order, or, if more slots
// are affected than there are runs, each run is asked whether its parent is affected. With an eighth of 100 000
// slots in disorder, a full update took 2.5 times as long by marks, and takes 1.1 to 1.2 times as long by runs.
// Whether a node is below another is a comparison of ranges within a run. Otherwise it takes a climb from one node
// and a walk below the other, in step.
//
// At an eighth the layout becomes stale and the next propagation rebuilds it by counting. If `propagate` is never
// called, the edit that leaves more vacant slots than there are nodes rebuilds it, so memory follows the nodes and
// not the edits. A rebuild gathers the local poses and recomputes every world transform: moving those of 100 000
// nodes to their new slots took 6 ms, and recomputing them takes 0.7.
#[derive(Clone, Debug)]
pub(super) struct Layout<X: Transform> {
    pub(super) slots: SlotTable<X>,
    /// The slots of the nodes that have, or had, children in a later run.
    parents_of_runs: BitSet,
    /// The first slot of each run.
    runs: Vec<u32>,
    /// The number of vacant slots, plus the number of runs behind other slots.
    disorder: usize,
    is_stale: bool,
    /// The indices of nodes that were moved but keep their slots until the next compaction, so the topology still
    /// has their old parents.
    deferred: Vec<u32>,
    /// The slots of the subtrees found so far; empty except while [`subtrees`](Self::subtrees) runs.
    found: BitSet,
    /// The number of times that living nodes have been given other slots.
    generation: u64,
}

impl<X: Transform> Layout<X> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            slots: SlotTable::with_capacity(capacity),
            parents_of_runs: BitSet::default(),
            runs: Vec::new(),
            disorder: 0,
            is_stale: false,
            deferred: Vec::new(),
            found: BitSet::default(),
            generation: 0,
        }
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        self.slots.reserve(additional);
    }

    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Returns whether every node is laid out with all its descendants.
    #[inline]
    pub(super) fn is_each_run_whole(&self) -> bool {
        !self.is_stale && self.parents_of_runs.is_empty()
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the most disorder that does not yet require a compaction: an eighth of the slots. Up to this, full
    /// updates are hardly slower and compacting adds little to the cost of an edit.
    fn tolerated_disorder(&self) -> usize {
        64 + self.slots.len() / 8
    }

    /// Returns whether the layout is stale, or would be with `more` disorder.
    pub(super) fn would_be_stale(&self, more: usize) -> bool {
        self.is_stale || self.disorder + more > self.tolerated_disorder()
    }

    /// Returns whether removed and moved nodes left more slots behind than `nodes` living nodes take.
    pub(super) fn is_mostly_vacant(&self, nodes: usize) -> bool {
        self.slots.len() + self.deferred.len() > 2 * nodes + 64
    }

    /// Leaves a moved node in its old slot until the next compaction, which makes the layout stale.
    pub(super) fn defer(&mut self, index: u32) {
        self.deferred.push(index);
        self.is_stale = true;
    }

    fn add_disorder(&mut self, slots: usize) {
        self.disorder += slots;
        self.is_stale |= self.disorder > self.tolerated_disorder();
    }

    /// Adds a run of slots behind all others, for nodes below the node `above`, or for roots if that is `NIL`.
    ///
    /// The rows are in sibling-block order. The slots of parents and descendants are counted from the first slot of
    /// the run.
    pub(super) fn append(
        &mut self,
        tree: &mut Tree,
        rows: impl Iterator<Item = Row<X>>,
        parents: &[u32],
        descendants: &[Range<u32>],
        above: u32,
    ) {
        let first = self.slots.len();
        let above = (above != NIL).then(|| tree.slot(above));
        if let Some(above) = above {
            self.parents_of_runs.insert(above);
        }
        if first > 0 {
            self.add_disorder(1);
        }
        let offset = stored(first);
        self.runs.push(offset);
        for ((row, &parent), below) in rows.zip(parents).zip(descendants) {
            tree.set_slot(row.node, self.slots.len());
            let parent = if parent == NIL { above } else { Some(first + parent as usize) };
            self.slots.push(row, parent, below.start + offset..below.end + offset);
        }
    }

    /// Marks a slot as vacant; the index of its former node may be used again.
    pub(super) fn vacate(&mut self, slot: usize) {
        self.slots.vacate(slot);
        self.note_vacant(slot);
    }

    /// Vacates the slot of a node that is about to be laid out elsewhere, and returns its row.
    pub(super) fn take(&mut self, slot: usize) -> Row<X> {
        self.note_vacant(slot);
        self.slots.take(slot)
    }

    fn note_vacant(&mut self, slot: usize) {
        self.parents_of_runs.remove(slot);
        self.add_disorder(1);
    }

    /// Records that living nodes have been given other slots.
    pub(super) fn advance_generation(&mut self) {
        self.generation += 1;
    }

    /// Puts all nodes in sibling-block order, without vacant slots. Returns the former slot of the node in each new
    /// slot.
    pub(super) fn compact(&mut self, tree: &mut Tree) -> Vec<u32> {
        let mut parents = self.slots.parents();
        for index in self.deferred.drain(..) {
            let slot = tree.slot(index);
            // The node may have been removed since, and its index may belong to another node.
            if self.slots.node(slot) == Some(index) {
                let parent = tree.parent(index);
                parents[slot] = if parent == NIL { NIL } else { stored(tree.slot(parent)) };
            }
        }
        let blocks = SiblingBlocks::new(&parents);
        self.slots.reorder(&blocks);
        for (slot, &index) in self.slots.nodes().iter().enumerate() {
            tree.set_slot(index, slot);
        }
        self.parents_of_runs.clear();
        self.runs.clear();
        self.disorder = 0;
        self.is_stale = false;
        self.generation += 1;
        blocks.order
    }

    /// Returns a copy of this layout for another strategy, with these local poses. Every node keeps its slot.
    pub(super) fn cast<Y: Transform>(&self, locals: Vec<Trs<Y::Scalar>>) -> Layout<Y> {
        Layout {
            slots: self.slots.cast(locals),
            parents_of_runs: self.parents_of_runs.clone(),
            runs: self.runs.clone(),
            disorder: self.disorder,
            is_stale: self.is_stale,
            deferred: self.deferred.clone(),
            found: BitSet::default(),
            generation: self.generation,
        }
    }

    /// Returns how many slots, from the first on, are in sibling-block order.
    #[cfg(feature = "rayon")]
    pub(super) fn orderly_len(&self) -> usize {
        let is_first_run_orderly = usize::from(self.runs.first() == Some(&0));
        self.runs.get(is_first_run_orderly).map_or(self.slots.len(), |&run| run as usize)
    }

    /// Returns the slots of the children that are laid out with a node; empty if there are none.
    ///
    /// They end at the first slot of their own descendants.
    #[cfg(feature = "rayon")]
    pub(super) fn children_block(&self, slot: usize) -> Range<usize> {
        let below = self.slots.descendants(slot);
        let first_below_them = below.clone().map(|slot| self.slots.descendants(slot));
        let end =
            first_below_them.filter(|range| !range.is_empty()).map(|range| range.start).next();
        below.start..end.unwrap_or(below.end)
    }

    /// Returns whether the node in `slot` is a descendant of the node in `top` and laid out with it. Only valid
    /// while the layout is not stale.
    pub(super) fn is_laid_out_below(&self, slot: usize, top: usize) -> bool {
        self.slots.descendants(top).contains(&slot)
    }

    /// Finds the slots of the nodes in `tops` and of all their descendants, and writes them to `ranges`, ascending
    /// and merged. Only valid while the layout is not stale.
    pub(super) fn subtrees(&mut self, tops: &BitSet, tree: &Tree, ranges: &mut Vec<Range<usize>>) {
        ranges.clear();
        self.find(tops, |_| ());
        self.found.drain_into(ranges);
        if self.parents_of_runs.is_empty() {
            return;
        }
        if ranges.iter().map(Range::len).sum::<usize>() < self.runs.len() {
            self.add_runs_by_parent(tree, ranges);
        } else {
            self.add_runs_by_scan(ranges);
        }
    }

    /// Returns those of these slots that are not laid out below another of them, in ascending order.
    #[cfg(feature = "rayon")]
    pub(super) fn uppermost(&mut self, slots: &BitSet) -> Vec<usize> {
        let mut uppermost = Vec::new();
        self.find(slots, |slot| uppermost.push(slot));
        self.found.clear();
        uppermost
    }

    /// Finds these slots and those of the descendants that are laid out with them, and calls `uppermost` with each
    /// of the uppermost slots.
    fn find(&mut self, slots: &BitSet, mut uppermost: impl FnMut(usize)) {
        self.found.insert_with_below(
            slots,
            |_| u64::MAX,
            |found, slot| {
                uppermost(slot);
                let below = self.slots.descendants(slot);
                let is_any = !below.is_empty();
                if is_any {
                    found.insert_range(below);
                }
                is_any
            },
        );
    }

    /// Adds the descendants in later runs of the nodes in these ascending ranges, by going from each parent of a run
    /// to its children.
    fn add_runs_by_parent(&self, tree: &Tree, ranges: &mut Vec<Range<usize>>) {
        // A run comes after the slot of its parent, so in ascending order each slot is looked at once.
        let mut pending: BinaryHeap<_> =
            ranges.drain(..).map(|range| Reverse((range.start, range.end))).collect();
        let mut found = Vec::new();
        while let Some(Reverse((start, end))) = pending.pop() {
            let done = ranges.last().map_or(0, |range| range.end);
            let mut rest = start.max(done)..end;
            if rest.is_empty() {
                continue;
            }
            push(ranges, rest.clone());
            while let Some(slot) = self.parents_of_runs.first_in(rest.clone()) {
                rest.start = slot + 1;
                let with_it = self.slots.descendants(slot);
                let children = tree.child_indices(self.slots.nodes()[slot]);
                children
                    .map(|child| tree.slot(child))
                    .filter(|child| !with_it.contains(child))
                    .for_each(|child| self.push_with_descendants(child, &mut found));
                pending.extend(found.drain(..).map(|range| Reverse((range.start, range.end))));
            }
        }
    }

    /// Adds the descendants in later runs of the nodes in these ascending ranges, by going through all runs. This is
    /// faster if many slots are affected.
    fn add_runs_by_scan(&self, ranges: &mut Vec<Range<usize>>) {
        let first_run = self.runs.first().map_or(self.slots.len(), |&run| run as usize);
        let before_runs = ranges.partition_point(|range| range.start < first_run);
        let mut in_runs = ranges.split_off(before_runs).into_iter().peekable();
        ranges.dedup_by(|next, range| join(range, next));
        let ends = self.runs.iter().skip(1).map(|&run| run as usize).chain([self.slots.len()]);
        for (start, end) in self.runs.iter().map(|&run| run as usize).zip(ends) {
            if self.slots.topology().parent(start).is_some_and(|parent| contains(ranges, parent)) {
                push(ranges, start..end);
            }
            while let Some(range) = in_runs.next_if(|range| range.start < end) {
                push(ranges, range);
            }
        }
    }

    fn push_with_descendants(&self, top: usize, ranges: &mut Vec<Range<usize>>) {
        let own = top..top + 1;
        if !ranges.last_mut().is_some_and(|last| last.end == top && join(last, &own)) {
            ranges.push(own);
        }
        let descendants = self.slots.descendants(top);
        if !descendants.is_empty() {
            ranges.push(descendants);
        }
    }
}

/// Returns the slots, after a compaction, of the nodes in these ranges, which are ascending and disjoint.
pub(super) fn renumbered(ranges: &[Range<usize>], old_slots: &[u32]) -> Vec<Range<usize>> {
    let mut renumbered = Vec::new();
    for (slot, &old) in old_slots.iter().enumerate() {
        if contains(ranges, old as usize) {
            push(&mut renumbered, slot..slot + 1);
        }
    }
    renumbered
}

/// Returns whether a slot is in one of these ranges, which are ascending and disjoint.
fn contains(ranges: &[Range<usize>], slot: usize) -> bool {
    let next = ranges.partition_point(|range| range.start <= slot);
    next.checked_sub(1).is_some_and(|last| slot < ranges[last].end)
}

/// Appends a range that does not begin before the last one. Joins the two if they touch or overlap.
fn push(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    if !ranges.last_mut().is_some_and(|last| join(last, &next)) {
        ranges.push(next);
    }
}

/// Extends `range` by `next`, which does not begin before it, if the two touch or overlap. Returns whether they do.
fn join(range: &mut Range<usize>, next: &Range<usize>) -> bool {
    let touch = next.start <= range.end;
    if touch {
        range.end = range.end.max(next.end);
    }
    touch
}
