use crate::{NodeId, Topology, Transform, Trs, index::NIL};

/// The world transforms of a hierarchy as they were after a propagation: a value of its own, for another thread to read
/// while edits go on, or to draw what is between two of them.
///
/// [`Hierarchy::snapshot`](crate::Hierarchy::snapshot) fills one, and reuses its memory. For each slot it keeps the world
/// transform, the local pose (40 bytes in `f32`), the id (16) and the parent (4), and for each node that ever was 4 bytes
/// to find it by; all of that is copied as whole slices, with no pass over nodes but for the ids.
///
/// # Examples
///
/// ```
/// # use xform_core::{Hierarchy, HierarchyError, NodeId, Snapshot, Transform};
/// # fn frame<Strategy: Transform<Scalar = f32>>(
/// #     hierarchy: &mut Hierarchy<Strategy>, camera: NodeId, alpha: f32,
/// # ) -> Result<(), HierarchyError> {
/// # let (mut previous, mut current, mut drawn) = (Snapshot::new(), Snapshot::new(), Snapshot::new());
/// // Each tick of the simulation:
/// std::mem::swap(&mut previous, &mut current);
/// hierarchy.propagate();
/// hierarchy.snapshot(&mut current)?;
///
/// // Each frame in between, on any thread:
/// drawn.interpolate(&previous, &current, alpha);
/// let world_from_camera = drawn.world(camera);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot<X: Transform> {
    topology: Topology,
    /// By slot, as the worlds are; `None` where the slot is vacant.
    nodes: Vec<Option<NodeId>>,
    locals: Vec<Trs<X::Scalar>>,
    worlds: Vec<X>,
    /// The slot of each node by the index of its id, `NIL` for none.
    slots: Vec<u32>,
}

impl<X: Transform> Snapshot<X> {
    /// A snapshot of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            topology: Topology::default(),
            nodes: Vec::new(),
            locals: Vec::new(),
            worlds: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Copies everything, `nodes` by slot.
    pub(crate) fn fill(
        &mut self,
        topology: &Topology,
        locals: &[Trs<X::Scalar>],
        worlds: &[X],
        nodes: impl Iterator<Item = Option<NodeId>>,
    ) {
        self.topology.copy_from(topology);
        copy(&mut self.locals, locals);
        copy(&mut self.worlds, worlds);
        self.nodes.clear();
        self.nodes.extend(nodes);
        self.slots.clear();
        for (slot, node) in (0..).zip(&self.nodes) {
            let Some(node) = node else { continue };
            let index = node.index as usize;
            if index >= self.slots.len() {
                self.slots.resize(index + 1, NIL);
            }
            self.slots[index] = slot;
        }
    }

    /// The world transforms by slot, as [`Hierarchy::worlds`](crate::Hierarchy::worlds) has them.
    #[must_use]
    pub fn worlds(&self) -> &[X] {
        &self.worlds
    }

    /// The node in a slot; `None` if the slot is vacant or beyond the last.
    #[must_use]
    pub fn node_in(&self, slot: usize) -> Option<NodeId> {
        self.nodes.get(slot).copied().flatten()
    }

    /// The slot of a node; `None` if it was not there.
    #[must_use]
    pub fn slot(&self, node: NodeId) -> Option<usize> {
        let slot = *self.slots.get(node.index as usize)? as usize;
        (self.node_in(slot) == Some(node)).then_some(slot)
    }

    /// The world transform of a node; `None` if it was not there.
    #[must_use]
    pub fn world(&self, node: NodeId) -> Option<&X> {
        Some(&self.worlds[self.slot(node)?])
    }

    /// Makes this what is between two snapshots of a hierarchy, or of its clones: `previous` at 0, `current` at 1.
    ///
    /// Local poses are [interpolated](Trs::interpolate) and world transforms accumulated from them. So an arm that turns
    /// keeps its length, which it would not if world matrices were mixed. A node that is new in `current`, or that has
    /// another parent or inherits something else, has the local pose that it has there, below its parent as that is
    /// between the two. Only local poses that differ are interpolated,
    /// some 50 ns each; the rest is a copy and one propagation of all nodes.
    pub fn interpolate(&mut self, previous: &Self, current: &Self, part: X::Scalar) {
        // Called before anything changes, because a strategy may panic.
        let identity = X::identity();
        self.topology.copy_from(&current.topology);
        copy(&mut self.nodes, &current.nodes);
        copy(&mut self.slots, &current.slots);
        copy(&mut self.locals, &current.locals);
        for (slot, local) in self.locals.iter_mut().enumerate() {
            let Some(before) = current.before(previous, slot) else { continue };
            if before.differs_from(local) {
                *local = before.interpolate(local, part);
            }
        }
        self.worlds.resize(self.locals.len(), identity);
        let everything = 0..self.locals.len();
        X::accumulate(
            &self.topology,
            &self.locals,
            &mut self.worlds,
            std::slice::from_ref(&everything),
        );
    }

    /// The local pose that the node in a slot had in another snapshot, if it hung in the same way there.
    fn before<'a>(&self, other: &'a Self, slot: usize) -> Option<&'a Trs<X::Scalar>> {
        let node = self.node_in(slot)?;
        // Mostly in the same slot.
        let there = if other.node_in(slot) == Some(node) { slot } else { other.slot(node)? };
        let hangs_alike = self.parent_in(slot) == other.parent_in(there)
            && self.topology.inherit(slot) == other.topology.inherit(there);
        hangs_alike.then(|| &other.locals[there])
    }

    fn parent_in(&self, slot: usize) -> Option<NodeId> {
        self.node_in(self.topology.parent(slot)?)
    }
}

impl<X: Transform> Default for Snapshot<X> {
    /// A snapshot of nothing.
    fn default() -> Self {
        Self::new()
    }
}

/// Overwrites a vector and keeps its memory.
fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}
