//! What holds for every strategy, checked for both backends and both precisions, and what tells
//! the two apart.

use approx::AbsDiffEq;
use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, NodeId, Real, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::given_tree::rotation;

/// Parents in any order, and a pose a node.
#[derive(Clone, Debug)]
struct Tree {
    parents: Vec<Option<usize>>,
    locals: Vec<Trs<f64>>,
}

impl Tree {
    fn hierarchy<X: Transform>(&self) -> (Hierarchy<X>, Vec<NodeId>) {
        let locals: Vec<_> = self.locals.iter().map(Trs::cast).collect();
        let mut hierarchy = Hierarchy::new();
        let ids = hierarchy.insert_forest(None, &self.parents, &locals).unwrap();
        (hierarchy, ids)
    }

    /// From the root down to the node.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path: Vec<_> =
            std::iter::successors(Some(node), |&node| self.parents[node]).collect();
        path.reverse();
        path
    }

    /// How large anything can get on the way to a node: sums of products of norms.
    fn reach(&self, node: usize) -> f64 {
        let path = self.path(node).into_iter().map(|node| &self.locals[node]);
        let (size, moved) = path.fold((1.0, 0.0), |(size, moved), local| {
            (size * local.scale.amax(), moved + size * local.translation.norm())
        });
        size + moved
    }
}

fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.3..3.0, 1 => -3.0..-0.3]
}

fn any_scale() -> impl Strategy<Value = Vector3<f64>> {
    proptest::array::uniform3(factor()).prop_map(Vector3::from)
}

fn uniform_scale() -> impl Strategy<Value = Vector3<f64>> {
    (0.3..3.0).prop_map(Vector3::repeat)
}

fn pose(scale: impl Strategy<Value = Vector3<f64>>) -> impl Strategy<Value = Trs<f64>> {
    let translation = proptest::array::uniform3(-5.0..5.0).prop_map(Vector3::from);
    (translation, rotation(), scale).prop_map(|(t, r, s)| Trs::from_parts(t, r, s))
}

fn tree(scale: impl Strategy<Value = Vector3<f64>> + Clone) -> impl Strategy<Value = Tree> {
    (1_usize..25).prop_flat_map(move |len| {
        let parents = (0..len).map(|node| {
            proptest::option::of(0..node.max(1)).prop_map(move |p| p.filter(|&p| p < node))
        });
        let locals = proptest::collection::vec(pose(scale.clone()), len);
        (parents.collect::<Vec<_>>(), locals).prop_map(|(parents, locals)| Tree { parents, locals })
    })
}

fn tolerance<T: Real>(tree: &Tree, node: usize) -> f64 {
    let epsilon: f64 = T::default_epsilon().into();
    32.0 * epsilon * tree.path(node).len() as f64 * tree.reach(node)
}

fn distance<A: Real, B: Real>(
    a: &impl Transform<Scalar = A>,
    b: &impl Transform<Scalar = B>,
) -> f64 {
    let (a, b) = (a.to_homogeneous(), b.to_homogeneous());
    let differences = a.iter().zip(b.iter()).map(|(&a, &b)| (a.into() - b.into()).abs());
    differences.fold(0.0, f64::max)
}

/// A strategy and the same in double precision.
fn check_laws<X: Transform + PartialEq + std::fmt::Debug, Y: Transform<Scalar = f64>>(tree: &Tree) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    hierarchy.propagate();
    let (in_double, double_ids) = tree.hierarchy::<Y>();
    for (node, &id) in ids.iter().enumerate() {
        let world = hierarchy.world(id).unwrap();
        let within = tolerance::<X::Scalar>(tree, node);
        root_first_fold(tree, node, &world, within);
        matrix_acts_alike(&world, within);
        there_and_back(tree, node, &world);
        assert!(distance(&world, &in_double.world(double_ids[node]).unwrap()) <= within);
    }
    reparent_there_and_back(&mut hierarchy, &ids, tree);
}

fn root_first_fold<X: Transform>(tree: &Tree, node: usize, world: &X, within: f64) {
    let path = tree.path(node).into_iter();
    let folded = path.fold(X::identity(), |world, node| world.concat(&tree.locals[node].cast()));
    assert!(distance(&folded, world) <= within);
}

fn matrix_acts_alike<X: Transform>(world: &X, within: f64) {
    let coordinates = Vector3::new(1.0, -2.0, 0.5).map(X::Scalar::rounded);
    let matrix = world.to_homogeneous();
    let point = world.transform_point(&coordinates.into());
    let vector = world.transform_vector(&coordinates);
    assert!((matrix.transform_point(&coordinates.into()) - point).norm().into() <= within);
    assert!((matrix.transform_vector(&coordinates) - vector).norm().into() <= within);
}

/// The scales are between 0.3 and 3, so a round trip loses at most a factor of 10 a level.
fn there_and_back<X: Transform>(tree: &Tree, node: usize, world: &X) {
    let depth = i32::try_from(tree.path(node).len()).unwrap();
    let epsilon: f64 = X::Scalar::default_epsilon().into();
    let within = epsilon * 64.0 * tree.reach(node) * 3.4_f64.powi(2 * depth);
    let local = Point3::new(1.0, -2.0, 0.5).map(X::Scalar::rounded);
    let back = world.inverse_transform_point(&world.transform_point(&local)).unwrap();
    assert!((back - local).norm().into() <= within);
    let vector = world.transform_vector(&local.coords);
    let back = world.inverse_transform_vector(&vector).unwrap();
    assert!((back - local.coords).norm().into() <= within);
}

fn reparent_there_and_back<X: Transform + PartialEq + std::fmt::Debug>(
    hierarchy: &mut Hierarchy<X>,
    ids: &[NodeId],
    tree: &Tree,
) {
    let before: Vec<_> = ids.iter().map(|&id| hierarchy.world(id).unwrap()).collect();
    for (&id, parent) in ids.iter().zip(&tree.parents) {
        hierarchy.reparent(id, None).unwrap();
        hierarchy.propagate();
        hierarchy.reparent(id, parent.map(|parent| ids[parent])).unwrap();
    }
    hierarchy.propagate();
    let after: Vec<_> = ids.iter().map(|&id| hierarchy.world(id).unwrap()).collect();
    assert_eq!(before, after);
}

/// Where a search once found a failure: one node alone.
#[test]
fn laws_hold_for_a_turned_root() {
    for [x, y, z, w] in [
        [0.840047698244763, 0.0, 0.0, 0.542512547941221],
        [-0.10830024186419629, 0.8369219660597373, 0.0661134873031418, 0.53241120117394],
    ] {
        let turn = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
        let local = Trs::from_parts(Vector3::zeros(), turn, Vector3::repeat(0.3));
        let tree = Tree { parents: vec![None], locals: vec![local] };
        check_laws::<AccumulatedMatrix<f64>, AccumulatedMatrix<f64>>(&tree);
        check_laws::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&tree);
        check_laws::<CombinedTrs<f64>, CombinedTrs<f64>>(&tree);
        check_laws::<CombinedTrs<f32>, CombinedTrs<f64>>(&tree);
    }
}

properties! {
    #[test]
    fn laws_hold_for_matrices_in_f64(tree in tree(any_scale().boxed())) {
        check_laws::<AccumulatedMatrix<f64>, AccumulatedMatrix<f64>>(&tree);
    }

    #[test]
    fn laws_hold_for_matrices_in_f32(tree in tree(any_scale().boxed())) {
        check_laws::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&tree);
    }

    #[test]
    fn laws_hold_for_combined_trs_in_f64(tree in tree(any_scale().boxed())) {
        check_laws::<CombinedTrs<f64>, CombinedTrs<f64>>(&tree);
    }

    #[test]
    fn laws_hold_for_combined_trs_in_f32(tree in tree(any_scale().boxed())) {
        check_laws::<CombinedTrs<f32>, CombinedTrs<f64>>(&tree);
    }

    #[test]
    fn the_strategies_agree_where_all_scales_are_uniform(tree in tree(uniform_scale().boxed())) {
        let (by_matrix, matrix_ids) = tree.hierarchy::<AccumulatedMatrix<f64>>();
        let (by_trs, trs_ids) = tree.hierarchy::<CombinedTrs<f64>>();
        for node in 0..tree.parents.len() {
            let matrix = by_matrix.world(matrix_ids[node]).unwrap();
            let trs = by_trs.world(trs_ids[node]).unwrap();
            prop_assert!(distance(&matrix, &trs) <= tolerance::<f64>(&tree, node));
        }
    }

    #[test]
    fn matrix_accumulation_is_associative(
        a in pose(any_scale()), b in pose(any_scale()), c in pose(any_scale())
    ) {
        let root_first = AccumulatedMatrix::from(a).concat(&b).concat(&c);
        let leaf_first = a.to_homogeneous() * (b.to_homogeneous() * c.to_homogeneous());
        let size = leaf_first.amax();
        prop_assert!((root_first.matrix() - leaf_first).amax() <= 1e-13 * size.max(100.0));
    }

    #[test]
    fn combined_trs_is_associative_where_scales_are_uniform(
        a in pose(uniform_scale()), b in pose(uniform_scale()), c in pose(uniform_scale())
    ) {
        let (root_first, leaf_first) = both_groupings(a, b, c);
        prop_assert!(distance(&root_first, &leaf_first) <= 1e-12);
    }
}

fn both_groupings(a: Trs<f64>, b: Trs<f64>, c: Trs<f64>) -> (CombinedTrs<f64>, CombinedTrs<f64>) {
    let root_first = CombinedTrs::from(a).concat(&b).concat(&c);
    let leaf_first = CombinedTrs::from(a).concat(&CombinedTrs::from(b).concat(&c).to_trs());
    (root_first, leaf_first)
}

#[test]
fn combined_trs_is_not_associative_under_a_non_uniform_scale() {
    // A quarter turn written so that it is exact: x → y → z → x.
    let cycle = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let (root_first, leaf_first) =
        both_groupings(stretch, Trs::from_rotation(cycle), Trs::from_translation(Vector3::x()));
    // Scales and rotations are the same; the translation is scaled along x or along y.
    assert_eq!(root_first.scale, leaf_first.scale);
    assert_eq!(root_first.rotation, leaf_first.rotation);
    assert_eq!(root_first.translation, Vector3::new(0.0, 2.0, 0.0));
    assert_eq!(leaf_first.translation, Vector3::new(0.0, 1.0, 0.0));
}

/// docs/choosing-a-strategy.md states these.
#[test]
fn a_world_transform_takes_16_or_12_numbers_and_is_aligned_for_vectors() {
    assert_eq!(size_of::<AccumulatedMatrix<f32>>(), 64);
    assert_eq!(align_of::<AccumulatedMatrix<f32>>(), 64);
    assert_eq!(size_of::<CombinedTrs<f32>>(), 48);
    assert_eq!(align_of::<CombinedTrs<f32>>(), 16);
    assert_eq!(size_of::<AccumulatedMatrix<f64>>(), 128);
    assert_eq!(size_of::<CombinedTrs<f64>>(), 96);
}

#[test]
fn errors_of_length_within_the_tolerance_do_not_grow_with_depth() {
    fn check<X: Transform>(off: f64, within: f64) {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.2, 0.3)).into_inner() * off;
        let local = Trs::from_rotation(UnitQuaternion::new_unchecked(turn)).cast();
        assert_eq!(local.check(), Ok(()));
        let world = (0..10_000).fold(X::identity(), |world, _| world.concat(&local));
        let length: f64 =
            world.transform_vector(&Vector3::ith(0, X::Scalar::rounded(1.0))).norm().into();
        assert!((length - 1.0).abs() < within, "{length}");
    }
    for off in [0.99991, 1.0, 1.00009] {
        check::<CombinedTrs<f64>>(off, 1e-7);
        check::<CombinedTrs<f32>>(off, 1e-5);
        // Each step is off by the square of the error, 10 000 times.
        check::<AccumulatedMatrix<f64>>(off, 1e-3);
        check::<AccumulatedMatrix<f32>>(off, 1e-2);
    }
}
