use crate::{NodeId, Topology, Transform, Trs, index::NIL};

/// A copy of a hierarchy's world transforms as they were after a propagation.
///
/// Another thread can read it while edits go on, and two of them can be [interpolated](Self::interpolate).
///
/// [`Hierarchy::snapshot`](crate::Hierarchy::snapshot) fills a snapshot and reuses its memory. For each slot it
/// keeps the world transform, the local pose (40 bytes in `f32`), the id (16 bytes) and the parent (4 bytes). For
/// each node that ever existed it keeps 4 bytes to find it. All of this is copied as whole slices, except for the
/// ids, which take one pass over the nodes.
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
    /// By slot, like `worlds`; `None` if the slot is vacant.
    nodes: Vec<Option<NodeId>>,
    locals: Vec<Trs<X::Scalar>>,
    worlds: Vec<X>,
    /// The slot of each node, by the index of its id; `NIL` for none.
    slots: Vec<u32>,
}

impl<X: Transform> Snapshot<X> {
    /// Creates an empty snapshot.
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

    /// Copies everything. `nodes` are given by slot.
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

    /// Returns the world transforms by slot, as [`Hierarchy::worlds`](crate::Hierarchy::worlds) does.
    #[must_use]
    pub fn worlds(&self) -> &[X] {
        &self.worlds
    }

    /// Returns the node in a slot; `None` if the slot is vacant or out of range.
    #[must_use]
    pub fn node_in(&self, slot: usize) -> Option<NodeId> {
        self.nodes.get(slot).copied().flatten()
    }

    /// Returns the slot of a node; `None` if it was not in the hierarchy.
    #[must_use]
    pub fn slot(&self, node: NodeId) -> Option<usize> {
        let slot = *self.slots.get(node.index as usize)? as usize;
        (self.node_in(slot) == Some(node)).then_some(slot)
    }

    /// Returns the world transform of a node; `None` if it was not in the hierarchy.
    #[must_use]
    pub fn world(&self, node: NodeId) -> Option<&X> {
        Some(&self.worlds[self.slot(node)?])
    }

    /// Overwrites this with the interpolation between two snapshots of a hierarchy, or of its clones: `previous` at
    /// `part` 0, `current` at 1.
    ///
    /// Local poses are [interpolated](Trs::interpolate), and world transforms are accumulated from them. So an arm
    /// that turns keeps its length, which it would not if world matrices were mixed.
    ///
    /// A node that is new in `current`, has another parent there, or inherits other parts, takes its local pose from
    /// `current`, below the interpolated parent. Only local poses that differ are interpolated, at about 50 ns each.
    /// The rest is a copy and one propagation of all nodes.
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

    /// Returns the local pose that the node in a slot had in another snapshot, if it had the same parent there and
    /// inherited the same parts.
    fn before<'a>(&self, other: &'a Self, slot: usize) -> Option<&'a Trs<X::Scalar>> {
        let node = self.node_in(slot)?;
        // The node usually is in the same slot.
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
    /// Creates an empty snapshot.
    fn default() -> Self {
        Self::new()
    }
}

/// Overwrites a vector and keeps its memory.
fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}
