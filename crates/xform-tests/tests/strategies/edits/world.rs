//! Edits in the world, against the world matrices that the local poses give.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Axes, Hierarchy, Kept, NodeId, Trs, spaces::WorldScale};

use crate::support::{
    edited::{angle, check_kept, edited, keeps_all, parent_path, rounded, skew, turned, world},
    every_strategy::for_every_strategy,
    given_tree::{
        Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, rotation, tree, vector,
    },
    placed::{linear, narrow, origin},
};

/// What is asked for.
#[derive(Clone, Debug)]
struct Wish {
    point: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    poses: [Trs<f64>; 2],
}

fn wish() -> impl Strategy<Value = Wish> {
    (vector(), rotation(), pose(non_uniform_scale()), pose(non_uniform_scale()))
        .prop_map(|(point, rotation, a, b)| Wish { point, rotation, poses: [a, b] })
}

impl Wish {
    /// The rotation as the scalar has it, and what that is.
    fn rotation<X: Oracle>(&self) -> (UnitQuaternion<X::Scalar>, UnitQuaternion<f64>) {
        let narrow = Trs::from_rotation(self.rotation).cast::<X::Scalar>();
        let wide = narrow.cast::<f64>().rotation;
        (narrow.rotation, UnitQuaternion::new_normalize(*wide))
    }
}

/// What a length may be off by in the world after it was taken to the parent's space: the inverse of
/// a matrix is as much worse as its condition says, that of combined TRS is not.
fn length_within<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, length: f64) -> f64 {
    let above = Size::of(&parent_path(hierarchy, node));
    let condition = if keeps_all::<X>() { 1.0 } else { above.condition() };
    64.0 * epsilon::<X::Scalar>() * above.nodes * condition * (above.reach + length)
}

fn angle_within<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId) -> f64 {
    24.0 * epsilon::<X::Scalar>() * Size::of(&path(hierarchy, node)).nodes
}

fn moves<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, wish: &Wish) {
    let before = path(hierarchy, node);
    let was = X::expected(&before);
    let by = rounded::<X::Scalar>(&wish.point);
    let given = narrow(&wish.point);
    for (to_point, goal) in [(true, by), (false, origin(&was) + by)] {
        let (after, kept) = edited(hierarchy, node, |hierarchy| {
            if to_point {
                return hierarchy.set_world_translation(node, given);
            }
            hierarchy.translate(node, given, Axes::World)
        });
        let off = (origin(&world(&after, node)) - goal).norm();
        let within = length_within(hierarchy, node, goal.norm() + by.norm());
        assert!(off <= within, "{off} from {goal}, {within}");
        check_kept(&after, node, kept, &turned(&was, &UnitQuaternion::identity(), &goal));
        let is_well = Size::of(&before[..before.len() - 1]).condition() < 4.0;
        assert!(kept.is_exact() || !is_well, "{kept:?}");
        let [now, then] = [&after, hierarchy].map(|h| *h.local(node).unwrap());
        assert_eq!(now.with_translation(then.translation), then);
    }
    let local = before.last().unwrap();
    for (along, step) in [(Axes::Local, local.rotation * by), (Axes::Parent, by)] {
        let (after, kept) =
            edited(hierarchy, node, |hierarchy| hierarchy.translate(node, given, along));
        assert_eq!(kept, Kept::Exact);
        let found = path(&after, node).last().unwrap().translation;
        let off = (found - local.translation - step).norm();
        assert!(off <= 16.0 * epsilon::<X::Scalar>() * (step.norm() + local.translation.norm()));
    }
}

fn turns<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, wish: &Wish) {
    let before = path(hierarchy, node);
    let (was, rotation_was) = (X::expected(&before), X::rotation(&before));
    let (given, rotation) = wish.rotation::<X>();
    let within = angle_within(hierarchy, node);
    for (to_rotation, goal) in [(true, rotation), (false, rotation * rotation_was)] {
        let (after, kept) = edited(hierarchy, node, |hierarchy| {
            if to_rotation {
                return hierarchy.set_world_rotation(node, given);
            }
            hierarchy.rotate(node, given, Axes::World)
        });
        let off = angle(&X::rotation(&path(&after, node)), &goal);
        assert!(off <= within, "turned {off} too far");
        let wanted = turned(&was, &(goal * rotation_was.inverse()), &origin(&was));
        check_kept(&after, node, kept, &wanted);
        let [now, then] = [&after, hierarchy].map(|h| *h.local(node).unwrap());
        assert_eq!(now.with_rotation(then.rotation), then);
    }
    let own = before.last().unwrap().rotation;
    for (about, goal) in [(Axes::Local, own * rotation), (Axes::Parent, rotation * own)] {
        let (after, kept) =
            edited(hierarchy, node, |hierarchy| hierarchy.rotate(node, given, about));
        assert_eq!(kept, Kept::Exact);
        assert!(angle(&path(&after, node).last().unwrap().rotation, &goal) <= within);
    }
}

fn turns_around<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, wish: &Wish) {
    let was = world(hierarchy, node);
    let (given, by) = wish.rotation::<X>();
    let point = rounded::<X::Scalar>(&wish.point);
    let (after, kept) = edited(hierarchy, node, |hierarchy| {
        hierarchy.rotate_around(node, narrow(&wish.point), given)
    });
    let goal = point + by * (origin(&was) - point);
    let off = (origin(&world(&after, node)) - goal).norm();
    assert!(off <= length_within(hierarchy, node, goal.norm() + point.norm()), "{off}");
    let expected = by * X::rotation(&path(hierarchy, node));
    let off = angle(&X::rotation(&path(&after, node)), &expected);
    assert!(off <= angle_within(hierarchy, node), "{off}");
    check_kept(&after, node, kept, &turned(&was, &by, &goal));
}

fn takes_a_world<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, wish: &Wish) {
    let given = wish.poses.iter().fold(X::identity(), |world, pose| world.concat(&pose.cast()));
    let wanted: Matrix4<f64> = given.to_homogeneous().map(Into::into);
    let (after, kept) = edited(hierarchy, node, |hierarchy| hierarchy.set_world(node, given));
    let goal = origin(&wanted);
    let off = (origin(&world(&after, node)) - goal).norm();
    assert!(off <= length_within(hierarchy, node, goal.norm()), "{off}");
    check_kept(&after, node, kept, &wanted);
    if !keeps_all::<X>() && epsilon::<X::Scalar>() < 1e-10 {
        let above = X::expected(&parent_path(hierarchy, node)).try_inverse().unwrap();
        is_nearest(&linear(&(above * wanted)), path(&after, node).last().unwrap());
    }
}

/// No rotation nearby comes nearer, each with the scale that suits it best: diag(Rᵀ·M).
fn is_nearest(parent_from_child: &nalgebra::Matrix3<f64>, found: &Trs<f64>) {
    let loss = |rotation: &UnitQuaternion<f64>| {
        let rotation = rotation.to_rotation_matrix().into_inner();
        let scale = (rotation.transpose() * parent_from_child).diagonal();
        (parent_from_child - rotation * nalgebra::Matrix3::from_diagonal(&scale)).norm()
    };
    let least = loss(&found.rotation);
    for axis in 0..3 {
        for by in [1e-4, -1e-4, 1e-2, -1e-2, 0.1, -0.1] {
            let nearby = found.rotation * UnitQuaternion::from_scaled_axis(Vector3::ith(axis, by));
            let size = parent_from_child.norm();
            assert!(loss(&nearby) >= least - 1e-9 * size, "{} < {least}", loss(&nearby));
        }
    }
}

fn takes_a_scale<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, wish: &Wish) {
    let given = narrow(&wish.poses[0].scale);
    let (after, kept) = edited(hierarchy, node, |hierarchy| hierarchy.set_world_scale(node, given));
    let before = path(hierarchy, node);
    let rotation = X::rotation(&before).to_homogeneous();
    let scale = rounded::<X::Scalar>(&wish.poses[0].scale);
    let wanted = rotation * Matrix4::new_nonuniform_scaling(&scale);
    let origin = origin(&X::expected(&before));
    check_kept(&after, node, kept, &turned(&wanted, &UnitQuaternion::identity(), &origin));
    let [now, then] = [&after, hierarchy].map(|h| *h.local(node).unwrap());
    assert_eq!(now.with_scale(then.scale), then);
    let found = linear(&(rotation.transpose() * world(&after, node))).diagonal();
    let above = Size::of(&before[..before.len() - 1]);
    let within = 64.0 * epsilon::<X::Scalar>() * above.nodes * above.condition();
    assert!((found - scale).norm() <= within * scale.norm(), "{found} instead of {scale}");
    if keeps_all::<X>() {
        assert!(skew(&linear(&world(&after, node))) <= 1e-12);
    }
}

/// Below parents that are scaled evenly, or along the axes of their children, nothing is lost.
fn takes_a_scale_whole<X: Oracle>(above: &[Trs<f64>; 2], quarters: [u8; 3], wish: &Wish) {
    let quarter = |axis: usize| {
        let angle = f64::from(quarters[axis]) * std::f64::consts::FRAC_PI_2;
        UnitQuaternion::from_scaled_axis(Vector3::ith(axis, angle))
    };
    let along = Trs::from_rotation(quarter(0) * quarter(1) * quarter(2));
    let even = above[0].with_scale(Vector3::repeat(above[0].scale.x));
    for path in [[even, above[1].with_scale(even.scale), wish.poses[1]], [even, above[1], along]] {
        let mut hierarchy = Hierarchy::<X>::new();
        let mut node = None;
        for local in path {
            node = Some(hierarchy.insert(node, local.cast()).unwrap());
        }
        let given = narrow(&wish.poses[0].scale);
        let kept = hierarchy.set_world_scale(node.unwrap(), given).unwrap();
        assert_eq!(kept, Kept::Exact);
        let found = hierarchy.world_scale(node.unwrap(), WorldScale::Projected).unwrap();
        let off = (found - given).map(Into::into).norm();
        assert!(off <= 256.0 * epsilon::<X::Scalar>() * wish.poses[0].scale.norm(), "{off}");
    }
}

/// On a hierarchy that is up to date, and on one with an edit above every node.
fn at_every_node<X: Oracle>(tree: &Tree, wish: &Wish, check: fn(&Hierarchy<X>, NodeId, &Wish)) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    ids.iter().for_each(|&id| check(&hierarchy, id, wish));
    for root in hierarchy.roots().collect::<Vec<_>>() {
        hierarchy.set_local(root, wish.poses[1].cast()).unwrap();
    }
    ids.iter().for_each(|&id| check(&hierarchy, id, wish));
}

fn check_moves<X: Oracle>(tree: &Tree, wish: &Wish) {
    at_every_node::<X>(tree, wish, moves);
}

fn check_turns<X: Oracle>(tree: &Tree, wish: &Wish) {
    at_every_node::<X>(tree, wish, turns);
    at_every_node::<X>(tree, wish, turns_around);
}

fn check_worlds<X: Oracle>(tree: &Tree, wish: &Wish) {
    at_every_node::<X>(tree, wish, takes_a_world);
    at_every_node::<X>(tree, wish, takes_a_scale);
}

properties! {
    #![cases(16)]

    #[test]
    fn a_node_goes_where_it_is_moved(tree in tree(non_uniform_scale().boxed()), wish in wish()) {
        for_every_strategy!(check_moves(&tree, &wish));
    }

    #[test]
    fn below_uniform_scales_and_along_axes_a_world_scale_is_kept(
        a in pose(non_uniform_scale()), b in pose(non_uniform_scale()), quarters in [0_u8..4, 0_u8..4, 0_u8..4],
        wish in wish()
    ) {
        for_every_strategy!(takes_a_scale_whole(&[a, b], quarters, &wish));
    }

    #[test]
    fn a_node_turns_as_it_is_turned(tree in tree(non_uniform_scale().boxed()), wish in wish()) {
        for_every_strategy!(check_turns(&tree, &wish));
    }

    #[test]
    fn a_node_gets_the_world_transform_or_says_what_is_lost(
        tree in tree(non_uniform_scale().boxed()), wish in wish()
    ) {
        for_every_strategy!(check_worlds(&tree, &wish));
    }
}
