//! How skewed a matrix is, and how far two differ.

use std::ops::RangeInclusive;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{
    Transform,
    linear::{axes, axis_cosines, direction},
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, Fixture};

/// The skew of a linear map between each pair of its axes, xy, xz and yz, in radians.
///
/// δ = −asin(ĉᵢ · ĉⱼ) with ĉ the normalised columns: 0 where they are perpendicular, ±π/2 where they
/// coincide, positive where the angle between them is more than a right one. `None` where an axis
/// has no length, and so no direction. Source: docs/mathematics.md, "Skew".
#[must_use]
pub fn skew_pairs(linear: &Matrix3<f64>) -> [Option<f64>; 3] {
    axis_cosines(linear).map(|cosine| Some(-libm::asin(cosine?)))
}

/// An axis that is shorter than this fraction of what it was made of is the rounding of `f64`: thirty roundings of
/// a product of three.
pub(super) const AXIS_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The axes of a node in the world, those that are rounding alone made zero: these have no angle.
///
/// `parent` are the axes that the parent has so, `of_parent` those that it has with rounding: what is rounding above a
/// node is so in the node.
pub(super) fn axes_below(
    parent: &Matrix3<f64>,
    of_parent: &Matrix3<f64>,
    linear: &Matrix3<f64>,
    local: &Matrix3<f64>,
) -> Matrix3<f64> {
    let linear = if parent == of_parent { *linear } else { parent * local };
    without_rounding(&linear, parent, local)
}

/// The same where the parent has no axis that is rounding alone.
///
/// An axis is the sum of its parent's axes, `parent`, times the components of the node's own, `local`. Where a large
/// axis is taken times a component that is zero but for rounding, as by a quarter turn below a scale of (0, y, 0),
/// what is left points anywhere. An axis that is not turned has no such component, however short it is.
pub(super) fn without_rounding(
    linear: &Matrix3<f64>,
    parent: &Matrix3<f64>,
    local: &Matrix3<f64>,
) -> Matrix3<f64> {
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

/// Skew below this, in degrees, is the rounding of `f64` and counts as 0.
pub(super) const SKEW_ROUNDING: f64 = 1e-9;

/// A skew in degrees, rounding taken away.
fn degrees(skew: f64) -> f64 {
    let degrees = skew.to_degrees();
    if degrees.abs() < SKEW_ROUNDING { 0.0 } else { degrees }
}

/// The skew between each pair of axes in degrees, rounding taken away.
pub(super) fn skew_pairs_degrees(linear: &Matrix3<f64>) -> [Option<f64>; 3] {
    skew_pairs(linear).map(|skew| skew.map(degrees))
}

/// The largest skew among the pairs of axes, in degrees; `None` where all are undefined.
pub(crate) fn worst_skew_degrees(linear: &Matrix3<f64>) -> Option<f64> {
    let cosines = axis_cosines(linear).into_iter().flatten();
    // One arcsine, of the largest cosine.
    Some(degrees(libm::asin(cosines.map(f64::abs).reduce(f64::max)?)))
}

/// How much volume the axes of a linear map enclose, as a fraction of what they would if they were
/// perpendicular: |det M| / ∏‖cᵢ‖, 1 without skew, 0 when they lie in a plane.
///
/// Also called Hadamard ratio or scaled Jacobian. `None` where an axis has no length.
#[must_use]
pub fn orthogonality(linear: &Matrix3<f64>) -> Option<f64> {
    let [x, y, z] = axes(linear).map(|axis| direction(&axis));
    Some(x?.cross(&y?).dot(&z?).abs().min(1.0))
}

/// ‖Lm − Lt‖ / ‖Lm‖ in the Frobenius norm: how far the 3×3 part by combined TRS is from the one by
/// matrices.
///
/// 0 where both are zero; `None` where only `by_matrix` is.
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

/// How far a camera or a light points elsewhere between two linear maps, in degrees: the larger of the angles between where it points
/// and between its upward directions, as far as these matter.
///
/// It points along an axis, made unit, so that no scale of that axis counts; what is up is the upward axis without its part along the
/// first. `None` where an axis that matters has no direction, or none matters.
pub(super) fn turned_degrees(fixture: &Fixture, a: &Matrix3<f64>, b: &Matrix3<f64>) -> Option<f64> {
    turned_between([(fixture, a), (fixture, b)])
}

/// The same of one that may point along another axis of its node on either side, as in files of two formats.
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

/// The angle between two directions, exact where it is small too.
pub(super) fn angle_degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    degrees(libm::atan2(a.cross(b).norm(), a.dot(b)))
}

/// The farthest that any corner of the bounds moves between two world matrices, in scene units.
///
/// `None` for [`Bounds::Nothing`].
#[must_use]
pub fn displacement(
    by_matrix: &Matrix4<f64>,
    by_trs: &Matrix4<f64>,
    bounds: &Bounds,
) -> Option<f64> {
    // The last row of a world matrix is that of the identity: nothing is divided by it.
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
    // The length of the longest, by its square where that neither vanishes nor overflows.
    let least = if SQUARES.contains(&farthest_squared) { 0.999 * farthest_squared } else { 0.0 };
    let is_shorter = |moved: &&Vector3<f64>| moved.norm_squared() < least;
    moved.iter().filter(|moved| !is_shorter(moved)).map(length).reduce(farther)
}

/// Where the square of a length is as exact as the length.
const SQUARES: RangeInclusive<f64> = 1e-280..=1e280;

/// The larger of two lengths. Unlike with `f64::max`, NaN wins: it is an overflow, which must not be lost.
pub(super) fn farther(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Whether nothing is to be seen of a node, since its world scale is zero under both strategies: a way to hide it.
pub(super) fn is_hidden(by_matrix: &Matrix3<f64>, by_trs: &Matrix3<f64>) -> bool {
    by_matrix.amax() == 0.0 && by_trs.amax() == 0.0
}

/// A displacement in percent of a size, such as the diagonal of the scene; `None` where that is zero.
pub(super) fn percent(moved: f64, size: f64) -> Option<f64> {
    (size > 0.0).then(|| moved / size * 100.0).filter(|percent| percent.is_finite())
}

/// The longest diagonal of a node's bounds by matrices: its size.
pub(super) fn size(by_matrix: &AccumulatedMatrix<f64>, bounds: &Bounds) -> f64 {
    let corners: Vec<_> = bounds.corners().map(|c| by_matrix.transform_point(&c)).collect();
    let pairs = corners.iter().zip(corners.iter().rev());
    pairs.map(|(a, b)| length(&(a - b))).fold(0.0, f64::max)
}

/// The length of a vector whose components' squares may overflow or vanish; NaN stays NaN.
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
