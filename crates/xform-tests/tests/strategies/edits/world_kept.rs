//! Keeping a node where it is under another parent, and making it look at something, against the
//! world matrices that the local poses give.

use nalgebra::{Matrix4, UnitQuaternion, Vector3, Vector4};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Hierarchy, HierarchyError, Kept, NodeId, Place, Real, Transform, Trs,
    strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    edited::{angle, check_kept, edited, keeps_all, parent_path, rounded, skew, turned, world},
    every_strategy::for_every_strategy,
    given_tree::{
        Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, rotation, tree, vector,
    },
    placed::{linear, narrow, origin},
};

fn below<X: Transform>(hierarchy: &Hierarchy<X>, node: NodeId) -> Vec<NodeId> {
    hierarchy.subtree(node).unwrap().collect()
}

/// What is looked at after a move: before, the node, after, and what was said to be kept.
type Check<X> = fn(&Hierarchy<X>, NodeId, &Hierarchy<X>, Kept<<X as Transform>::Scalar>);

/// Moves a node below every other node and to the roots, each time from where it was.
fn stays_below_any_parent<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId, check: Check<X>) {
    let own = below(hierarchy, node);
    let others = hierarchy.iter().filter(|other| !own.contains(other)).map(Some);
    for parent in others.chain([None]) {
        if parent == hierarchy.parent(node).unwrap() {
            continue;
        }
        let (after, kept) =
            edited(hierarchy, node, |hierarchy| hierarchy.reparent_keeping_world(node, parent));
        assert_eq!(after.parent(node), Ok(parent));
        if let Some(parent) = parent {
            let predicted = hierarchy.relative_pose(node, parent).unwrap();
            assert_eq!((&predicted.0, predicted.1), (after.local(node).unwrap(), kept));
        }
        check(hierarchy, node, &after, kept);
    }
}

fn kept_is_measured<X: Oracle>(
    before: &Hierarchy<X>,
    node: NodeId,
    after: &Hierarchy<X>,
    kept: Kept<X::Scalar>,
) {
    let was = world(before, node);
    check_kept(after, node, kept, &was);
    let above = Size::of(&parent_path(after, node));
    let there = Size::of(&path(before, node));
    let condition = if keeps_all::<X>() { 1.0 } else { above.condition() };
    let within = 96.0
        * epsilon::<X::Scalar>()
        * (above.nodes + there.nodes)
        * condition
        * (above.reach + there.reach);
    let off = (origin(&world(after, node)) - origin(&was)).norm();
    assert!(off <= within, "the origin moved by {off} > {within}");
}

fn all_is_kept<X: Oracle>(
    before: &Hierarchy<X>,
    node: NodeId,
    after: &Hierarchy<X>,
    kept: Kept<X::Scalar>,
) {
    assert_eq!(kept, Kept::Exact);
    kept_is_measured(before, node, after, kept);
    if keeps_all::<X>() {
        let [then, now] = [before, after].map(|hierarchy| path(hierarchy, node));
        let within = 16.0 * epsilon::<X::Scalar>() * (Size::of(&then).nodes + Size::of(&now).nodes);
        assert!(angle(&X::rotation(&then), &X::rotation(&now)) <= within);
    }
}

fn keeps_world<X: Oracle>(tree: &Tree, pose: &Trs<f64>) {
    let check = if keeps_all::<X>() { all_is_kept } else { kept_is_measured };
    on_some_nodes::<X>(tree, pose, check);
}

fn keeps_uniform_world<X: Oracle>(tree: &Tree, pose: &Trs<f64>) {
    on_some_nodes::<X>(tree, pose, all_is_kept);
}

/// While an edit is pending above all, then propagated.
fn on_some_nodes<X: Oracle>(tree: &Tree, pose: &Trs<f64>, check: Check<X>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    hierarchy.set_local(ids[0], pose.cast()).unwrap();
    for node in [ids[0], ids[ids.len() / 2], ids[ids.len() - 1]] {
        stays_below_any_parent(&hierarchy, node, check);
        hierarchy.propagate();
    }
}

/// Also with a base that is the node itself or stands below it, which no parent could be.
fn relative_poses_hold<X: Oracle>(tree: &Tree) {
    let (hierarchy, ids) = tree.hierarchy::<X>();
    for (i, &node) in ids.iter().enumerate() {
        for base in [node, ids[(5 * i + 1) % ids.len()], *below(&hierarchy, node).last().unwrap()] {
            let (local, kept) = hierarchy.relative_pose(node, base).unwrap();
            let mut joined = hierarchy.clone();
            let twin = joined.insert(base, local).unwrap();
            check_kept(&joined, twin, kept, &world(&hierarchy, node));
            assert!(kept.is_exact() || !keeps_all::<X>());
            if base == node {
                assert!(kept.is_exact());
            }
        }
    }
}

fn siblings_keep_their_order<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let step = |x: f64| Trs::from_translation(narrow(&Vector3::new(x, 0.0, 0.0)));
    let a = hierarchy.insert(None, step(1.0)).unwrap();
    let b = hierarchy.insert(None, step(2.0)).unwrap();
    let [x, y] = [3.0, 4.0].map(|at| hierarchy.insert(a, step(at)).unwrap());
    let node = hierarchy.insert(b, step(5.0)).unwrap();
    let order = |hierarchy: &Hierarchy<X>| hierarchy.children(a).unwrap().collect::<Vec<_>>();
    let cases = [
        (Place::FirstChildOf(a), [node, x, y]),
        (Place::Before(y), [x, node, y]),
        (Place::After(x), [x, node, y]),
        (Place::LastChildOf(a), [x, y, node]),
    ];
    for (place, expected) in cases {
        let mut moved = hierarchy.clone();
        assert_eq!(moved.reparent_keeping_world(node, place), Ok(Kept::Exact));
        assert_eq!(order(&moved), expected);
        // It stood at 2 + 5, and its parent at 1.
        assert_eq!(moved.local(node), Ok(&step(6.0)));
        assert_eq!(moved.reparent_keeping_world(node, Place::FirstChildOf(a)), Ok(Kept::Exact));
        assert_eq!(order(&moved), [node, x, y]);
        assert_eq!(moved.local(node), Ok(&step(6.0)));
    }
    let cycle = Err(HierarchyError::Cycle { node: a, parent: y });
    let before = format!("{hierarchy:?}");
    assert_eq!(hierarchy.reparent_keeping_world(a, y), cycle);
    let cycle = Err(HierarchyError::Cycle { node: a, parent: a });
    assert_eq!(hierarchy.reparent_keeping_world(a, Place::After(x)), cycle);
    assert_eq!(format!("{hierarchy:?}"), before);
}

/// What was flat in the world stays so: combined TRS has a zero scale for it, and a matrix loses what
/// it loses.
fn leaves_a_flat_parent<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.5, -0.6));
    let flat = Trs::from_parts(Vector3::x(), turn, Vector3::new(2.0, 0.0, 1.0));
    let child = Trs::from_parts(Vector3::new(1.0, 2.0, 3.0), turn, Vector3::new(1.0, -2.0, 1.5));
    let flat = hierarchy.insert(None, flat.cast()).unwrap();
    let node = hierarchy.insert(flat, child.cast()).unwrap();
    let was = world(&hierarchy, node);
    let (after, kept) =
        edited(&hierarchy, node, |hierarchy| hierarchy.reparent_keeping_world(node, None));
    check_kept(&after, node, kept, &was);
    assert_eq!(kept.is_exact(), keeps_all::<X>());
    let mut back = after.clone();
    let found = back.reparent_keeping_world(node, flat);
    assert_eq!(found, Err(HierarchyError::Singular(flat)));
    assert_eq!(format!("{back:?}"), format!("{after:?}"));
}

/// docs/mathematics.md, a turn below a stretch: the nearest TRS turns by
/// ½·atan2(2s·sin 2θ, (1 + s²)·cos 2θ).
fn the_skewed_child_gets_the_nearest_trs<T: Real>()
where
    AccumulatedMatrix<T>: Oracle + RelativeTransform + Transform<Scalar = T>,
{
    const FIGURES: f64 = 1e-4;
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<T>>::new();
    let scale = Vector3::new(2.0, 1.0, 1.0);
    let parent = hierarchy.insert(None, Trs::from_scale(narrow(&scale))).unwrap();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 38_f64.to_radians());
    let child = Trs::from_parts(Vector3::new(2.0, 2.0, 0.0), turn, Vector3::repeat(1.0));
    let child = hierarchy.insert(parent, child.cast()).unwrap();
    let was = world(&hierarchy, child);
    let kept = hierarchy.reparent_keeping_world(child, None).unwrap();
    let found = hierarchy.local(child).unwrap().cast::<f64>();
    assert!((found.translation - Vector3::new(4.0, 2.0, 0.0)).norm() <= FIGURES);
    assert!((found.rotation.angle().to_degrees() - 36.344916).abs() <= FIGURES);
    assert!((found.scale - Vector3::new(1.6343, 1.36445, 1.0)).norm() <= FIGURES);
    let Kept::Lossy { skew: lost, displacement } = kept else { panic!("{kept:?}") };
    assert!((lost.into().to_degrees() - 36.0442).abs() <= FIGURES);
    assert!((skew(&linear(&was)).to_degrees() - 36.0442).abs() <= FIGURES);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 36.344916_f64.to_radians());
    let stretched = Matrix4::new_nonuniform_scaling(&Vector3::new(1.6343, 1.36445, 1.0));
    let off = linear(&(turn.to_homogeneous() * stretched)) - linear(&was);
    let corner = |x: f64| (off * Vector3::new(x, 0.5, 0.5)).norm();
    let expected = corner(0.5).max(corner(-0.5));
    assert!((displacement.into() - expected).abs() <= FIGURES, "{displacement} {expected}");
}

fn looks<X: Oracle>(tree: &Tree, to: &Vector3<f64>, up: &Vector3<f64>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    hierarchy.set_translation(ids[0], narrow(up)).unwrap();
    for &node in &ids {
        let was = path(&hierarchy, node);
        let target = rounded::<X::Scalar>(&(origin(&X::expected(&was)) + to));
        let up = rounded::<X::Scalar>(up);
        let (after, kept) = edited(&hierarchy, node, |hierarchy| {
            hierarchy.look_at(node, narrow(&target).into(), narrow(&up))
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
        let found = hierarchy.look_at(node, narrow(&target).into(), narrow(&up));
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
            hierarchy.look_at(node, narrow(&target).into(), narrow(&(up * 3.0))).unwrap();
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
    let target = narrow(&Vector3::new(1.0, 0.5, -1.0));
    hierarchy.look_at(node, target.into(), narrow(&up)).unwrap();
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

/// Exact is what is so to rounding, beside how far away and how large it is.
fn worlds_of_any_size_are_kept<X: Oracle>() {
    let [there, aside] = [Vector3::new(0.6, -0.5, 0.3), Vector3::new(-0.1, 0.7, 0.4)];
    let [turn, other] = [there, aside].map(UnitQuaternion::from_scaled_axis);
    for (away, step) in [(0.0, 0.0), (0.0, 1e6), (1e6, 0.0), (1e6, 1e6)] {
        for (size, own) in [(1.0, 1.0), (1e4, 1e4), (1e-4, 1e4), (1e4, 1e-4)] {
            let mut hierarchy = Hierarchy::<X>::new();
            let parent = Trs::from_parts(there * away, turn, Vector3::repeat(size)).cast();
            let parent = hierarchy.insert(None, parent).unwrap();
            let local = Trs::from_parts(aside * step, other, Vector3::repeat(own)).cast();
            let node = hierarchy.insert(parent, local).unwrap();
            let world = hierarchy.world(node).unwrap();
            hierarchy.set_local(node, Trs::identity()).unwrap();
            let kept = hierarchy.set_world(node, world);
            assert_eq!(kept, Ok(Kept::Exact), "{away} {step} {size} {own}");
        }
    }
}

fn uniform_scale() -> impl Strategy<Value = Vector3<f64>> {
    prop_oneof![4 => 0.6..1.7, 1 => -1.7..-0.6].prop_map(Vector3::repeat)
}

properties! {
    #![cases(32)]

    #[test]
    fn a_node_keeps_its_world_or_says_what_is_lost(
        tree in tree(non_uniform_scale().boxed()), pose in pose(non_uniform_scale())
    ) {
        for_every_strategy!(keeps_world(&tree, &pose));
    }

    #[test]
    fn everything_is_kept_where_all_scales_are_uniform(
        tree in tree(uniform_scale().boxed()), pose in pose(uniform_scale())
    ) {
        for_every_strategy!(keeps_uniform_world(&tree, &pose));
    }

    #[test]
    fn a_relative_pose_stands_where_the_node_does(tree in tree(non_uniform_scale().boxed())) {
        for_every_strategy!(relative_poses_hold(&tree));
    }

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
fn a_node_goes_to_its_place_among_siblings_and_never_below_itself() {
    for_every_strategy!(siblings_keep_their_order());
}

#[test]
fn a_node_leaves_a_flat_parent_and_cannot_come_back() {
    for_every_strategy!(leaves_a_flat_parent());
}

#[test]
fn the_published_skewed_child_gets_the_published_pose() {
    the_skewed_child_gets_the_nearest_trs::<f64>();
    the_skewed_child_gets_the_nearest_trs::<f32>();
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

#[test]
fn a_world_is_kept_however_far_away_and_large() {
    for_every_strategy!(worlds_of_any_size_are_kept());
}
