use nalgebra::Matrix3;

use crate::{Real, linear::unit_volume};

/// Whether a linear map keeps, flips or loses the orientation of space.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Orientation {
    /// The determinant is positive.
    Proper,
    /// The determinant is negative: left and right are swapped.
    Mirrored,
    /// There is no inverse: an axis has no length, or the axes are in a plane to within rounding.
    Singular,
}

impl Orientation {
    /// Returns the orientation of a map: the sign of the determinant of its axes, each made unit length. A value
    /// within 8·ε of zero counts as zero.
    #[must_use]
    pub fn of<T: Real>(linear: &Matrix3<T>) -> Self {
        match unit_volume(linear) {
            Some(volume) if volume > T::zero() => Self::Proper,
            Some(_) => Self::Mirrored,
            None => Self::Singular,
        }
    }
}
