use nalgebra::{Unit, UnitQuaternion, UnitVector3, Vector3};

use crate::{Real, rotation::rotation_matrix};

/// An order of Euler angles: how rotations about x, y and z make one rotation.
///
/// The name is the matrix product. `XYZ` is `R = Rx · Ry · Rz`, which rotates about z first if the axes are fixed
/// (extrinsic), and about x first if the axes rotate with the object (intrinsic). Angles are in radians, and always
/// given as those about x, y and z in any order of the product.
///
/// | engine | order |
/// |---|---|
/// | Unity, Godot's default | `YXZ` |
/// | three.js's default | `XYZ` |
/// | roll, pitch and yaw about x, y and z, as in nalgebra's `from_euler_angles` | `ZYX` |
///
/// # Examples
///
/// ```
/// use nalgebra::Vector3;
/// use xform_core::spaces::EulerOrder;
///
/// let angles = Vector3::new(0.1, 0.2, 0.3);
/// let rotation = EulerOrder::YXZ.rotation(&angles);
/// assert!((EulerOrder::YXZ.angles(&rotation) - angles).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum EulerOrder {
    /// `Rx · Ry · Rz`
    XYZ,
    /// `Rx · Rz · Ry`
    XZY,
    /// `Ry · Rx · Rz`
    YXZ,
    /// `Ry · Rz · Rx`
    YZX,
    /// `Rz · Rx · Ry`
    ZXY,
    /// `Rz · Ry · Rx`
    ZYX,
}

impl EulerOrder {
    /// All six orders.
    pub const ALL: [Self; 6] = [Self::XYZ, Self::XZY, Self::YXZ, Self::YZX, Self::ZXY, Self::ZYX];

    /// Returns the rotation by these angles about x, y and z.
    #[must_use]
    pub fn rotation<T: Real>(self, angles: &Vector3<T>) -> UnitQuaternion<T> {
        let about = |axis| UnitQuaternion::from_axis_angle(&axis_of(axis), angles[axis]);
        let [first, second, third] = self.axes();
        about(first) * about(second) * about(third)
    }

    /// Returns the angles about x, y and z that give this rotation.
    ///
    /// The angle about the middle axis of the name is from −π/2 to π/2, the others are from −π to π. If the middle
    /// angle is a quarter turn, the other two rotate about the same line and only their sum or difference counts.
    /// The angle about the last axis of the name is then 0.
    #[must_use]
    pub fn angles<T: Real>(self, rotation: &UnitQuaternion<T>) -> Vector3<T> {
        let [i, j, k] = self.axes();
        let m = rotation_matrix(rotation);
        let sign = if (i + 1) % 3 == j { T::one() } else { -T::one() };
        let flat = m[(i, i)].hypot(m[(i, j)]);
        let mut angles = Vector3::zeros();
        angles[j] = (sign * m[(i, k)]).atan2(flat);
        if flat > T::rounded(8.0) * T::default_epsilon() {
            angles[i] = (-sign * m[(j, k)]).atan2(m[(k, k)]);
            // Computed from the rest after undoing the first rotation, so that it compensates any error of the first
            // angle, which is large near a quarter turn.
            let (sin, cos) = angles[i].sin_cos();
            let rest = |column| cos * m[(j, column)] + sign * sin * m[(k, column)];
            angles[k] = (sign * rest(i)).atan2(rest(j));
        } else {
            angles[i] = (sign * m[(k, j)]).atan2(m[(j, j)]);
        }
        angles
    }

    fn axes(self) -> [usize; 3] {
        match self {
            Self::XYZ => [0, 1, 2],
            Self::XZY => [0, 2, 1],
            Self::YXZ => [1, 0, 2],
            Self::YZX => [1, 2, 0],
            Self::ZXY => [2, 0, 1],
            Self::ZYX => [2, 1, 0],
        }
    }
}

fn axis_of<T: Real>(axis: usize) -> UnitVector3<T> {
    Unit::new_unchecked(Vector3::ith(axis, T::one()))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use nalgebra::Rotation3;
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    #[test]
    fn zyx_is_what_nalgebra_calls_roll_pitch_and_yaw() {
        let expected = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.9);
        let found = EulerOrder::ZYX.rotation(&Vector3::new(0.4, -0.7, 1.9));
        assert!(found.angle_to(&expected) < 1e-15);
    }

    #[test]
    fn the_name_is_the_product_of_matrices() {
        let angles = Vector3::new(0.3, 0.5, 0.7);
        let [x, y, z] =
            [0, 1, 2].map(|i| Rotation3::from_axis_angle(&axis_of::<f64>(i), angles[i]));
        let products = [x * y * z, x * z * y, y * x * z, y * z * x, z * x * y, z * y * x];
        for (order, product) in EulerOrder::ALL.into_iter().zip(products) {
            assert!(order.rotation(&angles).to_rotation_matrix().angle_to(&product) < 1e-7);
        }
    }

    properties! {
        #[test]
        fn angles_come_back(
            first in -PI..PI, middle in -1.57..1.57_f64, last in -PI..PI, order in 0_usize..6
        ) {
            let order = EulerOrder::ALL[order];
            let [i, j, k] = order.axes();
            let mut angles = Vector3::zeros();
            (angles[i], angles[j], angles[k]) = (first, middle, last);
            let back = order.angles(&order.rotation(&angles));
            prop_assert!((back - angles).amax() <= 1e-11, "{back} {angles}");
        }

        #[test]
        fn a_quarter_turn_in_the_middle_still_gives_the_rotation(
            first in -PI..PI, last in -PI..PI, up in any::<bool>(), order in 0_usize..6
        ) {
            let order = EulerOrder::ALL[order];
            let [i, j, k] = order.axes();
            let mut angles = Vector3::zeros();
            (angles[i], angles[k]) = (first, last);
            angles[j] = if up { FRAC_PI_2 } else { -FRAC_PI_2 };
            let rotation = order.rotation(&angles);
            let back = order.angles(&rotation);
            prop_assert_eq!(back[k], 0.0);
            prop_assert!(order.rotation(&back).angle_to(&rotation) < 1e-7);
        }
    }
}
