//! Properties of a 3×3 linear map: the lengths of its axes, skew, orientation and normals.
//!
//! The columns of the map are the axes of its source space, as seen in its target space.

// Lengths and sizes are taken out before squares are formed: axes are made unit length before a matrix is inverted,
// and vectors are divided by their largest component before a norm is taken, unless the sum of their squares shows that
// none overflowed or vanished. Without that, below a uniform scale of 1e13 in `f32` or 1e103 in `f64`, the inverse by
// determinant was 0 for every point.
use std::ops::RangeInclusive;

use nalgebra::{ComplexField, Matrix3, Matrix4, Vector3};

use crate::Real;

/// A sum or a product of three squares within these bounds has no term or factor that overflowed in `f32`, and none
/// that vanished and would have counted.
pub(crate) const MODERATE: RangeInclusive<f64> = 1e-28..=1e28;

/// Returns the axes, which are the columns of the map.
#[must_use]
#[inline]
pub fn axes<T: Real>(linear: &Matrix3<T>) -> [Vector3<T>; 3] {
    // One by one here and below: `map` of an array may stay a call.
    let axis = |i| linear.column(i).into_owned();
    [axis(0), axis(1), axis(2)]
}

/// Returns the length of a vector. It is correct even if the squares of the components overflow or vanish.
#[must_use]
#[inline]
pub fn length<T: Real>(vector: &Vector3<T>) -> T {
    let square = vector.norm_squared();
    if MODERATE.contains(&square.into()) { square.sqrt() } else { extreme_length(vector) }
}

#[cold]
fn extreme_length<T: Real>(vector: &Vector3<T>) -> T {
    let largest = vector.amax();
    if largest > T::zero() { (vector / largest).norm() * largest } else { largest }
}

/// Returns the unit vector in the same direction; `None` if the length is zero or not finite. Every other length is
/// accepted.
#[must_use]
#[inline]
pub fn direction<T: Real>(vector: &Vector3<T>) -> Option<Vector3<T>> {
    let largest = vector.amax();
    let has_length = largest > T::zero() && vector.iter().all(ComplexField::is_finite);
    has_length.then(|| (vector / largest).normalize())
}

/// Returns the lengths of the axes, which are never negative, and zero if the map flattens.
#[must_use]
pub fn axis_lengths<T: Real>(linear: &Matrix3<T>) -> Vector3<T> {
    let [x, y, z] = axes(linear);
    Vector3::new(length(&x), length(&y), length(&z))
}

/// Returns the cosines of the angles between the axes xy, xz and yz: 0 if they are perpendicular.
///
/// `None` if an axis has no length, and so no direction.
#[must_use]
pub fn axis_cosines<T: Real>(linear: &Matrix3<T>) -> [Option<T>; 3] {
    let [x, y, z] = axes(linear).map(|axis| direction(&axis));
    [(x, y), (x, z), (y, z)].map(|(a, b)| Some(a?.dot(&b?).clamp(-T::one(), T::one())))
}

/// Returns the skew: the largest deviation of the angle between two axes from a right angle, in radians.
///
/// The result is from 0 to π/2. `None` if no two axes have a length.
#[must_use]
pub fn skew<T: Real>(linear: &Matrix3<T>) -> Option<T> {
    axis_cosines(linear).into_iter().flatten().map(|cosine| cosine.abs().asin()).reduce(T::max)
}

/// Returns the determinant of the axes, each made unit length: negative if the map mirrors. `None` if there is no
/// inverse, because an axis has no length or the determinant is within 8·ε of zero.
pub(crate) fn unit_volume<T: Real>(linear: &Matrix3<T>) -> Option<T> {
    let [x, y, z] = axes(linear);
    let (x, y, z) = (direction(&x), direction(&y), direction(&z));
    let volume = x?.cross(&y?).dot(&z?);
    (volume.abs() > T::rounded(8.0) * T::default_epsilon()).then_some(volume)
}

/// Returns a multiple of the inverse transpose, which takes normals to normals.
///
/// Points are multiplied by `linear`, M. Vectors that are perpendicular to a surface are multiplied by M⁻ᵀ, so that
/// they stay perpendicular and on their side of the surface, mirrored or not. The results are not of unit length.
/// `None` if the map is [singular](crate::orientation::Orientation::Singular) or not finite.
#[must_use]
pub fn normal_matrix<T: Real>(linear: &Matrix3<T>) -> Option<Matrix3<T>> {
    let sign = T::one().copysign(unit_volume(linear)?);
    let [x, y, z] = axes(linear).map(|axis| direction(&axis));
    let (x, y, z) = (x?, y?, z?);
    // M = A·D with unit axes A, so M⁻ᵀ = A⁻ᵀ·D⁻¹, and A⁻ᵀ has the cross products for columns.
    let lengths = axis_lengths(linear);
    let shortest = lengths.min();
    let columns = [y.cross(&z), z.cross(&x), x.cross(&y)];
    let factors = lengths.map(|length| sign * (shortest / length));
    Some(Matrix3::from_fn(|i, j| columns[j][i] * factors[j]))
}

/// Returns the largest distance between the images of a corner of the unit cube under two affine maps, given their
/// difference.
pub(crate) fn worst_corner<T: Real>(difference: &Matrix4<T>) -> T {
    let largest = difference.amax();
    if largest == T::zero() {
        return largest;
    }
    // Made moderate, so that squares neither overflow nor vanish.
    let half = T::rounded(0.5);
    let column = |i| difference.fixed_view::<3, 1>(0, i) / largest;
    let (x, y, z, origin) = (column(0) * half, column(1) * half, column(2) * half, column(3));
    // The corners are origin ± diagonal, for each of the four diagonals. The longer square is that with the sign of
    // the product.
    let longest = |diagonal: Vector3<T>| {
        let product = origin.dot(&diagonal).abs();
        diagonal.norm_squared() + product + product
    };
    let (sum, difference) = (x + y, x - y);
    let one = longest(sum + z).max(longest(sum - z));
    let other = longest(difference + z).max(longest(difference - z));
    (one.max(other) + origin.norm_squared()).sqrt() * largest
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    #[test]
    fn the_published_skewed_child_has_its_skew() {
        let (sin, cos) = 38_f64.to_radians().sin_cos();
        let linear = Matrix3::new(2.0 * cos, -2.0 * sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
        assert_relative_eq!(skew(&linear).unwrap().to_degrees(), 36.0442, epsilon = 1e-4);
        assert_relative_eq!(axis_lengths(&linear).x, 1.692, epsilon = 1e-3);
    }

    #[test]
    fn an_axis_without_length_has_no_angle() {
        let flat = Matrix3::from_diagonal(&Vector3::new(1.0, 0.0, 1.0));
        assert_eq!(axis_cosines(&flat), [None, Some(0.0), None]);
        assert_eq!(skew(&flat), Some(0.0));
        assert_eq!(skew(&Matrix3::<f32>::zeros()), None);
        assert_eq!(normal_matrix(&flat), None);
    }

    properties! {
        #[test]
        fn normals_follow_the_inverse_transpose(
            entries in proptest::array::uniform9(-5.0..5.0_f64),
            size in prop_oneof![Just(1.0), Just(1e-120), Just(1e120)],
        ) {
            let linear = Matrix3::from_row_slice(&entries);
            prop_assume!(linear.determinant().abs() > 1e-2);
            let expected = linear.try_inverse().unwrap().transpose();
            let found = normal_matrix(&(linear * size)).unwrap();
            let factor = found.norm() / expected.norm();
            prop_assert!((found - expected * factor).norm() <= 1e-10 * found.norm());
        }
    }
}
