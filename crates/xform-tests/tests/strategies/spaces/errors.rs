//! Conversions between spaces where something has no inverse, or next to none.

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::{Hierarchy, HierarchyError, NodeId, Space, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{every_strategy::for_every_strategy, placed::narrow};

/// A root, a flat node below it, and one below that; another root.
fn with_a_flat_node<X: Transform>() -> (Hierarchy<X>, [NodeId; 4]) {
    let mut hierarchy = Hierarchy::new();
    let scaled = |x, y, z| Trs::from_scale(narrow(&Vector3::new(x, y, z)));
    let root = hierarchy.insert(None, scaled(2.0, 1.0, 1.0)).unwrap();
    let flat = hierarchy.insert(root, scaled(1.0, 0.0, 3.0)).unwrap();
    let below = hierarchy.insert(flat, scaled(1.0, 1.0, 1.0)).unwrap();
    let other = hierarchy.insert(None, scaled(1.0, 1.0, 1.0)).unwrap();
    (hierarchy, [root, flat, below, other])
}

fn flat_targets_are_errors<X: Transform>() {
    let (mut hierarchy, [root, flat, below, other]) = with_a_flat_node::<X>();
    for _ in 0..2 {
        let to = |from: Space, to: Space| hierarchy.conversion(from, to).map(|_| ());
        for from in [Space::World, root.into(), other.into()] {
            assert_eq!(to(from, flat.into()), Err(HierarchyError::Singular(flat)));
            assert_eq!(to(from, below.into()), Err(HierarchyError::Singular(below)));
            assert_eq!(to(from, Space::Parent(below)), Err(HierarchyError::Singular(flat)));
        }
        hierarchy.propagate();
    }
}

/// In combined TRS, where a parent's scale does not cancel between its children.
fn siblings_below_nothing_are_errors<X: Transform>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let nothing = Trs::from_scale(narrow(&Vector3::zeros()));
    let nothing = hierarchy.insert(None, nothing).unwrap();
    let [a, b] = [(); 2].map(|()| hierarchy.insert(nothing, Trs::identity()).unwrap());
    assert_eq!(hierarchy.conversion(a, b).map(|_| ()), Err(HierarchyError::Singular(b)));
}

fn flat_sources_have_points_and_no_normals<X: Transform>() {
    let (hierarchy, [root, flat, below, other]) = with_a_flat_node::<X>();
    let given = narrow::<X::Scalar>(&Vector3::new(5.0, 7.0, 11.0));
    for (from, to) in [(flat, other), (below, other), (below, root)] {
        let conversion = hierarchy.conversion(from, to).unwrap();
        let width = if to == root { 1.0 } else { 2.0 };
        let expected = narrow(&Vector3::new(5.0 * width, 0.0, 33.0));
        assert_eq!(conversion.point(&given.into()).coords, expected);
        assert_eq!(conversion.vector(&given), expected);
        let rotations = hierarchy.rotation_conversion(from, to).unwrap();
        assert_eq!(
            rotations.rotation(&UnitQuaternion::identity()).angle(),
            narrow(&Vector3::zeros()).x
        );
        let error = HierarchyError::Singular(from);
        assert_eq!(conversion.direction(&given), Err(error));
        assert_eq!(conversion.normal(&given), Err(error));
        let mut batch = [given; 2];
        assert_eq!(conversion.directions(&mut batch), Err(error));
        assert_eq!(conversion.normals(&mut batch), Err(error));
        assert_eq!(batch, [given; 2]);
    }
}

fn strangers_and_infinities_are_errors<X: Transform>(huge: f64) {
    let (mut hierarchy, [root, flat, below, other]) = with_a_flat_node::<X>();
    hierarchy.remove(below).unwrap();
    let unknown = Err(HierarchyError::UnknownNode(below));
    assert_eq!(hierarchy.conversion(below, Space::World).map(|_| ()), unknown);
    assert_eq!(hierarchy.conversion(root, Space::Parent(below)).map(|_| ()), unknown);
    let huge = narrow(&Vector3::repeat(huge));
    hierarchy.set_scale(root, huge).unwrap();
    hierarchy.set_scale(flat, huge).unwrap();
    let infinite = Err(HierarchyError::WorldNotFinite(flat));
    assert_eq!(hierarchy.conversion(flat, other).map(|_| ()), infinite);
    assert_eq!(hierarchy.conversion(Space::World, flat).map(|_| ()), infinite);
}

/// Scales so far from 1 that their products with one another are out of range.
fn extreme_scales<X: Transform>(size: f64) {
    let mut hierarchy = Hierarchy::<X>::new();
    let scale = Vector3::new(1.0 / size, 1.0, -size);
    let node = hierarchy.insert(None, Trs::from_scale(narrow(&scale))).unwrap();
    let conversion = hierarchy.conversion(node, Space::World).unwrap();
    for axis in 0..3 {
        let along = Vector3::ith(axis, scale[axis].signum());
        let own = narrow(&Vector3::ith(axis, 1.0));
        assert_eq!(conversion.direction(&own), Ok(narrow(&along)));
        assert_eq!(conversion.normal(&own), Ok(narrow(&along)));
    }
}

#[test]
fn directions_and_normals_are_unit_at_any_scale() {
    for size in [1.0, 1e5, 1e10] {
        for_every_strategy!(extreme_scales(size));
    }
}

/// The promise of `Conversion::normal`: the unit normal of a surface.
#[test]
fn normals_are_unit_where_the_ratio_of_two_scales_is_out_of_range() {
    extreme_scales::<AccumulatedMatrix<f32>>(1e23);
    extreme_scales::<CombinedTrs<f32>>(1e23);
}

#[test]
fn a_target_without_an_inverse_is_an_error_that_names_it() {
    for_every_strategy!(flat_targets_are_errors());
    siblings_below_nothing_are_errors::<CombinedTrs<f64>>();
    siblings_below_nothing_are_errors::<CombinedTrs<f32>>();
}

#[test]
fn a_source_without_an_inverse_gives_points_but_neither_directions_nor_normals() {
    for_every_strategy!(flat_sources_have_points_and_no_normals());
}

#[test]
fn nodes_that_are_gone_and_worlds_that_are_not_finite_are_errors() {
    strangers_and_infinities_are_errors::<AccumulatedMatrix<f64>>(1e200);
    strangers_and_infinities_are_errors::<CombinedTrs<f64>>(1e200);
    strangers_and_infinities_are_errors::<AccumulatedMatrix<f32>>(1e25);
    strangers_and_infinities_are_errors::<CombinedTrs<f32>>(1e25);
}
