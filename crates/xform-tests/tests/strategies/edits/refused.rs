//! Edits in the world that are refused, and leave everything as it was.

use std::fmt::Debug;

use approx::AbsDiffEq;
use nalgebra::Point3;
use xform_core::{
    Axes, Hierarchy, HierarchyError, Kept, NodeId, PoseError, Space, Transform, Trs,
    strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;

use super::odd::{Edit, IntoWorld, child_below, every_edit, point, turn, vector};
use crate::support::every_strategy::for_every_strategy;

/// An error, and nothing changed.
fn refused<X: Transform + Debug>(
    hierarchy: &mut Hierarchy<X>,
    node: NodeId,
    edit: Edit<X>,
) -> HierarchyError {
    let before = format!("{hierarchy:?}");
    let error = edit(hierarchy, node).unwrap_err();
    assert_eq!(format!("{hierarchy:?}"), before);
    error
}

fn gone_nodes_are_refused<X: RelativeTransform + Debug>() {
    let (mut hierarchy, [root, child]) = child_below::<X>(1.0, 1.0, 1.0);
    hierarchy.remove(child).unwrap();
    let unknown = HierarchyError::UnknownNode(child);
    // Before anything else that is wrong.
    for edit in every_edit().into_iter().chain(by_a_long_rotation()) {
        assert_eq!(refused(&mut hierarchy, child, edit), unknown);
    }
    assert_eq!(hierarchy.set_world_scale(child, vector(1.0, 1.0, 1.0)), Err(unknown));
    assert_eq!(hierarchy.reparent_keeping_world(child, root), Err(unknown));
    assert_eq!(hierarchy.relative_pose(child, root).map(|_| ()), Err(unknown));
    assert_eq!(hierarchy.relative_pose(root, child).map(|_| ()), Err(unknown));
    assert_eq!(hierarchy.world_rotation(child).map(|_| ()), Err(unknown));
}

/// The first four need the parent's inverse in any case, the next three where something is lost.
fn flat_parents_are_refused<X: RelativeTransform + Debug>() {
    let (mut hierarchy, [root, child]) = child_below::<X>(1.0, 0.0, 2.0);
    let keeps_all = X::identity().parts().is_some();
    for (i, edit) in every_edit().into_iter().enumerate() {
        if i < 4 || i < 7 && !keeps_all {
            assert_eq!(refused(&mut hierarchy, child, edit), HierarchyError::Singular(root));
        } else {
            assert_eq!(edit(&mut hierarchy.clone(), child), Ok(Kept::Exact));
        }
    }
    let error = hierarchy.set_world_scale(child, vector(1.0, 2.0, 3.0)).unwrap_err();
    assert_eq!(error, HierarchyError::Singular(root));
}

/// Every edit that takes a rotation, by one that is none.
fn by_a_long_rotation<X: Transform>() -> [Edit<X>; 5] {
    [
        |h, node| h.set_world_rotation(node, turn(0.1, 0.2, 0.3, 1.1)),
        |h, node| h.rotate(node, turn(0.1, 0.2, 0.3, 1.1), Axes::World),
        |h, node| h.rotate(node, turn(0.1, 0.2, 0.3, 1.1), Axes::Parent),
        |h, node| h.rotate(node, turn(0.1, 0.2, 0.3, 1.1), Axes::Local),
        |h, node| h.rotate_around(node, Point3::origin(), turn(0.1, 0.2, 0.3, 1.1)),
    ]
}

fn long_rotations_are_refused<X: RelativeTransform + Debug>() {
    let (mut hierarchy, [_, child]) = child_below::<X>(1.0, 3.0, 2.0);
    for edit in by_a_long_rotation() {
        let error = refused(&mut hierarchy, child, edit);
        let HierarchyError::PoseOf { node, error: PoseError::RotationNotUnit { length } } = error
        else {
            panic!("{error}")
        };
        assert!(node == child && (length - 1.1).abs() < 1e-3);
    }
}

/// All that is wrong is what was asked for; `Singular` says that a scale on the path is zero.
fn what_is_not_finite_is_not_called_singular<X: RelativeTransform + Debug>() {
    let edits: [Edit<X>; 6] = [
        |h, node| h.look_at(node, point(f64::NAN, 0.0, 0.0), vector(0.0, 1.0, 0.0)),
        |h, node| h.look_at(node, point(1.0, 2.0, 3.0), vector(0.0, f64::INFINITY, 0.0)),
        |h, node| h.set_world_translation(node, vector(f64::NAN, 0.0, 0.0)),
        |h, node| h.translate(node, vector(f64::INFINITY, 0.0, 0.0), Axes::World),
        |h, node| h.rotate_around(node, point(0.0, f64::NAN, 0.0), turn(0.1, 0.2, 0.3, 1.0)),
        |h, node| {
            let off = Trs::from_translation(vector(f64::NAN, 0.0, 0.0));
            h.set_world(node, off.into_world::<X>())
        },
    ];
    let (mut hierarchy, ids) = child_below::<X>(1.0, 3.0, 2.0);
    for node in ids {
        for (i, edit) in edits.into_iter().enumerate() {
            let error = refused(&mut hierarchy, node, edit);
            assert!(!matches!(error, HierarchyError::Singular(_)), "edit {i}: {error}");
        }
    }
}

/// The world transform of the parent is infinite or NaN, and not flat.
fn parents_that_overflow_are_not_called_singular<X: RelativeTransform + Debug>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let large = |x| Trs::from_parts(vector(x, 1.0, 1.0), turn(0.1, 0.2, 0.3, 1.0), vector(x, x, x));
    let large = large(if X::Scalar::default_epsilon().into() > 1e-10 { 1e30 } else { 1e200 });
    let above = hierarchy.insert(None, large).unwrap();
    let parent = hierarchy.insert(above, large).unwrap();
    let node = hierarchy.insert(parent, Trs::identity()).unwrap();
    let edits: [Edit<X>; 8] = [
        |h, node| h.set_world_translation(node, vector(1.0, 2.0, 3.0)),
        |h, node| h.translate(node, vector(1.0, 2.0, 3.0), Axes::World),
        |h, node| h.set_world_rotation(node, turn(0.3, 0.2, 0.1, 1.0)),
        |h, node| h.rotate_around(node, point(1.0, 2.0, 3.0), turn(0.3, 0.2, 0.1, 1.0)),
        |h, node| h.look_at(node, point(1.0, 2.0, 3.0), vector(0.0, 1.0, 0.0)),
        |h, node| h.set_world_scale(node, vector(1.0, 2.0, 3.0)),
        |h, node| h.set_world(node, Trs::identity().into_world::<X>()),
        |h, node| h.reparent_keeping_world(node, None),
    ];
    for (i, edit) in edits.into_iter().enumerate() {
        let error = refused(&mut hierarchy, node, edit);
        assert!(matches!(error, HierarchyError::WorldNotFinite(_)), "edit {i}: {error}");
    }
    let error = hierarchy.relative_pose(above, parent).unwrap_err();
    assert!(matches!(error, HierarchyError::WorldNotFinite(_)), "{error}");
}

#[test]
fn a_node_that_is_gone_is_refused_by_every_edit() {
    for_every_strategy!(gone_nodes_are_refused());
}

#[test]
fn a_parent_without_an_inverse_is_named_wherever_it_is_needed() {
    for_every_strategy!(flat_parents_are_refused());
}

#[test]
fn a_rotation_that_is_not_unit_is_refused() {
    for_every_strategy!(long_rotations_are_refused());
}

#[test]
fn a_wish_that_is_not_finite_is_not_blamed_on_the_parent() {
    for_every_strategy!(what_is_not_finite_is_not_called_singular());
}

#[test]
fn a_parent_that_overflows_is_not_called_flat() {
    for_every_strategy!(parents_that_overflow_are_not_called_singular());
}

/// Flat, then turned: rounding leaves a determinant that is not quite zero.
#[test]
fn a_parent_that_is_flat_to_rounding_is_refused() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let flat =
        Trs::from_parts(vector(1.0, 2.0, 3.0), turn(0.3, 0.5, 0.7, 1.0), vector(1.0, 0.0, 2.0));
    let flat = hierarchy.insert(None, flat).unwrap();
    let turned = Trs::from_rotation(turn(-0.4, 1.1, 0.2, 1.0));
    let parent = hierarchy.insert(flat, turned).unwrap();
    let node = hierarchy.insert(None, Trs::identity()).unwrap();
    let singular = Err(HierarchyError::Singular(parent));
    assert_eq!(hierarchy.reparent_keeping_world(node, parent), singular);
    assert_eq!(hierarchy.conversion(Space::World, parent).map(|_| Kept::Exact), singular);
}
