use super::Hierarchy;
use crate::{
    HierarchyError, NodeId, Transform,
    index::NIL,
    tree::{Ancestors, Children, Subtree},
};

/// Queries of the structure: parents, children and traversal.
impl<X: Transform> Hierarchy<X> {
    /// Whether the id names a node of this hierarchy that still lives.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.tree.index(node).is_ok()
    }

    /// The parent of a node, `None` for a root.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn parent(&self, node: NodeId) -> Result<Option<NodeId>, HierarchyError> {
        Ok(self.ancestors(node)?.next())
    }

    /// The children of a node in sibling order.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn children(&self, node: NodeId) -> Result<Children<'_>, HierarchyError> {
        Ok(self.tree.children(self.tree.index(node)?))
    }

    /// The nodes without a parent, in sibling order.
    #[must_use]
    pub fn roots(&self) -> Children<'_> {
        self.tree.children(NIL)
    }

    /// The ancestors of a node: its parent first, its root last.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn ancestors(&self, node: NodeId) -> Result<Ancestors<'_>, HierarchyError> {
        Ok(self.tree.ancestors(self.tree.index(node)?))
    }

    /// How many ancestors a node has, counted by climbing: 0 for a root.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn depth(&self, node: NodeId) -> Result<usize, HierarchyError> {
        Ok(self.ancestors(node)?.count())
    }

    /// A node and all its descendants, depth first.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn subtree(&self, node: NodeId) -> Result<Subtree<'_>, HierarchyError> {
        Ok(self.tree.subtree(self.tree.index(node)?))
    }

    /// All nodes, depth first, roots and siblings in their order.
    #[must_use]
    pub fn iter(&self) -> Subtree<'_> {
        self.tree.iter()
    }
}

impl<'a, X: Transform> IntoIterator for &'a Hierarchy<X> {
    type Item = NodeId;
    type IntoIter = Subtree<'a>;

    fn into_iter(self) -> Subtree<'a> {
        self.iter()
    }
}
