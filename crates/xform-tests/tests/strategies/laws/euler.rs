//! Euler angles, against products of nalgebra's rotation matrices.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Real, Trs, spaces::EulerOrder};

/// The axes of a product, its first factor first.
const ORDERS: [(EulerOrder, [usize; 3]); 6] = [
    (EulerOrder::XYZ, [0, 1, 2]),
    (EulerOrder::XZY, [0, 2, 1]),
    (EulerOrder::YXZ, [1, 0, 2]),
    (EulerOrder::YZX, [1, 2, 0]),
    (EulerOrder::ZXY, [2, 0, 1]),
    (EulerOrder::ZYX, [2, 1, 0]),
];

fn product(axes: [usize; 3], angles: &Vector3<f64>) -> Matrix3<f64> {
    let about = |i: usize| Rotation3::from_scaled_axis(Vector3::ith(i, angles[i])).into_inner();
    axes.into_iter().fold(Matrix3::identity(), |product, axis| product * about(axis))
}

fn matrix<T: Real>(rotation: &UnitQuaternion<T>) -> Matrix3<f64> {
    let wide = Trs::from_rotation(*rotation).cast::<f64>().rotation;
    UnitQuaternion::new_normalize(*wide).to_rotation_matrix().into_inner()
}

fn is_the_product<T: Real>(angles: &Vector3<f64>) {
    let given = angles.map(T::rounded);
    for (order, axes) in ORDERS {
        let expected = product(axes, &given.map(Into::into));
        let off = (matrix(&order.rotation(&given)) - expected).norm();
        assert!(off <= 16.0 * T::default_epsilon().into(), "{order:?} {off}");
    }
}

/// The angles found are to give the rotation again, by the product of matrices, and be in range.
fn angles_give_the_rotation<T: Real>(rotation: &UnitQuaternion<f64>) {
    let given = Trs::from_rotation(*rotation).cast::<T>().rotation;
    for (order, axes) in ORDERS {
        let angles: Vector3<f64> = order.angles(&given).map(Into::into);
        let off = (product(axes, &angles) - matrix(&given)).norm();
        let epsilon: f64 = T::default_epsilon().into();
        assert!(off <= 32.0 * epsilon, "{order:?}: {angles} are {off} off");
        assert!(angles[axes[1]].abs() <= FRAC_PI_2 * (1.0 + epsilon), "{angles}");
        assert!(angles.amax() <= PI * (1.0 + epsilon), "{angles}");
    }
}

fn axis_angles() -> impl Strategy<Value = Vector3<f64>> {
    proptest::array::uniform3(-PI..PI).prop_map(Vector3::from)
}

fn near_a_quarter_turn(first: f64, last: f64, exponent: f64, order: usize) {
    let axes = ORDERS[order].1;
    let mut angles = Vector3::zeros();
    angles[axes[0]] = first;
    angles[axes[1]] = FRAC_PI_2 - 10_f64.powf(exponent);
    angles[axes[2]] = last;
    let rotation = ORDERS[order].0.rotation(&angles);
    angles_give_the_rotation::<f64>(&rotation);
    angles_give_the_rotation::<f32>(&rotation);
}

#[test]
fn angles_are_found_where_a_search_once_missed_them() {
    near_a_quarter_turn(0.0, -0.38307349821385195, -9.319209320528024, 0);
}

properties! {
    #[test]
    fn a_rotation_is_the_product_that_its_order_is_named_after(angles in axis_angles()) {
        is_the_product::<f64>(&angles);
        is_the_product::<f32>(&angles);
    }

    /// The middle angle at least a fifth from a quarter turn in each order: its sine is an entry.
    #[test]
    fn angles_give_their_rotation_again(angles in axis_angles()) {
        let rotation = UnitQuaternion::from_scaled_axis(angles);
        let largest = rotation.to_rotation_matrix().into_inner().amax();
        prop_assume!(largest < 0.98);
        angles_give_the_rotation::<f64>(&rotation);
        angles_give_the_rotation::<f32>(&rotation);
    }

    /// Near a quarter turn two angles are each badly determined, but not what they give together.
    #[test]
    fn angles_give_their_rotation_again_near_a_quarter_turn(
        first in -PI..PI, last in -PI..PI, exponent in -16.0..-1.0_f64, order in 0..6_usize
    ) {
        near_a_quarter_turn(first, last, exponent, order);
    }
}

#[test]
fn angles_give_their_rotation_again_a_little_from_a_quarter_turn() {
    for off in [1e-2, 1e-3, 1e-6] {
        let angles = Vector3::new(-2.17, FRAC_PI_2 - off, -2.17);
        angles_give_the_rotation::<f64>(&EulerOrder::XYZ.rotation(&angles));
        angles_give_the_rotation::<f32>(&EulerOrder::XYZ.rotation(&angles));
    }
}

#[test]
fn at_a_quarter_turn_the_last_angle_is_zero() {
    for (order, axes) in ORDERS {
        for quarter in [FRAC_PI_2, -FRAC_PI_2] {
            let mut angles = Vector3::zeros();
            (angles[axes[0]], angles[axes[1]], angles[axes[2]]) = (0.4, quarter, 0.3);
            let found = order.angles(&order.rotation(&angles));
            assert_eq!(found[axes[2]].to_bits(), 0, "{order:?} {found}");
            let off = (product(axes, &found) - product(axes, &angles)).norm();
            assert!(off <= 1e-14, "{order:?} {off}");
        }
    }
}
