use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::{Shape, wireframe};
use crate::{Reason, fold::scaled};

/// The collider of an engine: a shape, and a map to the world that takes a point x of the shape to linear · x +
/// position.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// The shape, with the dimensions that the engine gave it.
    pub shape: Shape,
    /// A rotation, if the engine's shapes can only be rotated. Includes a scale, a mirror or a skew if the engine
    /// applies it to every point.
    pub linear: Matrix3<f64>,
    /// The position of the shape's origin.
    pub position: Vector3<f64>,
}

/// The reason why there is no collider, or why it is not known.
#[derive(Clone, Copy, Debug, Eq, Error, Hash, PartialEq)]
#[non_exhaustive]
pub enum NoCollider {
    /// The engine refuses to create it. The text names what it refuses.
    #[error("the engine refuses {0}")]
    Refused(&'static str),
    /// The engine has no such shape, or its helper does not create one.
    #[error("the engine has no collider of this kind")]
    NoSuchShape,
    /// It is not known how the engine treats this shape below this scale: it was not seen, or no rule was found that
    /// fits its answers.
    #[error("it is not known how the engine treats {0}")]
    NotKnown(&'static str),
    /// It is not known how the engine treats the poses.
    #[error("it is not known how the engine treats {0}")]
    Pose(#[from] Reason),
}

impl Collider {
    /// The unchanged shape, with every point transformed by the map.
    pub(super) fn affine(shape: &Shape, linear: Matrix3<f64>, position: Vector3<f64>) -> Self {
        Self { shape: shape.clone(), linear, position }
    }

    /// A box with its half extents multiplied by the absolute values of the scale, or points multiplied by the scale,
    /// in a frame without scale. `None` for a round shape.
    pub(super) fn boxed(
        shape: &Shape,
        axes: Matrix3<f64>,
        scale: &Vector3<f64>,
        position: Vector3<f64>,
    ) -> Option<Self> {
        match shape {
            Shape::Box { half_extents } => {
                let half_extents = half_extents.component_mul(scale).abs();
                Some(Self { shape: Shape::Box { half_extents }, linear: axes, position })
            }
            Shape::Hull(_) | Shape::Mesh { .. } => {
                Some(Self::affine(shape, scaled(&axes, scale), position))
            }
            _ => None,
        }
    }

    /// A round shape with its radius and its half height multiplied by two factors. If the second is negative, a cone
    /// is turned over. `None` for other shapes.
    pub(super) fn round(
        shape: &Shape,
        axes: Matrix3<f64>,
        [by_radius, by_height]: [f64; 2],
        position: Vector3<f64>,
    ) -> Option<Self> {
        let turned = matches!(shape, Shape::Cone { .. }) && by_height < 0.0;
        // Half a turn about x. Its effect on x and z does not change a cone.
        let over = Vector3::new(1.0, -1.0, -1.0);
        let linear = if turned { scaled(&axes, &over) } else { axes };
        let shape = shape.rounded(by_radius, by_height)?;
        Some(Self { shape, linear, position })
    }

    /// Returns the support of the collider: how far it reaches along a direction in the world, the largest u · x over
    /// its points x. Like [`Shape::support`], for a mesh it is that of the convex hull.
    #[must_use]
    pub fn support(&self, u: &Vector3<f64>) -> f64 {
        u.dot(&self.position) + self.shape.support(&self.linear.tr_mul(u))
    }

    /// Returns lines on the surface in the world, to draw it: circles of round shapes, edges of boxes and triangles,
    /// and the edges between the faces of a hull. Each line goes from one point to another.
    #[must_use]
    pub fn wireframe(&self) -> Vec<[Vector3<f64>; 2]> {
        let in_world = |point: Vector3<f64>| self.linear * point + self.position;
        wireframe::lines(&self.shape).into_iter().map(|line| line.map(in_world)).collect()
    }
}
