//! Edits, many of them, and what is recomputed after them: to the bit what a full pass gives.

use std::ops::Range;

use xform_core::{Hierarchy, NodeId, world_matrix::WorldMatrix};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use self::twin::{Bits, Subject, Twin, bits};

mod twin;

/// How many edits may wait for a propagation; one of these is drawn each time.
const PATIENCE: [usize; 8] = [1, 1, 1, 2, 5, 20, 80, 400];

/// How many worlds are read before a propagation; each time, and every so many times all of them.
const SAMPLE: usize = 64;
const ALL_EVERY: usize = 8;

impl<X: Subject> Twin<X> {
    fn world(&self, node: usize) -> Bits {
        self.hierarchy.world(self.nodes[node].id).unwrap().bits()
    }

    /// Worlds read on demand, of all nodes or of some.
    fn sample(&mut self) -> Vec<(usize, Bits)> {
        let nodes = if self.propagations.is_multiple_of(ALL_EVERY) {
            self.live.clone()
        } else {
            (0..SAMPLE).filter_map(|_| self.pick()).collect()
        };
        nodes.into_iter().map(|node| (node, self.world(node))).collect()
    }

    fn propagate(&mut self) {
        self.pending_edits_hide_the_slices();
        let on_demand = self.sample();
        let generation = self.hierarchy.order_generation();
        self.hierarchy.propagate();
        self.propagations += 1;
        self.is_settled = true;
        for (node, world) in on_demand {
            assert_eq!(self.world(node), world, "read on demand");
        }
        self.changed_is_what_was_affected(self.hierarchy.order_generation() != generation);
        self.slices_agree_with_nodes();
        self.equals_one_built_at_once();
        self.remember();
    }

    fn remember(&mut self) {
        self.generation = self.hierarchy.order_generation();
        for &node in &self.live {
            let before = (self.hierarchy.slot(self.nodes[node].id).unwrap(), self.world(node));
            self.nodes[node].before = Some(before);
            self.nodes[node].is_edited = false;
        }
    }

    fn pending_edits_hide_the_slices(&self) {
        let is_pending = self.live.iter().any(|&node| self.nodes[node].is_edited);
        assert!(!is_pending || self.hierarchy.worlds().is_none());
        assert!(!is_pending || self.hierarchy.matrices().is_none());
        assert!(!self.is_settled || self.hierarchy.worlds().is_some());
    }

    fn changed_is_what_was_affected(&self, is_reordered: bool) {
        let changed = self.hierarchy.changed();
        assert!(changed.iter().all(|range| !range.is_empty()));
        assert!(changed.is_sorted_by(|range, next| range.end < next.start));
        if is_reordered {
            assert_eq!(changed, std::slice::from_ref(&(0..self.live.len())));
        }
        let is_affected = self.affected();
        for &node in &self.live {
            let slot = self.hierarchy.slot(self.nodes[node].id).unwrap();
            let is_in = is_within(changed, slot);
            let before = self.nodes[node].before;
            let is_same = before.is_some_and(|(_, world)| world == self.world(node));
            assert!(is_in || is_same, "a change missed");
            let has_moved = before.is_some_and(|(before, _)| before != slot);
            assert!(!has_moved || self.hierarchy.order_generation() != self.generation);
            assert_eq!(is_in, is_affected[node] || is_reordered, "slots at or below a change");
        }
    }

    /// By node: whether it is at or below an edited one.
    fn affected(&self) -> Vec<bool> {
        let mut is_affected = vec![false; self.nodes.len()];
        let edited = self.live.iter().filter(|&&node| self.nodes[node].is_edited);
        let mut pending: Vec<_> = edited.copied().collect();
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut is_affected[node], true) {
                pending.extend(&self.nodes[node].children);
            }
        }
        is_affected
    }

    fn slices_agree_with_nodes(&self) {
        let worlds = self.hierarchy.worlds().unwrap();
        for &node in &self.live {
            let id = self.nodes[node].id;
            let slot = self.hierarchy.slot(id).unwrap();
            assert_eq!(worlds[slot].bits(), self.world(node));
            assert_eq!(self.hierarchy.node_in(slot), Some(id));
        }
        let nodes = (0..worlds.len()).filter_map(|slot| self.hierarchy.node_in(slot));
        assert_eq!(nodes.count(), self.live.len());
        assert!(self.hierarchy.matrices().is_none_or(|all| all.len() == worlds.len()));
    }

    fn equals_one_built_at_once(&self) {
        let mut positions = vec![usize::MAX; self.nodes.len()];
        for (position, &node) in self.live.iter().enumerate() {
            positions[node] = position;
        }
        let live = || self.live.iter().map(|&node| &self.nodes[node]);
        let parents: Vec<_> = live().map(|node| node.parent.map(|node| positions[node])).collect();
        let locals: Vec<_> = live().map(|node| node.local).collect();
        let mut fresh = Hierarchy::<X>::new();
        fresh.keep_matrices(self.hierarchy.matrices().is_some());
        let ids = fresh.insert_forest(None, &parents, &locals).unwrap();
        fresh.propagate();
        for (node, id) in live().zip(ids) {
            let world = self.hierarchy.world(node.id).unwrap();
            assert_eq!(world.bits(), fresh.world(id).unwrap().bits(), "incremental and full");
            assert_eq!(matrix(&self.hierarchy, node.id), matrix(&fresh, id));
        }
    }

    fn edit_and_propagate(&mut self, steps: usize) {
        let mut left = 0;
        for _ in 0..steps {
            self.edit();
            left = if left == 0 { PATIENCE[self.random.below(PATIENCE.len())] } else { left } - 1;
            if left == 0 {
                self.propagate();
            }
        }
        self.propagate();
    }
}

fn matrix<X: Subject>(hierarchy: &Hierarchy<X>, id: NodeId) -> Option<Bits> {
    let WorldMatrix(matrix) = &hierarchy.matrices()?[hierarchy.slot(id).unwrap()];
    Some(bits(matrix.as_slice()))
}

fn is_within(ranges: &[Range<usize>], slot: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= slot);
    after > 0 && ranges[after - 1].contains(&slot)
}

fn incremental_equals_full<X: Subject>(seed: u64, keep_matrices: bool) {
    let mut twin = Twin::<X>::new(seed, keep_matrices);
    twin.edit_and_propagate(20_000);
}

/// A change at the root reaches enough nodes to be worth several threads, where they are used.
fn incremental_equals_full_below_a_large_root<X: Subject>(seed: u64, keep_matrices: bool) {
    let mut twin = Twin::<X>::new(seed, keep_matrices);
    twin.insert();
    let below_the_root = (twin.nodes[0].id.into(), Some(0));
    for _ in 0..4 {
        twin.insert_forest(below_the_root, 10_000);
    }
    for edits in [0, 1, 30, 100, 300, 1_000] {
        (0..edits).for_each(|_| twin.edit());
        twin.set_local(0, false);
        twin.propagate();
    }
}

#[test]
fn incremental_equals_full_for_matrices() {
    incremental_equals_full::<AccumulatedMatrix<f32>>(1, false);
    incremental_equals_full::<AccumulatedMatrix<f32>>(2, true);
}

#[test]
fn incremental_equals_full_for_trs() {
    incremental_equals_full::<CombinedTrs<f32>>(3, false);
    incremental_equals_full::<CombinedTrs<f32>>(4, true);
}

#[test]
fn incremental_equals_full_below_a_root_that_is_worth_threads() {
    incremental_equals_full_below_a_large_root::<AccumulatedMatrix<f32>>(5, true);
    incremental_equals_full_below_a_large_root::<CombinedTrs<f32>>(6, false);
}
