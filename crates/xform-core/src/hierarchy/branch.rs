//! Operations on whole subtrees: copying them, taking them out and putting them back.

use std::collections::HashMap;

use super::{
    Hierarchy,
    edit::{Nodes, blocks_of},
};
use crate::{
    HierarchyError, NodeId, Place, Transform,
    index::NIL,
    removed::{Branch, NotRestored, Removed},
};

/// Copying subtrees, and removing them so that they can be restored.
impl<X: Transform> Hierarchy<X> {
    /// Copies a node with all its descendants to another place. The copies [inherit](crate::Inherit) the same parts
    /// as the originals.
    ///
    /// Returns the ids of the copies in the order in which [`subtree`](Self::subtree) lists the originals, so the
    /// first id is the copy of the node itself. The place may be within the subtree.
    ///
    /// # Errors
    ///
    /// An unknown node; more nodes than a `u32` can number.
    pub fn copy_subtree(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<Vec<NodeId>, HierarchyError> {
        let (_, Branch { parents, locals, inherits, .. }) = self.branch(node)?;
        self.insert_forest_inheriting(place, &parents, &locals, &inherits)
    }

    /// Copies a node with all its descendants from another hierarchy, such as a prefab or a part of a scene that was
    /// loaded separately. The strategies of the two hierarchies may differ.
    ///
    /// In all other respects this works like [`copy_subtree`](Self::copy_subtree). To move the nodes,
    /// [remove](Self::remove) the original from the other hierarchy afterwards. The copies get new ids in any case.
    ///
    /// # Errors
    ///
    /// A node that `other` does not know; an unknown node in `place`; more nodes than a `u32` can number; a node
    /// that does not [inherit](crate::Inherit) a part which the strategy of this hierarchy cannot leave out.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(
    /// #     hierarchy: &mut Hierarchy<Strategy>, prefab: &Hierarchy<Strategy>, hand: NodeId,
    /// # ) -> Result<(), HierarchyError> {
    /// let sword = prefab.roots().next().expect("it is not empty");
    /// let copies = hierarchy.copy_subtree_from(prefab, sword, hand)?;
    /// assert_eq!(copies.len(), prefab.subtree(sword)?.count());
    /// # Ok(())
    /// # }
    /// ```
    pub fn copy_subtree_from<Y: Transform<Scalar = X::Scalar>>(
        &mut self,
        other: &Hierarchy<Y>,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<Vec<NodeId>, HierarchyError> {
        let (_, Branch { parents, locals, inherits, .. }) = other.branch(node)?;
        self.insert_forest_inheriting(place, &parents, &locals, &inherits)
    }

    /// Takes a node with all its descendants out of the hierarchy. The returned value can be
    /// [restored](Self::restore) with the same ids, so undoing the removal needs no new ids.
    ///
    /// In every other respect the nodes are removed. Their [watchers](crate::watcher::Watcher) end and do not come
    /// back.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn undo<Strategy: Transform>(
    /// #     hierarchy: &mut Hierarchy<Strategy>, selected: NodeId,
    /// # ) -> Result<(), HierarchyError> {
    /// let deleted = hierarchy.take(selected)?;
    /// assert!(!hierarchy.contains(selected));
    /// assert_eq!(hierarchy.restore(deleted).map_err(|kept| kept.error)?, selected);
    /// # Ok(())
    /// # }
    /// ```
    pub fn take(&mut self, node: NodeId) -> Result<Removed<X::Scalar>, HierarchyError> {
        let (ids, branch) = self.branch(node)?;
        self.remove(node)?;
        Ok(Removed { reservation: self.tree.reserve_removed(&ids), branch: Box::new(branch) })
    }

    /// Puts nodes that were [taken](Self::take) back where they were: under the same parent, before the sibling that
    /// followed, or last if that sibling is no longer there. Returns the id of the node that was taken.
    ///
    /// If several subtrees were taken, restore them in the opposite order to return all of them to their old places.
    ///
    /// # Errors
    ///
    /// A parent that is gone; nodes of another hierarchy, including a clone of this one. The error contains the
    /// nodes.
    pub fn restore(
        &mut self,
        removed: Removed<X::Scalar>,
    ) -> Result<NodeId, NotRestored<X::Scalar>> {
        let Branch { parent, next, .. } = *removed.branch;
        let is_beside = |&next: &NodeId| self.parent(next) == Ok(parent);
        let place = match next.filter(is_beside) {
            Some(next) => Place::Before(next),
            None => parent.into(),
        };
        self.restore_at(removed, place)
    }

    /// Puts nodes that were [taken](Self::take) back at another place.
    ///
    /// # Errors
    ///
    /// An unknown node in `place`; nodes of another hierarchy. The error contains the nodes.
    pub fn restore_at(
        &mut self,
        removed: Removed<X::Scalar>,
        place: impl Into<Place>,
    ) -> Result<NodeId, NotRestored<X::Scalar>> {
        let top = removed.ids()[0];
        let point = self.tree.insertion_point(place.into()).and_then(|point| {
            let is_here = self.tree.has_reserved(&removed.reservation);
            if is_here { Ok(point) } else { Err(HierarchyError::UnknownNode(top)) }
        });
        let blocks = point.and_then(|point| Ok((point, blocks_of(&removed.branch.parents)?)));
        let (point, blocks) = match blocks {
            Ok(found) => found,
            Err(error) => return Err(NotRestored { error, removed }),
        };
        // Called before anything changes, because a strategy may panic.
        let world = X::identity();
        let ids = removed.ids().to_vec();
        let Removed { reservation, branch } = removed;
        let Branch { parents, locals, inherits, .. } = &*branch;
        self.tree.revive(reservation);
        let nodes = Nodes { ids: &ids, parents, locals, inherits };
        self.add_nodes(&nodes, &blocks, point, world);
        for (id, &tag) in ids.iter().zip(&branch.tags) {
            self.layout.slots.set_tag(self.tree.slot(id.index), tag);
        }
        self.layout.advance_generation(); // the nodes had other slots before
        Ok(top)
    }

    /// Returns a place that describes where the node is now.
    ///
    /// [Moving](Self::reparent) the node there changes nothing. After it was moved elsewhere, moving it there puts
    /// it back.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn place_of(&self, node: NodeId) -> Result<Place, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        Ok(match self.tree.sibling_behind(index) {
            Some(next) => Place::Before(self.tree.id(next)),
            None if parent == NIL => Place::LastRoot,
            None => Place::LastChildOf(self.tree.id(parent)),
        })
    }

    /// Returns the ids of a subtree, depth first, and a copy of its contents.
    fn branch(&self, node: NodeId) -> Result<(Vec<NodeId>, Branch<X::Scalar>), HierarchyError> {
        let ids: Vec<_> = self.subtree(node)?.collect();
        let positions: HashMap<u32, usize> =
            ids.iter().enumerate().map(|(position, id)| (id.index, position)).collect();
        let slot = |id: &NodeId| self.tree.slot(id.index);
        // The parent of the first node is not among them.
        let parent = |id: &NodeId| positions.get(&self.tree.parent(id.index)).copied();
        let branch = Branch {
            parents: ids.iter().map(parent).collect(),
            locals: ids.iter().map(|id| self.locals()[slot(id)]).collect(),
            inherits: ids.iter().map(|id| self.inherit_of(id.index)).collect(),
            tags: ids.iter().filter_map(|id| self.tags().get(slot(id)).copied()).collect(),
            parent: self.parent(node)?,
            next: self.tree.sibling_behind(node.index).map(|next| self.tree.id(next)),
        };
        Ok((ids, branch))
    }
}
