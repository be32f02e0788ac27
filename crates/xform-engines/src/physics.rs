//! Colliders: what each physics engine collides with for a shape on a node, with the evidence for each rule.
//!
//! Below a non-uniform scale the drawn geometry can be skewed, and a sphere becomes an ellipsoid. Few physics engines
//! have such shapes. Each decomposes the world transform in its own way and changes the dimensions of the shape. A
//! [`Road`] is a way for shapes to reach a [`PhysicsEngine`]. It turns a [`Shape`] below a chain of local poses into
//! a [`Collider`], or returns the reason why there is [none](NoCollider). The answers of the engines that were run
//! are stored beside the tests, which check every rule against them.
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
//! All shapes are centred at their own origin. Capsules, cylinders and cones are aligned with y, and the tip of a
//! cone is at +y. Lengths are those of the file.

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

/// Scales whose absolute values differ by at most this fraction are uniform: the ellipsoid below them cannot be told
/// from a sphere.
pub const EVEN: f64 = 1e-4;

/// Whether three scales, or lengths of axes, are uniform, ignoring their signs.
#[must_use]
pub fn is_even(scale: &Vector3<f64>) -> bool {
    let sizes = scale.abs();
    sizes.max() - sizes.min() <= EVEN * sizes.max()
}
