//! The skew of a matrix, and the difference between two.

use std::ops::RangeInclusive;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{
    Transform,
    linear::{axes, axis_cosines, direction},
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, Fixture};

/// Returns the skew of a linear map between each pair of its axes, xy, xz and yz, in radians.
///
/// δ = −asin(ĉᵢ · ĉⱼ), where ĉ are the normalised columns: 0 if they are perpendicular, ±π/2 if they
/// coincide, positive if the angle between them is greater than a right angle. `None` if an axis has no
/// length, and so no direction. Source: docs/mathematics.md, "Skew".
#[must_use]
pub fn skew_pairs(linear: &Matrix3<f64>) -> [Option<f64>; 3] {
    axis_cosines(linear).map(|cosine| Some(-libm::asin(cosine?)))
}

/// The fraction of its terms below which an axis is `f64` rounding: thirty roundings of a product of three.
pub(super) const AXIS_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Returns the world axes of a node, with axes that are only rounding set to zero, because they have no
/// angle.
///
/// `parent` are the parent's axes after the same treatment, `of_parent` those before it. An axis that is only
/// rounding in the parent remains so in the node.
pub(super) fn axes_below(
    parent: &Matrix3<f64>,
    of_parent: &Matrix3<f64>,
    linear: &Matrix3<f64>,
    local: &Matrix3<f64>,
) -> Matrix3<f64> {
    let linear = if parent == of_parent { *linear } else { parent * local };
    without_rounding(&linear, parent, local)
}

/// The same for a parent without axes that are only rounding.
///
/// An axis is the sum of its parent's axes, `parent`, multiplied by the components of the node's own,
/// `local`. A large axis may be multiplied by a component that is zero except for rounding, such as in a
/// quarter turn below a scale of (0, y, 0). The remainder then points anywhere. An axis without rotation has
/// no such component, however short it is.
pub(super) fn without_rounding(
    linear: &Matrix3<f64>,
    parent: &Matrix3<f64>,
    local: &Matrix3<f64>,
) -> Matrix3<f64> {
    // Such an axis of 1e-17 used to be reported as 90° of skew. In motion a bound of a dozen comparisons rules
    // out that any axis of a node or its ancestors is only rounding, so that only the other nodes need this.
    let of_parent = parent.amax();
    let mut kept = *linear;
    for (mut axis, own) in kept.column_iter_mut().zip(local.column_iter()) {
        let is_turned = own.iter().filter(|component| **component != 0.0).count() > 1;
        let slack = if is_turned { own.amax() } else { 0.0 };
        // Divided by the largest first, so that no product overflows.
        let parts = parent.column_iter().zip(own.iter());
        let made_of: f64 =
            parts.map(|(parent, own)| parent.amax() / of_parent * (own.abs() + slack)).sum();
        if axis.amax() / of_parent <= AXIS_ROUNDING * made_of {
            axis.fill(0.0);
        }
    }
    kept
}

/// The skew in degrees below which it is `f64` rounding and counts as 0.
pub(super) const SKEW_ROUNDING: f64 = 1e-9;

/// Converts a skew to degrees and removes rounding.
fn degrees(skew: f64) -> f64 {
    let degrees = skew.to_degrees();
    if degrees.abs() < SKEW_ROUNDING { 0.0 } else { degrees }
}

/// Returns the skew between each pair of axes in degrees, without rounding.
pub(super) fn skew_pairs_degrees(linear: &Matrix3<f64>) -> [Option<f64>; 3] {
    skew_pairs(linear).map(|skew| skew.map(degrees))
}

/// Returns the largest skew of any pair of axes, in degrees; `None` if all are undefined.
pub(crate) fn worst_skew_degrees(linear: &Matrix3<f64>) -> Option<f64> {
    let cosines = axis_cosines(linear).into_iter().flatten();
    // A single arcsine, of the largest cosine.
    Some(degrees(libm::asin(cosines.map(f64::abs).reduce(f64::max)?)))
}

/// Returns the volume that the axes of a linear map enclose, as a fraction of the volume of perpendicular
/// axes: |det M| / ∏‖cᵢ‖. It is 1 without skew and 0 if the axes lie in a plane.
///
/// Also called Hadamard ratio or scaled Jacobian. `None` if an axis has no length.
#[must_use]
pub fn orthogonality(linear: &Matrix3<f64>) -> Option<f64> {
    let [x, y, z] = axes(linear).map(|axis| direction(&axis));
    Some(x?.cross(&y?).dot(&z?).abs().min(1.0))
}

/// Returns ‖Lm − Lt‖ / ‖Lm‖ in the Frobenius norm: the relative difference between the 3×3 parts in combined
/// TRS and in accumulated matrices.
///
/// 0 if both are zero; `None` if only `by_matrix` is.
#[must_use]
pub fn linear_difference(by_matrix: &Matrix3<f64>, by_trs: &Matrix3<f64>) -> Option<f64> {
    let size = by_matrix.amax().max(by_trs.amax());
    if size == 0.0 {
        return Some(0.0);
    }
    // Divided by the largest component first, so that the squares neither overflow nor vanish.
    let (by_matrix, by_trs) = (by_matrix / size, by_trs / size);
    let norm = by_matrix.norm();
    (norm > 0.0).then(|| (by_matrix - by_trs).norm() / norm)
}

/// Returns the angle by which a camera or a light points elsewhere between two linear maps, in degrees: the
/// larger of the angles between its directions and between its upward directions, as far as these matter.
///
/// Its direction is an axis made unit, so the scale of that axis does not count. Its upward direction is the
/// upward axis without its part along the direction. `None` if an axis that matters has no direction, or if
/// none matters.
pub(super) fn turned_degrees(fixture: &Fixture, a: &Matrix3<f64>, b: &Matrix3<f64>) -> Option<f64> {
    turned_between([(fixture, a), (fixture, b)])
}

/// The same for a fixture that points along a different axis of its node on either side, as in files of two
/// formats.
pub(super) fn turned_between(sides: [(&Fixture, &Matrix3<f64>); 2]) -> Option<f64> {
    let kind = sides[0].0.kind;
    if !kind.has_direction() {
        return None;
    }
    let [forward, other] = sides.map(|(fixture, linear)| direction(&(linear * fixture.forward())));
    let forwards = [forward?, other?];
    let turned = angle_degrees(&forwards[0], &forwards[1]);
    if !kind.has_up() {
        return Some(turned);
    }
    let up = |side: usize| {
        let ((fixture, linear), forward) = (sides[side], forwards[side]);
        let up = direction(&(linear * fixture.up()))?;
        direction(&(up - forward * up.dot(&forward)))
    };
    Some(turned.max(angle_degrees(&up(0)?, &up(1)?)))
}

/// Returns the angle between two directions. It is accurate for small angles too.
pub(super) fn angle_degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    degrees(libm::atan2(a.cross(b).norm(), a.dot(b)))
}

/// Returns the farthest that any corner of the bounds moves between two world matrices, in scene units.
///
/// `None` for [`Bounds::Nothing`].
#[must_use]
pub fn displacement(
    by_matrix: &Matrix4<f64>,
    by_trs: &Matrix4<f64>,
    bounds: &Bounds,
) -> Option<f64> {
    // The last row of a world matrix is that of the identity, so no division is needed.
    let [by_matrix, by_trs] = [by_matrix, by_trs].map(|world| {
        (world.fixed_view::<3, 3>(0, 0).into_owned(), world.fixed_view::<3, 1>(0, 3).into_owned())
    });
    let place = |(linear, origin): &(Matrix3<f64>, Vector3<f64>), corner: &Vector3<f64>| {
        linear * corner + origin
    };
    let (mut moved, mut count) = ([Vector3::zeros(); 8], 0);
    for corner in bounds.corners() {
        let corner = corner.coords;
        moved[count] = place(&by_matrix, &corner) - place(&by_trs, &corner);
        count += 1;
    }
    let moved = &moved[..count];
    let farthest_squared = moved.iter().map(Vector3::norm_squared).fold(0.0, farther);
    // The longest by its square, if the square neither vanishes nor overflows; then its length.
    let least = if SQUARES.contains(&farthest_squared) { 0.999 * farthest_squared } else { 0.0 };
    let is_shorter = |moved: &&Vector3<f64>| moved.norm_squared() < least;
    moved.iter().filter(|moved| !is_shorter(moved)).map(length).reduce(farther)
}

/// The range in which the square of a length is as accurate as the length.
const SQUARES: RangeInclusive<f64> = 1e-280..=1e280;

/// Returns the larger of two lengths. Unlike with `f64::max`, NaN wins: it comes from an overflow, which must
/// not be lost.
pub(super) fn farther(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Whether a node is invisible because its world scale is zero in both strategies, which is a way to hide it.
pub(super) fn is_hidden(by_matrix: &Matrix3<f64>, by_trs: &Matrix3<f64>) -> bool {
    by_matrix.amax() == 0.0 && by_trs.amax() == 0.0
}

/// Returns a displacement as a percentage of a size, such as the diagonal of the scene; `None` if the size is
/// zero.
pub(super) fn percent(moved: f64, size: f64) -> Option<f64> {
    (size > 0.0).then(|| moved / size * 100.0).filter(|percent| percent.is_finite())
}

/// Returns the longest diagonal of a node's bounds in accumulated matrices: its size.
pub(super) fn size(by_matrix: &AccumulatedMatrix<f64>, bounds: &Bounds) -> f64 {
    let corners: Vec<_> = bounds.corners().map(|c| by_matrix.transform_point(&c)).collect();
    let pairs = corners.iter().zip(corners.iter().rev());
    pairs.map(|(a, b)| length(&(a - b))).fold(0.0, f64::max)
}

/// Returns the length of a vector, without overflow or underflow of the squares of its components; NaN stays
/// NaN.
pub(super) fn length(vector: &Vector3<f64>) -> f64 {
    let largest = vector.amax();
    if largest > 0.0 && largest.is_finite() {
        largest * (vector / largest).norm()
    } else {
        vector.norm()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    #[test]
    fn axes_without_length_have_no_angle() {
        let flat = Matrix3::from_diagonal(&Vector3::new(1.0, 0.0, 1.0));
        assert_eq!(skew_pairs(&flat), [None, Some(0.0), None]);
        assert_eq!(orthogonality(&flat), None);
        assert_eq!(linear_difference(&Matrix3::zeros(), &flat), None);
        assert_eq!(linear_difference(&Matrix3::zeros(), &Matrix3::zeros()), Some(0.0));
        assert_eq!(linear_difference(&flat, &Matrix3::zeros()), Some(1.0));
    }

    #[test]
    fn size_does_not_matter_to_angles_and_ratios() {
        let skewed = Matrix3::new(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        for size in [1e-200, 1.0, 1e200] {
            let [xy, ..] = skew_pairs(&(skewed * size));
            assert!((xy.unwrap() + std::f64::consts::FRAC_PI_4).abs() < 1e-15);
            let eta = orthogonality(&(skewed * size)).unwrap();
            assert!((eta - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-15);
            let difference = linear_difference(&(skewed * size), &(skewed * size * 0.5));
            assert!((difference.unwrap() - 0.5).abs() < 1e-15);
        }
    }

    #[test]
    fn a_corner_that_is_lost_to_overflow_is_not_passed_over() {
        let huge = Matrix4::new_nonuniform_scaling(&Vector3::new(1e300, 1.0, 1.0));
        let bounds = Bounds::Box(Point3::origin(), Point3::new(1e300, 1.0, 1.0));
        assert!(displacement(&huge, &huge, &bounds).unwrap().is_nan());
    }

    properties! {
        #[test]
        fn a_box_is_displaced_as_far_as_its_farthest_corner(
            entries in proptest::array::uniform12(-2.0..2.0_f64),
            corners in proptest::array::uniform6(-2.0..2.0_f64),
            exponent in prop_oneof![-3.0..3.0_f64, -300.0..150.0_f64],
        ) {
            let size = 10_f64.powf(exponent);
            let mut moved = Matrix4::identity();
            moved.fixed_view_mut::<3, 4>(0, 0).copy_from_slice(&entries.map(|entry| entry * size));
            let still = Matrix4::zeros();
            let [x, y, z, u, v, w] = corners;
            let bounds = Bounds::Box(Point3::new(x, y, z), Point3::new(u, v, w));
            let lengths = bounds.corners().map(|corner| {
                let linear = moved.fixed_view::<3, 3>(0, 0);
                length(&(linear * corner.coords + moved.fixed_view::<3, 1>(0, 3)))
            });
            prop_assert_eq!(displacement(&moved, &still, &bounds), lengths.reduce(f64::max));
        }
    }

    #[test]
    fn bounds_without_corners_are_not_displaced() {
        let moved = Matrix4::new_translation(&Vector3::new(3.0, 4.0, 0.0));
        let still = Matrix4::identity();
        assert_eq!(displacement(&moved, &still, &Bounds::Nothing), None);
        assert_eq!(displacement(&moved, &still, &Bounds::Origin), Some(5.0));
        assert_eq!(displacement(&moved, &still, &Bounds::unit_cube()), Some(5.0));
    }
}
