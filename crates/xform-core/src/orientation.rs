use nalgebra::Matrix3;

use crate::{
    Real,
    linear::{axes, direction},
};

/// Whether a linear map keeps, flips or loses the orientation of space.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Orientation {
    /// The determinant is positive.
    Proper,
    /// The determinant is negative: left and right change places.
    Mirrored,
    /// An axis has no length, or the axes lie in a plane to within rounding: no inverse.
    Singular,
}

impl Orientation {
    /// The orientation of a map: the sign of the determinant of its axes, each made unit, where
    /// anything within 8·ε of zero counts as zero.
    #[must_use]
    pub fn of<T: Real>(linear: &Matrix3<T>) -> Self {
        let [Some(x), Some(y), Some(z)] = axes(linear).map(|axis| direction(&axis)) else {
            return Self::Singular;
        };
        let volume = x.cross(&y).dot(&z);
        if volume.abs() <= T::rounded(8.0) * T::default_epsilon() {
            Self::Singular
        } else if volume > T::zero() {
            Self::Proper
        } else {
            Self::Mirrored
        }
    }
}
