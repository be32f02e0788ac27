use std::{error::Error, fmt};

use crate::NodeId;

/// The reason why a local pose is invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// A component of the translation is NaN or infinite.
    TranslationNotFinite,
    /// A component of the rotation is NaN or infinite.
    RotationNotFinite,
    /// A component of the scale is NaN or infinite.
    ScaleNotFinite,
    /// The rotation is not a unit quaternion and too far from one to be made one. This includes zero length.
    RotationNotUnit {
        /// The quaternion's length.
        length: f64,
    },
}

/// The reason why an array of parents is invalid.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TopologyError {
    /// A parent that is not in the array.
    ParentOutOfRange {
        /// The index of the node.
        node: usize,
        /// Its parent.
        parent: usize,
        /// The number of nodes.
        len: usize,
    },
    /// A parent that does not come before its child.
    ChildBeforeParent {
        /// The index of the node.
        node: usize,
        /// Its parent.
        parent: usize,
    },
    /// A node that is among its own ancestors.
    Cycle {
        /// The index of a node on the cycle.
        node: usize,
    },
    /// More nodes than a 32-bit index can number.
    TooManyNodes {
        /// The number of nodes that there would be.
        len: usize,
    },
}

/// The reason why a [`Hierarchy`](crate::Hierarchy) refused an operation. The hierarchy is then unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The id is stale, because its node was removed, or belongs to another hierarchy.
    UnknownNode(NodeId),
    /// The node would become its own ancestor.
    Cycle {
        /// The node that was to be moved.
        node: NodeId,
        /// The parent it was to get.
        parent: NodeId,
    },
    /// A pose that cannot be propagated.
    Pose(PoseError),
    /// One of the poses given to a bulk insertion, [`set_locals`](crate::Hierarchy::set_locals) or
    /// [`set_locals_in_slots`](crate::Hierarchy::set_locals_in_slots) cannot be propagated.
    PoseAt {
        /// The index of the pose in the slice.
        index: usize,
        /// The reason why it is invalid.
        error: PoseError,
    },
    /// The parents given for a bulk insertion are invalid, or there would be too many nodes.
    Topology(TopologyError),
    /// A slot given to [`set_locals_in_slots`](crate::Hierarchy::set_locals_in_slots) has no node.
    VacantSlot {
        /// The slot.
        slot: u32,
    },
    /// The pose that a node would get is invalid.
    PoseOf {
        /// The node.
        node: NodeId,
        /// The reason why its pose is invalid.
        error: PoseError,
    },
    /// The node's world transform has no inverse: a scale on its path is zero, or too small for the scalar.
    Singular(NodeId),
    /// The node's world transform is too large for its scalar, or the caller passed NaN or infinity.
    WorldNotFinite(NodeId),
    /// The strategy has no separate rotation or scale that a child could leave out.
    InheritsAll(NodeId),
    /// A node of a bulk insertion leaves out a rotation or scale that the strategy cannot leave out.
    InheritsAllAt {
        /// The index of the node in the slice.
        index: usize,
    },
    /// An edit waits for [`propagate`](crate::Hierarchy::propagate), without which not all world transforms are
    /// available at once.
    NotPropagated,
    /// A request to make the node look at its own origin, or with an up direction that has no length.
    NoDirection(NodeId),
}

impl fmt::Display for PoseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TranslationNotFinite => f.write_str("translation is not finite"),
            Self::RotationNotFinite => f.write_str("rotation is not finite"),
            Self::ScaleNotFinite => f.write_str("scale is not finite"),
            Self::RotationNotUnit { length } => {
                let length = (length * 1e6).round() / 1e6;
                write!(
                    f,
                    "rotation has length {length} instead of 1; normalise it first, \
                     for example with UnitQuaternion::new_normalize"
                )
            }
        }
    }
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ParentOutOfRange { node, parent, len } => {
                write!(
                    f,
                    "node {node} has parent {parent}, which is out of range (number of nodes: {len})"
                )
            }
            Self::ChildBeforeParent { node, parent } => {
                write!(f, "node {node} comes before its parent {parent}")
            }
            Self::Cycle { node } => write!(f, "node {node} is its own ancestor"),
            Self::TooManyNodes { len } => {
                write!(f, "{len} nodes are more than a topology can hold")
            }
        }
    }
}

impl fmt::Display for HierarchyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownNode(node) => write!(f, "{node} is not in this hierarchy"),
            Self::Cycle { node, parent } => write!(
                f,
                "{node} cannot move under {parent}, which is itself or one of its descendants"
            ),
            Self::Pose(error) => error.fmt(f),
            Self::PoseAt { index, error } => write!(f, "pose {index}: {error}"),
            Self::Topology(error) => error.fmt(f),
            Self::VacantSlot { slot } => write!(f, "slot {slot} has no node"),
            Self::PoseOf { node, error } => write!(f, "{node}: {error}"),
            Self::Singular(node) => write!(f, "the world transform of {node} has no inverse"),
            Self::WorldNotFinite(node) => write!(f, "the world transform of {node} is not finite"),
            Self::InheritsAll(node) => write!(
                f,
                "with this strategy {node} must inherit everything, only the position, or nothing"
            ),
            Self::InheritsAllAt { index } => write!(
                f,
                "node {index}: with this strategy it must inherit everything, only the position, \
                 or nothing"
            ),
            Self::NotPropagated => f.write_str("an edit is pending: call `propagate` first"),
            Self::NoDirection(node) => write!(f, "{node} has no direction to look in"),
        }
    }
}

impl Error for PoseError {}

impl Error for TopologyError {}

impl Error for HierarchyError {}

impl From<PoseError> for HierarchyError {
    fn from(error: PoseError) -> Self {
        Self::Pose(error)
    }
}

impl From<TopologyError> for HierarchyError {
    fn from(error: TopologyError) -> Self {
        Self::Topology(error)
    }
}
