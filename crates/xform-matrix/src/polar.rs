use std::ops::RangeInclusive;

use nalgebra::Matrix3;
use xform_core::{Real, linear::axes};

use crate::svd::svd;

/// The least volume of the axes, relative to the cube of their size, at which an inverse is taken.
///
/// Perpendicular axes of equal length have 0.19. Newton's iteration is still as exact at a thousandth of this bound; at
/// 0 it has no answer.
const LEAST_VOLUME: f64 = 1.0 / 4096.0;

/// Squared sizes whose sixth powers are far from the limits of `f32`.
const MODERATE: RangeInclusive<f64> = 1e-6..=1e6;

/// Returns the rotation Q of the polar decomposition `m = Q · P`, for a matrix that does not mirror.
///
/// Uses [Newton's iteration](newton), or the singular value decomposition if `m` is nearly singular or its size is not
/// moderate. `m` must be finite and of a magnitude whose sixth powers are finite and not 0.
// The singular value decomposition is several times slower. While every polar rotation came from it, one node in a
// hundred without inherited scale made a full update of 100 000 nodes 2.0 times as long; with Newton's iteration it is
// 1.2 times (`ratios inherited`).
pub(crate) fn polar<T: Real>(m: &Matrix3<T>) -> Matrix3<T> {
    if is_regular(m, m.determinant()) { newton(m) } else { svd(m).polar() }
}

/// Whether the iteration suits a matrix with this determinant: of moderate size, invertible and not mirroring.
#[inline]
pub(crate) fn is_regular<T: Real>(m: &Matrix3<T>, determinant: T) -> bool {
    let square = m.norm_squared();
    MODERATE.contains(&square.into())
        && determinant > T::rounded(LEAST_VOLUME) * square * square.sqrt()
}

/// Runs Newton's iteration X ← (γX + X⁻ᵀ/γ)/2 from X = m, with γ² = ‖X⁻ᵀ‖/‖X‖ while X is far from a rotation and γ = 1
/// after that (Higham 1986, "Computing the Polar Decomposition"). It takes four or five steps.
pub(crate) fn newton<T: Real>(m: &Matrix3<T>) -> Matrix3<T> {
    let (one, three) = (T::one(), T::rounded(3.0));
    let mut x = step(m, true);
    // At most six steps in practice. The bound is only a safeguard.
    for _ in 0..16 {
        // After a step, no singular value is below 1, so `excess` is at least twice the remaining error. One more step
        // leaves half the square of that error.
        let excess = x.norm_squared() - three;
        x = step(&x, excess > one);
        if excess * excess <= (three + one) * T::default_epsilon() {
            break;
        }
    }
    x
}

/// Takes one step of Newton's iteration.
#[inline]
fn step<T: Real>(x: &Matrix3<T>, is_far: bool) -> Matrix3<T> {
    let half = T::rounded(0.5);
    let [a, b, c] = axes(x);
    // The transposed inverse times the determinant.
    let cofactors = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
    let determinant = a.dot(&cofactors.column(0));
    if !is_far {
        return x * half + cofactors * (half / determinant);
    }
    let gamma = (cofactors.norm() / (determinant * x.norm())).sqrt();
    x * (half * gamma) + cofactors * (half / (gamma * determinant))
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::{Rotation3, Vector3};
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;
    use crate::AccumulatedMatrix;

    fn angle() -> impl Strategy<Value = f64> {
        -3.1..3.1
    }

    fn rotation(roll: f64, pitch: f64, yaw: f64) -> Matrix3<f64> {
        Rotation3::from_euler_angles(roll, pitch, yaw).into_inner()
    }

    properties! {
        /// On both sides of the volume at which the inverse starts to be used.
        #[test]
        fn what_was_put_together_is_taken_apart(
            (a, b, c) in (angle(), angle(), angle()),
            (d, e, f) in (angle(), angle(), angle()),
            scale in (0.3..1.0, 0.3..1.0, -6.0..0.0),
        ) {
            let (turn, axes) = (rotation(a, b, c), rotation(d, e, f));
            let scale = Vector3::new(scale.0, scale.1, 10_f64.powf(scale.2));
            let m = turn * (axes * Matrix3::from_diagonal(&scale) * axes.transpose());
            assert_relative_eq!(polar(&m), turn, epsilon = 1e-14);
            let in_single = polar(&m.cast::<f32>()).cast::<f64>();
            assert_relative_eq!(in_single, turn, epsilon = 4e-6);
        }

        /// Within the sizes that suit the iteration, and at sizes whose squares and higher powers vanish or overflow.
        #[test]
        fn of_a_world_transform_it_is_found_at_every_size_mirrored_or_not(
            (a, b, c) in (angle(), angle(), angle()),
            (d, e, f) in (angle(), angle(), angle()),
            (x, y, z) in (0.3..1.0, 0.3..1.0, 0.3..1.0),
            size in -30.0..30.0_f64, mirrors in any::<bool>(),
        ) {
            let (turn, axes) = (rotation(a, b, c), rotation(d, e, f));
            let stretch = axes * Matrix3::from_diagonal(&Vector3::new(x, y, z)) * axes.transpose();
            let mut m = turn * stretch * 10_f64.powf(size);
            if mirrors {
                m.column_mut(0).neg_mut();
            }
            let world = AccumulatedMatrix::from_matrix(m.to_homogeneous()).unwrap();
            assert_relative_eq!(world.polar_rotation().unwrap(), turn, epsilon = 1e-14);
            let in_single = world.cast::<f32>().polar_rotation().unwrap().cast::<f64>();
            assert_relative_eq!(in_single, turn, epsilon = 4e-6);
        }
    }
}
