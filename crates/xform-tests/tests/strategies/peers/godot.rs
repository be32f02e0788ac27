//! Godot: global transforms, looking, nodes that are top-level, turns about own axes.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};
use xform_core::{
    Axes, Hierarchy, Inherit, Kept, NodeId, Space, Transform, Trs,
    spaces::EulerOrder::{XYZ, YXZ},
};
use xform_matrix::AccumulatedMatrix;

use super::in_both::{at, degrees, in_both, near, posed};

fn about(axis: [f64; 3], angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis.into()), angle)
}

/// The nodes of "Utility methods": the last is at (200, 0, 110) and twice as large.
fn three<X: Transform<Scalar = f64>>() -> (Hierarchy<X>, [NodeId; 3]) {
    let mut scene = Hierarchy::new();
    let first = scene.insert(None, at(100.0, 0.0, 100.0)).unwrap();
    let second = scene.insert(first, at(100.0, 0.0, 0.0)).unwrap();
    let third = at(0.0, 0.0, 10.0).with_scale(Vector3::repeat(2.0));
    let third = scene.insert(second, third).unwrap();
    (scene, [first, second, third])
}

in_both! {
    /// godotengine/godot, tests/scene/test_node_3d.h, "Basic Test"
    fn a_child_goes_where_a_global_setter_puts_its_parent<X>() {
        let mut scene = Hierarchy::<X>::new();
        // Not as there: a node of Godot is nowhere until it is in the tree. Here each is in the hierarchy from the start.
        let node = scene.insert(None, Trs::identity()).unwrap();
        let child = scene.insert(node, at(1.0, 1.0, 1.0)).unwrap();
        for (x, expected) in [(1.0, [2.0, 1.0, 2.0]), (2.0, [3.0, 1.0, 3.0])] {
            scene.set_world_translation(node, Vector3::new(x, 0.0, x)).unwrap();
            assert_eq!(scene.world_translation(child).unwrap(), Vector3::from(expected));
        }
        // Its y and z change places: a mirror, and so a turn and a negative scale.
        let turn = about([0.0, 1.0, 1.0], PI);
        let mirror = posed([3.0, 0.0, 3.0], turn, [-1.0, 1.0, 1.0]);
        assert_eq!(scene.set_world(node, X::from(mirror)), Ok(Kept::Exact));
        let swapped = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0);
        near(&scene.world_matrix(node).unwrap().fixed_view::<3, 3>(0, 0).into_owned(), &swapped);
        near(&scene.world_translation(child).unwrap(), &Vector3::new(4.0, 1.0, 4.0));
    }

    /// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "look_at"
    fn a_look_turns_a_scaled_grandchild_and_leaves_its_scale<X>() {
        let (mut scene, [_, _, third]) = three::<X>();
        for (target, angles) in [
            (Point3::new(1.0, 0.0, 1.0), [0.0, 1.069_691, 0.0]),
            (Point3::new(0.0, 0.0, 10.0), [0.0, 1.107_149, 0.0]),
            // Not as there: Godot takes the angles of the scaled matrix, in which this sine is twice as large.
            (Point3::new(10.0, 10.0, 10.0), [(0.093_183_f64.sin() / 2.0).asin(), 1.086_318, 0.0]),
        ] {
            assert_eq!(scene.look_at(third, target, Vector3::y()), Ok(Kept::Exact));
            // To six digits, as they are given.
            let off = YXZ.angles(&scene.world_rotation(third).unwrap()) - Vector3::from(angles);
            assert!(off.amax() < 1e-6, "{off}");
            assert_eq!(scene.local(third).unwrap().scale, Vector3::repeat(2.0));
            near(&scene.world_translation(third).unwrap(), &Vector3::new(200.0, 0.0, 110.0));
        }
    }

    /// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "to_local" and "to_global"
    fn points_go_to_a_scaled_grandchild_and_back<X>() {
        let (scene, [_, _, third]) = three::<X>();
        let to_local = scene.conversion(Space::World, third).unwrap();
        let to_global = scene.conversion(third, Space::World).unwrap();
        for (at, local, global) in [
            (1.0, [-99.5, 0.5, -54.5], [202.0, 2.0, 112.0]),
            (-1.0, [-100.5, -0.5, -55.5], [198.0, -2.0, 108.0]),
            (0.0, [-100.0, 0.0, -55.0], [200.0, 0.0, 110.0]),
        ] {
            let point = Point3::new(at, at, at);
            near(&to_local.point(&point), &local.into());
            near(&to_global.point(&point), &global.into());
        }
    }

    /// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "set_as_top_level"
    fn a_node_that_inherits_nothing_stays_where_it_is_put<X>() {
        let (mut scene, [first, second, third]) = three::<X>();
        scene.set_translation(first, Vector3::repeat(1.0)).unwrap();
        scene.set_translation(second, Vector3::repeat(5.0)).unwrap();
        scene.set_translation(third, Vector3::repeat(-10.0)).unwrap();
        let world = scene.world(third).unwrap();
        scene.set_inherit(third, Inherit::Nothing).unwrap();
        // Not as there: the pose stays and the node moves. To have Godot's, the world is set again.
        assert_eq!(scene.world_translation(third).unwrap(), Vector3::repeat(-10.0));
        for (inherit, local) in [(Inherit::Nothing, -4.0), (Inherit::All, -10.0)] {
            scene.set_inherit(third, inherit).unwrap();
            assert_eq!(scene.set_world(third, world), Ok(Kept::Exact));
            near(&scene.local(third).unwrap().translation, &Vector3::repeat(local));
            near(&scene.world_translation(third).unwrap(), &Vector3::repeat(-4.0));
        }
        scene.set_inherit(third, Inherit::Nothing).unwrap();
        scene.set_translation(third, Vector3::new(100.0, 0.0, 100.0)).unwrap();
        assert_eq!(scene.world_translation(third).unwrap(), Vector3::new(100.0, 0.0, 100.0));
        assert_eq!(scene.world_translation(second).unwrap(), Vector3::repeat(6.0));
    }

    /// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "rotate_object_local"
    fn turns_about_own_axes_come_one_after_the_other<X>() {
        let (mut scene, [_, _, third]) = three::<X>();
        scene.rotate(third, about([0.0, 1.0, 0.0], PI), Axes::Local).unwrap();
        near(&scene.world_rotation(third).unwrap(), &degrees(YXZ, 0.0, 180.0, 0.0));
        scene.rotate(third, about([0.0, 0.0, -1.0], FRAC_PI_2), Axes::Local).unwrap();
        near(&scene.world_rotation(third).unwrap(), &degrees(YXZ, 0.0, 180.0, 270.0));
        near(&scene.world_rotation(third).unwrap(), &degrees(XYZ, 180.0, 0.0, 90.0));
        scene.rotate(third, about([-1.0, -1.0, -1.0], 1.5 * PI), Axes::Local).unwrap();
        // To six digits, as they are given.
        let off = XYZ.angles(&scene.local(third).unwrap().rotation)
            - Vector3::new(1.921_676, 0.246_506, 2.790_713);
        assert!(off.amax() < 1e-6, "{off}");
        near(&scene.world_translation(third).unwrap(), &Vector3::new(200.0, 0.0, 110.0));
    }

    /// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "get_relative_transform"
    fn a_pose_relative_to_a_grandparent_goes_through_the_parent<X>() {
        let (mut scene, [first, second, third]) = three::<X>();
        scene.set_rotation(second, YXZ.rotation(&Vector3::new(270.0, -180.0, 90.0))).unwrap();
        scene.set_rotation(third, YXZ.rotation(&Vector3::new(90.0, -90.0, 270.0))).unwrap();
        let relative = |base| scene.relative_pose(third, base).unwrap().0;
        near(&relative(second).to_homogeneous(), &scene.local(third).unwrap().to_homogeneous());
        // Godot's figures are those of `f32`.
        let off = relative(first).translation - Vector3::new(107.8864, 1.760_459, -5.891_133);
        assert!(off.amax() < 1e-4, "{off}");
        near(&relative(first).scale, &Vector3::repeat(2.0));
    }
}

/// godotengine/godot, tests/scene/test_node_3d.h, "Utility methods", "orthonormalize"
#[test]
fn a_pose_has_right_angles_whatever_is_set() {
    let mut scene = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let node = scene.insert(None, Trs::identity()).unwrap();
    let basis = Matrix3::new(1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0);
    let skewed = AccumulatedMatrix::from_matrix(basis.to_homogeneous()).unwrap();
    // Not as there: a node of Godot has any matrix until it is told to be orthonormal. Here the nearest pose is taken.
    let kept = scene.set_world(node, skewed).unwrap();
    let Kept::Lossy { skew, .. } = kept else { panic!("{kept:?}") };
    // Each axis has a cosine of ½ with each other.
    near(&skew, &(PI / 6.0));
    near(&scene.world_skew(node).unwrap().unwrap(), &0.0);
}
