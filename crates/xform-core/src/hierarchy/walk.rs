use std::vec;

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Transform};

/// A walk over the children of a node, or over a subtree, that does not borrow the hierarchy, so that it can be edited on
/// the way.
///
/// It comes from [`Hierarchy::walk_children`] or [`Hierarchy::walk_subtree`], and hands out the nodes that were there
/// then, in the order that they had, whatever is moved on the way. A node that was removed meanwhile is passed over.
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
    /// Listed beforehand: links that are followed on the way lead elsewhere once a node is moved.
    nodes: vec::IntoIter<NodeId>,
}

impl Walk {
    /// The next node that still lives; `None` at the end.
    pub fn next<X: Transform>(&mut self, hierarchy: &Hierarchy<X>) -> Option<NodeId> {
        self.nodes.find(|&node| hierarchy.contains(node))
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
        Ok(Walk { nodes: self.children(node)?.collect::<Vec<_>>().into_iter() })
    }

    /// A node and all its descendants, depth first, without a borrow.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn walk_subtree(&self, node: NodeId) -> Result<Walk, HierarchyError> {
        Ok(Walk { nodes: self.subtree(node)?.collect::<Vec<_>>().into_iter() })
    }
}
