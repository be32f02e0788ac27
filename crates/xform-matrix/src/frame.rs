use nalgebra::{Matrix3, Vector3};
use xform_core::{Real, linear::direction};

/// Completes known axes to a right-handed orthonormal frame.
///
/// Known axes must be unit vectors and perpendicular to one another; missing ones are chosen. If all three are known,
/// the first two decide the third.
pub(crate) fn complete_frame<T: Real>(axes: [Option<Vector3<T>>; 3]) -> Matrix3<T> {
    let [x, y, z] = match axes {
        [Some(x), Some(y), _] => [x, y, x.cross(&y)],
        [Some(x), None, Some(z)] => [x, z.cross(&x), z],
        [None, Some(y), Some(z)] => [y.cross(&z), y, z],
        [Some(x), None, None] => {
            let y = perpendicular(&x);
            [x, y, x.cross(&y)]
        }
        [None, Some(y), None] => {
            let z = perpendicular(&y);
            [y.cross(&z), y, z]
        }
        [None, None, Some(z)] => {
            let x = perpendicular(&z);
            [x, z.cross(&x), z]
        }
        [None, None, None] => return Matrix3::identity(),
    };
    Matrix3::from_columns(&[x, y, z])
}

/// Returns a unit vector perpendicular to the given unit vector.
fn perpendicular<T: Real>(axis: &Vector3<T>) -> Vector3<T> {
    let mut other = Vector3::zeros();
    other[axis.iamin()] = T::one();
    let rejected = other - axis * axis.dot(&other);
    direction(&rejected).expect("the coordinate axis furthest from a unit vector is not along it")
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn any_known_axes_are_kept_and_completed_right_handed() {
        let axis = Vector3::new(0.48_f64, -0.6, 0.64);
        let across = perpendicular(&axis);
        let third = axis.cross(&across);
        let known = [Some(axis), Some(across), Some(third)];
        for choice in 0..8_u32 {
            let axes = [0, 1, 2].map(|i| known[i].filter(|_| choice >> i & 1 == 1));
            let frame = complete_frame(axes);
            assert_relative_eq!(frame.determinant(), 1.0, epsilon = 1e-15);
            assert_relative_eq!(frame.transpose() * frame, Matrix3::identity(), epsilon = 1e-15);
            for (i, axis) in axes.into_iter().enumerate() {
                assert!(axis.is_none_or(|axis| (frame.column(i) - axis).norm() < 1e-15));
            }
        }
    }
}
