use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::{Shape, wireframe};
use crate::{Reason, fold::scaled};

/// What an engine collides with: a point x of the shape is at linear · x + position in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// The shape, with the numbers that the engine has given it.
    pub shape: Shape,
    /// A rotation, where the engine has only such shapes; with a scale, a mirror or a skew, where it applies them to every point.
    pub linear: Matrix3<f64>,
    /// Where the origin of the shape is.
    pub position: Vector3<f64>,
}

/// Why there is no collider, or none that is known.
#[derive(Clone, Copy, Debug, Eq, Error, Hash, PartialEq)]
#[non_exhaustive]
pub enum NoCollider {
    /// The engine refuses to make it. The text says of what.
    #[error("the engine refuses {0}")]
    Refused(&'static str),
    /// The engine has no such shape, or its helper makes none.
    #[error("the engine makes no collider of this kind")]
    NoSuchShape,
    /// It is not known what it makes of this shape below this scale: it was not seen, or it follows no rule that was found.
    #[error("it is not known what the engine makes of {0}")]
    NotKnown(&'static str),
    /// It is not known what it makes of the poses.
    #[error("it is not known what the engine makes of {0}")]
    Pose(#[from] Reason),
}

impl Collider {
    /// The shape as it is, every point moved by the map.
    pub(super) fn affine(shape: &Shape, linear: Matrix3<f64>, position: Vector3<f64>) -> Self {
        Self { shape: shape.clone(), linear, position }
    }

    /// A box with half extents times the sizes of the scale, and points times the scale, in a frame without scale. `None` of a round shape.
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

    /// A round shape with its radius and its half height times two factors, the sign of the second turning a cone over. `None` of
    /// another shape.
    pub(super) fn round(
        shape: &Shape,
        axes: Matrix3<f64>,
        [by_radius, by_height]: [f64; 2],
        position: Vector3<f64>,
    ) -> Option<Self> {
        let turned = matches!(shape, Shape::Cone { .. }) && by_height < 0.0;
        // Half a turn about x: a cone does not change by what it does to x and z.
        let over = Vector3::new(1.0, -1.0, -1.0);
        let linear = if turned { scaled(&axes, &over) } else { axes };
        let shape = shape.rounded(by_radius, by_height)?;
        Some(Self { shape, linear, position })
    }

    /// How far it reaches along a direction in the world: the largest u · x of its points x. As
    /// [`Shape::support`], of a mesh that of its convex hull.
    #[must_use]
    pub fn support(&self, u: &Vector3<f64>) -> f64 {
        u.dot(&self.position) + self.shape.support(&self.linear.tr_mul(u))
    }

    /// Lines on its surface in the world, to draw it: the circles of what is round, the edges of a box and of triangles, and of a hull those
    /// between its faces. Each line is from one point to another.
    #[must_use]
    pub fn wireframe(&self) -> Vec<[Vector3<f64>; 2]> {
        let in_world = |point: Vector3<f64>| self.linear * point + self.position;
        wireframe::lines(&self.shape).into_iter().map(|line| line.map(in_world)).collect()
    }
}
