use nalgebra::Point3;

// A node without a mesh has its origin as bounds. It does not enlarge the scene's diagonal, of which displacements
// are a fraction, as long as something is drawn: a camera far away would make every percentage small.

/// The visible part of a node, in the node's own space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// The box around its mesh, from its least to its greatest corner.
    Box(Point3<f64>, Point3<f64>),
    /// Only its origin: a node without a mesh.
    Origin,
    /// Nothing: its mesh ignores the node's transform, like a skinned mesh in glTF.
    Nothing,
}

impl Bounds {
    /// Returns the cube [−½, ½]³, the bounds in scenes without any mesh.
    #[must_use]
    pub fn unit_cube() -> Self {
        Self::Box(Point3::new(-0.5, -0.5, -0.5), Point3::new(0.5, 0.5, 0.5))
    }

    /// Returns the points at which a displacement is measured: eight corners, the origin, or none.
    pub fn corners(&self) -> impl Iterator<Item = Point3<f64>> + use<> {
        let (min, max, count) = match *self {
            Self::Box(min, max) => (min, max, 8),
            Self::Origin => (Point3::origin(), Point3::origin(), 1),
            Self::Nothing => (Point3::origin(), Point3::origin(), 0),
        };
        (0..count).map(move |corner: u8| {
            let pick = |axis: usize| {
                if corner >> axis & 1 == 0 { min[axis] } else { max[axis] }
            };
            Point3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// The solid that the page draws within a node's bounds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum BoundsShape {
    /// The box itself.
    #[default]
    Box,
    /// The cylinder along z that fits exactly into the box.
    Cylinder,
}
