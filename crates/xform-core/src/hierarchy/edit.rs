use std::ops::Range;

use super::{Hierarchy, bulk::normalized_each, slot_table::Row};
use crate::{
    HierarchyError, Inherit, NodeId, Place, Real, TopologyError, Transform, Trs,
    change::Change,
    index::{NIL, stored},
    sibling_blocks::SiblingBlocks,
    topology::{check_parents, node_on_a_cycle},
    transform::can_inherit,
    tree::InsertionPoint,
};

/// Nodes to be added together, as slices of the same length.
pub(super) struct Nodes<'a, T: Real> {
    pub(super) ids: &'a [NodeId],
    /// The parent of each node, as an index into these slices.
    pub(super) parents: &'a [Option<usize>],
    pub(super) locals: &'a [Trs<T>],
    pub(super) inherits: &'a [Inherit],
}

/// Edits of the structure: adding, removing and moving nodes.
///
/// Each of these operations, and [`insert`](Self::insert), takes amortised constant time for each node that is
/// added, removed or moved. Now and then [`propagate`](Hierarchy::propagate) puts all nodes in order; if it is never
/// called, an insertion or a move does. Either way, memory stays in proportion to the number of nodes.
impl<X: Transform> Hierarchy<X> {
    /// Adds many nodes at once, in linear time. Returns their ids in the order of the slices.
    ///
    /// `parents[i]` is the parent of the `i`-th new node, as an index into the same slices. Parents may come after
    /// their children. All nodes without a parent go to `place`. Roots and siblings keep the order of the slices.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert); parents that are out of range or form a cycle.
    ///
    /// # Examples
    ///
    /// A skeleton from lists, as files contain them. A parent is an index into the list:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Vector3, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>) -> Result<(), HierarchyError> {
    /// let [hip, knee, foot] = [0.0, -0.5, -0.45].map(|y| Trs::from_translation(Vector3::new(0.0, y, 0.0)));
    /// let ids = hierarchy.insert_forest(None, &[None, Some(0), Some(1)], &[hip, knee, foot])?;
    /// assert_eq!(hierarchy.parent(ids[2])?, Some(ids[1]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert_forest(
        &mut self,
        place: impl Into<Place>,
        parents: &[Option<usize>],
        locals: &[Trs<X::Scalar>],
    ) -> Result<Vec<NodeId>, HierarchyError> {
        self.insert_forest_inheriting(place, parents, locals, &vec![Inherit::All; parents.len()])
    }

    /// Like [`insert_forest`](Self::insert_forest), with the parts that each node [inherits](Inherit).
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// As for [`insert_forest`](Self::insert_forest), and for [`set_inherit`](Self::set_inherit).
    pub fn insert_forest_inheriting(
        &mut self,
        place: impl Into<Place>,
        parents: &[Option<usize>],
        locals: &[Trs<X::Scalar>],
        inherits: &[Inherit],
    ) -> Result<Vec<NodeId>, HierarchyError> {
        assert_eq!(parents.len(), locals.len(), "one local pose per node");
        assert_eq!(parents.len(), inherits.len(), "one `inherit` per node");
        let top = self.tree.insertion_point(place.into())?;
        let blocks = blocks_of(parents)?;
        let locals = normalized_each(locals)?;
        if let Some(index) = inherits.iter().position(|&inherit| !can_inherit::<X>(inherit)) {
            return Err(HierarchyError::InheritsAllAt { index });
        }
        if parents.is_empty() {
            return Ok(Vec::new()); // a run has at least one slot
        }
        let world = X::identity();
        let ids = self.tree.allocate(parents.len())?;
        let nodes = Nodes { ids: &ids, parents, locals: &locals, inherits };
        self.add_nodes(&nodes, &blocks, top, world);
        Ok(ids)
    }

    /// Attaches nodes that already have ids, and gives them slots. Those without a parent among them are attached at
    /// `top`.
    pub(super) fn add_nodes(
        &mut self,
        nodes: &Nodes<'_, X::Scalar>,
        blocks: &SiblingBlocks,
        top: InsertionPoint,
        world: X,
    ) {
        let Nodes { ids, parents, locals, inherits } = nodes;
        self.compact_if_mostly_vacant();
        for (&id, &parent) in ids.iter().zip(*parents) {
            let point = parent.map_or(top, |parent| self.tree.behind_last_child(ids[parent].index));
            self.tree.attach(id.index, point);
        }
        let in_order = blocks.order.iter().map(|&node| node as usize);
        let rows = in_order.map(|node| Row {
            inherit: inherits[node],
            ..Row::new(ids[node].index, locals[node], world)
        });
        self.layout.slots.reserve(ids.len());
        self.append(rows, &blocks.parents, &blocks.descendants, top);
    }

    pub(super) fn append_leaf(&mut self, row: Row<X>, point: InsertionPoint) {
        self.append(std::iter::once(row), &[NIL], std::slice::from_ref(&(0..0)), point);
    }

    /// Gives slots to nodes that are already attached in the tree. The rows are in sibling-block order.
    fn append(
        &mut self,
        rows: impl Iterator<Item = Row<X>>,
        parents: &[u32],
        descendants: &[Range<u32>],
        point: InsertionPoint,
    ) {
        let first = self.layout.slots.len();
        self.layout.append(&mut self.tree, rows, parents, descendants, point.parent);
        let tops = parents.iter().take_while(|&&parent| parent == NIL).count();
        (first..first + tops).for_each(|slot| self.mark_slot(slot, Change::ALL));
    }

    /// Removes a node with all its descendants, and returns the number of nodes removed.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, chest: NodeId) -> Result<(), HierarchyError> {
    /// let removed = hierarchy.remove(chest)?; // with all that was below it
    /// assert!(removed >= 1 && !hierarchy.contains(chest));
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove(&mut self, node: NodeId) -> Result<usize, HierarchyError> {
        let top = self.tree.index(node)?;
        let removed = self.tree.remove(top);
        let count = removed.len();
        for (index, slot) in removed {
            self.layout.vacate(slot);
            self.changes.remove(slot);
            if let Some(tracker) = &mut self.tracker {
                tracker.remove(index);
            }
        }
        Ok(count)
    }

    /// Moves a node with all its descendants to another place.
    ///
    /// Every local pose stays as it is, so the world transforms follow the new parent. To keep the world transforms
    /// instead, see [`reparent_keeping_world`](Self::reparent_keeping_world).
    ///
    /// # Errors
    ///
    /// An unknown node; a place under the node itself or under one of its descendants. Checking for this takes no
    /// longer than climbing from the place to its root, and no longer than walking the subtree that is moved.
    ///
    /// # Examples
    ///
    /// A sword goes into the other hand and keeps its pose there. To keep its place in the world, see
    /// [`reparent_keeping_world`](Self::reparent_keeping_world):
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, sword: NodeId, left_hand: NodeId) -> Result<(), HierarchyError> {
    /// hierarchy.reparent(sword, left_hand)?;
    /// assert_eq!(hierarchy.parent(sword)?, Some(left_hand));
    /// # Ok(())
    /// # }
    /// ```
    pub fn reparent(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<(), HierarchyError> {
        let index = self.tree.index(node)?;
        let point = self.tree.insertion_point(place.into())?;
        self.check_not_below(index, point)?;
        if self.tree.is_beside(index, point) {
            return Ok(()); // the node is already there
        }
        let is_new_parent = point.parent != self.tree.parent(index);
        self.compact_if_mostly_vacant();
        self.tree.detach(index);
        self.tree.attach(index, point);
        if is_new_parent {
            self.mark(index, Change::ALL);
            self.move_subtree(index, point);
        }
        Ok(())
    }

    /// Fails if the point is below the node itself or below one of its descendants.
    pub(super) fn check_not_below(
        &self,
        index: u32,
        point: InsertionPoint,
    ) -> Result<(), HierarchyError> {
        let is_laid_out_below = || {
            let [parent, top] = [point.parent, index].map(|index| self.tree.slot(index));
            !self.layout.is_stale() && self.layout.is_laid_out_below(parent, top)
        };
        let is_below = point.parent != NIL
            && (is_laid_out_below() || self.tree.is_at_or_above(index, point.parent));
        if is_below {
            let (node, parent) = (self.tree.id(index), self.tree.id(point.parent));
            return Err(HierarchyError::Cycle { node, parent });
        }
        Ok(())
    }

    /// Gives a moved subtree slots behind all others. If the subtree is too large for that, leaves it to the next
    /// compaction.
    fn move_subtree(&mut self, top: u32, point: InsertionPoint) {
        let mut indices = vec![top];
        let mut parents = vec![NIL];
        let mut done = 0;
        while done < indices.len() {
            if self.layout.would_be_stale(indices.len()) {
                return self.layout.defer(top);
            }
            for child in self.tree.child_indices(indices[done]) {
                indices.push(child);
                parents.push(stored(done));
            }
            done += 1;
        }
        if let [leaf] = indices[..] {
            let row = self.take_row(leaf);
            self.append_leaf(row, point);
        } else {
            let blocks = SiblingBlocks::new(&parents);
            let in_order = blocks.order.iter().map(|&i| indices[i as usize]);
            let rows: Vec<_> = in_order.map(|index| self.take_row(index)).collect();
            self.append(rows.into_iter(), &blocks.parents, &blocks.descendants, point);
        }
        self.layout.advance_generation();
    }

    /// Vacates a node's slot and returns its row, to be put in another slot.
    fn take_row(&mut self, index: u32) -> Row<X> {
        let slot = self.tree.slot(index);
        self.changes.remove(slot);
        self.layout.take(slot)
    }
}

/// Returns the sibling-block order of new nodes with these parents. Fails unless they form a forest.
pub(super) fn blocks_of(parents: &[Option<usize>]) -> Result<SiblingBlocks, TopologyError> {
    check_parents(parents)?;
    let stored: Vec<_> = parents.iter().map(|parent| parent.map_or(NIL, stored)).collect();
    let blocks = SiblingBlocks::new(&stored);
    if blocks.order.len() < parents.len() {
        let reached = blocks.order.iter().map(|&node| node as usize);
        return Err(TopologyError::Cycle { node: node_on_a_cycle(parents, reached) });
    }
    Ok(blocks)
}
