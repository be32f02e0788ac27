use super::Hierarchy;
use crate::{HierarchyError, NodeId, Place, Transform, Trs, parents_first, tree::Gap};

/// Structure: who is whose child.
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
        let id = self.tree.allocate_one()?;
        self.place_new(id, gap, local);
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
        let ids = self.tree.allocate(parents.len())?;
        for ((&id, &parent), &local) in ids.iter().zip(parents).zip(locals) {
            let gap = parent.map_or(top, |parent| self.tree.last_gap(ids[parent].index));
            self.place_new(id, gap, local);
        }
        Ok(ids)
    }

    fn place_new(&mut self, id: NodeId, gap: Gap, local: Trs<X::Scalar>) {
        self.tree.attach(id.index, gap);
        let slot = self.layout.claim(id.index, self.locals.len());
        if slot == self.locals.len() {
            self.locals.push(local);
            self.worlds.push(X::identity());
        } else {
            self.locals[slot] = local;
        }
        self.changes.add(id.index);
    }

    /// Removes a node with all its descendants and returns how many nodes that were.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn remove(&mut self, node: NodeId) -> Result<usize, HierarchyError> {
        let index = self.tree.index(node)?;
        self.layout.mark_stale();
        Ok(self.tree.remove(index))
    }

    /// Moves a node with all its descendants; every local pose stays as it is, so the world
    /// transforms follow the new parent.
    ///
    /// # Errors
    ///
    /// An unknown node; a place under the node itself or under one of its descendants. The check
    /// climbs from the place to its root.
    pub fn reparent(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        let gap = self.tree.gap(place.into())?;
        if self.tree.is_at_or_above(index, gap.parent) {
            let parent = self.tree.id(gap.parent);
            return Err(HierarchyError::Cycle { node, parent });
        }
        if self.tree.is_beside(index, gap) {
            return Ok(()); // it is there already
        }
        if gap.parent != self.tree.parent(index) {
            self.changes.add(index);
        }
        self.tree.detach(index);
        self.tree.attach(index, gap);
        self.layout.mark_stale();
        Ok(())
    }
}
