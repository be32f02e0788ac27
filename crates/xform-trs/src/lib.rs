//! World transforms as combined translation, rotation and scale: they never skew.
//!
//! Unreal, OGRE and RTM compute them this way. One step down combines the scales, the rotations and the
//! translations separately:
//!
//! ```text
//! S = S_parent ⊙ S_child      R = R_parent · R_child      t = t_parent + R_parent · (S_parent ⊙ t_child)
//! ```
//!
//! The world transform is a translation, a rotation and a scale at any depth. The price: if the child is rotated, the
//! parent's scale acts along the child's own axes instead of the parent's.
//! [`CombinedTrs::is_step_exact`] shows whether that makes a difference. The guide explains when to
//! [choose this strategy](guide::choosing_a_strategy) and lists the counterparts of the calls you know
//! [from your engine](guide::engines).
//!
//! ```
//! use xform_trs::nalgebra::{Point3, UnitQuaternion, Vector3};
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
//! # Spaces
//!
//! [`Hierarchy::conversion`] converts from any space to any other: points, vectors, directions, normals and
//! rotations, one or many.
//!
//! ```
//! # use xform_trs::nalgebra::{Point3, UnitQuaternion, Vector3};
//! # use xform_trs::{CombinedTrs, Hierarchy, Space, Trs};
//! # let mut hierarchy = Hierarchy::<CombinedTrs<f64>>::new();
//! let ship = hierarchy.insert(None, Trs::from_translation(Vector3::new(1e6, 0.0, 0.0)))?;
//! let gun = hierarchy.insert(ship, Trs::from_translation(Vector3::new(0.0, 2.0, 0.0)))?;
//! let lamp = hierarchy.insert(ship, Trs::from_scale(Vector3::new(1.0, 4.0, 1.0)))?;
//!
//! // Below the ship, so the distance to the world's origin costs no precision.
//! let from_gun_to_lamp = hierarchy.conversion(gun, lamp)?;
//! let mut muzzles = [Point3::origin(), Point3::new(0.0, 0.0, 1.0)];
//! from_gun_to_lamp.points(&mut muzzles);
//! assert_eq!(muzzles, [Point3::new(0.0, 0.5, 0.0), Point3::new(0.0, 0.5, 1.0)]);
//!
//! // A normal stays perpendicular to the surface, which a vector would not.
//! let lit = hierarchy.conversion(lamp, Space::World)?.normal(&Vector3::new(0.0, 1.0, 1.0))?;
//! assert!(lit.dot(&Vector3::new(0.0, 4.0, -1.0)).abs() < 1e-15);
//! # Ok::<(), xform_trs::HierarchyError>(())
//! ```
//!
//! # Edits in the world
//!
//! A hierarchy can set the position, rotation and scale of a node in the world, move and rotate it along
//! any axes, and give it a new parent without moving it. Each of these edits returns how much it could
//! [keep](Kept). In combined TRS it keeps everything if the parent's world scale has no zero:
//!
//! ```
//! # use xform_trs::nalgebra::{Point3, UnitQuaternion, Vector3};
//! # use xform_trs::{Axes, CombinedTrs, Hierarchy, Kept, Trs};
//! # let mut hierarchy = Hierarchy::<CombinedTrs<f64>>::new();
//! let arm = hierarchy.insert(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))?;
//! let sword = hierarchy.insert(None, Trs::from_translation(Vector3::new(5.0, 1.0, 0.0)))?;
//! let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5);
//! assert_eq!(hierarchy.rotate(sword, turn, Axes::World)?, Kept::Exact);
//!
//! let before = hierarchy.world(sword)?;
//! assert_eq!(hierarchy.reparent_keeping_world(sword, arm)?, Kept::Exact);
//! assert!((hierarchy.world_matrix(sword)? - before.to_trs().to_homogeneous()).norm() < 1e-15);
//! assert_eq!(hierarchy.local(sword)?.scale, Vector3::new(0.5, 1.0, 1.0));
//!
//! hierarchy.look_at(sword, Point3::new(5.0, 1.0, -9.0), Vector3::y())?;
//! assert!(hierarchy.world_rotation(sword)?.angle() < 1e-15);
//! # Ok::<(), xform_trs::HierarchyError>(())
//! ```
//!
//! # Features
//!
//! - `rayon` propagates large changes on several threads.
//! - `serde` reads and writes poses and whole hierarchies.
//! - `bytemuck` turns slices of world transforms into bytes, for upload.
//! - `glam`, `mint` and `ultraviolet` convert poses and matrices to and from those libraries. `glam` and `mint` also
//!   convert nalgebra's vectors, points and rotations: setters accept their types directly, and `into` converts
//!   results. Setters accept arrays with or without these features.
//! - `crowd` is for many instances of one topology, such as skeletons that are all animated: every step computes four
//!   or eight of them together.
#![cfg_attr(
    feature = "crowd",
    doc = "
```
use nalgebra::{Matrix4, Vector3};
use xform_trs::{CombinedTrs, Topology, Trs, crowd::{Crowd, InverseBinds}};

let skeleton = Topology::from_parents(&[None, Some(0), Some(1)]).expect(\"parents first\");
let mut crowd = Crowd::<CombinedTrs<f32>>::new(skeleton, 100);
let pose = [Trs::from_translation(Vector3::y()); 3];
for instance in 0..crowd.instances() {
    crowd.set_locals(instance, &pose);
}
crowd.propagate()?;
assert_eq!(crowd.world(2, 57).translation.y, 3.0);

// A mesh that is bound to two of the joints: two skinning matrices for each instance, as three rows of four.
let inverse_bind = Matrix4::new_translation(&Vector3::new(0.0, -1.0, 0.0));
let mesh = InverseBinds::new([(0, inverse_bind), (2, inverse_bind)]);
let mut palettes = vec![[0.0; 12]; 2 * 100];
crowd.skin_into(&mesh, &mut palettes);
assert_eq!(palettes[2 * 57 + 1], [1., 0., 0., 0., 0., 1., 0., 2., 0., 0., 1., 0.]);
# Ok::<(), xform_trs::crowd::CrowdError>(())
```
"
)]

#[cfg(feature = "bytemuck")]
mod bytemuck;
mod combined_trs;
mod exactness;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "crowd")]
mod in_lanes;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod kernel;
mod transform;

pub use combined_trs::CombinedTrs;
pub use xform_core::*;

/// A [`Hierarchy`] of combined TRS in single precision.
pub type TrsHierarchy = Hierarchy<CombinedTrs<f32>>;
