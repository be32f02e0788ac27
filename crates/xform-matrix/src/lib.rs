//! World transforms as accumulated 4×4 matrices: exact, but able to skew.
//!
//! Unity, Godot, three.js, Bevy and glTF viewers compute them this way. One step down is a matrix product,
//! `world_from_child = world_from_parent · T · R · S`. Below a non-uniform scale a rotation skews:
//! the axes of the child are no longer perpendicular, and no translation, rotation and scale
//! describe it any more. [`AccumulatedMatrix::decompose`] finds the closest ones and returns
//! how much they lose. The guide explains when to [choose this strategy](guide::choosing_a_strategy) and lists the
//! counterparts of the calls you know [from your engine](guide::engines).
//!
//! ```
//! use xform_matrix::nalgebra::{UnitQuaternion, Vector3};
//! use xform_matrix::{AccumulatedMatrix, Hierarchy, Method, Trs};
//!
//! let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
//! let arm = hierarchy.insert(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))?;
//! let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 38_f64.to_radians());
//! let hand = hierarchy.insert(arm, Trs::from_rotation(turn))?;
//! hierarchy.propagate();
//!
//! let world_from_hand = hierarchy.world(hand)?;
//! let nearest = world_from_hand.decompose(Method::NearestTrs).expect("finite");
//! assert!((nearest.residual - 0.279_089).abs() < 1e-6); // 28 % of it is no TRS
//! # Ok::<(), xform_matrix::HierarchyError>(())
//! ```
//!
//! # Edits in the world, and what they lose
//!
//! A node can only have a translation, a rotation and a scale in its parent's space. Below a stretched
//! parent these cannot express every world transform. Each method that sets a world transform returns how much
//! of it could be [kept](Kept):
//!
//! ```
//! use xform_matrix::nalgebra::{UnitQuaternion, Vector3};
//! use xform_matrix::{AccumulatedMatrix, Hierarchy, Kept, Trs, spaces::WorldScale};
//!
//! let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
//! let arm = hierarchy.insert(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))?;
//! let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 38_f64.to_radians());
//! let hand = hierarchy.insert(arm, Trs::from_rotation(turn))?;
//!
//! // As a root it would need a skew of 36°, and a root cannot have one.
//! let Kept::Lossy { skew, displacement } = hierarchy.reparent_keeping_world(hand, None)? else {
//!     panic!("a skewed node has no pose of its own");
//! };
//! assert!((skew.to_degrees() - 36.0442).abs() < 1e-4);
//! assert!(displacement > 0.3); // at the worst corner of a cube of side 1
//!
//! // Three things are called world scale.
//! let hand = hierarchy.insert(arm, Trs::from_rotation(turn))?;
//! let lengths = hierarchy.world_scale(hand, WorldScale::ColumnLengths)?;
//! let projected = hierarchy.world_scale(hand, WorldScale::Projected)?;
//! let product = hierarchy.world_scale(hand, WorldScale::Product)?;
//! assert!((lengths - Vector3::new(1.692, 1.462, 1.0)).norm() < 1e-3);
//! assert!((projected - Vector3::new(1.621, 1.379, 1.0)).norm() < 1e-3);
//! assert_eq!(product, Vector3::new(2.0, 1.0, 1.0));
//! # Ok::<(), xform_matrix::HierarchyError>(())
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
    feature = "serde",
    doc = "
With `serde`, a scene can be saved and loaded. This example also maps the saved ids to the new ones:

```
use std::collections::HashMap;
use xform_matrix::{AccumulatedMatrix, Hierarchy, NodeId, Trs};

let mut scene = Hierarchy::<AccumulatedMatrix<f32>>::new();
let root = scene.insert(None, Trs::identity())?;
let leaf = scene.insert(root, Trs::identity())?;

let saved = serde_json::to_string(&scene)?;
let loaded: Hierarchy<AccumulatedMatrix<f32>> = serde_json::from_str(&saved)?;
let new_ids: HashMap<NodeId, NodeId> = scene.iter().zip(&loaded).collect();
assert_eq!(loaded.parent(new_ids[&leaf])?, Some(new_ids[&root]));
# Ok::<(), Box<dyn std::error::Error>>(())
```
"
)]
#![cfg_attr(
    feature = "glam",
    doc = "
With `glam`, setters accept its types and results convert to them:

```
use glam::{Quat, Vec3};
use xform_matrix::{AccumulatedMatrix, Hierarchy, Trs};

let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
let node = hierarchy.insert(None, Trs::from((Vec3::X, Quat::from_rotation_z(0.5), Vec3::ONE)))?;
hierarchy.set_world_translation(node, Vec3::new(1.0, 2.0, 3.0))?;
let eye: Vec3 = hierarchy.world_translation(node)?.into();
assert_eq!(eye, Vec3::new(1.0, 2.0, 3.0));
# Ok::<(), xform_matrix::HierarchyError>(())
```
"
)]
#![cfg_attr(
    feature = "crowd",
    doc = "
```
use nalgebra::{Matrix4, Vector3};
use xform_matrix::{AccumulatedMatrix, Topology, Trs, crowd::{Crowd, InverseBinds}};

let skeleton = Topology::from_parents(&[None, Some(0), Some(1)]).expect(\"parents first\");
let mut crowd = Crowd::<AccumulatedMatrix<f32>>::new(skeleton, 100);
let pose = [Trs::from_translation(Vector3::y()); 3];
for instance in 0..crowd.instances() {
    crowd.set_locals(instance, &pose);
}
crowd.propagate()?;
assert_eq!(crowd.world(2, 57).translation().y, 3.0);

// A mesh that is bound to two of the joints: two skinning matrices for each instance, as three rows of four.
let inverse_bind = Matrix4::new_translation(&Vector3::new(0.0, -1.0, 0.0));
let mesh = InverseBinds::new([(0, inverse_bind), (2, inverse_bind)]);
let mut palettes = vec![[0.0; 12]; 2 * 100];
crowd.skin_into(&mesh, &mut palettes);
assert_eq!(palettes[2 * 57 + 1], [1., 0., 0., 0., 0., 1., 0., 2., 0., 0., 1., 0.]);
# Ok::<(), xform_matrix::crowd::CrowdError>(())
```
"
)]

mod accumulated_matrix;
#[cfg(feature = "bytemuck")]
mod bytemuck;
mod decomposition;
mod frame;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "crowd")]
mod in_lanes;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod kernel;
mod nearest;
mod polar;
mod svd;
mod transform;

#[doc = include_str!("../guide/everyday.md")]
pub mod everyday {}

pub use accumulated_matrix::AccumulatedMatrix;
pub use decomposition::{Decomposition, Method};
pub use xform_core::*;

/// A [`Hierarchy`] of accumulated matrices in single precision.
pub type MatrixHierarchy = Hierarchy<AccumulatedMatrix<f32>>;
