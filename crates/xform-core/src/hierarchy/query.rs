use super::Hierarchy;
use crate::{
    HierarchyError, NodeId, Transform,
    index::NIL,
    tree::{Ancestors, Children, Subtree},
};

/// Queries of the structure: parents, children and traversal.
impl<X: Transform> Hierarchy<X> {
    /// Returns whether the id names a living node of this hierarchy.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.tree.index(node).is_ok()
    }

    /// Returns the parent of a node; `None` for a root.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn parent(&self, node: NodeId) -> Result<Option<NodeId>, HierarchyError> {
        Ok(self.ancestors(node)?.next())
    }

    /// Returns the children of a node in sibling order.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// Finding a child by name, with a [`NodeTable`](crate::NodeTable) of names beside the hierarchy:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, NodeTable, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, car: NodeId, names: &NodeTable<&str>) -> Result<(), HierarchyError> {
    /// let wheel = hierarchy.children(car)?.find(|&child| names.get(child) == Some(&"wheel"));
    /// # let _ = wheel;
    /// # Ok(())
    /// # }
    /// ```
    pub fn children(&self, node: NodeId) -> Result<Children<'_>, HierarchyError> {
        Ok(self.tree.children(self.tree.index(node)?))
    }

    /// Returns the nodes without a parent, in sibling order.
    #[must_use]
    pub fn roots(&self) -> Children<'_> {
        self.tree.children(NIL)
    }

    /// Returns the ancestors of a node: its parent first, its root last.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn ancestors(&self, node: NodeId) -> Result<Ancestors<'_>, HierarchyError> {
        Ok(self.tree.ancestors(self.tree.index(node)?))
    }

    /// Returns the root above a node, found by climbing. The root of a root is itself.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn root(&self, node: NodeId) -> Result<NodeId, HierarchyError> {
        Ok(self.ancestors(node)?.last().unwrap_or(node))
    }

    /// Returns whether `ancestor` is the parent of `node`, the parent of that parent, and so on. A node is not its
    /// own ancestor.
    ///
    /// This takes no longer than climbing from `node` to its root, and no longer than walking the subtree of
    /// `ancestor`.
    ///
    /// # Errors
    ///
    /// An unknown node, as either argument.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn check<Strategy: Transform>(
    /// #     hierarchy: &Hierarchy<Strategy>, hip: NodeId, foot: NodeId,
    /// # ) -> Result<(), HierarchyError> {
    /// assert!(hierarchy.is_ancestor_of(hip, foot)?);
    /// assert!(!hierarchy.is_ancestor_of(foot, hip)?);
    /// assert!(!hierarchy.is_ancestor_of(hip, hip)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_ancestor_of(&self, ancestor: NodeId, node: NodeId) -> Result<bool, HierarchyError> {
        let [above, below] = [self.tree.index(ancestor)?, self.tree.index(node)?];
        Ok(above != below && self.tree.is_at_or_above(above, below))
    }

    /// Returns the child of a node at a position among its siblings, counted from 0; `None` if there are fewer
    /// children. Walks over the siblings before it.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn child(&self, node: NodeId, position: usize) -> Result<Option<NodeId>, HierarchyError> {
        Ok(self.children(node)?.nth(position))
    }

    /// Returns the number of ancestors of a node, counted by climbing: 0 for a root.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn depth(&self, node: NodeId) -> Result<usize, HierarchyError> {
        Ok(self.ancestors(node)?.count())
    }

    /// Returns a node and all its descendants, depth first.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// The axis-aligned bounding box (AABB) in the world of a node and its descendants, each of which draws a unit
    /// cube:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Point3, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, car: NodeId) -> Result<(), HierarchyError> {
    /// let (mut low, mut high) = (Point3::from([f32::MAX; 3]), Point3::from([f32::MIN; 3]));
    /// for node in hierarchy.subtree(car)? {
    ///     let world = hierarchy.world(node)?;
    ///     for corner in 0..8_u8 {
    ///         let side = |axis: u8| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
    ///         let corner = world.transform_point(&Point3::new(side(0), side(1), side(2)));
    ///         (low, high) = (low.inf(&corner), high.sup(&corner));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn subtree(&self, node: NodeId) -> Result<Subtree<'_>, HierarchyError> {
        Ok(self.tree.subtree(self.tree.index(node)?))
    }

    /// Returns all nodes, depth first, with roots and siblings in their order.
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
