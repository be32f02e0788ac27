//! glam: affine transforms of points and vectors, inverses, parts, angles, values that are not finite.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, PoseError, Space, Trs,
    spaces::EulerOrder::{XYZ, YXZ},
};
use xform_matrix::{AccumulatedMatrix, Method};

use super::in_both::{at, degrees, in_both, near};

fn about_x(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle)
}

/// A stretch, a quarter turn in it, a step.
fn steps() -> [Trs<f64>; 3] {
    let turn = degrees(XYZ, 0.0, 0.0, 90.0);
    [Trs::from_scale(Vector3::new(4.0, 5.0, 6.0)), Trs::from_rotation(turn), at(1.0, 2.0, 3.0)]
}

fn product(poses: &[Trs<f64>]) -> AccumulatedMatrix<f64> {
    poses
        .iter()
        .map(|pose| AccumulatedMatrix::from(*pose))
        .reduce(|above, below| above * below)
        .unwrap()
}

in_both! {
    /// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_mul"
    fn a_vector_is_scaled_and_turned_and_a_point_moved_too<X>() {
        let mut scene = Hierarchy::<X>::new();
        let pose = Trs::from_parts(
            Vector3::new(1.0, 2.0, 3.0),
            about_x(FRAC_PI_2),
            Vector3::new(0.5, 1.5, 2.0),
        );
        let node = scene.insert(None, pose).unwrap();
        let to_world = scene.conversion(node, Space::World).unwrap();
        near(&to_world.vector(&Vector3::y()), &Vector3::new(0.0, 0.0, 1.5));
        near(&to_world.point(&Point3::new(0.0, 1.0, 0.0)), &Point3::new(1.0, 2.0, 4.5));
    }

    /// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_inverse"
    fn there_and_back_is_no_way<X>() {
        let mut scene = Hierarchy::<X>::new();
        let nodes = scene.insert_forest(None, &[None, Some(0), Some(1)], &steps()).unwrap();
        for &node in &nodes {
            let there = scene.conversion(node, Space::World).unwrap().to_homogeneous();
            let back = scene.conversion(Space::World, node).unwrap().to_homogeneous();
            near(&(there * back), &Matrix4::identity());
            near(&(back * there), &Matrix4::identity());
        }
    }

    /// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_inverse"
    fn zero_has_no_inverse_and_nothing_stands_in_for_it<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, Trs::from_scale(Vector3::zeros())).unwrap();
        let to_world = scene.conversion(node, Space::World).unwrap();
        assert_eq!(to_world.point(&Point3::new(1.0, 2.0, 3.0)), Point3::origin());
        // Not as there: glam asserts in debug builds, and in release returns something that is no inverse.
        assert_eq!(
            scene.conversion(Space::World, node).unwrap_err(),
            HierarchyError::Singular(node)
        );
        assert_eq!(X::from(Trs::from_scale(Vector3::zeros())).inverse_linear(), None);
    }

    /// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_is_finite"
    fn a_scale_may_be_zero_and_not_nan_or_infinite<X>() {
        let mut scene = Hierarchy::<X>::new();
        let mut insert = |x, y, z| scene.insert(None, Trs::from_scale(Vector3::new(x, y, z)));
        assert!(insert(1.0, 1.0, 1.0).is_ok());
        assert!(insert(0.0, 1.0, 1.0).is_ok());
        // Not as there: glam keeps such values, and says on demand that they are not finite.
        let refused = Err(HierarchyError::Pose(PoseError::ScaleNotFinite));
        assert_eq!(insert(1.0, f64::NAN, 1.0), refused);
        assert_eq!(insert(1.0, 1.0, f64::NEG_INFINITY), refused);
    }
}

/// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_inverse"
#[test]
fn the_inverse_of_a_product_has_the_steps_in_reverse_and_a_shear_has_one() {
    let [a, b, c] = steps().map(|pose| AccumulatedMatrix::from(pose).inverse().unwrap());
    near(product(&steps()).inverse().unwrap().matrix(), (c * b * a).matrix());
    let stretch = Trs::from_scale(Vector3::new(1.0, 0.5, 2.0));
    let [there, back] = [0.5, -0.5].map(|angle| Trs::from_rotation(about_x(angle)));
    let world = product(&[there, stretch, back]);
    let inverse = world.inverse().unwrap();
    near((world * inverse).matrix(), &Matrix4::identity());
    near((inverse * world).matrix(), &Matrix4::identity());
    assert!(world.decompose(Method::NearestTrs).unwrap().residual > 0.1);
}

/// bitshifter/glam-rs, tests/affine3.rs, "test_affine3_decompose"
#[test]
fn parts_make_the_matrix_that_they_are_of_and_one_scale_mirrors() {
    let place = Vector3::new(-2.0, 4.0, -0.125);
    let turn = degrees(YXZ, 180.0, -45.0, 270.0);
    for (scale, read) in [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 4.0]),
        ([-4.0, 1.0, 2.0], [-4.0, 1.0, 2.0]),
        // Two negative scales are half a turn.
        ([4.0, -1.0, -2.0], [4.0, 1.0, 2.0]),
    ] {
        let world = AccumulatedMatrix::from(Trs::from_parts(place, turn, scale.into()));
        let parts = world.decompose(Method::NearestTrs).unwrap().trs;
        near(&parts.scale, &read.into());
        assert_eq!(parts.translation, place);
        near(&parts.to_homogeneous(), world.matrix());
        let (s, r, t) = glam::DAffine3::from(world).to_scale_rotation_translation();
        near(&Trs::from((t, r, s)).scale, &parts.scale);
        near(&Trs::from((t, r, s)).rotation, &parts.rotation);
    }
}

/// bitshifter/glam-rs, tests/mat4.rs, "test_from_ypr"
#[test]
fn yaw_pitch_and_roll_are_the_product_in_that_order() {
    let [yaw, pitch, roll] = [[0.0, 30.0, 0.0], [60.0, 0.0, 0.0], [0.0, 0.0, 90.0]]
        .map(|[x, y, z]| degrees(XYZ, x, y, z));
    near(&degrees(YXZ, 0.0, 30.0, 0.0), &yaw);
    near(&degrees(YXZ, 60.0, 30.0, 0.0), &(yaw * pitch));
    let all = degrees(YXZ, 60.0, 30.0, 90.0);
    near(&all, &(yaw * pitch * roll));
    // Not as there: angles come about x, y and z here, and in the order of the name in glam.
    let theirs = glam::DQuat::from_euler(
        glam::EulerRot::YXZ,
        30_f64.to_radians(),
        60_f64.to_radians(),
        FRAC_PI_2,
    );
    near(&Vector3::y(), &(all.inverse() * Vector3::from((theirs * glam::DVec3::Y).to_array())));
}
