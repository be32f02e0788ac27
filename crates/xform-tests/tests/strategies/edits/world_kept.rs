//! Keeping a node where it is under another parent, against the world matrices that the local poses give.

use nalgebra::{Matrix4, RealField, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Hierarchy, HierarchyError, Kept, NodeId, Place, Real, Transform, Trs,
    strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;

use crate::support::{
    edited::{angle, check_kept, edited, keeps_all, parent_path, skew, world},
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, tree},
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

/// Each node of a tree, with and without an edit that waits above it, is removed from under its children.
fn children_are_kept<X: Oracle>(tree: &Tree, pose: &Trs<f64>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    hierarchy.set_local(ids[0], pose.cast()).unwrap();
    for &node in &ids {
        let list = |hierarchy: &Hierarchy<X>, parent: Option<NodeId>| -> Vec<NodeId> {
            parent
                .map_or_else(|| hierarchy.roots(), |node| hierarchy.children(node).unwrap())
                .collect()
        };
        let parent = hierarchy.parent(node).unwrap();
        let children = list(&hierarchy, Some(node));
        let expected = list(&hierarchy, parent).into_iter();
        let expected: Vec<_> = expected
            .flat_map(|one| if one == node { children.clone() } else { vec![one] })
            .collect();
        let mut after = hierarchy.clone();
        let kept = after.remove_keeping_children(node).unwrap();
        assert!(kept.iter().map(|(child, _)| *child).eq(children));
        assert!(!after.contains(node));
        assert_eq!(after.len(), hierarchy.len() - 1);
        assert_eq!(list(&after, parent), expected);
        for (child, kept) in kept {
            let check = if keeps_all::<X>() { all_is_kept } else { kept_is_measured };
            check(&hierarchy, child, &after, kept);
            assert!(below(&after, child).into_iter().eq(below(&hierarchy, child)));
        }
        hierarchy.propagate();
    }
}

/// The second child is too large for a pose without its parent, so the first stays too.
fn a_refused_removal_changes_nothing<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let root = hierarchy.insert(None, Trs::identity()).unwrap();
    let scale = |size| Trs::from_scale(Vector3::repeat(size));
    let node = hierarchy.insert(root, scale(X::Scalar::rounded(2.0))).unwrap();
    hierarchy.insert(node, Trs::identity()).unwrap();
    let largest = RealField::max_value().expect("a float has a largest value");
    let large = hierarchy.insert(node, scale(largest)).unwrap();
    let before = format!("{hierarchy:?}");
    let found = hierarchy.remove_keeping_children(node);
    assert_eq!(found, Err(HierarchyError::WorldNotFinite(large)));
    assert_eq!(format!("{hierarchy:?}"), before);
    hierarchy.remove(large).unwrap();
    assert_eq!(hierarchy.remove_keeping_children(node).unwrap().len(), 1);
    assert_eq!(hierarchy.remove_keeping_children(node), Err(HierarchyError::UnknownNode(node)));
    assert_eq!(hierarchy.remove(root), Ok(2));
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
    fn children_of_a_removed_node_stay_in_its_place(
        tree in tree(non_uniform_scale().boxed()), pose in pose(non_uniform_scale())
    ) {
        for_every_strategy!(children_are_kept(&tree, &pose));
    }

    #[test]
    fn a_relative_pose_stands_where_the_node_does(tree in tree(non_uniform_scale().boxed())) {
        for_every_strategy!(relative_poses_hold(&tree));
    }
}

#[test]
fn a_removal_that_a_child_cannot_follow_is_refused_whole() {
    for_every_strategy!(a_refused_removal_changes_nothing());
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
fn a_world_is_kept_however_far_away_and_large() {
    for_every_strategy!(worlds_of_any_size_are_kept());
}
