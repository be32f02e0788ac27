//! What can be read from a world transform, casts and exports, against the local poses and closed
//! forms.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Hierarchy, HierarchyError, NodeId, PoseError, Real, Transform, Trs,
    spaces::{Orientation, WorldScale},
    world_matrix::{Storage, VectorConvention, WorldMatrix},
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{
        Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, rotation, tree, vector,
    },
    placed::{linear, widened},
};

fn angle_between<T: Real>(a: &UnitQuaternion<T>, b: &UnitQuaternion<f64>) -> f64 {
    let a = Trs::from_rotation(*a).cast::<f64>().rotation;
    2.0 * (UnitQuaternion::new_normalize(*a) * b.inverse()).imag().norm()
}

/// The sine of the largest deviation of two axes from a right angle.
fn sine_of_skew(linear: &Matrix3<f64>) -> f64 {
    let cosine = |(i, j): (usize, usize)| {
        linear.column(i).normalize().dot(&linear.column(j).normalize()).abs()
    };
    [(0, 1), (0, 2), (1, 2)].map(cosine).into_iter().fold(0.0, f64::max)
}

fn reads_are_right<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId) {
    let path = path(hierarchy, node);
    let size = Size::of(&path);
    let within = 32.0 * epsilon::<X::Scalar>() * size.nodes;
    let world = X::expected(&path);
    let m = linear(&world);
    let found = hierarchy.world_matrix(node).unwrap().map(Into::into);
    assert!((found - world).amax() <= within * size.reach);
    let found = widened(&hierarchy.world_translation(node).unwrap());
    assert!((found - world.column(3).xyz()).amax() <= within * size.reach);
    let axes = [Hierarchy::world_right, Hierarchy::world_up, Hierarchy::world_forward];
    for (axis, (read, sign)) in axes.into_iter().zip([1.0, 1.0, -1.0]).enumerate() {
        let found = widened(&read(hierarchy, node).unwrap());
        let expected = m.column(axis).normalize() * sign;
        assert!((found - expected).norm() <= 4.0 * within * size.condition());
    }
    let rotation = X::rotation(&path);
    assert!(angle_between(&hierarchy.world_rotation(node).unwrap(), &rotation) <= within);
    let scale = |definition| widened(&hierarchy.world_scale(node, definition).unwrap());
    let lengths = Vector3::from_fn(|i, _| m.column(i).norm());
    let projected = (rotation.to_rotation_matrix().inverse().matrix() * m).diagonal();
    let product = path.iter().fold(Vector3::repeat(1.0), |s, p| s.component_mul(&p.scale));
    assert!((scale(WorldScale::ColumnLengths) - lengths).amax() <= 2.0 * within * size.scale);
    assert!((scale(WorldScale::Projected) - projected).amax() <= 4.0 * within * size.scale);
    assert!((scale(WorldScale::Product) - product).amax() <= within * size.scale);
    for definition in SCALES {
        collider_pose_is_what_is_read(hierarchy, node, definition, within * size.reach);
    }
    if within * size.condition() > 0.01 {
        return; // too skewed for the scalar to tell from flat
    }
    let sine = hierarchy.world_skew(node).unwrap().unwrap().into().sin();
    assert!((sine - sine_of_skew(&m)).abs() <= 2.0 * within * size.condition());
    let is_mirrored = product.iter().filter(|&&factor| factor < 0.0).count() % 2 == 1;
    let expected = if is_mirrored { Orientation::Mirrored } else { Orientation::Proper };
    assert_eq!(hierarchy.world_orientation(node), Ok(expected));
    let signs = Vector3::new(if is_mirrored { -1.0 } else { 1.0 }, 1.0, 1.0);
    let signed = lengths.component_mul(&signs);
    assert!((scale(WorldScale::SignedLengths) - signed).amax() <= 2.0 * within * size.scale);
    let keeps_rotation = X::identity().parts().is_some();
    let nearest = if keeps_rotation {
        *rotation.to_rotation_matrix().matrix()
    } else {
        nearest_rotation(&m, signs.x)
    };
    let polar = (nearest.transpose() * m).diagonal();
    let off = (scale(WorldScale::Polar) - polar).amax();
    assert!(off <= 16.0 * within * size.scale * size.condition(), "{off:e}");
}

const SCALES: [WorldScale; 5] = [
    WorldScale::ColumnLengths,
    WorldScale::SignedLengths,
    WorldScale::Projected,
    WorldScale::Product,
    WorldScale::Polar,
];

/// From the singular value decomposition, the x axis reversed if the map mirrors.
fn nearest_rotation(m: &Matrix3<f64>, sign_of_x: f64) -> Matrix3<f64> {
    let proper = m * Matrix3::from_diagonal(&Vector3::new(sign_of_x, 1.0, 1.0));
    let svd = proper.svd(true, true);
    svd.u.unwrap() * svd.v_t.unwrap()
}

/// The parts of a collider pose are those that are read one by one, and what is lost is how far a corner of the cube is from where it is drawn.
fn collider_pose_is_what_is_read<X: Oracle>(
    hierarchy: &Hierarchy<X>,
    node: NodeId,
    definition: WorldScale,
    within: f64,
) {
    let pose = hierarchy.collider_pose(node, definition).unwrap();
    assert_eq!(Ok(pose.position), hierarchy.world_translation(node));
    assert_eq!(Ok(pose.scale), hierarchy.world_scale(node, definition));
    if definition != WorldScale::Polar {
        assert_eq!(Ok(pose.rotation), hierarchy.world_rotation(node));
    }
    let world: Matrix4<f64> = hierarchy.world_matrix(node).unwrap().map(Into::into);
    let rotation = Trs::from_rotation(pose.rotation).cast::<f64>().to_linear();
    let corner = |at: u8| {
        let corner = Vector3::from_fn(|axis, _| f64::from(at >> axis & 1) - 0.5);
        let placed = rotation * widened(&pose.scale).component_mul(&corner);
        (world.transform_vector(&corner) - placed).norm()
    };
    let lost = (0..8).map(corner).fold(0.0, f64::max);
    assert!((pose.lost.into() - lost).abs() <= within, "{definition:?}: {} {lost}", pose.lost);
    if linear(&world).determinant() > 0.0 && X::identity().parts().is_some() {
        assert!(definition != WorldScale::Product || lost <= within, "{lost:e}");
    }
}

/// Everything that can be read, to compare.
fn read<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId) -> String {
    let scales = SCALES.map(|definition| hierarchy.collider_pose(node, definition).unwrap());
    let (matrix, rotation) = (hierarchy.world_matrix(node), hierarchy.world_rotation(node));
    let (skew, orientation) = (hierarchy.world_skew(node), hierarchy.world_orientation(node));
    format!("{matrix:?} {rotation:?} {scales:?} {skew:?} {orientation:?}")
}

fn reads_agree<X: Oracle>(tree: &Tree, pose: &Trs<f64>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    ids.iter().for_each(|&id| reads_are_right(&hierarchy, id));
    hierarchy.set_local(ids[0], pose.cast()).unwrap();
    hierarchy.set_scale(ids[ids.len() / 2], pose.cast().scale).unwrap();
    hierarchy.reparent(ids[ids.len() - 1], None).unwrap();
    ids.iter().for_each(|&id| reads_are_right(&hierarchy, id));
    let pending: Vec<_> = ids.iter().map(|&id| read(&hierarchy, id)).collect();
    hierarchy.propagate();
    let propagated: Vec<_> = ids.iter().map(|&id| read(&hierarchy, id)).collect();
    assert_eq!(pending, propagated);
}

/// Rotations are taken that are a ten-thousandth too long, and what comes of many is unit all the same.
#[test]
fn a_world_rotation_is_of_unit_length_whatever_poses_are_taken() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 0.1));
    let long = UnitQuaternion::new_unchecked(turn.into_inner() * 1.00009);
    for depth in [1, 15, 16, 17, 100] {
        let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
        let mut last = hierarchy.insert(None, Trs::from_rotation(long)).unwrap();
        for _ in 1..depth {
            last = hierarchy.insert(last, Trs::from_rotation(long)).unwrap();
        }
        let found = hierarchy.world_rotation(last).unwrap();
        assert!((found.norm() - 1.0).abs() < 1e-9, "{depth}: {}", found.norm());
        assert!(found.angle_to(&turn.powf(f64::from(depth))) < 1e-6, "{depth}");
    }
}

/// A scale of −0 mirrors nothing, also beside one that does.
#[test]
fn minus_zero_turns_nothing_below_it() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 0.1));
    let [plus, minus] = [0.0, -0.0].map(|zero| {
        let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
        let scale = Trs::from_scale(Vector3::new(-1.0, zero, 1.0));
        let parent = hierarchy.insert(None, scale).unwrap();
        let child = hierarchy.insert(parent, Trs::from_rotation(turn)).unwrap();
        hierarchy.world_rotation(child).unwrap()
    });
    assert_eq!(plus, minus);
}

fn skewed_child<X: Oracle>() -> (Hierarchy<X>, NodeId) {
    let mut hierarchy = Hierarchy::<X>::new();
    let parent = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let parent = hierarchy.insert(None, parent.cast()).unwrap();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 38_f64.to_radians());
    let child = Trs::from_translation(Vector3::new(2.0, 2.0, 0.0)).with_rotation(turn);
    let child = hierarchy.insert(parent, child.cast()).unwrap();
    (hierarchy, child)
}

/// The figures are to three digits.
fn the_skewed_child_has_three_scales<T: Real>()
where
    AccumulatedMatrix<T>: Oracle + Transform<Scalar = T>,
{
    let (hierarchy, child) = skewed_child::<AccumulatedMatrix<T>>();
    let golden = [
        (WorldScale::ColumnLengths, Vector3::new(1.692, 1.462, 1.0)),
        (WorldScale::Projected, Vector3::new(1.621, 1.379, 1.0)),
        (WorldScale::Product, Vector3::new(2.0, 1.0, 1.0)),
        // About z the product of the rotations is the nearest one, by 38°.
        (WorldScale::Polar, Vector3::new(1.621, 1.379, 1.0)),
    ];
    for (definition, expected) in golden {
        let found = widened(&hierarchy.world_scale(child, definition).unwrap());
        assert!((found - expected).amax() < 0.0006, "{definition:?}: {found}");
    }
    let skew = hierarchy.world_skew(child).unwrap().unwrap().into().to_degrees();
    assert!((skew - 36.0442).abs() < 1e-4, "{skew}");
    // M − R·diag(x, y) is [c·(2 − x), −s·(2 − y); s·(1 − x), c·(1 − y)], which moves the corner (½, ½) by (−0.042, −0.341).
    let lost = hierarchy.collider_pose(child, WorldScale::Polar).unwrap().lost.into();
    assert!((lost - 0.3430).abs() < 5e-4, "{lost}");
}

fn combined_trs_has_one_scale<T: Real>()
where
    CombinedTrs<T>: Oracle + Transform<Scalar = T>,
{
    let (hierarchy, child) = skewed_child::<CombinedTrs<T>>();
    for definition in [WorldScale::ColumnLengths, WorldScale::Projected, WorldScale::Product] {
        let found = widened(&hierarchy.world_scale(child, definition).unwrap());
        let off = (found - Vector3::new(2.0, 1.0, 1.0)).amax();
        assert!(off <= 8.0 * epsilon::<T>(), "{definition:?}: {found}");
    }
    let skew = hierarchy.world_skew(child).unwrap().unwrap().into();
    assert!(skew <= 8.0 * epsilon::<T>(), "{skew}");
}

fn flat_worlds_are_singular<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let flat = Trs::from_scale(Vector3::new(2.0, 0.0, -1.0));
    let flat = hierarchy.insert(None, flat.cast()).unwrap();
    let point = hierarchy.insert(None, Trs::from_scale(Vector3::zeros())).unwrap();
    let line = Trs::from_scale(Vector3::new(0.0, 1.0, 0.0));
    let line = hierarchy.insert(None, line.cast()).unwrap();
    for (node, skew) in [(flat, Some(0.0)), (line, None), (point, None)] {
        assert_eq!(hierarchy.world_orientation(node), Ok(Orientation::Singular));
        assert_eq!(hierarchy.world_skew(node).unwrap().map(Into::into), skew);
    }
    let lengths = hierarchy.world_scale(flat, WorldScale::ColumnLengths).unwrap();
    assert_eq!(widened(&lengths), Vector3::new(2.0, 0.0, 1.0));
    let product = hierarchy.world_scale(flat, WorldScale::Product).unwrap();
    assert_eq!(widened(&product), Vector3::new(2.0, 0.0, -1.0));
}

/// Like [`Tree::hierarchy`], but with a node removed, one moved and one edited, and not propagated.
fn edited<X: Oracle>(tree: &Tree, pose: &Trs<f64>) -> (Hierarchy<X>, NodeId) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    let gone = hierarchy.insert(ids[0], pose.cast()).unwrap();
    hierarchy.propagate();
    hierarchy.set_local(ids[ids.len() / 2], pose.cast()).unwrap();
    hierarchy.reparent(ids[ids.len() - 1], xform_core::Place::FirstRoot).unwrap();
    hierarchy.remove(gone).unwrap();
    (hierarchy, gone)
}

fn has_same_structure<X: Transform, Y: Transform>(a: &Hierarchy<X>, b: &Hierarchy<Y>) {
    assert!(a.iter().eq(b.iter()) && a.len() == b.len());
    assert!(a.roots().eq(b.roots()));
    for node in a {
        assert_eq!(a.parent(node), b.parent(node));
        assert!(a.children(node).unwrap().eq(b.children(node).unwrap()));
        assert_eq!(a.slot(node), b.slot(node));
    }
}

/// A cast must propagate to what the same nodes give when they are inserted one by one.
fn cast_is_as_built<X: Oracle, Y: Oracle>(tree: &Tree, pose: &Trs<f64>) {
    let (given, gone) = edited::<X>(tree, pose);
    let mut cast: Hierarchy<Y> = given.cast().unwrap();
    has_same_structure(&given, &cast);
    assert!(!cast.contains(gone));
    let mut built = Hierarchy::<Y>::new();
    let mut twins = std::collections::HashMap::new();
    for node in &given {
        let local = given.local(node).unwrap().cast();
        assert_eq!(cast.local(node), Ok(&local));
        let parent = given.parent(node).unwrap().map(|parent| twins[&parent]);
        twins.insert(node, built.insert(parent, local).unwrap());
    }
    let worlds = |hierarchy: &Hierarchy<Y>, of: &dyn Fn(NodeId) -> NodeId| {
        given.iter().map(|id| hierarchy.world(of(id)).unwrap()).collect::<Vec<_>>()
    };
    let pending = worlds(&cast, &|id| id);
    cast.propagate();
    built.propagate();
    let expected = worlds(&built, &|id| twins[&id]);
    // Debug output tells −0 from 0, so equal texts are equal bits.
    assert_eq!(format!("{pending:?}"), format!("{expected:?}"));
    assert_eq!(format!("{:?}", worlds(&cast, &|id| id)), format!("{expected:?}"));
    let first = cast.iter().next().unwrap();
    cast.remove(first).unwrap();
    assert!(given.contains(first) && !cast.contains(first));
}

/// To `f32` and back each component is rounded once.
fn casts_round<X, Y>(tree: &Tree)
where
    X: Oracle<Scalar = f64>,
    Y: Transform<Scalar = f32>,
{
    let (given, _) = tree.hierarchy::<X>();
    let narrow: Hierarchy<Y> = given.cast().unwrap();
    let back: Hierarchy<X> = narrow.cast().unwrap();
    has_same_structure(&given, &back);
    for node in &given {
        #[expect(clippy::cast_possible_truncation, reason = "that is what is expected")]
        let once = |x: f64| f64::from(x as f32);
        let (found, pose) = (back.local(node).unwrap(), given.local(node).unwrap());
        assert_eq!(found.translation, pose.translation.map(once));
        assert_eq!(found.scale, pose.scale.map(once));
        assert_eq!(found.rotation.coords, pose.rotation.coords.map(once));
    }
}

properties! {
    #![cases(64)]

    #[test]
    fn reads_agree_with_the_local_poses(
        tree in tree(non_uniform_scale().boxed()), pose in pose(non_uniform_scale())
    ) {
        for_every_strategy!(reads_agree(&tree, &pose));
    }

    #[test]
    fn a_cast_propagates_to_what_is_built_directly(
        tree in tree(non_uniform_scale().boxed()), pose in pose(non_uniform_scale())
    ) {
        cast_is_as_built::<AccumulatedMatrix<f64>, CombinedTrs<f64>>(&tree, &pose);
        cast_is_as_built::<CombinedTrs<f64>, AccumulatedMatrix<f32>>(&tree, &pose);
        cast_is_as_built::<AccumulatedMatrix<f32>, CombinedTrs<f32>>(&tree, &pose);
        cast_is_as_built::<CombinedTrs<f32>, AccumulatedMatrix<f64>>(&tree, &pose);
    }

    #[test]
    fn a_cast_to_f32_and_back_rounds_the_poses(tree in tree(non_uniform_scale().boxed())) {
        casts_round::<AccumulatedMatrix<f64>, CombinedTrs<f32>>(&tree);
        casts_round::<CombinedTrs<f64>, CombinedTrs<f32>>(&tree);
    }

    #[test]
    fn arrays_are_the_matrix_in_either_order(turn in rotation(), step in vector()) {
        let matrix = Matrix4::new_translation(&step) * turn.to_homogeneous();
        let (column, row) = (VectorConvention::Column, VectorConvention::Row);
        let world = WorldMatrix::from(matrix);
        for i in 0..4 {
            for j in 0..4 {
                let entry = matrix[(i, j)];
                // Entry ij of `m * v` is entry ji of `v * m`.
                prop_assert_eq!(world.to_array(column, Storage::ColumnMajor)[4 * j + i], entry);
                prop_assert_eq!(world.to_array(column, Storage::RowMajor)[4 * i + j], entry);
                prop_assert_eq!(world.to_array(row, Storage::ColumnMajor)[4 * i + j], entry);
                prop_assert_eq!(world.to_array(row, Storage::RowMajor)[4 * j + i], entry);
            }
        }
    }
}

#[test]
fn the_published_skewed_child_has_the_published_scales() {
    the_skewed_child_has_three_scales::<f64>();
    the_skewed_child_has_three_scales::<f32>();
}

#[test]
fn the_three_scales_are_one_in_combined_trs() {
    combined_trs_has_one_scale::<f64>();
    combined_trs_has_one_scale::<f32>();
}

#[test]
fn what_is_flat_has_no_orientation_and_no_angle_without_two_axes() {
    for_every_strategy!(flat_worlds_are_singular());
}

#[test]
fn a_cast_names_the_first_node_that_is_out_of_range() {
    let mut given = Hierarchy::<CombinedTrs<f64>>::new();
    let root = given.insert(None, Trs::identity()).unwrap();
    let far = Trs::from_translation(Vector3::new(0.0, 1e39, 0.0));
    let large = Trs::from_scale(Vector3::new(0.0, -1e39, 0.0));
    let second = given.insert(None, large).unwrap();
    let first = given.insert(root, far).unwrap();
    let error = |node, error| Some(HierarchyError::PoseOf { node, error });
    let cast = |given: &Hierarchy<_>| given.cast::<AccumulatedMatrix<f32>>().err();
    assert_eq!(cast(&given), error(first, PoseError::TranslationNotFinite));
    given.remove(first).unwrap();
    assert_eq!(cast(&given), error(second, PoseError::ScaleNotFinite));
    given.remove(second).unwrap();
    assert_eq!(cast(&given), None);
}
