use nalgebra::Matrix3;

use crate::{
    Real,
    linear::{MODERATE, axes, unit_volume},
};

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
        // Nearly all maps are clear without the lengths of their axes. Twice the bound leaves room for the rounding of
        // both ways. A denormal square only moves it, from 16·ε to about 12·ε.
        let [x, y, z] = axes(linear);
        let squares = x.norm_squared() * y.norm_squared() * z.norm_squared();
        let determinant = linear.determinant();
        let clear = T::rounded(16.0) * T::default_epsilon();
        if MODERATE.contains(&squares.into()) && determinant * determinant > clear * clear * squares
        {
            return if determinant > T::zero() { Self::Proper } else { Self::Mirrored };
        }
        match unit_volume(linear) {
            Some(volume) if volume > T::zero() => Self::Proper,
            Some(_) => Self::Mirrored,
            None => Self::Singular,
        }
    }
}
