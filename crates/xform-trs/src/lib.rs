//! World transforms as combined scale, quaternion and position: they never skew.
//!
//! This is what Unreal, OGRE and RTM do. One step down multiplies scales, rotations and positions
//! apart:
//!
//! ```text
//! S = S_parent ⊙ S_child      R = R_parent · R_child      t = t_parent + R_parent · (S_parent ⊙ t_child)
//! ```
//!
//! The world transform is a translation, a rotation and a scale at any depth. The price: the
//! parent's scale acts along the child's own axes, not along the parent's, wherever the child is
//! turned. [`CombinedTrs::is_step_exact`] says when that makes no difference.
//!
//! ```
//! use nalgebra::{Point3, UnitQuaternion, Vector3};
//! use xform_trs::{CombinedTrs, Hierarchy, Space, Trs};
//!
//! let mut hierarchy = Hierarchy::<CombinedTrs<f64>>::new();
//! let arm = hierarchy.insert(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))?;
//! let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 90_f64.to_radians());
//! let hand = hierarchy.insert(arm, Trs::from_rotation(turn))?;
//! hierarchy.propagate();
//!
//! // The arm is twice as long along the world's x, and so is the hand along its own.
//! let tip = hierarchy.conversion(hand, Space::World)?.point(&Point3::new(1.0, 0.0, 0.0));
//! assert!((tip - Point3::new(0.0, 2.0, 0.0)).norm() < 1e-15);
//! # Ok::<(), xform_trs::HierarchyError>(())
//! ```
//!
//! # Features
//!
//! `rayon` propagates large changes on several threads. `crowd` is for many instances of one
//! topology, such as skeletons: four of them, or eight where the program is compiled for AVX2, take
//! each step together.
#![cfg_attr(
    feature = "crowd",
    doc = "
```
use nalgebra::Vector3;
use xform_trs::{CombinedTrs, Crowd, Topology, Trs};

let skeleton = Topology::from_parents(&[None, Some(0), Some(1)]).expect(\"parents first\");
let mut crowd = Crowd::<CombinedTrs<f32>>::new(skeleton, 100);
let pose = [Trs::from_translation(Vector3::y()); 3];
for instance in 0..crowd.instances() {
    crowd.set_locals(instance, &pose)?;
}
crowd.propagate();
assert_eq!(crowd.world(2, 57).translation.y, 3.0);
# Ok::<(), xform_trs::PoseError>(())
```
"
)]

mod combined_trs;
#[cfg(feature = "crowd")]
mod crowd;
mod exactness;
#[cfg(target_arch = "x86_64")]
mod kernel;

pub use combined_trs::CombinedTrs;
#[cfg(feature = "crowd")]
pub use crowd::TrsInLanes;
#[cfg(feature = "crowd")]
pub use xform_core::crowd::Crowd;
pub use xform_core::{
    Ancestors, Axes, Children, Conversion, EulerOrder, Hierarchy, HierarchyError, Kept, NodeId,
    Orientation, Place, PoseError, Real, Relative, Space, Storage, Subtree, Sweep, Topology,
    TopologyError, Transform, Trs, VectorConvention, WorldMatrix, WorldScale, linear,
    parents_first,
};
