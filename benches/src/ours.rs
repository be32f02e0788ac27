//! Our side of a comparison: a hierarchy of a generated forest.

use nalgebra::Vector3;
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, Trs};
use xform_scene::built_in::{Forest, Shape};

use crate::SEED;

/// Parents before children and local poses in `f32`, the same for everybody.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name of the shape.
    pub shape: &'static str,
    /// The parent of each node.
    pub parents: Vec<Option<usize>>,
    /// The local pose of each node.
    pub locals: Vec<Trs<f32>>,
}

impl Input {
    /// So many nodes of a shape.
    #[must_use]
    pub fn new((name, shape): (&'static str, Shape), nodes: u32) -> Self {
        let Forest { parents, locals } = Forest::generate(shape, nodes, SEED);
        Self { shape: name, parents, locals: locals.iter().map(Trs::cast).collect() }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The poses of two frames, in each of which every node is elsewhere.
    #[must_use]
    pub fn frames(&self) -> [Vec<Trs<f32>>; 2] {
        let moved = |local: &Trs<f32>| local.with_translation(local.translation.add_scalar(0.125));
        [self.locals.clone(), self.locals.iter().map(moved).collect()]
    }

    /// The nodes that are nobody's parent.
    #[must_use]
    pub fn leaves(&self) -> Vec<usize> {
        let mut is_parent = vec![false; self.nodes()];
        self.parents.iter().flatten().for_each(|&parent| is_parent[parent] = true);
        (0..self.nodes()).filter(|&node| !is_parent[node]).collect()
    }

    /// One in so many of the nodes, scattered; some may be there twice.
    #[must_use]
    pub fn part_of(nodes: &[usize], one_in: usize) -> Vec<usize> {
        let mut scatter = Scatter::default();
        (0..nodes.len() / one_in).map(|_| nodes[scatter.below(nodes.len())]).collect()
    }
}

/// Numbers without an order to them, the same every time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scatter(u64);

impl Scatter {
    /// The next number below `len`.
    pub fn below(&mut self, len: usize) -> usize {
        // The high half of an odd multiple, as in Fibonacci hashing, turns over in every bit.
        self.0 = (self.0 ^ (self.0 >> 29)).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(self.0 >> 32).map_or(0, |high| high % len)
    }
}

/// A hierarchy, and what it takes to move its nodes.
#[derive(Clone, Debug)]
pub struct Ours<X: Transform<Scalar = f32>> {
    /// The hierarchy.
    pub hierarchy: Hierarchy<X>,
    /// By node of the input.
    pub ids: Vec<NodeId>,
    roots: Vec<NodeId>,
    step: f32,
}

impl<X: Transform<Scalar = f32>> Ours<X> {
    /// The nodes of an input, propagated once.
    ///
    /// # Panics
    ///
    /// If the input is none that a generator makes.
    #[must_use]
    pub fn new(input: &Input) -> Self {
        let mut hierarchy = Hierarchy::new();
        let ids = hierarchy.insert_forest(None, &input.parents, &input.locals);
        let ids = ids.expect("a generated forest is valid");
        hierarchy.propagate();
        let roots = hierarchy.roots().collect();
        Self { hierarchy, ids, roots, step: 0.0 }
    }

    /// Somewhere else than last time.
    pub fn next_place(&mut self) -> Vector3<f32> {
        self.step = 1.0 - self.step;
        Vector3::repeat(self.step)
    }

    /// Moves every root and recomputes every node.
    ///
    /// # Panics
    ///
    /// If a root was removed, or this processor does not have the instruction set.
    pub fn update_all(&mut self, instruction_set: InstructionSet) {
        self.move_roots();
        self.hierarchy.propagate_by(instruction_set);
    }

    /// Moves every root.
    ///
    /// # Panics
    ///
    /// If one was removed.
    pub fn move_roots(&mut self) {
        let place = self.next_place();
        for &root in &self.roots {
            let moved = self.hierarchy.set_translation(root, place);
            moved.expect("roots stay in the hierarchy");
        }
    }

    /// Sets the pose of every node of the input, one by one.
    ///
    /// # Panics
    ///
    /// If one was removed, or a pose is none.
    pub fn pose_nodes(&mut self, poses: &[Trs<f32>]) {
        for (&id, &pose) in self.ids.iter().zip(poses) {
            let posed = self.hierarchy.set_local(id, pose);
            posed.expect("nodes stay in the hierarchy");
        }
    }

    /// Sets the pose of every node of the input, all at once.
    ///
    /// # Panics
    ///
    /// If one was removed, or a pose is none.
    pub fn pose_all(&mut self, poses: &[Trs<f32>]) {
        let posed = self.hierarchy.set_locals(&self.ids, poses);
        posed.expect("nodes stay in the hierarchy");
    }

    /// These poses of the nodes of the input, by slot.
    ///
    /// # Panics
    ///
    /// If a node was removed.
    #[must_use]
    pub fn by_slot(&self, poses: &[Trs<f32>]) -> Vec<Trs<f32>> {
        let mut by_slot = self.hierarchy.locals().to_vec();
        for (&id, &pose) in self.ids.iter().zip(poses) {
            by_slot[self.hierarchy.slot(id).expect("nodes stay in the hierarchy")] = pose;
        }
        by_slot
    }

    /// The ids of these nodes of the input.
    #[must_use]
    pub fn ids_of(&self, nodes: &[usize]) -> Vec<NodeId> {
        nodes.iter().map(|&node| self.ids[node]).collect()
    }

    /// Moves these nodes.
    ///
    /// # Panics
    ///
    /// If one was removed.
    pub fn move_nodes(&mut self, ids: &[NodeId]) {
        let place = self.next_place();
        for &id in ids {
            let moved = self.hierarchy.set_translation(id, place);
            moved.expect("nodes stay in the hierarchy");
        }
    }
}
