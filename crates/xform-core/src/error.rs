use thiserror::Error;

use crate::NodeId;

/// What is wrong with a local pose.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// A component of the translation is NaN or infinite.
    #[error("translation is not finite")]
    TranslationNotFinite,
    /// A component of the rotation is NaN or infinite.
    #[error("rotation is not finite")]
    RotationNotFinite,
    /// A component of the scale is NaN or infinite.
    #[error("scale is not finite")]
    ScaleNotFinite,
    /// The rotation is not a unit quaternion; zero length is one case.
    #[error("rotation has length {length} instead of 1")]
    RotationNotUnit {
        /// The quaternion's length.
        length: f64,
    },
}

/// What is wrong with an array of parents.
#[derive(Clone, Copy, Debug, Error, Eq, PartialEq)]
#[non_exhaustive]
pub enum TopologyError {
    /// A parent that is not in the array.
    #[error("node {node} has parent {parent}, but there are only {len} nodes")]
    ParentOutOfRange {
        /// Index of the node.
        node: usize,
        /// The parent it names.
        parent: usize,
        /// How many nodes there are.
        len: usize,
    },
    /// A parent that does not stand before its child.
    #[error("node {node} stands before its parent {parent}")]
    ChildBeforeParent {
        /// Index of the node.
        node: usize,
        /// The parent it names.
        parent: usize,
    },
    /// A node that is among its own ancestors.
    #[error("node {node} is its own ancestor")]
    Cycle {
        /// Index of a node on the cycle.
        node: usize,
    },
    /// More nodes than a 32-bit index can number.
    #[error("{len} nodes are more than a topology can hold")]
    TooManyNodes {
        /// How many nodes there would be.
        len: usize,
    },
}

/// The reason why a [`Hierarchy`](crate::Hierarchy) refused an operation; the hierarchy is then as it was
/// before.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The id is stale (its node was removed) or belongs to another hierarchy.
    #[error("{0} is not in this hierarchy")]
    UnknownNode(NodeId),
    /// The node would become its own ancestor.
    #[error("{node} cannot move under {parent}, which is itself or one of its descendants")]
    Cycle {
        /// The node that was to be moved.
        node: NodeId,
        /// The parent it was to get.
        parent: NodeId,
    },
    /// A pose that cannot be propagated.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// One of the poses given for a bulk insertion cannot be propagated.
    #[error("pose {index}: {error}")]
    PoseAt {
        /// Which pose, as an index into the slice.
        index: usize,
        /// What is wrong with it.
        error: PoseError,
    },
    /// The parents given for a bulk insertion are invalid, or there would be too many nodes.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The pose that a node would get is invalid.
    #[error("{node}: {error}")]
    PoseOf {
        /// The node.
        node: NodeId,
        /// What is wrong with its pose.
        error: PoseError,
    },
    /// The node's world transform has no inverse: some scale on its path is zero, or too small for
    /// the scalar.
    #[error("the world transform of {0} has no inverse")]
    Singular(NodeId),
    /// The node's world transform is too large for its scalar, or NaN or infinity was requested.
    #[error("the world transform of {0} is not finite")]
    WorldNotFinite(NodeId),
    /// The strategy has no world scale that could be set.
    #[error("the world transform of {0} has no scale of its own in this strategy")]
    NoWorldScale(NodeId),
    /// The strategy has no rotation or scale that a child could leave out.
    #[error("in this strategy {0} can only inherit everything, position alone, or nothing")]
    InheritsAll(NodeId),
    /// The node was asked to look at its own origin, or along the line of its up direction.
    #[error("{0} has no direction to look in")]
    NoDirection(NodeId),
}

impl HierarchyError {
    /// The error for a point or vector of the world that has no counterpart in the space of a node's
    /// parent.
    ///
    /// If it is finite and there is a parent, that has no inverse. Otherwise the request itself is out of
    /// range.
    pub(crate) fn outside_parent(node: NodeId, parent: Option<NodeId>, is_finite: bool) -> Self {
        match parent {
            Some(parent) if is_finite => Self::Singular(parent),
            _ => Self::WorldNotFinite(node),
        }
    }
}
