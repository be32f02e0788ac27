//! Panda3D: transforms that compose along a path, matrices that come apart, the transform of the frame before.
//!
//! z is up. A rotation is heading, pitch and roll in degrees: about y by the roll, then about x by the pitch, then about z.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, PoseError, Snapshot, Space, Trs, changes::Change,
    spaces::EulerOrder::ZXY,
};
use xform_matrix::{AccumulatedMatrix, Method};

use super::in_both::{at, degrees, in_both, near};

fn hpr(heading: f64, pitch: f64, roll: f64) -> UnitQuaternion<f64> {
    degrees(ZXY, pitch, roll, heading)
}

in_both! {
    /// panda3d/panda3d, tests/pgraph/test_nodepath.py, "test_nodepath_single" and "test_nodepath_parent"
    fn a_new_node_is_nowhere_else_and_has_a_parent_once_it_gets_one<X>() {
        let mut scene = Hierarchy::<X>::new();
        let [one, two] = [(); 2].map(|()| scene.insert(None, Trs::identity()).unwrap());
        assert_eq!(scene.world(one).unwrap(), X::identity());
        assert_eq!((scene.parent(one), scene.parent(two)), (Ok(None), Ok(None)));
        scene.reparent(one, two).unwrap();
        assert_eq!((scene.parent(one), scene.parent(two)), (Ok(Some(two)), Ok(None)));
    }

    /// panda3d/panda3d, tests/pgraph/test_nodepath.py, "test_nodepath_transform_composition"
    fn transforms_compose_along_the_path_and_relative_to_another<X>() {
        let pose = |x, y, z, turn| at(x, y, z).with_rotation(turn);
        let poses = [
            pose(0.0, 0.0, 1.0, hpr(90.0, 0.0, -90.0)),
            pose(0.0, 1.0, 0.0, hpr(180.0, 180.0, 0.0)),
        ];
        let third = pose(1.0, 0.0, 0.0, hpr(270.0, 0.0, 270.0));
        let mut scene = Hierarchy::<X>::new();
        let [first, second] = poses.map(|pose| scene.insert(None, pose).unwrap());
        let below_first = scene.insert(first, third).unwrap();
        // Not as there: a node has one parent. To be below two it is copied.
        let below_second = scene.copy_subtree(below_first, second).unwrap()[0];
        let legs = poses.map(|pose| pose.to_homogeneous() * third.to_homogeneous());
        near(&scene.world_matrix(below_first).unwrap(), &legs[0]);
        near(&scene.world_matrix(below_second).unwrap(), &legs[1]);
        let relative = legs[1].try_inverse().unwrap() * legs[0];
        let (found, _) = scene.relative_pose(below_first, below_second).unwrap();
        near(&found.to_homogeneous(), &relative);
        near(&scene.conversion(below_first, below_second).unwrap().to_homogeneous(), &relative);
    }

    /// panda3d/panda3d, tests/pgraph/test_pandanode.py, "test_node_prev_transform"
    fn a_snapshot_keeps_the_transforms_that_a_frame_began_with<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, Trs::identity()).unwrap();
        scene.propagate();
        let watcher = scene.watch(node).unwrap();
        // Not as there: a node knows no transform but its own. A program keeps those of a frame, of all nodes at once.
        let mut before = Snapshot::new();
        scene.snapshot(&mut before).unwrap();
        for x in [1.0, 2.0] {
            scene.set_translation(node, Vector3::x() * x).unwrap();
            scene.propagate();
            assert_eq!(before.world(node), Some(&X::identity()));
        }
        assert!(watcher.take().unwrap().intersects(Change::POSITION));
        assert_eq!(watcher.take(), Some(Change::NONE));
        scene.snapshot(&mut before).unwrap();
        assert_eq!(before.world(node), Some(&X::from(at(2.0, 0.0, 0.0))));
    }

    /// panda3d/panda3d, tests/linmath/test_lmatrix4.py, "test_mat4_invert_correct"
    fn the_inverse_of_a_step_is_the_step_back<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, at(1.0, 2.0, 3.0)).unwrap();
        let there = scene.conversion(node, Space::World).unwrap().to_homogeneous();
        let back = scene.conversion(Space::World, node).unwrap().to_homogeneous();
        assert_eq!(back, Matrix4::new_translation(&Vector3::new(-1.0, -2.0, -3.0)));
        assert_eq!((there * back, back * there), (Matrix4::identity(), Matrix4::identity()));
    }

    /// panda3d/panda3d, tests/pgraph/test_transforms.py, "test_transform_invalid"
    fn no_pose_is_invalid<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, Trs::identity()).unwrap();
        // Not as there: an invalid transform is a value in Panda3D, and spreads. Here it is refused where it comes in.
        let nan = Vector3::new(0.0, f64::NAN, 0.0);
        let error = |error| HierarchyError::PoseOf { node, error };
        assert_eq!(scene.set_translation(node, nan), Err(error(PoseError::TranslationNotFinite)));
        assert_eq!(scene.set_scale(node, nan), Err(error(PoseError::ScaleNotFinite)));
        assert_eq!(scene.world(node).unwrap(), X::identity());
    }
}

/// panda3d/panda3d, tests/linmath/test_compose_matrix.py, "test_compose_matrix"
#[test]
fn scale_and_rotation_come_back_from_a_matrix_without_shear() {
    let pose = Trs::from_rotation(hpr(45.0, -90.0, 12.5)).with_scale(Vector3::new(1.2, 0.5, 2.0));
    for method in [Method::NearestTrs, Method::Polar, Method::GramSchmidt] {
        let parts = AccumulatedMatrix::from(pose).decompose(method).unwrap();
        near(&parts.trs.scale, &pose.scale);
        near(&parts.trs.rotation, &pose.rotation);
        near(&parts.shear, &Vector3::zeros());
    }
}

/// panda3d/panda3d, tests/linmath/test_compose_matrix.py, "test_compose_matrix2"
#[test]
fn a_quarter_down_is_a_pitch_of_ninety() {
    // Rows there are columns here.
    let matrix = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0).transpose();
    let world = AccumulatedMatrix::from_matrix(matrix.to_homogeneous()).unwrap();
    let parts = world.decompose(Method::NearestTrs).unwrap();
    near(&parts.trs.scale, &Vector3::repeat(1.0));
    near(&parts.trs.rotation, &hpr(0.0, -90.0, 0.0));
    // The angles at a pole are good to the root of rounding.
    let off = ZXY.angles(&parts.trs.rotation).map(f64::to_degrees) - Vector3::new(-90.0, 0.0, 0.0);
    assert!(off.amax() < 1e-6, "{off}");
}
