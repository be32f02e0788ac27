//! What collides: the collider that each physics engine makes of a shape on a node, and how that is known.
//!
//! Below a non-uniform scale what is drawn can be skewed, and a sphere becomes an ellipsoid. Few physics engines have such
//! shapes. Each takes the world transform apart in a way of its own, and changes the numbers of the shape. A [`Road`] of a
//! [`PhysicsEngine`] says what becomes of a [`Shape`] below a chain of local poses: a [`Collider`], or the reason why there is
//! [none](NoCollider). The answers of the engines that were run are kept beside the tests, which hold every rule to them.
//!
//! ```
//! use nalgebra::Vector3;
//! use xform_core::Trs;
//! use xform_engines::physics::{PhysicsEngine, Shape};
//!
//! // A sphere of radius 0.5 below a scale of (2, 1, 1): in Godot with Jolt, a sphere of the mean of the three.
//! let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
//! let godot = PhysicsEngine::named("godot-jolt").expect("known").road();
//! let collider = godot.collider(&[stretched.into()], &Shape::Sphere { radius: 0.5 })?;
//! let Shape::Sphere { radius } = collider.shape else { unreachable!() };
//! assert!((radius - 0.5 * 4.0 / 3.0).abs() < 1e-12);
//! # Ok::<(), xform_engines::physics::NoCollider>(())
//! ```
//!
//! All shapes are about their own origin; capsules, cylinders and cones stand along y, the tip of a cone at +y. Lengths are those of the
//! file.

use nalgebra::Vector3;

mod bullet;
mod chain;
mod collider;
mod engine;
mod jolt;
mod lossy;
mod rapier;
mod registry;
mod rule;
mod shape;
mod web;
mod wireframe;

pub use collider::{Collider, NoCollider};
pub use engine::{Moved, PhysicsEngine, Road, Skewed};
pub use rule::ColliderRule;
pub use shape::{Shape, ShapeKind};

/// Scales whose sizes differ by no more than this part are even: nobody sees that a sphere below them is an ellipsoid.
pub const EVEN: f64 = 1e-4;

/// Whether three scales, or lengths of axes, are even, whatever their signs.
#[must_use]
pub fn is_even(scale: &Vector3<f64>) -> bool {
    let sizes = scale.abs();
    sizes.max() - sizes.min() <= EVEN * sizes.max()
}
