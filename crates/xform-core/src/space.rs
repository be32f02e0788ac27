use crate::NodeId;

/// A space that points, vectors and rotations are given in.
///
/// An id stands for the space of that node, so the common case reads
/// `hierarchy.conversion(node, Space::World)`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Space {
    /// The space above all roots.
    World,
    /// The node's own: what its world transform takes points from, its own scale included.
    Local(NodeId),
    /// The space that the node's local pose leads to: its parent's own, or the world.
    Parent(NodeId),
}

impl From<NodeId> for Space {
    /// The node's own space.
    fn from(node: NodeId) -> Self {
        Self::Local(node)
    }
}

/// The axes that a node is moved along or turned about.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Axes {
    /// The node's own axes as its rotation turns them, in its parent's units: its own scale does
    /// not act. As in OGRE's `TS_LOCAL`, Unreal's `AddLocalOffset`, three.js's `translateOnAxis`.
    Local,
    /// Its parent's axes and units.
    Parent,
    /// The world's axes and units.
    World,
}
