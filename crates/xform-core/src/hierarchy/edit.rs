use std::ops::Range;

use super::Hierarchy;
use crate::{
    Change, HierarchyError, NodeId, Place, Transform, Trs, WorldMatrix,
    blocks::Blocks,
    parents_first,
    tree::{Gap, NIL},
};

/// Structure: who is whose child.
///
/// Each of these takes constant time for each node that is added, removed or moved, over many of them:
/// now and then [`propagate`](Hierarchy::propagate) puts all nodes in order, or, where that is never
/// called, an insertion or a move does. Memory follows the number of nodes either way.
impl<X: Transform> Hierarchy<X> {
    /// Adds a node. An id as the place means its last child, `None` the last root.
    ///
    /// # Errors
    ///
    /// An unknown node in `place`, a pose that [`Trs::check`] refuses, more nodes than a `u32` can
    /// number.
    pub fn insert(
        &mut self,
        place: impl Into<Place>,
        local: Trs<X::Scalar>,
    ) -> Result<NodeId, HierarchyError> {
        let gap = self.tree.gap(place.into())?;
        local.check()?;
        let identity = X::identity();
        let id = self.tree.allocate_one()?;
        self.take_back();
        self.tree.attach(id.index, gap);
        self.locals.push(local);
        self.append_leaf(id.index, gap, identity);
        Ok(id)
    }

    /// Adds many nodes at once, in linear time; returns their ids in the order of the slices.
    ///
    /// `parents[i]` is the parent of the `i`-th new node as an index into the same slices, in any
    /// order; those without one all go to `place`, in the order of the slices, as do siblings.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert); parents that are out of range or form a cycle.
    pub fn insert_forest(
        &mut self,
        place: impl Into<Place>,
        parents: &[Option<usize>],
        locals: &[Trs<X::Scalar>],
    ) -> Result<Vec<NodeId>, HierarchyError> {
        assert_eq!(parents.len(), locals.len(), "one local pose a node");
        let top = self.tree.gap(place.into())?;
        parents_first(parents)?;
        for (index, local) in locals.iter().enumerate() {
            local.check().map_err(|error| HierarchyError::PoseAt { index, error })?;
        }
        if parents.is_empty() {
            return Ok(Vec::new()); // a run begins with a slot that there is
        }
        let identity = X::identity();
        let ids = self.tree.allocate(parents.len())?;
        self.take_back();
        for (&id, &parent) in ids.iter().zip(parents) {
            let gap = parent.map_or(top, |parent| self.tree.last_gap(ids[parent].index));
            self.tree.attach(id.index, gap);
        }
        let narrow = |parent| u32::try_from(parent).expect("room for all nodes was checked");
        let parents: Vec<_> = parents.iter().map(|parent| parent.map_or(NIL, narrow)).collect();
        let blocks = Blocks::new(&parents);
        let in_order = || blocks.order.iter().map(|&node| node as usize);
        let indices: Vec<_> = in_order().map(|node| ids[node].index).collect();
        self.locals.extend(in_order().map(|node| locals[node]));
        self.append(&indices, &blocks.parents, &blocks.descendants, top, identity);
        Ok(ids)
    }

    fn append_leaf(&mut self, index: u32, gap: Gap, identity: X) {
        self.append(&[index], &[NIL], std::slice::from_ref(&(0..0)), gap, identity);
    }

    /// Gives slots to nodes that hang in the tree already, in the order of their blocks. Their
    /// local poses stand behind the others.
    ///
    /// `identity` is the strategy's, which was asked for it before anything changed: it may panic.
    fn append(
        &mut self,
        indices: &[u32],
        parents: &[u32],
        descendants: &[Range<u32>],
        gap: Gap,
        identity: X,
    ) {
        let first = self.layout.len();
        self.layout.append(indices, parents, descendants, gap.parent);
        self.worlds.resize_with(self.layout.len(), || identity);
        if let Some(matrices) = &mut self.matrices {
            matrices.resize(self.layout.len(), WorldMatrix::identity());
        }
        let tops = parents.iter().take_while(|&&parent| parent == NIL).count();
        (first..first + tops).for_each(|slot| self.changes.insert(slot));
        if let Some(tracker) = &mut self.tracker {
            tracker.extend(self.layout.len());
            (first..first + tops).for_each(|slot| tracker.mark(slot, Change::ALL));
        }
    }

    /// Removes a node with all its descendants and returns how many nodes that were.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn remove(&mut self, node: NodeId) -> Result<usize, HierarchyError> {
        let top = self.tree.index(node)?;
        let removed = self.tree.remove(top);
        for &index in removed {
            let slot = self.layout.slot(index);
            self.layout.vacate(slot);
            self.changes.remove(slot);
            if let Some(tracker) = &mut self.tracker {
                tracker.remove(slot, index);
            }
        }
        Ok(removed.len())
    }

    /// Moves a node with all its descendants; every local pose stays as it is, so the world
    /// transforms follow the new parent.
    ///
    /// # Errors
    ///
    /// An unknown node; a place under the node itself or under one of its descendants. To check that
    /// takes no longer than to climb from the place to its root, nor than to walk what is moved.
    pub fn reparent(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        let gap = self.tree.gap(place.into())?;
        self.check_not_below(index, gap)?;
        if self.tree.is_beside(index, gap) {
            return Ok(()); // it is there already
        }
        let is_new_parent = gap.parent != self.tree.parent(index);
        let identity = X::identity();
        self.take_back();
        self.tree.detach(index);
        self.tree.attach(index, gap);
        if is_new_parent {
            self.mark(index, Change::ALL);
            self.move_subtree(index, gap, identity);
        }
        Ok(())
    }

    /// Whether a node can go into a gap: not where that is below the node itself.
    pub(super) fn check_not_below(&self, index: u32, gap: Gap) -> Result<(), HierarchyError> {
        let is_at_home_below = || {
            let [parent, top] = [gap.parent, index].map(|index| self.layout.slot(index));
            !self.layout.is_stale() && self.layout.is_at_home_below(parent, top)
        };
        let is_below = gap.parent != NIL
            && (is_at_home_below() || self.tree.is_at_or_above(index, gap.parent));
        if is_below {
            let (node, parent) = (self.tree.id(index), self.tree.id(gap.parent));
            return Err(HierarchyError::Cycle { node, parent });
        }
        Ok(())
    }

    /// Lays a subtree out behind all others, or leaves that to the next compaction where it is too
    /// large for the effort to be worth it.
    fn move_subtree(&mut self, top: u32, gap: Gap, identity: X) {
        let mut indices = vec![top];
        let mut parents = vec![NIL];
        let mut done = 0;
        while done < indices.len() {
            if self.layout.would_be_stale(indices.len()) {
                return self.layout.leave_behind(top);
            }
            for child in self.tree.child_indices(indices[done]) {
                indices.push(child);
                parents.push(u32::try_from(done).expect("fewer nodes than NIL"));
            }
            done += 1;
        }
        if let [leaf] = indices[..] {
            self.leave_slot(leaf);
            self.append_leaf(leaf, gap, identity);
        } else {
            let blocks = Blocks::new(&parents);
            let indices: Vec<_> = blocks.order.iter().map(|&i| indices[i as usize]).collect();
            indices.iter().for_each(|&index| self.leave_slot(index));
            self.append(&indices, &blocks.parents, &blocks.descendants, gap, identity);
        }
        self.layout.advance_generation();
    }

    /// Vacates a node's slot and puts its local pose behind the others.
    fn leave_slot(&mut self, index: u32) {
        let slot = self.layout.slot(index);
        self.locals.push(self.locals[slot]);
        self.layout.topology.move_inherit_to_end(slot);
        if let Some(tracker) = &mut self.tracker {
            tracker.move_to_end(slot);
        }
        self.layout.vacate(slot);
        self.changes.remove(slot);
    }
}
