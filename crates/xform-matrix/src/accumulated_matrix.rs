use std::ops::Mul;

use nalgebra::{ComplexField, Matrix3, Matrix4, RowVector4, Vector3};
use xform_core::{Real, Trs, linear::axis_lengths, spaces::Orientation};

/// A world transform as a 4×4 matrix: takes points from the node's own space to the world.
///
/// Column vectors, column-major, with the last row 0 0 0 1:
///
/// ```text
/// ┌ x.x y.x z.x t.x ┐   x, y, z: the node's axes in the world, not unit and,
/// │ x.y y.y z.y t.y │            once skewed, not perpendicular
/// │ x.z y.z z.z t.z │   t: its origin
/// └  0   0   0   1  ┘
/// ```
///
/// In memory: sixteen scalars on a 64-byte boundary, so a slice of these can be uploaded as it is.
// The alignment lets the kernels load and store whole columns as aligned vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct AccumulatedMatrix<T: Real> {
    matrix: Matrix4<T>,
}

impl<T: Real> AccumulatedMatrix<T> {
    /// Creates the world transform with this matrix. Returns `None` unless the last row is 0 0 0 1.
    #[must_use]
    pub fn from_matrix(matrix: Matrix4<T>) -> Option<Self> {
        let last_row = RowVector4::new(T::zero(), T::zero(), T::zero(), T::one());
        (matrix.row(3) == last_row).then_some(Self { matrix })
    }

    /// Wraps a matrix whose last row is 0 0 0 1. This is not checked.
    #[cfg(feature = "crowd")]
    #[inline]
    pub(crate) fn of_affine(matrix: Matrix4<T>) -> Self {
        Self { matrix }
    }

    pub(crate) fn from_parts(linear: &Matrix3<T>, translation: &Vector3<T>) -> Self {
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(translation);
        Self { matrix }
    }

    /// Converts this world transform to another precision, rounding each entry to nearest. An entry that is out of
    /// range for `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> AccumulatedMatrix<U> {
        AccumulatedMatrix { matrix: self.matrix.map(|x| U::rounded(x.into())) }
    }

    /// Returns the inverse, which takes points from the world to the node's own space, like an inverse bind matrix.
    ///
    /// Returns `None` if the determinant is zero to within rounding, or if an entry would not be finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use xform_matrix::{AccumulatedMatrix, Trs};
    ///
    /// let joint = AccumulatedMatrix::from(Trs::from_translation(Vector3::new(0.0, 2.0, 0.0)));
    /// let inverse_bind = joint.inverse().expect("it has a size");
    /// let moved = AccumulatedMatrix::from(Trs::from_translation(Vector3::new(1.0, 2.0, 0.0)));
    /// assert_eq!((moved * inverse_bind).translation(), Vector3::new(1.0, 0.0, 0.0));
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let (axes, lengths) = self.inverse_axes()?;
        let linear = Matrix3::from_fn(|i, j| axes[(i, j)] / lengths[i]);
        let translation = (axes * -self.translation()).component_div(&lengths);
        let inverse = Self::from_parts(&linear, &translation);
        inverse.matrix.iter().all(ComplexField::is_finite).then_some(inverse)
    }

    /// Returns the inverse of the unit axes, and the lengths of the axes, by which the caller still has to divide.
    ///
    /// Returns `None` if the determinant is zero to within rounding.
    // Lengths are taken out first so that the determinant neither overflows nor vanishes with the scale. With the
    // lengths left in, below a uniform scale of 1e13 in `f32` or 1e103 in `f64`, every point was mapped back to 0.
    pub(crate) fn inverse_axes(&self) -> Option<(Matrix3<T>, Vector3<T>)> {
        let linear = self.linear();
        if Orientation::of(&linear) == Orientation::Singular {
            return None;
        }
        let lengths = axis_lengths(&linear);
        let axes = Matrix3::from_fn(|i, j| linear[(i, j)] / lengths[j]);
        Some((axes.try_inverse()?, lengths))
    }

    /// Returns the product with the transform that has this 3×3 part and translation. That transform acts first.
    #[inline]
    pub(crate) fn after(&self, linear: &Matrix3<T>, translation: &Vector3<T>) -> Self {
        let own = self.linear();
        Self::from_parts(&(own * linear), &(own * translation + self.translation()))
    }

    /// Returns the 4×4 matrix.
    #[must_use]
    pub fn matrix(&self) -> &Matrix4<T> {
        &self.matrix
    }

    /// Returns the upper left 3×3 part. Its columns are the node's axes in the world.
    #[must_use]
    pub fn linear(&self) -> Matrix3<T> {
        self.matrix.fixed_view::<3, 3>(0, 0).into_owned()
    }

    /// Returns the position of the node's origin in the world.
    #[must_use]
    pub fn translation(&self) -> Vector3<T> {
        self.matrix.fixed_view::<3, 1>(0, 3).into_owned()
    }
}

impl<T: Real> From<Trs<T>> for AccumulatedMatrix<T> {
    /// Converts a root's pose to its world transform.
    fn from(local: Trs<T>) -> Self {
        Self { matrix: local.to_homogeneous() }
    }
}

impl<T: Real> Mul for AccumulatedMatrix<T> {
    type Output = Self;

    /// Returns the matrix product. `other` acts first.
    #[inline]
    fn mul(self, other: Self) -> Self {
        self.after(&other.linear(), &other.translation())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use xform_core::Transform;

    use super::*;

    fn sheared<T: Real>() -> AccumulatedMatrix<T> {
        let [a, b] = [[0.4, -0.2, 0.9], [-0.7, 0.3, 0.1]].map(Vector3::from);
        let turn = UnitQuaternion::from_scaled_axis;
        let above = Trs::from_parts(a, turn(b), Vector3::new(2.0, -0.5, 1.0)).cast::<T>();
        let below = Trs::from_parts(b, turn(a), Vector3::new(0.25, 3.0, 1.5)).cast::<T>();
        AccumulatedMatrix::from(above) * AccumulatedMatrix::from(below)
    }

    fn inverses_and_products_are_those_of_the_matrices<T: Real>() {
        let (one, epsilon) = (sheared::<T>(), T::default_epsilon().into());
        let other = AccumulatedMatrix::from(Trs::from_scale(Vector3::new(1.0, 2.0, -4.0)).cast());
        let off = |a: &AccumulatedMatrix<T>, b: Matrix4<f64>| (a.cast::<f64>().matrix - b).amax();
        let [wide, other_wide] = [one, other].map(|it| it.cast::<f64>().matrix);
        assert!(off(&(one * other), wide * other_wide) <= 16.0 * epsilon);
        let inverse = one.inverse().unwrap();
        assert!(off(&inverse, wide.try_inverse().unwrap()) <= 64.0 * epsilon);
        assert!(off(&(inverse * one), Matrix4::identity()) <= 64.0 * epsilon);
        let local = Trs::from_scale(Vector3::new(1.0, 2.0, -4.0)).cast();
        assert_eq!(one.concat(&local), one * AccumulatedMatrix::from(local));
    }

    #[test]
    fn matrices_are_multiplied_and_inverted() {
        inverses_and_products_are_those_of_the_matrices::<f64>();
        inverses_and_products_are_those_of_the_matrices::<f32>();
    }

    #[test]
    fn what_has_no_inverse_is_none() {
        let scaled = |x: f64, y: f64, z: f64| {
            AccumulatedMatrix::from(Trs::from_scale(Vector3::new(x, y, z))).inverse()
        };
        assert_eq!(scaled(1.0, 0.0, 1.0), None);
        assert_eq!(scaled(f64::NAN, 1.0, 1.0), None);
        assert_eq!(scaled(f64::INFINITY, 1.0, 1.0), None);
        assert_eq!(scaled(1e-310, 1.0, 1.0), None); // its reciprocal is infinite
        let tiny = scaled(1e-200, 1e-200, 1e-200).expect("small is not flat");
        assert!((tiny.linear() * 1e-200 - Matrix3::identity()).amax() <= 4.0 * f64::EPSILON);
    }

    #[test]
    fn a_matrix_with_perspective_is_refused() {
        let mut matrix = Matrix4::<f64>::identity();
        assert!(AccumulatedMatrix::from_matrix(matrix).is_some());
        matrix[(3, 0)] = 0.5;
        assert!(AccumulatedMatrix::from_matrix(matrix).is_none());
    }
}
