use crate::NodeId;

/// A place for a node in the hierarchy: its parent, and its position among the siblings.
///
/// A [`NodeId`] converts to the last child of that node, and `None` to the last root. So the common case reads
/// `hierarchy.insert(parent, pose)`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// A root before all others.
    FirstRoot,
    /// A root after all others.
    LastRoot,
    /// Under the node, before its other children.
    FirstChildOf(NodeId),
    /// Under the node, after its other children.
    LastChildOf(NodeId),
    /// A sibling of the node, directly before it.
    Before(NodeId),
    /// A sibling of the node, directly after it.
    After(NodeId),
}

impl From<NodeId> for Place {
    /// The last child of `parent`.
    fn from(parent: NodeId) -> Self {
        Self::LastChildOf(parent)
    }
}

impl From<Option<NodeId>> for Place {
    /// The last child of the parent, or the last root if there is none.
    fn from(parent: Option<NodeId>) -> Self {
        parent.map_or(Self::LastRoot, Self::LastChildOf)
    }
}
