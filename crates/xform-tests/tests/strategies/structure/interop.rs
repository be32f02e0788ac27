//! There and back through the types of other libraries.

use std::fmt::Debug;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use xform_cases::properties;
use xform_core::{Axes, Hierarchy, Inherit, Place, Real, Trs, world_matrix::WorldMatrix};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::strategy::Digest;

fn any_pose() -> impl Strategy<Value = Trs<f64>> {
    let vector = || proptest::array::uniform3(-1e3..1e3).prop_map(Vector3::from);
    let turn = vector().prop_map(|axis| UnitQuaternion::from_scaled_axis(axis * 1e-3));
    (vector(), turn, vector()).prop_map(|(t, r, s)| Trs::from_parts(t, r, s))
}

/// To another type and back, bit for bit.
fn there_and_back<A: Copy + Debug + PartialEq + From<B>, B: From<A>>(value: A) {
    assert_eq!(A::from(B::from(value)), value);
}

fn json_there_and_back<A: Debug + PartialEq + Serialize + DeserializeOwned>(value: &A) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<A>(&json).unwrap(), *value);
}

fn in_either_precision<T: Real + Serialize + DeserializeOwned>(pose: &Trs<T>) {
    there_and_back::<_, (mint::Vector3<T>, mint::Quaternion<T>, mint::Vector3<T>)>(*pose);
    there_and_back::<_, mint::ColumnMatrix4<T>>(WorldMatrix(pose.to_homogeneous()));
    json_there_and_back(pose);
}

properties! {
    #[test]
    fn poses_and_matrices_come_back_as_they_went(pose in any_pose()) {
        let single: Trs<f32> = pose.cast();
        in_either_precision(&pose);
        in_either_precision(&single);
        there_and_back::<_, (glam::Vec3, glam::Quat, glam::Vec3)>(single);
        there_and_back::<_, (glam::DVec3, glam::DQuat, glam::DVec3)>(pose);
        there_and_back::<_, (ultraviolet::Vec3, ultraviolet::Rotor3, ultraviolet::Vec3)>(single);
        let matrix = WorldMatrix(single.to_homogeneous());
        there_and_back::<_, glam::Mat4>(matrix);
        there_and_back::<_, glam::DMat4>(WorldMatrix(pose.to_homogeneous()));
        there_and_back::<_, ultraviolet::Mat4>(matrix);
    }

    #[test]
    fn the_others_move_points_to_the_same_place(pose in any_pose()) {
        let point = Point3::new(1.0, -2.0, 0.5);
        let expected = pose.transform_point(&point);
        let size = 1e-12 * (pose.translation.norm() + pose.scale.norm() * 3.0);
        let by_glam = glam::DAffine3::from(pose).transform_point3(glam::dvec3(1.0, -2.0, 0.5));
        prop_assert!((Vector3::from(by_glam.to_array()) - expected.coords).norm() <= size);
        let by_glam = glam::DMat4::from(WorldMatrix(pose.to_homogeneous()));
        let by_glam = by_glam.transform_point3(glam::dvec3(1.0, -2.0, 0.5));
        prop_assert!((Vector3::from(by_glam.to_array()) - expected.coords).norm() <= size);
        let by_glam = glam::Affine3A::from(pose.cast::<f32>());
        let by_glam = by_glam.transform_point3(glam::vec3(1.0, -2.0, 0.5)).as_dvec3();
        prop_assert!((Vector3::from(by_glam.to_array()) - expected.coords).norm() <= size * 1e9);

        // World transforms too, both ways and to the bit.
        let world = AccumulatedMatrix::from(pose);
        let by_glam = glam::DMat4::from(world).transform_point3(glam::dvec3(1.0, -2.0, 0.5));
        prop_assert!((Vector3::from(by_glam.to_array()) - expected.coords).norm() <= size);
        prop_assert_eq!(AccumulatedMatrix::from(glam::DAffine3::from(world)), world);
        let narrow = world.cast::<f32>();
        prop_assert_eq!(AccumulatedMatrix::from(glam::Affine3A::from(narrow)), narrow);
        prop_assert_eq!(glam::Mat4::from(narrow), glam::Affine3A::from(narrow).into());
        let combined = CombinedTrs::from(pose);
        let parts = <(glam::DVec3, glam::DQuat, glam::DVec3)>::from(combined);
        prop_assert_eq!(CombinedTrs::<f64>::from(parts), combined);
        let narrow = combined.cast::<f32>();
        let parts = <(glam::Vec3, glam::Quat, glam::Vec3)>::from(narrow);
        prop_assert_eq!(CombinedTrs::<f32>::from(parts), narrow);

        let (translation, rotation, scale): (ultraviolet::Vec3, ultraviolet::Rotor3, _) =
            pose.cast::<f32>().into();
        let by_ultraviolet = translation + rotation * (scale * ultraviolet::Vec3::new(1.0, -2.0, 0.5));
        let by_ultraviolet = Vector3::from(by_ultraviolet.as_array().map(f64::from));
        prop_assert!((by_ultraviolet - expected.coords).norm() <= size * 1e9);
    }
}

#[test]
fn mint_has_columns_where_we_have_them() {
    let matrix = WorldMatrix(Matrix4::new_translation(&Vector3::new(7.0, 8.0, 9.0)));
    assert_eq!(mint::ColumnMatrix4::from(matrix).w, [7.0, 8.0, 9.0, 1.0].into());
}

/// a ─ (c, b), where c was put before b, and another root.
/// Arrays, glam's and mint's vectors, and a position in the world where a point is asked for.
#[test]
fn setters_take_vectors_as_others_have_them() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let [camera, player] = [(); 2].map(|()| hierarchy.insert(None, Trs::identity()).unwrap());
    hierarchy.set_translation(player, [1.0, 2.0, 3.0]).unwrap();
    hierarchy.set_scale(player, glam::Vec3::splat(2.0)).unwrap();
    hierarchy.set_rotation(player, glam::Quat::from_rotation_y(0.5)).unwrap();
    let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5);
    let pose = Trs::from_parts(Vector3::new(1.0, 2.0, 3.0), turned, Vector3::repeat(2.0));
    assert!(
        (hierarchy.local(player).unwrap().to_homogeneous() - pose.to_homogeneous()).amax() < 1e-6
    );
    hierarchy.set_world_translation(camera, mint::Vector3::from([1.0, 2.0, 9.0])).unwrap();
    let target = hierarchy.world_translation(player).unwrap();
    hierarchy.look_at(camera, target, [0.0, 1.0, 0.0]).unwrap();
    assert!((hierarchy.world_forward(camera).unwrap() + Vector3::z()).norm() < 1e-6);
    hierarchy.look_at(camera, glam::Vec3::new(9.0, 2.0, 9.0), glam::Vec3::Y).unwrap();
    assert!((hierarchy.world_forward(camera).unwrap() - Vector3::x()).norm() < 1e-6);
    hierarchy.rotate_around(camera, [1.0, 2.0, 9.0], glam::Quat::from_rotation_y(0.5)).unwrap();
    hierarchy.translate(camera, glam::Vec3::X, Axes::World).unwrap();
    assert!(
        (hierarchy.world_translation(camera).unwrap() - Vector3::new(2.0, 2.0, 9.0)).norm() < 1e-6
    );
}

fn family() -> Hierarchy<Digest> {
    let at = |x| Trs::from_translation(Vector3::new(x, 0.0, 0.0));
    let mut hierarchy = Hierarchy::new();
    let removed = hierarchy.insert(None, at(9.0)).unwrap();
    let a = hierarchy.insert(None, at(1.0)).unwrap();
    hierarchy.insert(None, at(4.0)).unwrap();
    let b = hierarchy.insert(a, at(2.0)).unwrap();
    hierarchy.insert(Place::Before(b), at(3.5)).unwrap();
    hierarchy.set_inherit(b, Inherit::PositionOnly).unwrap();
    hierarchy.remove(removed).unwrap();
    hierarchy
}

/// The documented form; it must not change.
const FAMILY: &str = r#"{"nodes":[
{"parent":null,"local":{"translation":[1.0,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]},"inherit":"all"},
{"parent":0,"local":{"translation":[3.5,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]},"inherit":"all"},
{"parent":0,"local":{"translation":[2.0,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]},"inherit":"position-only"},
{"parent":null,"local":{"translation":[4.0,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]},"inherit":"all"}]}"#;

#[test]
fn a_hierarchy_is_its_nodes_depth_first() {
    assert_eq!(serde_json::to_string(&family()).unwrap(), FAMILY.replace('\n', ""));
}

#[test]
fn a_hierarchy_comes_back_with_its_order_and_its_poses() {
    let hierarchy: Hierarchy<Digest> = serde_json::from_str(FAMILY).unwrap();
    assert_eq!(serde_json::to_string(&hierarchy).unwrap(), FAMILY.replace('\n', ""));
    let unsaid = FAMILY.replace(r#","inherit":"all""#, "");
    let unsaid: Hierarchy<Digest> = serde_json::from_str(&unsaid).unwrap();
    assert_eq!(serde_json::to_string(&unsaid).unwrap(), FAMILY.replace('\n', ""));
    let before = family();
    for (node, same) in hierarchy.iter().zip(&before) {
        assert_eq!(hierarchy.world(node).unwrap(), before.world(same).unwrap());
    }
}

#[test]
fn bad_data_is_an_error_that_names_the_place() {
    let with = |what: &str, instead: &str| {
        let json = FAMILY.replacen(what, instead, 1);
        serde_json::from_str::<Hierarchy<Digest>>(&json).unwrap_err().to_string()
    };
    let long = r#""translation":[3.5,0.0,0.0],"rotation":[0.0,0.0,0.0,2.0]"#;
    let long = with(r#""translation":[3.5,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0]"#, long);
    assert!(long.contains("pose 1: rotation has length 2 instead of 1"), "{long}");
    let cycle = with(r#"{"parent":null,"#, r#"{"parent":1,"#);
    assert!(cycle.contains("is its own ancestor"), "{cycle}");
    let beyond = with(r#"{"parent":0,"#, r#"{"parent":7,"#);
    assert!(beyond.contains("node 1 has parent 7"), "{beyond}");
    let unable = with(r#""position-only""#, r#""no-scale""#);
    assert!(unable.contains("node 2: with this strategy"), "{unable}");
    assert!(with(r#""position-only""#, r#""half""#).contains("unknown variant `half`"));
    assert!(with("scale", "size").contains("unknown field `size`"));
    assert!(
        serde_json::from_str::<Trs<f32>>(
            r#"{"translation":[0,0,0],"rotation":[0,0,0,0],"scale":[1,1,1]}"#
        )
        .unwrap_err()
        .to_string()
        .contains("rotation has length 0")
    );
    let nan = Trs::from_scale(Vector3::repeat(f64::NAN));
    assert!(serde_json::to_string(&nan).unwrap_err().to_string().contains("scale is not finite"));
}
