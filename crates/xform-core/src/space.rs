use crate::NodeId;

/// A space in which points, vectors and rotations are given.
///
/// A [`NodeId`] converts to that node's own space, so the common case reads `hierarchy.conversion(node,
/// Space::World)`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Space {
    /// The space above all roots.
    World,
    /// The node's own space, from which its world transform takes points. It includes the node's own scale.
    Local(NodeId),
    /// The space to which the node's local pose takes points: its parent's own space, or the world for a root.
    Parent(NodeId),
}

impl From<NodeId> for Space {
    /// The node's own space.
    fn from(node: NodeId) -> Self {
        Self::Local(node)
    }
}

/// The axes along which a node is moved or about which it is rotated.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Axes {
    /// The node's own axes as its rotation turns them, in its parent's units. Its own scale has no effect. Like
    /// OGRE's `TS_LOCAL`, Unreal's `AddLocalOffset` and three.js's `translateOnAxis`.
    Local,
    /// Its parent's axes and units.
    Parent,
    /// The world's axes and units.
    World,
}
