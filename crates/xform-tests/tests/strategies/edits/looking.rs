//! Making a node look at something, against the world matrices that the local poses give.

use nalgebra::{UnitQuaternion, Vector3, Vector4};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, HierarchyError, NodeId, Trs};
use xform_trs::CombinedTrs;

use crate::support::{
    edited::{check_kept, edited, parent_path, rounded, turned, world},
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Size, Tree, epsilon, non_uniform_scale, path, rotation, tree, vector},
    placed::{narrow, origin},
};

fn looks<X: Oracle>(tree: &Tree, to: &Vector3<f64>, up: &Vector3<f64>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    hierarchy.set_translation(ids[0], narrow(up)).unwrap();
    for &node in &ids {
        let was = path(&hierarchy, node);
        let target = rounded::<X::Scalar>(&(origin(&X::expected(&was)) + to));
        let up = rounded::<X::Scalar>(up);
        let (after, kept) = edited(&hierarchy, node, |hierarchy| {
            hierarchy.look_at(node, narrow(&target), narrow(&up))
        });
        points_at(&after, node, &target, &up);
        let [then, now] = [&was, &path(&after, node)].map(|path| X::rotation(path));
        let wanted =
            turned(&X::expected(&was), &(now * then.inverse()), &origin(&X::expected(&was)));
        check_kept(&after, node, kept, &wanted);
        hierarchy.propagate();
    }
}

fn points_at<X: Oracle>(
    hierarchy: &Hierarchy<X>,
    node: NodeId,
    target: &Vector3<f64>,
    up: &Vector3<f64>,
) {
    let world = world(hierarchy, node);
    let along = |axis: usize| world.column(axis).xyz().normalize();
    let away = target - origin(&world);
    let size = Size::of(&path(hierarchy, node));
    let condition = Size::of(&parent_path(hierarchy, node)).condition();
    // The direction there and back through the parent's space, and then what is left of `up` beside it.
    let within = 64.0
        * epsilon::<X::Scalar>()
        * size.nodes
        * condition.powi(2)
        * (1.0 + size.reach / away.norm())
        / away.normalize().cross(&up.normalize()).norm();
    if within > 0.1 {
        return;
    }
    let (forward, y) = (away.normalize(), along(1));
    let off = (forward + along(2)).norm();
    assert!(off <= within, "-z is {off} off");
    let beside = forward.cross(up).normalize();
    assert!(y.dot(&beside).abs() <= within, "y is {} beside", y.dot(&beside));
    let upwards = up - forward * up.dot(&forward);
    assert!(y.dot(&upwards) > 0.0, "upside down");
}

fn has_no_direction<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let pose = Trs::from_parts(
        Vector3::new(1.0, 2.0, 3.0),
        UnitQuaternion::identity(),
        Vector3::new(2.0, -0.5, 1.0),
    );
    let root = hierarchy.insert(None, pose.cast()).unwrap();
    let node = hierarchy.insert(root, pose.cast()).unwrap();
    // At (1, 2, 3) + (2, −½, 1)·(1, 2, 3).
    let at = Vector3::new(3.0, 1.0, 6.0);
    let x = Vector3::x();
    let cases =
        [(at, Vector3::y()), (at + x * 5.0, Vector3::zeros()), (at + x * 5.0, x * f64::NAN)];
    let before = format!("{hierarchy:?}");
    for (target, up) in cases {
        let found = hierarchy.look_at(node, narrow(&target), narrow(&up));
        assert_eq!(found, Err(HierarchyError::NoDirection(node)), "{target} {up}");
        assert_eq!(format!("{hierarchy:?}"), before);
    }
}

/// Its x axis then points along the axis of the world that is farthest from `up`.
fn looks_along_up<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.8, 0.5));
    let pose = Trs::from_parts(Vector3::new(1.0, 2.0, 3.0), turn, Vector3::new(1.5, -0.75, 1.5));
    let root = hierarchy.insert(None, pose.with_scale(Vector3::repeat(-0.5)).cast()).unwrap();
    let node = hierarchy.insert(root, pose.cast()).unwrap();
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let slanted = Vector3::new(3.0, 1.0, 2.0).normalize();
    for (up, right) in [(y, x), (-y, x), (x, y), (z, x), (slanted, y - slanted * slanted.y)] {
        for sign in [1.0, -1.0] {
            let target = origin(&world(&hierarchy, node)) + up * (4.0 * sign);
            hierarchy.look_at(node, narrow(&target), narrow(&(up * 3.0))).unwrap();
            let world = world(&hierarchy, node);
            let along = |axis: usize| world.column(axis).xyz().normalize();
            let within = 1e4 * epsilon::<X::Scalar>();
            assert!((along(2) + up * sign).norm() <= within, "{up} {sign}");
            // A negative scale takes a mesh's x axis to the other side.
            let off = (along(0).cross(&right.normalize())).norm();
            assert!(off <= within, "{up} {sign}: x is {off} off");
        }
    }
}

/// In the plane of the direction and `up` it is as near to `up` as a roll can bring it, while the axes
/// are perpendicular.
fn no_roll_brings_y_nearer_to_up<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let scale = narrow(&Vector3::new(3.0, 1.0, 1.0));
    let root = hierarchy.insert(None, Trs::from_scale(scale)).unwrap();
    let node = hierarchy.insert(root, Trs::identity()).unwrap();
    let up = Vector3::new(0.5, 1.0, 0.3);
    let target = narrow::<X::Scalar>(&Vector3::new(1.0, 0.5, -1.0));
    hierarchy.look_at(node, target, narrow(&up)).unwrap();
    let nearness = |hierarchy: &Hierarchy<X>| {
        let y = (world(hierarchy, node) * Vector4::y()).xyz();
        y.normalize().dot(&up.normalize())
    };
    let found = nearness(&hierarchy);
    for tenths in -50..50_i8 {
        let roll = Vector3::z() * (f64::from(tenths) / 10.0).to_radians();
        let roll = Trs::from_rotation(UnitQuaternion::from_scaled_axis(roll)).cast().rotation;
        let mut rolled = hierarchy.clone();
        rolled.rotate(node, roll, xform_core::Axes::Local).unwrap();
        let nearer = nearness(&rolled);
        assert!(nearer <= found + 1e-6, "{nearer} is nearer than {found}, rolled by {tenths}/10°");
    }
}

properties! {
    #![cases(32)]

    #[test]
    fn a_node_looks_where_it_is_told_below_stretched_and_mirroring_parents(
        tree in tree(non_uniform_scale().boxed()), to in vector(), turn in rotation()
    ) {
        prop_assume!(to.norm() > 0.5);
        // Up is at least about 17° away from the direction.
        let up = turn * Vector3::new(2.0, 1.0, -1.0);
        prop_assume!(up.normalize().cross(&to.normalize()).norm() > 0.3);
        for_every_strategy!(looks(&tree, &to, &up));
    }
}

#[test]
fn a_target_at_the_origin_and_an_up_without_length_are_no_direction() {
    for_every_strategy!(has_no_direction());
}

#[test]
fn what_looks_along_up_has_its_x_axis_along_one_of_the_world() {
    for_every_strategy!(looks_along_up());
}

#[test]
fn y_is_as_near_to_up_as_can_be_in_combined_trs() {
    no_roll_brings_y_nearer_to_up::<CombinedTrs<f64>>();
    no_roll_brings_y_nearer_to_up::<CombinedTrs<f32>>();
}
