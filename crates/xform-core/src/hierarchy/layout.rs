use std::ops::Range;

use crate::{
    Topology,
    tree::{NIL, Tree},
};

/// Which slot of the pose and world slices each node has.
///
/// New nodes get slots at the end and structural edits leave slots where they are, which makes the
/// layout stale; [`rebuild`](Self::rebuild) restores depth-first order, where a subtree is one range.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By index; a vacant index may keep its slot for the next node that uses it.
    slots: Vec<u32>,
    /// By slot, while not stale: how many slots the node and its descendants take.
    subtree_lens: Vec<u32>,
    is_stale: bool,
}

impl Layout {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { slots: Vec::with_capacity(capacity), subtree_lens: Vec::new(), is_stale: false }
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        self.slots.reserve(additional);
    }

    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    pub(super) fn mark_stale(&mut self) {
        self.is_stale = true;
    }

    pub(super) fn slot(&self, index: u32) -> usize {
        self.slots[index as usize] as usize
    }

    /// The slot a new node takes: the one its index had before, else `end`.
    pub(super) fn claim(&mut self, index: u32, end: usize) -> usize {
        self.is_stale = true;
        let position = index as usize;
        if position >= self.slots.len() {
            self.slots.resize(position + 1, NIL);
        }
        if self.slots[position] == NIL {
            self.slots[position] = narrow(end);
        }
        self.slots[position] as usize
    }

    /// Lays the nodes out depth first. Returns the slot that each new slot's node had before, and
    /// the topology of the new slots.
    pub(super) fn rebuild(&mut self, tree: &Tree) -> (Vec<usize>, Topology) {
        let mut old_slots = Vec::with_capacity(tree.len());
        let mut parents = Vec::with_capacity(tree.len());
        let mut slots = vec![NIL; tree.index_count()];
        for id in tree.iter() {
            let parent = tree.parent(id.index);
            slots[id.index as usize] = narrow(parents.len());
            parents.push((parent != NIL).then(|| slots[parent as usize] as usize));
            old_slots.push(self.slot(id.index));
        }
        self.subtree_lens = subtree_lens(&parents);
        self.slots = slots;
        self.is_stale = false;
        let topology =
            Topology::from_parents(&parents).expect("depth-first order visits parents first");
        (old_slots, topology)
    }

    /// The slots of these nodes and all their descendants, ascending and merged.
    pub(super) fn subtrees(&self, nodes: impl Iterator<Item = u32>) -> Vec<Range<usize>> {
        let mut tops: Vec<usize> = nodes.map(|index| self.slot(index)).collect();
        tops.sort_unstable();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for top in tops {
            let end = top + self.subtree_lens[top] as usize;
            match ranges.last_mut() {
                // Subtrees nest or are apart, so `top` is inside the last range or after it.
                Some(last) if top <= last.end => last.end = last.end.max(end),
                _ => ranges.push(top..end),
            }
        }
        ranges
    }
}

fn subtree_lens(parents: &[Option<usize>]) -> Vec<u32> {
    let mut lens = vec![1; parents.len()];
    for (slot, &parent) in parents.iter().enumerate().rev() {
        if let Some(parent) = parent {
            lens[parent] += lens[slot];
        }
    }
    lens
}

fn narrow(slot: usize) -> u32 {
    u32::try_from(slot).expect("there are fewer slots than NIL")
}
