use super::Hierarchy;
use crate::{HierarchyError, NodeId, Transform};

/// A walk over the children of a node, or over a subtree, that does not borrow the hierarchy, so that it can be edited on
/// the way.
///
/// It comes from [`Hierarchy::walk_children`] or [`Hierarchy::walk_subtree`]. Which node comes next is found out when
/// one is handed out: that one may be edited, moved or removed at will. If the next one is removed, the walk ends.
///
/// # Examples
///
/// ```
/// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
/// # fn lift<Strategy: Transform<Scalar = f32>>(
/// #     hierarchy: &mut Hierarchy<Strategy>, shelf: NodeId,
/// # ) -> Result<(), HierarchyError> {
/// let mut children = hierarchy.walk_children(shelf)?;
/// while let Some(child) = children.next(hierarchy) {
///     hierarchy.update(child, |pose| pose.translation.y += 0.5)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    next: Option<NodeId>,
    /// The node whose subtree it is; `None` for a walk from sibling to sibling.
    top: Option<u32>,
}

impl Walk {
    /// The next node; `None` at the end.
    pub fn next<X: Transform>(&mut self, hierarchy: &Hierarchy<X>) -> Option<NodeId> {
        let tree = &hierarchy.tree;
        let node = self.next.take().filter(|&node| tree.index(node).is_ok())?;
        let next = match self.top {
            Some(top) => tree.next_in_subtree(node.index, top),
            None => tree.sibling_behind(node.index),
        };
        self.next = next.map(|index| tree.id(index));
        Some(node)
    }
}

/// Walks that leave the hierarchy free to be edited.
impl<X: Transform> Hierarchy<X> {
    /// The [children](Self::children) of a node in sibling order, without a borrow.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn walk_children(&self, node: NodeId) -> Result<Walk, HierarchyError> {
        Ok(Walk { next: self.children(node)?.next(), top: None })
    }

    /// A node and all its descendants, depth first, without a borrow.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn walk_subtree(&self, node: NodeId) -> Result<Walk, HierarchyError> {
        Ok(Walk { next: Some(node), top: Some(self.tree.index(node)?) })
    }
}
