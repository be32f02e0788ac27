//! Babylon.js: a parent that turns around its child, angles, matrices that come apart, mirrors, worlds far from the origin.
//!
//! It is left-handed; the formulas are the same. Angles turn about z, then x, then y, all fixed.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, Kept, Space, Trs,
    spaces::{EulerOrder::YXZ, Orientation},
    world_matrix::WorldMatrix,
};
use xform_matrix::{AccumulatedMatrix, Method};

use super::in_both::{at, in_both, near};

in_both! {
    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/Meshes/babylon.positionAndRotation.test.ts, "handles parenting"
    fn a_parent_that_turns_around_its_child_leaves_it_in_place<X>() {
        let mut scene = Hierarchy::<X>::new();
        let parent = scene.insert(None, at(0.0, 0.0, 1.0)).unwrap();
        let child = scene.insert(parent, at(0.0, 0.0, -1.0)).unwrap();
        assert_eq!(scene.world_translation(child).unwrap(), Vector3::zeros());
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
        assert_eq!(scene.rotate_around(parent, Point3::origin(), turn), Ok(Kept::Exact));
        near(&scene.world_translation(parent).unwrap(), &Vector3::x());
        near(&scene.world_rotation(parent).unwrap(), &turn);
        near(&scene.world_translation(child).unwrap(), &Vector3::zeros());
    }

    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/Meshes/babylon.transformNode.test.ts, "should have a parent after
    /// call setParent method"
    fn setting_a_parent_keeps_the_world_where_that_is_asked_for<X>() {
        let mut scene = Hierarchy::<X>::new();
        let child = scene.insert(None, at(1.0, 2.0, 3.0)).unwrap();
        let parent = scene.insert(None, at(4.0, 5.0, 6.0)).unwrap();
        assert_eq!(scene.parent(child), Ok(None));
        assert_eq!(scene.reparent_keeping_world(child, parent), Ok(Kept::Exact));
        assert_eq!(scene.parent(child), Ok(Some(parent)));
        assert_eq!(scene.world_translation(child).unwrap(), Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(scene.local(child).unwrap().translation, Vector3::repeat(-3.0));
    }

    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/FlowGraph/flowGraphMatrixConventions.test.ts, "matches Babylon
    /// Matrix multiplication order"
    fn the_pose_of_the_child_is_applied_first<X>() {
        let (scale, step) = (Trs::from_scale(Vector3::repeat(2.0)), at(5.0, 0.0, 0.0));
        let seen = |above, below| {
            X::from(above).concat(&below).transform_point(&Point3::new(1.0, 0.0, 0.0))
        };
        // Not as there: vectors are columns here, so that the one applied first is written last.
        assert_eq!(seen(step, scale), Point3::new(7.0, 0.0, 0.0));
        assert_eq!(seen(scale, step), Point3::new(12.0, 0.0, 0.0));
    }

    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/Meshes/babylon.mesh.bake.test.ts, "should flip faces for inverted
    /// transform"
    fn three_negative_scales_mirror_and_two_do_not<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, Trs::from_scale(Vector3::repeat(-1.0))).unwrap();
        assert_eq!(scene.world_orientation(node), Ok(Orientation::Mirrored));
        let to_world = scene.conversion(node, Space::World).unwrap();
        assert_eq!(to_world.point(&Point3::new(0.5, -0.5, 0.5)), Point3::new(-0.5, 0.5, -0.5));
        near(&to_world.normal(&Vector3::z()).unwrap(), &-Vector3::z());
        let below = scene.insert(node, Trs::from_scale(Vector3::new(1.0, 1.0, -1.0))).unwrap();
        assert_eq!(scene.world_orientation(below), Ok(Orientation::Proper));
    }

    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/Meshes/babylon.instancedMesh.lwr.test.ts, "should not lose sub-unit
    /// precision at very large coordinates" and "should apply floating origin offset with correct precision"
    fn far_from_the_origin_all_is_near_as_the_camera_sees_it<X>() {
        for (x, off) in [(1e6, [0.5, 1.25]), (1e7, [0.1, 0.2])] {
            let mut scene = Hierarchy::<X>::new();
            let camera = scene.insert(None, at(x, 2.0 * x, 3.0 * x)).unwrap();
            let place = |off: f64| at(x + off, 2.0 * x + off, 3.0 * x + off);
            let nodes = off.map(|off| scene.insert(None, place(off)).unwrap());
            scene.propagate();
            let mut seen: Vec<WorldMatrix<f32>> = Vec::new();
            scene.matrices_of(&nodes, camera, &mut seen).unwrap();
            for (seen, off) in seen.iter().zip(off) {
                let far = seen.0.column(3).xyz().map(f64::from) - Vector3::repeat(off);
                // Rounding of 3e7 in `f64` and of 1.25 in `f32`.
                assert!(far.amax() < 1e-7, "{far}");
            }
        }
    }

    /// BabylonJS/Babylon.js, packages/dev/core/test/unit/Cameras/targetCameraSetTarget.test.ts, "keeps the last valid view
    /// direction while the target is coincident" and "recovers after a coincident target is replaced by a valid target"
    fn a_camera_keeps_its_direction_while_it_is_at_its_target<X>() {
        let mut scene = Hierarchy::<X>::new();
        let camera = scene.insert(None, Trs::identity()).unwrap();
        scene.look_at(camera, Point3::new(0.0, 0.0, 10.0), Vector3::y()).unwrap();
        // Not as there: it is an error, too.
        let refused = scene.look_at(camera, Point3::origin(), Vector3::y());
        assert_eq!(refused, Err(HierarchyError::NoDirection(camera)));
        near(&scene.world_forward(camera).unwrap(), &Vector3::z());
        scene.look_at(camera, Point3::new(10.0, 0.0, 0.0), Vector3::y()).unwrap();
        near(&scene.world_forward(camera).unwrap(), &Vector3::x());
    }
}

/// BabylonJS/Babylon.js, packages/dev/core/test/unit/Meshes/babylon.positionAndRotation.test.ts, "converts between
/// quaternions/euler"
#[test]
fn angles_come_back_from_the_quaternion() {
    let angles = Vector3::new(0.1, 0.2, 0.3);
    near(&YXZ.angles(&YXZ.rotation(&angles)), &angles);
}

/// BabylonJS/Babylon.js, packages/dev/core/test/unit/FlowGraph/flowGraphMatrixDecompose.test.ts, "decomposes a well-formed
/// matrix and ignores the fourth row" and those "without keepDegenerateComponents (default)"
#[test]
fn a_matrix_comes_apart_where_a_column_is_zero_and_not_where_one_is_nan() {
    let matrix = |scale: f64, last: f64| {
        let mut matrix = Matrix4::from_diagonal(&[2.0, 2.0, scale, 1.0].into());
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(1.0, 2.0, 3.0));
        matrix[(3, 0)] = last;
        AccumulatedMatrix::from_matrix(matrix)
    };
    // Not as there: Babylon.js ignores the last row. A matrix that is not affine is no world transform.
    assert_eq!(matrix(2.0, 5.0), None);
    let parts = |scale| matrix(scale, 0.0).unwrap().decompose(Method::NearestTrs);
    for (scale, orientation) in [(2.0, Orientation::Proper), (0.0, Orientation::Singular)] {
        let parts = parts(scale).unwrap();
        assert_eq!(parts.orientation, orientation);
        near(&parts.trs.to_homogeneous(), matrix(scale, 0.0).unwrap().matrix());
        near(&parts.trs.scale, &Vector3::new(2.0, 2.0, scale));
    }
    // Not as there: no defaults stand in for parts that are unknown.
    assert!(parts(f64::NAN).is_none());
}
