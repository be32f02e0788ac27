use std::sync::Arc;

use nalgebra::Vector3;

/// A collision shape, in the space of its node.
///
/// Radii, half heights and half extents are not negative.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// All points within a radius of the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box around the origin, aligned with the axes.
    Box {
        /// Half of its size along each axis.
        half_extents: Vector3<f64>,
    },
    /// All points within a radius of a segment of the y axis.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half of the length of the segment, without the two hemispheres.
        half_height: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half of its height.
        half_height: f64,
    },
    /// A cone along y, with its tip at +y.
    Cone {
        /// The radius of its base, which is at −y.
        radius: f64,
        /// Half of its height.
        half_height: f64,
    },
    /// The convex hull of points.
    Hull(Arc<[Vector3<f64>]>),
    /// Triangles, not necessarily closed.
    Mesh {
        /// Its vertices.
        points: Arc<[Vector3<f64>]>,
        /// Three vertices each, by index.
        triangles: Arc<[[u32; 3]]>,
    },
}

/// The kind of a [`Shape`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum ShapeKind {
    /// [`Shape::Sphere`].
    Sphere,
    /// [`Shape::Box`].
    Box,
    /// [`Shape::Capsule`].
    Capsule,
    /// [`Shape::Cylinder`].
    Cylinder,
    /// [`Shape::Cone`].
    Cone,
    /// [`Shape::Hull`].
    Hull,
    /// [`Shape::Mesh`].
    Mesh,
}

impl ShapeKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Sphere,
        Self::Box,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Hull,
        Self::Mesh,
    ];

    /// Returns `sphere`, `box`, `capsule`, `cylinder`, `cone`, `hull` or `mesh`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Box => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Hull => "hull",
            Self::Mesh => "mesh",
        }
    }
}

impl Shape {
    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::Sphere { .. } => ShapeKind::Sphere,
            Self::Box { .. } => ShapeKind::Box,
            Self::Capsule { .. } => ShapeKind::Capsule,
            Self::Cylinder { .. } => ShapeKind::Cylinder,
            Self::Cone { .. } => ShapeKind::Cone,
            Self::Hull(_) => ShapeKind::Hull,
            Self::Mesh { .. } => ShapeKind::Mesh,
        }
    }

    /// Returns the support function at u: how far the shape reaches along a direction, the largest u · x over its
    /// points x.
    ///
    /// It is linear in the length of u. For a mesh it is that of the convex hull; without points it is −∞.
    #[must_use]
    pub fn support(&self, u: &Vector3<f64>) -> f64 {
        let across = || u.x.hypot(u.z);
        match self {
            Self::Sphere { radius } => radius * u.norm(),
            Self::Box { half_extents } => half_extents.dot(&u.abs()),
            Self::Capsule { radius, half_height } => radius * u.norm() + half_height * u.y.abs(),
            Self::Cylinder { radius, half_height } => radius * across() + half_height * u.y.abs(),
            Self::Cone { radius, half_height } => {
                (half_height * u.y).max(radius * across() - half_height * u.y)
            }
            Self::Hull(points) | Self::Mesh { points, .. } => {
                points.iter().map(|point| u.dot(point)).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// A round shape with its radius and its half height multiplied by the absolute values of two factors. `None` for
    /// a shape without a radius.
    pub(super) fn rounded(&self, by_radius: f64, by_height: f64) -> Option<Self> {
        let scaled = |radius: f64, half_height: f64| {
            ((radius * by_radius).abs(), (half_height * by_height).abs())
        };
        Some(match *self {
            Self::Sphere { radius } => Self::Sphere { radius: (radius * by_radius).abs() },
            Self::Capsule { radius, half_height } => {
                let (radius, half_height) = scaled(radius, half_height);
                Self::Capsule { radius, half_height }
            }
            Self::Cylinder { radius, half_height } => {
                let (radius, half_height) = scaled(radius, half_height);
                Self::Cylinder { radius, half_height }
            }
            Self::Cone { radius, half_height } => {
                let (radius, half_height) = scaled(radius, half_height);
                Self::Cone { radius, half_height }
            }
            Self::Box { .. } | Self::Hull(_) | Self::Mesh { .. } => return None,
        })
    }
}
