use std::vec;

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Transform};

/// A walk over the children of a node, or over a subtree, that does not borrow the hierarchy, so the hierarchy can
/// be edited during it.
///
/// [`Hierarchy::walk_children`] and [`Hierarchy::walk_subtree`] create one. It yields the nodes that existed then,
/// in the order that they had, even if nodes are moved during the walk. A node that was removed meanwhile is
/// skipped.
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
    /// Listed beforehand, because links followed during the walk would lead elsewhere once a node is moved.
    nodes: vec::IntoIter<NodeId>,
}

impl Walk {
    /// Returns the next node that still lives; `None` at the end.
    pub fn next<X: Transform>(&mut self, hierarchy: &Hierarchy<X>) -> Option<NodeId> {
        self.nodes.find(|&node| hierarchy.contains(node))
    }
}

/// Walks that leave the hierarchy free to be edited.
impl<X: Transform> Hierarchy<X> {
    /// Walks over the [children](Self::children) of a node in sibling order, without a borrow.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn walk_children(&self, node: NodeId) -> Result<Walk, HierarchyError> {
        Ok(Walk { nodes: self.children(node)?.collect::<Vec<_>>().into_iter() })
    }

    /// Walks over a node and all its descendants, depth first, without a borrow.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn walk_subtree(&self, node: NodeId) -> Result<Walk, HierarchyError> {
        Ok(Walk { nodes: self.subtree(node)?.collect::<Vec<_>>().into_iter() })
    }
}
