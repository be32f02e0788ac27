//! Our side of a comparison: a hierarchy of a generated forest.

use nalgebra::Vector3;
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, Trs};
use xform_scene::built_in::{Forest, Shape};

use crate::SEED;

/// A forest with parents before children, and local poses in `f32`. The same for all sides.
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
    /// Generates this many nodes of a shape.
    #[must_use]
    pub fn new((name, shape): (&'static str, Shape), nodes: u32) -> Self {
        let Forest { parents, locals } = Forest::generate(shape, nodes, SEED);
        Self { shape: name, parents, locals: locals.iter().map(Trs::cast).collect() }
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// Returns the poses of two frames. Every node moves between them.
    #[must_use]
    pub fn frames(&self) -> [Vec<Trs<f32>>; 2] {
        let moved = |local: &Trs<f32>| local.with_translation(local.translation.add_scalar(0.125));
        [self.locals.clone(), self.locals.iter().map(moved).collect()]
    }

    /// Returns the nodes without children.
    #[must_use]
    pub fn leaves(&self) -> Vec<usize> {
        let mut is_parent = vec![false; self.nodes()];
        self.parents.iter().flatten().for_each(|&parent| is_parent[parent] = true);
        (0..self.nodes()).filter(|&node| !is_parent[node]).collect()
    }

    /// Returns one in this many of the nodes, scattered. A node may appear twice.
    #[must_use]
    pub fn part_of(nodes: &[usize], one_in: usize) -> Vec<usize> {
        let mut scatter = Scatter::default();
        (0..nodes.len() / one_in).map(|_| nodes[scatter.below(nodes.len())]).collect()
    }
}

/// Unordered numbers, the same every time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scatter(u64);

impl Scatter {
    /// Returns the next number below `len`.
    pub fn below(&mut self, len: usize) -> usize {
        // The upper half of a product with an odd number changes in every bit, as in Fibonacci hashing.
        self.0 = (self.0 ^ (self.0 >> 29)).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(self.0 >> 32).map_or(0, |high| high % len)
    }
}

/// A hierarchy, with the data for moving its nodes.
#[derive(Clone, Debug)]
pub struct Ours<X: Transform<Scalar = f32>> {
    /// The hierarchy.
    pub hierarchy: Hierarchy<X>,
    /// The id of each node of the input.
    pub ids: Vec<NodeId>,
    roots: Vec<NodeId>,
    step: f32,
}

impl<X: Transform<Scalar = f32>> Ours<X> {
    /// Creates a hierarchy from the nodes of an input and propagates once.
    ///
    /// # Panics
    ///
    /// If the input does not come from a generator.
    #[must_use]
    pub fn new(input: &Input) -> Self {
        let mut hierarchy = Hierarchy::new();
        let ids = hierarchy.insert_forest(None, &input.parents, &input.locals);
        let ids = ids.expect("a generated forest is valid");
        hierarchy.propagate();
        let roots = hierarchy.roots().collect();
        Self { hierarchy, ids, roots, step: 0.0 }
    }

    /// Returns a position that differs from the last one.
    pub fn next_place(&mut self) -> Vector3<f32> {
        self.step = 1.0 - self.step;
        Vector3::repeat(self.step)
    }

    /// Moves every root and recomputes every node.
    ///
    /// # Panics
    ///
    /// If a root was removed, or this processor lacks the instruction set.
    pub fn update_all(&mut self, instruction_set: InstructionSet) {
        self.move_roots();
        self.hierarchy.propagate_by(instruction_set);
    }

    /// Moves every root.
    ///
    /// # Panics
    ///
    /// If a root was removed.
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
    /// If a node was removed, or a pose is invalid.
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
    /// If a node was removed, or a pose is invalid.
    pub fn pose_all(&mut self, poses: &[Trs<f32>]) {
        let posed = self.hierarchy.set_locals(&self.ids, poses);
        posed.expect("nodes stay in the hierarchy");
    }

    /// Reorders the poses of the nodes of the input by slot.
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

    /// Returns the ids of these nodes of the input.
    #[must_use]
    pub fn ids_of(&self, nodes: &[usize]) -> Vec<NodeId> {
        nodes.iter().map(|&node| self.ids[node]).collect()
    }

    /// Moves these nodes.
    ///
    /// # Panics
    ///
    /// If a node was removed.
    pub fn move_nodes(&mut self, ids: &[NodeId]) {
        let place = self.next_place();
        for &id in ids {
            let moved = self.hierarchy.set_translation(id, place);
            moved.expect("nodes stay in the hierarchy");
        }
    }
}
