use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use crate::{Topology, bit_set::BitSet, blocks::Blocks, tree::NIL};

/// Which slot of the pose and world slices each node has.
///
/// As of the last compaction the slots are in sibling-block order. Since then each node or subtree
/// that was added or moved has been laid out behind the others, in that order within itself: a
/// *run*. The slots that it came from are vacant. Where there is too much of that, the layout is
/// stale: from then on it only keeps which slot a node has, until it is compacted.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// By index.
    slots: Vec<u32>,
    /// By slot; `NIL` where it is vacant.
    nodes: Vec<u32>,
    pub(super) topology: Topology,
    /// By slot: the descendants that are laid out where the node is.
    descendants: Vec<Range<u32>>,
    /// The slots of the nodes that have, or had, children in a later run.
    strayed_from: BitSet,
    /// Where the runs begin.
    runs: Vec<u32>,
    /// How many slots are vacant, and how many runs there are behind others.
    disorder: usize,
    is_stale: bool,
    /// What hangs below another node than the topology says, by index, since the layout is stale.
    moved: Vec<u32>,
    /// How often slots of living nodes have changed.
    generation: u64,
}

impl Layout {
    pub(super) fn reserve(&mut self, additional: usize) {
        self.slots.reserve(additional);
        self.nodes.reserve(additional);
        self.topology.reserve(additional);
        self.descendants.reserve(additional);
    }

    /// How many slots there are, vacant ones included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn slot(&self, index: u32) -> usize {
        self.slots[index as usize] as usize
    }

    /// The node in a slot; `None` where it is vacant or there is none.
    pub(super) fn node(&self, slot: usize) -> Option<u32> {
        self.nodes.get(slot).copied().filter(|&index| index != NIL)
    }

    /// How much disorder there may be before it is time to compact: an eighth, at which full
    /// updates are hardly slower and compacting costs an edit little.
    fn tolerated_disorder(&self) -> usize {
        64 + self.len() / 8
    }

    /// Whether so many more slots would be too much disorder.
    pub(super) fn would_be_stale(&self, more: usize) -> bool {
        self.is_stale || self.disorder + more > self.tolerated_disorder()
    }

    /// Whether more is left of nodes that were removed or moved than of so many that there are.
    pub(super) fn is_mostly_left(&self, nodes: usize) -> bool {
        self.len() + self.moved.len() > 2 * nodes + 64
    }

    /// Leaves the order of a node that has moved to the next compaction.
    pub(super) fn leave_behind(&mut self, index: u32) {
        self.moved.push(index);
        self.is_stale = true;
    }

    fn add_disorder(&mut self, slots: usize) {
        self.disorder += slots;
        self.is_stale |= self.disorder > self.tolerated_disorder();
    }

    /// Lays nodes out behind all others, as a run below a node or, where `above` is `NIL`, of
    /// roots. The slots of parents and descendants count from the first of the run.
    pub(super) fn append(
        &mut self,
        indices: &[u32],
        parents: &[u32],
        descendants: &[Range<u32>],
        above: u32,
    ) {
        let first = self.len();
        let above = (above != NIL).then(|| self.slot(above));
        if let Some(above) = above {
            self.strayed_from.insert(above);
        }
        if first > 0 {
            self.add_disorder(1);
        }
        self.runs.push(narrow(first));
        for (slot, &index) in (first..).zip(indices) {
            let position = index as usize;
            if position >= self.slots.len() {
                self.slots.resize(position + 1, NIL);
            }
            self.slots[position] = narrow(slot);
            self.nodes.push(index);
        }
        for &parent in parents {
            let parent = if parent == NIL { above } else { Some(first + parent as usize) };
            self.topology.push(parent);
        }
        let offset = narrow(first);
        let shifted = descendants.iter().map(|slots| slots.start + offset..slots.end + offset);
        self.descendants.extend(shifted);
    }

    /// Leaves a slot to nobody; the index of its node may be used again.
    pub(super) fn vacate(&mut self, slot: usize) {
        self.nodes[slot] = NIL;
        self.strayed_from.remove(slot);
        self.add_disorder(1);
    }

    /// Notes that living nodes have other slots now.
    pub(super) fn advance_generation(&mut self) {
        self.generation += 1;
    }

    /// Puts all nodes in sibling-block order, without vacant slots. Returns the slot that each new
    /// slot's node had before. `parent_of` is by index.
    pub(super) fn compact(&mut self, parent_of: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut parents = self.topology.take_parents();
        for (slot, (&index, parent)) in self.nodes.iter().zip(&mut parents).enumerate() {
            if index == NIL {
                *parent = narrow(slot); // its own parent: left out
            }
        }
        for index in self.moved.drain(..) {
            let slot = self.slots[index as usize];
            // It may have been removed again, and its index may be another node's.
            if self.nodes[slot as usize] == index {
                let parent = parent_of(index);
                parents[slot as usize] =
                    if parent == NIL { NIL } else { self.slots[parent as usize] };
            }
        }
        let blocks = Blocks::new(&parents);
        let nodes: Vec<_> = blocks.order.iter().map(|&slot| self.nodes[slot as usize]).collect();
        self.nodes.clear();
        self.nodes.extend_from_slice(&nodes);
        for (slot, &index) in nodes.iter().enumerate() {
            self.slots[index as usize] = narrow(slot);
        }
        // Into the vectors that there are: they have room for the next runs.
        self.descendants.clear();
        self.descendants.extend_from_slice(&blocks.descendants);
        parents.clear();
        parents.extend_from_slice(&blocks.parents);
        self.topology.put_in_order(parents, &blocks.order);
        self.strayed_from.clear();
        self.runs.clear();
        self.disorder = 0;
        self.is_stale = false;
        self.generation += 1;
        blocks.order
    }

    /// How many slots from the first on are in sibling-block order.
    #[cfg(feature = "rayon")]
    pub(super) fn orderly_len(&self) -> usize {
        let is_first_run_orderly = usize::from(self.runs.first() == Some(&0));
        self.runs.get(is_first_run_orderly).map_or(self.len(), |&run| run as usize)
    }

    /// The slots of the descendants of a node, strays apart.
    #[cfg(feature = "rayon")]
    pub(super) fn below(&self, slot: usize) -> Range<usize> {
        range(&self.descendants[slot])
    }

    /// The slots of the children of a node that has some, strays apart. What is below the first
    /// child that has anything below it stands directly behind them.
    #[cfg(feature = "rayon")]
    pub(super) fn children_block(&self, slot: usize) -> Range<usize> {
        let below = self.below(slot);
        let first_below_them = below.clone().map(|slot| self.below(slot));
        let end =
            first_below_them.filter(|range| !range.is_empty()).map(|range| range.start).next();
        below.start..end.unwrap_or(below.end)
    }

    /// Whether the node in `slot` is below that in `top` and laid out where it is, while the layout
    /// is not stale.
    pub(super) fn is_at_home_below(&self, slot: usize, top: usize) -> bool {
        range(&self.descendants[top]).contains(&slot)
    }

    /// The slots of these nodes and all their descendants, ascending and merged, while the layout
    /// is not stale. `children` are those of a node, by index.
    pub(super) fn subtrees<C: Iterator<Item = u32>>(
        &self,
        tops: impl Iterator<Item = usize>,
        children: impl Fn(u32) -> C,
        ranges: &mut Vec<Range<usize>>,
    ) {
        ranges.clear();
        tops.for_each(|top| self.push_with_descendants(top, ranges));
        if !ranges.is_sorted_by_key(|range| range.start) {
            ranges.sort_unstable_by_key(|range| range.start);
        }
        if self.strayed_from.is_empty() {
            ranges.dedup_by(|next, range| join(range, next));
        } else if ranges.iter().map(Range::len).sum::<usize>() < self.runs.len() {
            self.add_strays(children, ranges);
        } else {
            self.add_runs(ranges);
        }
    }

    /// Adds what is below these ascending ranges in later runs, going from node to stray child.
    fn add_strays<C: Iterator<Item = u32>>(
        &self,
        children: impl Fn(u32) -> C,
        ranges: &mut Vec<Range<usize>>,
    ) {
        // A run stands behind that which it hangs below, so in ascending order each slot is looked
        // at once.
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
            while let Some(slot) = self.strayed_from.first_in(rest.clone()) {
                rest.start = slot + 1;
                let home = range(&self.descendants[slot]);
                let slots = children(self.nodes[slot]).map(|child| self.slot(child));
                slots
                    .filter(|child| !home.contains(child))
                    .for_each(|child| self.push_with_descendants(child, &mut found));
                pending.extend(found.drain(..).map(|range| Reverse((range.start, range.end))));
            }
        }
    }

    /// Adds what is below these ascending ranges in later runs, going through all runs: the faster
    /// way where much is affected.
    fn add_runs(&self, ranges: &mut Vec<Range<usize>>) {
        let first_run = self.runs.first().map_or(self.len(), |&run| run as usize);
        let before_runs = ranges.partition_point(|range| range.start < first_run);
        let mut in_runs = ranges.split_off(before_runs).into_iter().peekable();
        ranges.dedup_by(|next, range| join(range, next));
        let ends = self.runs.iter().skip(1).map(|&run| run as usize).chain([self.len()]);
        for (start, end) in self.runs.iter().map(|&run| run as usize).zip(ends) {
            if self.topology.parent(start).is_some_and(|parent| contains(ranges, parent)) {
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
        let descendants = range(&self.descendants[top]);
        if !descendants.is_empty() {
            ranges.push(descendants);
        }
    }
}

/// These slots, ascending ranges that are apart, after a compaction.
pub(super) fn renumbered(ranges: &[Range<usize>], old_slots: &[u32]) -> Vec<Range<usize>> {
    let mut renumbered = Vec::new();
    for (slot, &old) in old_slots.iter().enumerate() {
        if contains(ranges, old as usize) {
            push(&mut renumbered, slot..slot + 1);
        }
    }
    renumbered
}

/// Whether a slot is in one of these ranges, which are ascending and apart.
fn contains(ranges: &[Range<usize>], slot: usize) -> bool {
    let next = ranges.partition_point(|range| range.start <= slot);
    next.checked_sub(1).is_some_and(|last| slot < ranges[last].end)
}

/// Adds a range that does not begin before the last.
fn push(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    if !ranges.last_mut().is_some_and(|last| join(last, &next)) {
        ranges.push(next);
    }
}

/// Joins `next` to a range that does not begin behind it, where they touch or overlap.
fn join(range: &mut Range<usize>, next: &Range<usize>) -> bool {
    let touch = next.start <= range.end;
    if touch {
        range.end = range.end.max(next.end);
    }
    touch
}

fn range(slots: &Range<u32>) -> Range<usize> {
    slots.start as usize..slots.end as usize
}

fn narrow(slot: usize) -> u32 {
    u32::try_from(slot).expect("there are fewer slots than NIL")
}
