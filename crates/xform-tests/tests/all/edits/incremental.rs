//! Edits, many of them, and what is recomputed after them: to the bit what a full pass gives.

use std::{fmt::Debug, ops::Range};

use xform_core::{Hierarchy, HierarchyError, NodeId, Place, Transform, Trs, WorldMatrix};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::random::Random;

/// How many edits may wait for a propagation; one of these is drawn each time.
const PATIENCE: [usize; 8] = [1, 1, 1, 2, 5, 20, 80, 400];

/// From this size on, removals outweigh insertions.
const MANY: usize = 4_000;

/// How many worlds are read before a propagation; each time, and every so many times all of them.
const SAMPLE: usize = 64;
const ALL_EVERY: usize = 8;

type Bits = [u32; 16];

trait Subject: Transform<Scalar = f32> + Debug {
    /// No NaN occurs: the poses are too tame to overflow.
    fn bits(&self) -> Bits;
}

impl Subject for AccumulatedMatrix<f32> {
    fn bits(&self) -> Bits {
        bits(self.matrix().as_slice())
    }
}

impl Subject for CombinedTrs<f32> {
    fn bits(&self) -> Bits {
        let mut scalars = [0.0; 10];
        scalars[..4].copy_from_slice(self.rotation.coords.as_slice());
        scalars[4..7].copy_from_slice(self.translation.as_slice());
        scalars[7..].copy_from_slice(self.scale.as_slice());
        bits(&scalars)
    }
}

fn bits(scalars: &[f32]) -> Bits {
    let mut bits = [0; 16];
    for (bits, scalar) in bits.iter_mut().zip(scalars) {
        assert!(scalar.is_finite());
        *bits = scalar.to_bits();
    }
    bits
}

struct ModelNode {
    id: NodeId,
    is_live: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    local: Trs<f32>,
    /// Whether its pose or parent changed since the last propagation.
    is_edited: bool,
    /// As of the last propagation: the slot and the world transform.
    before: Option<(usize, Bits)>,
}

/// A hierarchy, and what it ought to be.
struct Twin<X: Transform> {
    random: Random,
    hierarchy: Hierarchy<X>,
    nodes: Vec<ModelNode>,
    live: Vec<usize>,
    /// Whether no edit at all waits for a propagation.
    is_settled: bool,
    propagations: usize,
    /// As of the last propagation.
    generation: u64,
}

impl<X: Subject> Twin<X> {
    fn new(seed: u64, keep_matrices: bool) -> Self {
        let mut hierarchy = Hierarchy::new();
        hierarchy.keep_matrices(keep_matrices);
        let (nodes, live) = (Vec::new(), Vec::new());
        let random = Random(seed);
        Self { random, hierarchy, nodes, live, is_settled: true, propagations: 0, generation: 0 }
    }

    /// Some live node; often one of the latest, so that there are deep ones.
    fn pick(&mut self) -> Option<usize> {
        let len = self.live.len();
        let among = if self.random.one_in(3) { len.min(8) } else { len };
        (len > 0).then(|| self.live[len - 1 - self.random.below(among)])
    }

    fn place(&mut self) -> (Place, Option<usize>) {
        let kind = self.random.below(25);
        let Some(node) = self.pick().filter(|_| kind > 0) else {
            return (if self.random.one_in(2) { Place::FirstRoot } else { Place::LastRoot }, None);
        };
        let ModelNode { id, parent, .. } = self.nodes[node];
        match kind % 4 {
            0 => (Place::FirstChildOf(id), Some(node)),
            1 => (Place::LastChildOf(id), Some(node)),
            2 => (Place::Before(id), parent),
            _ => (Place::After(id), parent),
        }
    }

    fn add(&mut self, id: NodeId, local: Trs<f32>) {
        self.live.push(self.nodes.len());
        let (parent, children) = (None, Vec::new());
        let node =
            ModelNode { id, is_live: true, parent, children, local, is_edited: true, before: None };
        self.nodes.push(node);
        self.is_settled = false;
    }

    fn hang(&mut self, node: usize, parent: Option<usize>) {
        if let Some(old) = self.nodes[node].parent {
            self.nodes[old].children.retain(|&child| child != node);
        }
        self.nodes[node].parent = parent;
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
    }

    fn subtree(&self, top: usize) -> Vec<usize> {
        let mut subtree = vec![top];
        let mut next = 0;
        while let Some(&node) = subtree.get(next) {
            subtree.extend(&self.nodes[node].children);
            next += 1;
        }
        subtree
    }

    fn insert(&mut self) {
        let ((place, parent), local) = (self.place(), self.random.pose());
        let id = self.hierarchy.insert(place, local).unwrap();
        self.add(id, local);
        self.hang(self.nodes.len() - 1, parent);
    }

    fn insert_forest(&mut self, (place, top): (Place, Option<usize>), len: usize) {
        let parents = self.random.forest(len);
        let locals: Vec<_> = parents.iter().map(|_| self.random.pose()).collect();
        let ids = self.hierarchy.insert_forest(place, &parents, &locals).unwrap();
        let first = self.nodes.len();
        for (&id, local) in ids.iter().zip(locals) {
            self.add(id, local);
        }
        for (node, parent) in parents.iter().enumerate() {
            self.hang(first + node, parent.map(|parent| first + parent).or(top));
        }
    }

    /// A subtree, mostly a small one.
    fn remove(&mut self) {
        let Some(mut top) = self.pick() else { return };
        let limit = if self.random.one_in(40) { 300 } else { 8 };
        while self.subtree(top).len() > limit {
            let children = &self.nodes[top].children;
            top = children[self.random.below(children.len())];
        }
        let subtree = self.subtree(top);
        self.hang(top, None);
        assert_eq!(self.hierarchy.remove(self.nodes[top].id), Ok(subtree.len()));
        for node in subtree {
            self.nodes[node].is_live = false;
        }
        self.live.retain(|&node| self.nodes[node].is_live);
        self.is_settled = false;
    }

    fn reparent(&mut self) {
        let Some(node) = self.pick() else { return };
        let (place, parent) = self.place();
        let moved = self.hierarchy.reparent(self.nodes[node].id, place);
        let mut at_or_above = std::iter::successors(parent, |&node| self.nodes[node].parent);
        if at_or_above.any(|above| above == node) {
            assert!(matches!(moved, Err(HierarchyError::Cycle { .. })));
        } else {
            moved.unwrap();
            self.note_edit(node, parent != self.nodes[node].parent);
            self.hang(node, parent);
        }
    }

    fn set_local(&mut self, node: usize, is_same: bool) {
        let local = if is_same { self.nodes[node].local } else { self.random.pose() };
        self.hierarchy.set_local(self.nodes[node].id, local).unwrap();
        self.nodes[node].local = local;
        self.note_edit(node, !is_same);
    }

    /// Many at once, some of them twice.
    fn set_locals(&mut self) {
        let count = self.random.below(64);
        let nodes: Vec<_> = (0..count).filter_map(|_| self.pick()).collect();
        let pose = |node: &usize| {
            if self.random.one_in(4) { self.nodes[*node].local } else { self.random.pose() }
        };
        let locals: Vec<_> = nodes.iter().map(pose).collect();
        let ids: Vec<_> = nodes.iter().map(|&node| self.nodes[node].id).collect();
        self.hierarchy.set_locals(&ids, &locals).unwrap();
        for (node, local) in nodes.into_iter().zip(locals) {
            let change = self.nodes[node].local.change_to(&local);
            self.nodes[node].local = local;
            self.note_edit(node, !change.is_empty());
        }
    }

    fn note_edit(&mut self, node: usize, is_change: bool) {
        self.nodes[node].is_edited |= is_change;
        self.is_settled &= !is_change;
    }

    fn edit(&mut self) {
        let removals = if self.live.len() > MANY { 30 } else { 10 };
        let node = self.pick();
        match self.random.below(75 + removals) {
            0..25 => self.insert(),
            25..28 => {
                let (place, len) = (self.place(), self.random.below(24));
                self.insert_forest(place, len);
            }
            28..48 => self.reparent(),
            kind @ 48..70 => node.into_iter().for_each(|node| self.set_local(node, kind < 52)),
            70..75 => self.set_locals(),
            _ => self.remove(),
        }
    }

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
