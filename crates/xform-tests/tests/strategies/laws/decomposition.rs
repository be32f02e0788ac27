//! Decompositions against closed forms, published figures and their own definitions.

use approx::assert_relative_eq;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_matrix::{
    AccumulatedMatrix, Decomposition, Method, Real, Transform, Trs, spaces::Orientation,
};

use crate::support::given_tree::rotation;

const METHODS: [Method; 3] = [Method::NearestTrs, Method::Polar, Method::GramSchmidt];

/// diag(s, 1, 1) · Rz(θ).
fn skewed<T: Real>(s: f64, theta: f64) -> AccumulatedMatrix<T> {
    let scale = Vector3::new(T::rounded(s), T::one(), T::one());
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), T::rounded(theta));
    AccumulatedMatrix::identity().concat(&Trs::from_scale(scale)).concat(&Trs::from_rotation(turn))
}

/// Angle about z of a rotation that is about z, in radians.
fn angle_about_z<T: Real>(rotation: &UnitQuaternion<T>) -> f64 {
    let (k, w): (f64, f64) = (rotation.k.into(), rotation.w.into());
    2.0 * k.atan2(w)
}

fn recomposed<T: Real>(decomposition: &Decomposition<T>) -> Matrix3<T> {
    decomposition.trs.to_linear()
}

/// |actual − expected| ≤ tolerance · max(|expected|, floor)
fn assert_close(actual: f64, expected: f64, tolerance: f64, floor: f64) {
    let bound = tolerance * expected.abs().max(floor);
    assert!((actual - expected).abs() <= bound, "{actual} is not {expected} to {tolerance}");
}

fn closed_forms_hold<T: Real>(tolerance: f64) {
    for s in [0.1, 0.25, 0.5, 0.9, 1.1, 1.5, 2.0, 3.0, 10.0] {
        for degrees in [1.0_f64, 10.0, 30.0, 38.0, 44.0, 46.0, 60.0, 80.0, 89.0] {
            let theta = degrees.to_radians();
            let matrix = skewed::<T>(s, theta);
            let tan_skew = 0.5 * (s - 1.0 / s) * (2.0 * theta).sin();

            let polar = matrix.decompose(Method::Polar).unwrap();
            assert_close(angle_about_z(&polar.trs.rotation), theta, tolerance, 0.1);
            assert_close(polar.shear.x.into(), -tan_skew, tolerance, 0.1);

            let (s2, sin2, cos2) = (s * s, (2.0 * theta).sin(), (2.0 * theta).cos());
            let phi = 0.5 * (2.0 * s * sin2).atan2((1.0 + s2) * cos2);
            let q = (s2 - 1.0).powi(2) * sin2 * sin2;
            let squares = s2 + 1.0;
            // In the plane ½q / (s²+1+√…) is lost of s²+1; the whole matrix has s²+2.
            let lost = 0.5 * q / (squares + (squares * squares - q).sqrt());
            let nearest = matrix.decompose(Method::NearestTrs).unwrap();
            assert_close(angle_about_z(&nearest.trs.rotation), phi, tolerance, 0.1);
            let residual = (lost / (squares + 1.0)).sqrt();
            assert_close(nearest.residual.into(), residual, tolerance, 0.1);
            assert_eq!(nearest.orientation, Orientation::Proper);
        }
    }
}

#[test]
fn closed_forms_of_a_turn_below_a_scale_hold_in_f64() {
    closed_forms_hold::<f64>(1e-9);
}

#[test]
fn closed_forms_of_a_turn_below_a_scale_hold_in_f32() {
    closed_forms_hold::<f32>(1e-5);
}

/// The farthest a corner of [−½, ½]³ is from where it should be.
fn worst_corner(difference: &Matrix3<f64>) -> f64 {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        Vector3::new(sign(0), sign(1), sign(2))
    };
    (0..8).map(|i| (difference * corner(i)).norm()).fold(0.0, f64::max)
}

#[test]
fn the_skewed_child_decomposes_as_other_engines_do() {
    let matrix = skewed::<f64>(2.0, 38_f64.to_radians());
    let published = [
        (Method::NearestTrs, 36.34, [1.634, 1.365, 1.0], 0.342),
        (Method::Polar, 38.0, [1.621, 1.379, 1.0], 0.343),
        (Method::GramSchmidt, 21.34, [1.692, 1.182, 1.0], 0.430),
    ];
    for (method, degrees, scale, error) in published {
        let decomposition = matrix.decompose(method).unwrap();
        let angle = angle_about_z(&decomposition.trs.rotation).to_degrees();
        assert!((angle - degrees).abs() < 0.005, "{method:?}: {angle}");
        for (actual, expected) in decomposition.trs.scale.iter().zip(scale) {
            assert!((actual - expected).abs() < 0.001, "{method:?}: {actual}");
        }
        let corner = worst_corner(&(matrix.linear() - recomposed(&decomposition)));
        assert!((corner - error).abs() < 0.0005, "{method:?}: {corner}");
    }
    let nearest = matrix.decompose(Method::NearestTrs).unwrap();
    let degrees = angle_about_z(&nearest.trs.rotation).to_degrees();
    assert!((degrees - 36.344916).abs() < 5e-7);
    assert!((nearest.residual - 0.279089).abs() < 5e-7);
    assert!((nearest.trs.scale - Vector3::new(1.6343, 1.36445, 1.0)).amax() < 5e-5);
}

#[test]
fn singular_input_is_named_and_keeps_a_unit_rotation() {
    let line = Vector3::new(1.0, 2.0, 3.0);
    let singular = [
        Matrix3::zeros(),
        Matrix3::from_diagonal(&Vector3::new(2.0, 0.0, 1.0)),
        Matrix3::from_diagonal(&Vector3::new(0.0, -5.0, 0.0)),
        line * line.transpose(),
        Matrix3::from_columns(&[line, Vector3::x(), line + Vector3::x()]),
    ];
    for linear in singular {
        let matrix = AccumulatedMatrix::from_matrix(linear.to_homogeneous()).unwrap();
        for method in METHODS {
            let decomposition = matrix.decompose(method).unwrap();
            assert_eq!(decomposition.orientation, Orientation::Singular);
            assert_relative_eq!(decomposition.trs.rotation.norm(), 1.0, epsilon = 1e-15);
            assert_eq!(decomposition.trs.check(), Ok(()));
        }
    }
}

#[test]
fn what_is_not_finite_has_no_decomposition() {
    for value in [f64::NAN, f64::INFINITY] {
        let mut matrix = nalgebra::Matrix4::identity();
        matrix[(1, 3)] = value;
        let matrix = AccumulatedMatrix::from_matrix(matrix).unwrap();
        assert_eq!(matrix.decompose(Method::NearestTrs), None);
        assert_eq!(matrix.to_nested_trs(), None);
    }
}

#[test]
fn huge_and_tiny_matrices_decompose_alike() {
    for size in [1e-200, 1e200] {
        let scale = Vector3::new(size, 2.0 * size, 3.0 * size);
        let matrix = AccumulatedMatrix::from(Trs::from_scale(scale));
        for method in METHODS {
            let decomposition = matrix.decompose(method).unwrap();
            assert_relative_eq!(decomposition.trs.scale, scale, max_relative = 1e-15);
            assert!(decomposition.residual <= 1e-15);
        }
    }
}

fn scale() -> impl Strategy<Value = Vector3<f64>> {
    let factor = prop_oneof![0.1..10.0, -10.0..-0.1];
    proptest::array::uniform3(factor).prop_map(Vector3::from)
}

fn matrix() -> impl Strategy<Value = AccumulatedMatrix<f64>> {
    (scale(), rotation(), scale(), rotation()).prop_map(|(outer, turn, inner, last)| {
        AccumulatedMatrix::identity()
            .concat(&Trs::from_scale(outer))
            .concat(&Trs::from_parts(Vector3::new(1., 2., 3.), turn, inner))
            .concat(&Trs::from_rotation(last))
    })
}

properties! {
    #[test]
    fn a_trs_comes_back_as_the_same_matrix(rotation in rotation(), scale in scale()) {
        let matrix = AccumulatedMatrix::from(Trs::from_parts(Vector3::x(), rotation, scale));
        let mirrors = scale.iter().product::<f64>() < 0.0;
        for method in METHODS {
            let decomposition = matrix.decompose(method).unwrap();
            let back = decomposition.trs.to_homogeneous();
            prop_assert!((back - matrix.matrix()).norm() < 1e-13 * matrix.matrix().norm());
            prop_assert!(decomposition.residual < 1e-14);
            prop_assert!(decomposition.shear.amax() < 1e-13);
            prop_assert!(decomposition.trs.rotation.w >= 0.0);
            prop_assert_eq!(decomposition.trs.scale.x < 0.0, mirrors);
            prop_assert!(decomposition.trs.scale.y > 0.0 && decomposition.trs.scale.z > 0.0);
            let expected = if mirrors { Orientation::Mirrored } else { Orientation::Proper };
            prop_assert_eq!(decomposition.orientation, expected);
        }
    }

    #[test]
    fn the_nearest_trs_is_no_further_than_any_other(
        matrix in matrix(), turn in rotation(), scale in scale()
    ) {
        let linear = matrix.linear();
        let nearest = matrix.decompose(Method::NearestTrs).unwrap();
        let distance = |trs: Matrix3<f64>| (linear - trs).norm() / linear.norm();
        prop_assert!((distance(recomposed(&nearest)) - nearest.residual).abs() < 1e-13);
        for other in [Method::Polar, Method::GramSchmidt] {
            let other = matrix.decompose(other).unwrap();
            prop_assert!(nearest.residual <= other.residual + 1e-13);
        }
        let other = Trs::from_parts(Vector3::zeros(), turn, scale);
        prop_assert!(nearest.residual <= distance(other.to_linear()) + 1e-13);
        // And no better one is next to it.
        let nudge = UnitQuaternion::from_scaled_axis(turn.scaled_axis() * 1e-4);
        let rotation = (nearest.trs.rotation * nudge).to_rotation_matrix().into_inner();
        let best = Matrix3::from_diagonal(&(rotation.transpose() * linear).diagonal());
        prop_assert!(nearest.residual <= distance(rotation * best) + 1e-13);
    }

    #[test]
    fn rotation_shear_and_scale_of_gram_schmidt_lose_nothing(matrix in matrix()) {
        let Decomposition { trs, shear, .. } = matrix.decompose(Method::GramSchmidt).unwrap();
        let shear = Matrix3::new(1.0, shear.x, shear.y, 0.0, 1.0, shear.z, 0.0, 0.0, 1.0);
        let rotation = trs.rotation.to_rotation_matrix().into_inner();
        let back = rotation * shear * Matrix3::from_diagonal(&trs.scale);
        prop_assert!((back - matrix.linear()).norm() < 1e-13 * matrix.linear().norm());
    }

    #[test]
    fn the_polar_rotation_leaves_a_symmetric_stretch(matrix in matrix()) {
        let polar = matrix.decompose(Method::Polar).unwrap();
        let mut linear = matrix.linear();
        if polar.orientation == Orientation::Mirrored {
            linear.column_mut(0).neg_mut();
        }
        let stretch = polar.trs.rotation.to_rotation_matrix().into_inner().transpose() * linear;
        prop_assert!((stretch - stretch.transpose()).norm() < 1e-13 * linear.norm());
    }

    #[test]
    fn two_nested_poses_are_any_affine_map(entries in proptest::array::uniform12(-9.0..9.0)) {
        let mut affine = nalgebra::Matrix4::identity();
        affine.fixed_view_mut::<3, 4>(0, 0).copy_from_slice(&entries);
        let matrix = AccumulatedMatrix::from_matrix(affine).unwrap();
        let [outer, inner] = matrix.to_nested_trs().unwrap();
        let back = AccumulatedMatrix::identity().concat(&outer).concat(&inner);
        prop_assert!((back.matrix() - affine).norm() < 1e-13 * affine.norm());
    }
}

#[test]
fn nearly_parallel_axes_give_a_rotation_all_the_same() {
    let linear = Matrix3::new(1.0, 1.0, 0.0, 0.0, 1e-9, 1.0, 0.0, 0.0, 1e-9);
    let matrix = AccumulatedMatrix::from_matrix(linear.to_homogeneous()).unwrap();
    for method in METHODS {
        let rotation = matrix.decompose(method).unwrap().trs.rotation.to_rotation_matrix();
        let product = rotation.matrix().transpose() * rotation.matrix();
        assert_relative_eq!(product, Matrix3::identity(), epsilon = 1e-14);
    }
    let Decomposition { trs, shear, .. } = matrix.decompose(Method::GramSchmidt).unwrap();
    let shear = Matrix3::new(1.0, shear.x, shear.y, 0.0, 1.0, shear.z, 0.0, 0.0, 1.0);
    let back = trs.rotation.to_rotation_matrix() * shear * Matrix3::from_diagonal(&trs.scale);
    assert_relative_eq!(back, linear, epsilon = 1e-15);
}

#[test]
fn tiny_scales_beside_large_ones_keep_their_accuracy_in_f32() {
    for scale in [[1.0, 1e-22, 1.0], [1e-22, 1e-22, 1.0], [1.0, 1e-30, 1e-30_f32]] {
        let matrix = AccumulatedMatrix::from(Trs::from_scale(Vector3::from(scale)));
        for method in METHODS {
            let decomposition = matrix.decompose(method).unwrap();
            assert_relative_eq!(decomposition.trs.scale, Vector3::from(scale), max_relative = 1e-6);
            assert_eq!(decomposition.orientation, Orientation::Proper);
        }
    }
}

#[test]
fn a_scale_beyond_the_range_of_the_scalar_is_none() {
    // Turned by an eighth, so that the axes are √2 as long as any component.
    let turned = Matrix3::new(1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    let large = (turned * 1.6e308).to_homogeneous();
    let matrix = AccumulatedMatrix::from_matrix(large).unwrap();
    assert_eq!(matrix.decompose(Method::NearestTrs), None);
    assert_eq!(matrix.to_nested_trs(), None);
}
