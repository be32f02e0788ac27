//! A hierarchy that is edited at random, and a plain model that keeps up with it.

use std::fmt::Debug;

use xform_core::{Hierarchy, HierarchyError, NodeId, Place, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::random::Random;

/// From this size on, removals outweigh insertions.
const MANY: usize = 4_000;

pub(super) type Bits = [u32; 16];

pub(super) trait Subject: Transform<Scalar = f32> + Debug {
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

pub(super) fn bits(scalars: &[f32]) -> Bits {
    let mut bits = [0; 16];
    for (bits, scalar) in bits.iter_mut().zip(scalars) {
        assert!(scalar.is_finite());
        *bits = scalar.to_bits();
    }
    bits
}

pub(super) struct ModelNode {
    pub(super) id: NodeId,
    is_live: bool,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) local: Trs<f32>,
    /// Whether its pose or parent changed since the last propagation.
    pub(super) is_edited: bool,
    /// As of the last propagation: the slot and the world transform.
    pub(super) before: Option<(usize, Bits)>,
}

/// A hierarchy, and what it ought to be.
pub(super) struct Twin<X: Transform> {
    pub(super) random: Random,
    pub(super) hierarchy: Hierarchy<X>,
    pub(super) nodes: Vec<ModelNode>,
    pub(super) live: Vec<usize>,
    /// Whether no edit at all waits for a propagation.
    pub(super) is_settled: bool,
    pub(super) propagations: usize,
    /// As of the last propagation.
    pub(super) generation: u64,
}

impl<X: Subject> Twin<X> {
    pub(super) fn new(seed: u64, keep_matrices: bool) -> Self {
        let mut hierarchy = Hierarchy::new();
        hierarchy.keep_matrices(keep_matrices);
        let (nodes, live) = (Vec::new(), Vec::new());
        let random = Random(seed);
        Self { random, hierarchy, nodes, live, is_settled: true, propagations: 0, generation: 0 }
    }

    /// Some live node; often one of the latest, so that there are deep ones.
    pub(super) fn pick(&mut self) -> Option<usize> {
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

    pub(super) fn insert(&mut self) {
        let ((place, parent), local) = (self.place(), self.random.pose());
        let id = self.hierarchy.insert(place, local).unwrap();
        self.add(id, local);
        self.hang(self.nodes.len() - 1, parent);
    }

    pub(super) fn insert_forest(&mut self, (place, top): (Place, Option<usize>), len: usize) {
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

    pub(super) fn set_local(&mut self, node: usize, is_same: bool) {
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

    pub(super) fn edit(&mut self) {
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
}
