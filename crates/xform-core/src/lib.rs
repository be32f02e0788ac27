//! Local poses, and a hierarchy that accumulates them into world transforms with a strategy of your choice.
//!
//! - A [`Trs`] is a local pose: the translation, rotation and scale of a node in its parent's space.
//! - A strategy is a type that implements [`Transform`]. It defines the world transform and the step that computes a
//!   child's world transform from its parent's.
//! - A [`Hierarchy`] holds the nodes. It takes that step for every node, parents before children, and afterwards
//!   only for nodes that changed.
//!
//! The strategies are in separate crates: `xform-matrix` multiplies matrices, and `xform-trs` combines translations,
//! rotations and scales. Depend on one of them; each re-exports this crate. The [guide](guide::choosing_a_strategy)
//! explains how to choose, and lists the [conventions](guide::conventions) that all of them follow.
//!
//! You can also write a strategy of your own:
//!
//! ```
//! use nalgebra::{Matrix4, Point3, Vector3};
//! use xform_core::{Hierarchy, Transform, Trs};
//!
//! /// Positions alone: no rotation, no scale.
//! #[derive(Clone, Copy)]
//! struct Position(Vector3<f32>);
//!
//! impl Transform for Position {
//!     type Scalar = f32;
//!     fn identity() -> Self {
//!         Self(Vector3::zeros())
//!     }
//!     fn concat(&self, local: &Trs<f32>) -> Self {
//!         Self(self.0 + local.translation)
//!     }
//!     fn transform_point(&self, point: &Point3<f32>) -> Point3<f32> {
//!         point + self.0
//!     }
//!     fn transform_vector(&self, vector: &Vector3<f32>) -> Vector3<f32> {
//!         *vector
//!     }
//!     fn inverse_transform_point(&self, point: &Point3<f32>) -> Option<Point3<f32>> {
//!         Some(point - self.0)
//!     }
//!     fn inverse_transform_vector(&self, vector: &Vector3<f32>) -> Option<Vector3<f32>> {
//!         Some(*vector)
//!     }
//!     fn to_homogeneous(&self) -> Matrix4<f32> {
//!         Matrix4::new_translation(&self.0)
//!     }
//! }
//!
//! let mut hierarchy = Hierarchy::<Position>::new();
//! let step = Trs::from_translation(Vector3::new(1.0, 0.0, 0.0));
//! let root = hierarchy.insert(None, step)?;
//! let child = hierarchy.insert(root, step)?;
//! hierarchy.propagate();
//! assert_eq!(hierarchy.world(child)?.0, Vector3::new(2.0, 0.0, 0.0));
//! # Ok::<(), xform_core::HierarchyError>(())
//! ```

/// The linear algebra library whose types appear in the signatures here, in the version that this crate uses.
pub use nalgebra;

mod bit_set;
mod change;
mod change_cursor;
mod collider_pose;
mod conversion;
#[cfg(feature = "crowd")]
pub mod crowd;
mod error;
mod euler;
pub mod guide;
mod hierarchy;
mod index;
mod inherit;
mod instruction_set;
mod interop;
mod kept;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[doc(hidden)]
pub mod lanes;
pub mod linear;
mod node_id;
mod node_table;
mod orientation;
mod path_rotation;
mod place;
mod real;
pub mod removed;
#[doc(hidden)]
pub mod rotation;
mod sibling_blocks;
mod snapshot;
mod space;
mod subtree_ranges;
mod topology;
mod transform;
mod tree;
mod trs;
mod watcher;
pub mod world_matrix;
mod world_scale;

pub use collider_pose::ColliderPose;
pub use error::{HierarchyError, PoseError, TopologyError};
pub use hierarchy::Hierarchy;
pub use inherit::Inherit;
#[doc(hidden)]
pub use instruction_set::InstructionSet;
pub use kept::Kept;
pub use node_id::NodeId;
pub use node_table::NodeTable;
pub use place::Place;
pub use real::Real;
pub use snapshot::Snapshot;
pub use space::{Axes, Space};
pub use topology::Topology;
pub use transform::Transform;
pub use trs::Trs;

/// Types that report what changed in a [`Hierarchy`], and since when.
pub mod changes {
    pub use crate::{change::Change, change_cursor::ChangeCursor, watcher::Watcher};
}

/// Iterators over the nodes of a [`Hierarchy`].
pub mod iter {
    pub use crate::{
        hierarchy::Walk,
        tree::{Ancestors, Children, Subtree},
    };
}

/// Helpers for programs that keep poses and world transforms in slices of their own, beside a [`Topology`].
pub mod slices {
    pub use crate::{subtree_ranges::SubtreeRanges, topology::parents_first};
}

/// Conversions between spaces, and the rotation, scale and orientation of a world transform.
pub mod spaces {
    pub use crate::{
        conversion::{Conversion, RotationConversion},
        euler::EulerOrder,
        orientation::Orientation,
        world_scale::WorldScale,
    };
}

/// Types for writing a strategy, that is, an implementation of [`Transform`].
pub mod strategy {
    pub use crate::{
        real::OverScalar,
        transform::{RelativeTransform, Sweep},
    };
}
