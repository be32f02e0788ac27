//! Unity's Entities: a tree of sixteen through changes of parents, inverses, directions, matrices that are no pose.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{Hierarchy, Kept, NodeId, Place, Space, Transform, Trs, spaces::EulerOrder::YXZ};
use xform_matrix::AccumulatedMatrix;

use super::in_both::{in_both, near, posed};

fn parents() -> [Option<usize>; 16] {
    let parents = [-1, 0, 1, 1, 1, 4, 4, 4, 0, 8, 8, 8, 11, 12, 13, 14];
    parents.map(|parent| usize::try_from(parent).ok())
}

fn poses() -> Vec<Trs<f64>> {
    let turns = [0, 1, 2, 2, 2, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 0];
    let places = [0, 1, 0, 1, 2, 0, 1, 2, 2, 0, 1, 2, 0, 1, 2, 2];
    let pose = |(place, turn): (usize, usize)| {
        let angle = [PI / 8.0, FRAC_PI_2, PI][turn];
        Trs::from_translation([Vector3::z(), Vector3::y(), Vector3::x()][place])
            .with_rotation(UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle))
    };
    places.into_iter().zip(turns).map(pose).collect()
}

fn sixteen<X: Transform<Scalar = f64>>() -> (Hierarchy<X>, Vec<NodeId>) {
    let mut scene = Hierarchy::new();
    let nodes = scene.insert_forest(None, &parents(), &poses()).unwrap();
    (scene, nodes)
}

/// All that are there have the world that these parents give.
fn are_at<X: Transform<Scalar = f64>>(
    scene: &Hierarchy<X>,
    nodes: &[NodeId],
    parents: &[Option<usize>],
) {
    for (i, &node) in nodes.iter().enumerate().filter(|(_, node)| scene.contains(**node)) {
        let path = std::iter::successors(Some(i), |&node| parents[node]);
        let product = |below, node: usize| poses()[node].to_homogeneous() * below;
        near(&scene.world_matrix(node).unwrap(), &path.fold(Matrix4::identity(), product));
    }
}

fn one() -> Trs<f64> {
    posed([2.0, 3.0, 4.0], YXZ.rotation(&(Vector3::new(6.0, 4.0, 3.0) * PI / 12.0)), [0.5; 3])
}

fn two() -> Trs<f64> {
    posed([3.0, 4.0, 5.0], YXZ.rotation(&(Vector3::new(20.0, 15.0, 12.0) * PI / 60.0)), [0.6; 3])
}

in_both! {
    /// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformTests.cs, "TRS_TestHierarchyFirstUpdate",
    /// "TRS_TestHierarchyAfterParentRemoval" and "TRS_TestHierarchyAfterParentChange"
    fn worlds_follow_changes_of_parents<X>() {
        let (mut scene, nodes) = sixteen::<X>();
        are_at(scene.settled(), &nodes, &parents());
        let (mut moved, mut parents) = (scene.clone(), parents());
        moved.reparent(nodes[4], nodes[3]).unwrap();
        moved.reparent(nodes[8], nodes[7]).unwrap();
        [parents[4], parents[8]] = [Some(3), Some(7)];
        are_at(moved.settled(), &nodes, &parents);
        scene.reparent(nodes[1], Place::LastRoot).unwrap();
        scene.reparent(nodes[8], Place::LastRoot).unwrap();
        [parents[1], parents[4], parents[8]] = [None, Some(1), None];
        are_at(scene.settled(), &nodes, &parents);
    }

    /// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformTests.cs, "TRS_TestHierarchyAfterParentDeleted"
    /// and "TRS_TestHierarchyDestroyAll"
    fn a_removed_parent_takes_its_children_along_or_leaves_them_in_their_places<X>() {
        let (mut scene, nodes) = sixteen::<X>();
        // Not as there: children of a destroyed entity become roots and jump to their own poses. Here they go with
        // their parent, or stay where they are in the world.
        let kept = scene.remove_keeping_children(nodes[0]).unwrap();
        assert_eq!(kept, [(nodes[1], Kept::Exact), (nodes[8], Kept::Exact)]);
        are_at(scene.settled(), &nodes, &parents());
        assert_eq!(scene.remove(nodes[8]), Ok(8));
        assert_eq!(scene.remove(nodes[1]), Ok(7));
        assert!(scene.is_empty());
    }

    /// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformDataTests.cs, "TDT_TransformTransform",
    /// "TDT_InverseTransformTransform" and "TDT_Inverse"
    fn products_and_inverses_of_poses_are_those_of_matrices<X>() {
        let [first, second] = [one().to_homogeneous(), two().to_homogeneous()];
        let inverse = first.try_inverse().unwrap();
        near(&one().checked_mul(&two()).unwrap().to_homogeneous(), &(first * second));
        near(&one().try_inverse().unwrap().to_homogeneous(), &inverse);
        let mut scene = Hierarchy::<X>::new();
        let [base, node] = [one(), two()].map(|pose| scene.insert(None, pose).unwrap());
        let (relative, kept) = scene.relative_pose(node, base).unwrap();
        assert_eq!(kept, Kept::Exact);
        near(&relative.to_homogeneous(), &(inverse * second));
    }

    /// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformDataTests.cs, "TDT_InverseTransformPoint",
    /// "TDT_TransformDirection" and "TDT_InverseTransformRotation"
    fn points_are_scaled_and_directions_and_rotations_are_not<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, one()).unwrap();
        let point = Point3::new(1.0, 2.0, 3.0);
        let to_local = scene.conversion(Space::World, node).unwrap();
        let inverse = one().to_homogeneous().try_inverse().unwrap();
        near(&to_local.point(&point), &inverse.transform_point(&point));
        let direction = point.coords.normalize();
        let to_world = scene.conversion(node, Space::World).unwrap();
        near(&to_world.direction(&direction).unwrap(), &(one().rotation * direction));
        near(&to_world.vector(&direction), &(one().rotation * direction * 0.5));
        let turn = YXZ.rotation(&Vector3::new(PI / 4.0, PI / 3.0, PI / 2.0));
        let turned = scene.rotation_conversion(Space::World, node).unwrap();
        near(&turned.rotation(&turn), &(one().rotation.inverse() * turn));
    }

    /// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformHelperTests.cs,
    /// "TransformHelpers_LookAtRotation_Works" and "TransformHelpers_Direction_Extraction_Works"
    fn the_axes_of_a_look_are_the_cross_products<X>() {
        let [eye, target] = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 5.0, 6.0)];
        let up = Vector3::new(-1.0, 0.0, 1.0);
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, Trs::from_translation(eye)).unwrap();
        // +z is forward there, so away from the mirrored target. The formula knows no hand.
        scene.look_at(node, eye + (eye - target), up).unwrap();
        let forward = (target - eye).normalize();
        let right = up.cross(&forward).normalize();
        near(&-scene.world_forward(node).unwrap(), &forward);
        near(&scene.world_right(node).unwrap(), &right);
        near(&scene.world_up(node).unwrap(), &forward.cross(&right).normalize());
    }
}

/// needle-mirror/com.unity.entities, Unity.Transforms.Tests/TransformDataTests.cs, "TDT_FromMatrixSafe_Throws"
#[test]
fn a_matrix_that_is_no_pose_is_kept_as_far_as_one_can() {
    let mut scene = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let node = scene.insert(None, Trs::identity()).unwrap();
    let mut set = |rows: [f64; 9]| {
        let matrix = nalgebra::Matrix3::from_row_slice(&rows).to_homogeneous();
        scene.set_world(node, AccumulatedMatrix::from_matrix(matrix).unwrap()).unwrap()
    };
    // Not as there: an entity has one scale and throws at three. A pose here has three.
    assert_eq!(set([1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]), Kept::Exact);
    // Not as there: shear is no error, but said.
    let kept = set([1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 1.0, 0.0, 2.0]);
    let Kept::Lossy { skew, .. } = kept else { panic!("{kept:?}") };
    near(&skew, &(1.0 / 3.0_f64.sqrt()).asin());
}
