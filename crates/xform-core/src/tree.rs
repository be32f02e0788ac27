//! Links between parents, children and siblings, and the slot of each node. A node keeps its index for life.

mod iter;
mod reserved;

use crate::{
    HierarchyError, NodeId, Place, TopologyError,
    index::{NIL, stored},
    node_id::{Generation, draw_generations},
};

pub use iter::{Ancestors, Children, Subtree};
pub(crate) use reserved::Reservation;
use reserved::Reserved;

/// A forest of linked nodes, addressed by index. An index is reused after a removal.
#[derive(Debug)]
pub(crate) struct Tree {
    /// By index, like `links`.
    nodes: Vec<Node>,
    links: Vec<Links>,
    vacant: Vec<u32>,
    /// The indices that are neither live nor vacant, because their nodes may be restored.
    reserved: Reserved,
    first_root: u32,
    last_root: u32,
}

/// The part of a node that a setter needs, separate from its links. Four of these fit in a cache line.
//
// A setter touches one cache line here: the generation, the slot and the parent of a node are 16 bytes. It does not
// need the links to siblings and children.
#[derive(Clone, Debug)]
#[repr(C, align(16))]
struct Node {
    /// `None` if the index is vacant.
    generation: Option<Generation>,
    /// The slot in which the node is laid out.
    slot: u32,
    parent: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Links {
    first_child: u32,
    last_child: u32,
    previous: u32,
    next: u32,
}

impl Links {
    const NONE: Self = Self { first_child: NIL, last_child: NIL, previous: NIL, next: NIL };
}

impl Clone for Tree {
    /// Copies the tree. Reserved nodes can be restored only in the original, so their indices are vacant in the
    /// clone.
    fn clone(&self) -> Self {
        let mut vacant = self.vacant.clone();
        if self.reserved.len() > 0 {
            let is_dead = |index: &u32| self.nodes[*index as usize].generation.is_none();
            vacant = (0..stored(self.nodes.len())).filter(is_dead).collect();
        }
        Self {
            nodes: self.nodes.clone(),
            links: self.links.clone(),
            vacant,
            reserved: Reserved::default(),
            first_root: self.first_root,
            last_root: self.last_root,
        }
    }
}

/// A [`Place`], resolved: under `parent` (`NIL` for a root) and before `next` (`NIL` for last).
#[derive(Clone, Copy, Debug)]
pub(crate) struct InsertionPoint {
    pub(crate) parent: u32,
    pub(crate) next: u32,
}

impl Tree {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(capacity),
            links: Vec::with_capacity(capacity),
            vacant: Vec::new(),
            reserved: Reserved::default(),
            first_root: NIL,
            last_root: NIL,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        let additional = additional.saturating_sub(self.vacant.len());
        self.nodes.reserve(additional);
        self.links.reserve(additional);
    }

    /// Returns the number of living nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.vacant.len() - self.reserved.len()
    }

    #[inline]
    pub(crate) fn index(&self, id: NodeId) -> Result<u32, HierarchyError> {
        match self.nodes.get(id.index as usize) {
            Some(node) if node.generation == Some(id.generation) => Ok(id.index),
            _ => Err(HierarchyError::UnknownNode(id)),
        }
    }

    /// Returns the slot of a live node.
    #[inline]
    pub(crate) fn slot(&self, index: u32) -> usize {
        self.nodes[index as usize].slot as usize
    }

    pub(crate) fn set_slot(&mut self, index: u32, slot: usize) {
        self.nodes[index as usize].slot = stored(slot);
    }

    /// Returns the slot of the node with an id.
    #[inline]
    pub(crate) fn slot_of(&self, id: NodeId) -> Result<usize, HierarchyError> {
        Ok(self.stored_slot(id)? as usize)
    }

    #[inline]
    fn stored_slot(&self, id: NodeId) -> Result<u32, HierarchyError> {
        match self.nodes.get(id.index as usize) {
            Some(node) if node.generation == Some(id.generation) => Ok(node.slot),
            _ => Err(HierarchyError::UnknownNode(id)),
        }
    }

    /// Writes the slot of the node `ids[i]` to `slots[i]`. Stops at the first unknown node.
    #[inline]
    pub(crate) fn find_slots(
        &self,
        ids: &[NodeId],
        slots: &mut [u32],
    ) -> Result<(), HierarchyError> {
        for (slot, &id) in slots.iter_mut().zip(ids) {
            *slot = self.stored_slot(id)?;
        }
        Ok(())
    }

    /// Returns the id of a live node.
    #[inline]
    pub(crate) fn id(&self, index: u32) -> NodeId {
        let generation = self.nodes[index as usize].generation;
        debug_assert!(generation.is_some(), "links lead to live nodes only");
        // No node has this generation. A panic instead would take time when the id is not used.
        NodeId { index, generation: generation.unwrap_or(Generation::MAX) }
    }

    /// Returns the parent of a live node; `NIL` for a root.
    #[inline]
    pub(crate) fn parent(&self, index: u32) -> u32 {
        self.nodes[index as usize].parent
    }

    fn links(&self, index: u32) -> &Links {
        &self.links[index as usize]
    }

    fn links_mut(&mut self, index: u32) -> &mut Links {
        &mut self.links[index as usize]
    }

    fn first_child(&self, parent: u32) -> u32 {
        if parent == NIL { self.first_root } else { self.links(parent).first_child }
    }

    /// Returns the link to the first child, or to the first root if `parent` is `NIL`.
    fn first_child_mut(&mut self, parent: u32) -> &mut u32 {
        if parent == NIL { &mut self.first_root } else { &mut self.links_mut(parent).first_child }
    }

    fn last_child_mut(&mut self, parent: u32) -> &mut u32 {
        if parent == NIL { &mut self.last_root } else { &mut self.links_mut(parent).last_child }
    }

    pub(crate) fn insertion_point(&self, place: Place) -> Result<InsertionPoint, HierarchyError> {
        let first_under = |parent| InsertionPoint { parent, next: self.first_child(parent) };
        Ok(match place {
            Place::FirstRoot => first_under(NIL),
            Place::LastRoot => InsertionPoint { parent: NIL, next: NIL },
            Place::FirstChildOf(parent) => first_under(self.index(parent)?),
            Place::LastChildOf(parent) => InsertionPoint { parent: self.index(parent)?, next: NIL },
            Place::Before(sibling) => {
                let next = self.index(sibling)?;
                InsertionPoint { parent: self.parent(next), next }
            }
            Place::After(sibling) => {
                let sibling = self.index(sibling)?;
                InsertionPoint { parent: self.parent(sibling), next: self.next_sibling(sibling) }
            }
        })
    }

    /// Returns the insertion point after the last child of `parent`, or after the last root if that is `NIL`.
    pub(crate) fn behind_last_child(&self, parent: u32) -> InsertionPoint {
        InsertionPoint { parent, next: NIL }
    }

    /// Returns whether the point is directly before or after the node, under its own parent.
    pub(crate) fn is_beside(&self, index: u32, point: InsertionPoint) -> bool {
        point.parent == self.parent(index)
            && (point.next == index || point.next == self.next_sibling(index))
    }

    /// Makes `count` nodes that are not attached yet.
    pub(crate) fn allocate(&mut self, count: usize) -> Result<Vec<NodeId>, HierarchyError> {
        self.check_room(count)?;
        self.reserve(count);
        let first = draw_generations(count).get();
        let generations = (first..first + count as u64).map(|generation| {
            Generation::new(generation).expect("counts up from a positive generation")
        });
        Ok(generations.map(|generation| self.node(generation)).collect())
    }

    /// Makes one node that is not attached yet.
    pub(crate) fn allocate_one(&mut self) -> Result<NodeId, HierarchyError> {
        self.check_room(1)?;
        Ok(self.node(draw_generations(1)))
    }

    fn check_room(&self, count: usize) -> Result<(), TopologyError> {
        let len = self.len().saturating_add(count);
        if len < NIL as usize { Ok(()) } else { Err(TopologyError::TooManyNodes { len }) }
    }

    fn node(&mut self, generation: Generation) -> NodeId {
        let node = Node { generation: Some(generation), slot: NIL, parent: NIL };
        let links = Links::NONE;
        if self.vacant.is_empty() {
            self.reserved.reclaim(&mut self.vacant);
        }
        if let Some(index) = self.vacant.pop() {
            self.nodes[index as usize] = node;
            self.links[index as usize] = links;
            return NodeId { index, generation };
        }
        self.nodes.push(node);
        self.links.push(links);
        NodeId { index: stored(self.nodes.len() - 1), generation }
    }

    /// Attaches a node that is not attached yet at an insertion point.
    pub(crate) fn attach(&mut self, index: u32, point: InsertionPoint) {
        let InsertionPoint { parent, next } = point;
        let last = *self.last_child_mut(parent);
        let previous = if next == NIL { last } else { self.links(next).previous };
        self.nodes[index as usize].parent = parent;
        let links = self.links_mut(index);
        links.previous = previous;
        links.next = next;
        if previous == NIL {
            *self.first_child_mut(parent) = index;
        } else {
            self.links_mut(previous).next = index;
        }
        if next == NIL {
            *self.last_child_mut(parent) = index;
        } else {
            self.links_mut(next).previous = index;
        }
    }

    /// Detaches a node from its parent and siblings. Its own children stay attached to it.
    pub(crate) fn detach(&mut self, index: u32) {
        let Links { previous, next, .. } = *self.links(index);
        let parent = self.parent(index);
        if previous == NIL {
            *self.first_child_mut(parent) = next;
        } else {
            self.links_mut(previous).next = next;
        }
        if next == NIL {
            *self.last_child_mut(parent) = previous;
        } else {
            self.links_mut(next).previous = previous;
        }
        self.nodes[index as usize].parent = NIL;
        let links = self.links_mut(index);
        links.previous = NIL;
        links.next = NIL;
    }

    /// Removes a node with all its descendants and returns their indices and slots.
    pub(crate) fn remove(&mut self, top: u32) -> impl ExactSizeIterator<Item = (u32, usize)> {
        self.detach(top);
        let first_vacated = self.vacant.len();
        let mut next = Some(top);
        while let Some(index) = next {
            next = self.next_in_subtree(index, top);
            self.vacant.push(index);
        }
        // A vacant index keeps its links until it is reused, but no link leads to it.
        for &index in &self.vacant[first_vacated..] {
            self.nodes[index as usize].generation = None;
        }
        self.vacant[first_vacated..].iter().map(|&index| (index, self.slot(index)))
    }

    /// Turns the most recently removed nodes, which are vacant, into reserved nodes that keep their ids. Returns the
    /// reservation.
    pub(crate) fn reserve_removed(&mut self, ids: &[NodeId]) -> Reservation {
        self.vacant.truncate(self.vacant.len() - ids.len());
        self.reserved.reserve(ids)
    }

    /// Returns whether a reservation was made in this tree.
    pub(crate) fn has_reserved(&self, reservation: &Reservation) -> bool {
        self.reserved.made(reservation)
    }

    /// Makes reserved nodes live again. They are not attached yet.
    pub(crate) fn revive(&mut self, reservation: Reservation) {
        for NodeId { index, generation } in self.reserved.release(reservation) {
            self.nodes[index as usize] =
                Node { generation: Some(generation), slot: NIL, parent: NIL };
            self.links[index as usize] = Links::NONE;
        }
    }

    /// Returns whether `ancestor` is `index` itself or above it.
    ///
    /// Climbs from `index` and walks the subtree of `ancestor` in step, until either ends.
    pub(crate) fn is_at_or_above(&self, ancestor: u32, index: u32) -> bool {
        let (mut above, mut below) = (index, ancestor);
        while above != ancestor && below != index {
            above = self.parent(above);
            let Some(next) = self.next_in_subtree(below, ancestor).filter(|_| above != NIL) else {
                return false;
            };
            below = next;
        }
        true
    }

    /// Returns the node after `index` in depth-first order without leaving the subtree of `top`, or without leaving
    /// the forest if `top` is `NIL`.
    pub(crate) fn next_in_subtree(&self, index: u32, top: u32) -> Option<u32> {
        let child = self.links(index).first_child;
        if child != NIL {
            return Some(child);
        }
        let mut node = index;
        while node != top && node != NIL {
            let next = self.next_sibling(node);
            if next != NIL {
                return Some(next);
            }
            node = self.parent(node);
        }
        None
    }

    /// Returns all nodes, depth first, with roots and siblings in their order.
    pub(crate) fn iter(&self) -> Subtree<'_> {
        Subtree::new(self, self.first_root, NIL)
    }

    pub(crate) fn subtree(&self, top: u32) -> Subtree<'_> {
        Subtree::new(self, top, top)
    }

    /// Returns the children of a node, or the roots if `parent` is `NIL`.
    pub(crate) fn children(&self, parent: u32) -> Children<'_> {
        Children::new(self, self.first_child(parent))
    }

    pub(crate) fn child_indices(&self, parent: u32) -> impl Iterator<Item = u32> {
        let live = |index: u32| (index != NIL).then_some(index);
        std::iter::successors(live(self.first_child(parent)), move |&child| {
            live(self.next_sibling(child))
        })
    }

    pub(crate) fn ancestors(&self, index: u32) -> Ancestors<'_> {
        Ancestors::new(self, self.parent(index))
    }

    /// Returns the sibling after a live node.
    pub(crate) fn sibling_behind(&self, index: u32) -> Option<u32> {
        let next = self.next_sibling(index);
        (next != NIL).then_some(next)
    }

    fn next_sibling(&self, index: u32) -> u32 {
        self.links(index).next
    }
}
