//! Edits in the world at the edge of what is possible.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::fmt::Debug;

use approx::AbsDiffEq;
use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use xform_core::{
    Axes, Hierarchy, HierarchyError, Kept, NodeId, PoseError, Real, Space, Transform, Trs,
    strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::every_strategy::for_every_strategy;

pub(super) type Outcome<X> = Result<Kept<<X as Transform>::Scalar>, HierarchyError>;
pub(super) type Edit<X> = fn(&mut Hierarchy<X>, NodeId) -> Outcome<X>;

pub(super) fn vector<T: Real>(x: f64, y: f64, z: f64) -> Vector3<T> {
    Vector3::new(x, y, z).map(T::rounded)
}

pub(super) fn point<T: Real>(x: f64, y: f64, z: f64) -> Point3<T> {
    vector(x, y, z).into()
}

/// A turn, with a quaternion of about this length.
pub(super) fn turn<T: Real>(x: f64, y: f64, z: f64, length: f64) -> UnitQuaternion<T> {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(x, y, z)).into_inner() * length;
    Trs::from_rotation(UnitQuaternion::new_unchecked(turn)).cast().rotation
}

/// A child at (1, 2, 3) below a root of some scale.
pub(super) fn child_below<X: Transform>(x: f64, y: f64, z: f64) -> (Hierarchy<X>, [NodeId; 2]) {
    let mut hierarchy = Hierarchy::new();
    let root = hierarchy.insert(None, Trs::from_scale(vector(x, y, z))).unwrap();
    let child = hierarchy.insert(root, Trs::from_translation(vector(1.0, 2.0, 3.0))).unwrap();
    hierarchy.propagate();
    (hierarchy, [root, child])
}

pub(super) fn every_edit<X: RelativeTransform>() -> [Edit<X>; 10] {
    [
        |h, node| h.set_world_translation(node, vector(4.0, 5.0, 6.0)),
        |h, node| h.translate(node, vector(4.0, 5.0, 6.0), Axes::World),
        |h, node| h.rotate_around(node, point(4.0, 5.0, 6.0), turn(0.1, 0.2, 0.3, 1.0)),
        |h, node| h.set_world(node, Trs::from_scale(vector(1.0, 2.0, 3.0)).into_world::<X>()),
        |h, node| h.set_world_rotation(node, turn(0.1, 0.2, 0.3, 1.0)),
        |h, node| h.rotate(node, turn(0.1, 0.2, 0.3, 1.0), Axes::World),
        |h, node| h.look_at(node, point(9.0, 9.0, 9.0), vector(0.0, 0.0, 1.0)),
        |h, node| h.rotate(node, turn(0.1, 0.2, 0.3, 1.0), Axes::Local),
        |h, node| h.translate(node, vector(4.0, 5.0, 6.0), Axes::Parent),
        |h, node| h.translate(node, vector(4.0, 5.0, 6.0), Axes::Local),
    ]
}

pub(super) trait IntoWorld<T: Real> {
    fn into_world<X: Transform<Scalar = T>>(self) -> X;
}

impl<T: Real> IntoWorld<T> for Trs<T> {
    fn into_world<X: Transform<Scalar = T>>(self) -> X {
        X::identity().concat(&self)
    }
}

/// The direction that a step takes is that in which a point of the node is seen.
fn steps_along_own_axes_are_as_long_as_they_are_asked<X: RelativeTransform + Debug>() {
    for length in [1.0, 1.0 - 9.9e-5, 1.0 + 9.9e-5] {
        let mut hierarchy = Hierarchy::<X>::new();
        let pose = Trs::from_rotation(turn(0.4, -0.8, 1.3, length));
        let node = hierarchy.insert(None, pose).unwrap();
        let step = vector(100.0, -30.0, 8.0);
        let seen = hierarchy.conversion(node, Space::World).unwrap().point(&step.into());
        assert_eq!(hierarchy.translate(node, step, Axes::Local), Ok(Kept::Exact));
        let moved = hierarchy.world_translation(node).unwrap();
        let [far, off] = [moved.norm() - step.norm(), (moved - seen.coords).norm()];
        let size: f64 = step.norm().into();
        let rounding = size * Kept::<X::Scalar>::BOUND * X::Scalar::default_epsilon().into();
        assert!(far.into().abs() <= rounding, "{far} at length {length}");
        // To what the formulas leave of the error of length.
        assert!(off.into() <= rounding + 5e-8 * size, "{off} at length {length}");
    }
}

/// A child below a root in combined TRS, with rotations of about this length, and another such.
fn of_length<T: Real>(length: f64) -> (Hierarchy<CombinedTrs<T>>, NodeId, UnitQuaternion<T>) {
    let mut hierarchy = Hierarchy::<CombinedTrs<T>>::new();
    let pose =
        |x| Trs::from_parts(vector(x, 2.0, 3.0), turn(x, 0.4, -0.6, length), vector(2.0, -1.0, x));
    let root = hierarchy.insert(None, pose(0.5)).unwrap();
    let node = hierarchy.insert(root, pose(1.5)).unwrap();
    (hierarchy, node, turn(0.3, 0.2, 0.1, length))
}

/// Which edits, in combined TRS, say that something is lost.
fn losses<T: Real>(
    hierarchy: &Hierarchy<CombinedTrs<T>>,
    node: NodeId,
    by: UnitQuaternion<T>,
) -> Vec<String> {
    let mut found: Vec<_> = every_edit()
        .into_iter()
        .enumerate()
        .map(|(i, edit)| (format!("edit {i}"), edit(&mut hierarchy.clone(), node).unwrap()))
        .collect();
    let mut note = |what: &str, edit: &dyn Fn(&mut Hierarchy<CombinedTrs<T>>) -> Kept<T>| {
        found.push((what.to_owned(), edit(&mut hierarchy.clone())));
    };
    note("reparent", &|h| h.reparent_keeping_world(node, None).unwrap());
    note("set rotation", &|h| h.set_world_rotation(node, by).unwrap());
    note("rotate in the world", &|h| h.rotate(node, by, Axes::World).unwrap());
    note("rotate around", &|h| h.rotate_around(node, point(1.0, 2.0, 3.0), by).unwrap());
    let lossy = found.into_iter().filter(|(_, kept)| !kept.is_exact());
    lossy.map(|(what, kept)| format!("{what}: {kept:?}")).collect()
}

fn nothing_is_lost_at<T: Real>(length: f64) {
    let (hierarchy, node, by) = of_length::<T>(length);
    assert_eq!(losses(&hierarchy, node, by), [""; 0], "at length {length}");
}

/// A quarter turn about z below diag(2k, k, k) is asked to take diag(2k, k, k) to columns (0, 2k),
/// (−k, 0) and gives (0, k), (−2k, 0): k off in x and y, so each corner of the unit cube moves by
/// k·√½. Nothing skews.
fn a_quarter_turn_is_lost<T: Real>(k: f64)
where
    AccumulatedMatrix<T>: Transform<Scalar = T>,
{
    let (mut hierarchy, [_, child]) = child_below::<AccumulatedMatrix<T>>(2.0 * k, k, k);
    hierarchy.set_translation(child, Vector3::zeros()).unwrap();
    let kept = hierarchy.set_world_rotation(child, turn(0.0, 0.0, FRAC_PI_2, 1.0)).unwrap();
    let Kept::Lossy { skew, displacement } = kept else { panic!("{kept:?} at scale {k}") };
    assert!(skew.into().abs() < 1e-6);
    assert!((displacement.into() / k - FRAC_1_SQRT_2).abs() < 1e-6, "{displacement} at {k}");
    let quarter = Quaternion::new(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
    let found = hierarchy.world_rotation(child).unwrap();
    assert!((found.coords.map(Into::into) - quarter.coords).norm() < 1e-6);
}

fn scales_of_combined_trs_may_be_zero_or_mirror<T: Real>() {
    let (mut hierarchy, [_, child]) = child_below::<CombinedTrs<T>>(2.0, -4.0, 0.5);
    let asked = vector(0.0, -8.0, 3.0);
    assert_eq!(hierarchy.set_world_scale(child, asked), Ok(Kept::Exact));
    assert_eq!(hierarchy.local(child).unwrap().scale, vector(0.0, 2.0, 6.0));
    let expected = Matrix4::new_translation(&Vector3::new(2.0, -8.0, 1.5))
        * Matrix4::new_nonuniform_scaling(&Vector3::new(0.0, -8.0, 3.0));
    assert_eq!(hierarchy.world_matrix(child).unwrap().map(Into::into), expected);
    let nan = vector(f64::NAN, 1.0, 1.0);
    let error = HierarchyError::PoseOf { node: child, error: PoseError::ScaleNotFinite };
    assert_eq!(hierarchy.set_world_scale(child, nan), Err(error));
}

#[test]
fn a_step_along_own_axes_is_as_long_as_it_is_asked_for_rotations_of_any_accepted_length() {
    for_every_strategy!(steps_along_own_axes_are_as_long_as_they_are_asked());
}

#[test]
fn combined_trs_keeps_all_with_unit_rotations() {
    nothing_is_lost_at::<f64>(1.0);
    nothing_is_lost_at::<f32>(1.0);
}

/// `Trs::check` accepts them, and `set_world_rotation` says that in combined TRS nothing is lost.
#[test]
fn combined_trs_keeps_all_with_rotations_of_any_length_that_is_accepted() {
    for length in [0.99995, 1.00005] {
        nothing_is_lost_at::<f64>(length);
        nothing_is_lost_at::<f32>(length);
    }
}

/// As read from a file or [cast](Hierarchy::cast): unit to the rounding of an `f32`.
#[test]
fn combined_trs_in_f64_keeps_all_with_rotations_that_come_from_f32() {
    let (narrow, node, by) = of_length::<f32>(1.0);
    let by = Trs::from_rotation(by).cast().rotation;
    let wide: Hierarchy<CombinedTrs<f64>> = narrow.cast().unwrap();
    assert_eq!(losses(&wide, node, by), [""; 0]);
}

#[test]
fn a_quarter_turn_below_a_stretched_parent_is_lossy_in_matrices() {
    for k in [1.0, 1e-9, 1e9] {
        a_quarter_turn_is_lost::<f64>(k);
        a_quarter_turn_is_lost::<f32>(k);
    }
}

#[test]
fn a_quarter_turn_is_lossy_in_f32_where_squares_vanish() {
    a_quarter_turn_is_lost::<f32>(1e-25);
}

#[test]
fn a_quarter_turn_is_lossy_in_f32_where_squares_overflow() {
    a_quarter_turn_is_lost::<f32>(1e20);
}

#[test]
fn a_world_scale_may_be_zero_or_mirror_in_combined_trs() {
    scales_of_combined_trs_may_be_zero_or_mirror::<f64>();
    scales_of_combined_trs_may_be_zero_or_mirror::<f32>();
}

/// The world sees the turn that was asked for, though the parent shows it in a mirror.
fn turns_the_right_way_in_a_mirror<X: RelativeTransform + Debug>() {
    let (mut hierarchy, [_, child]) = child_below::<X>(-1.0, 1.0, 1.0);
    let before = hierarchy.world_matrix(child).unwrap();
    let by = turn(0.0, 0.0, 0.5, 1.0);
    assert_eq!(hierarchy.rotate(child, by, Axes::World), Ok(Kept::Exact));
    let wanted = by.to_homogeneous() * before;
    let off = hierarchy.world_matrix(child).unwrap() - wanted;
    let linear: f64 = off.fixed_view::<3, 3>(0, 0).norm().into();
    assert!(linear < 1e-6);
    let target = point(3.0, -2.0, 5.0);
    assert_eq!(hierarchy.look_at(child, target, vector(0.0, 1.0, 0.0)), Ok(Kept::Exact));
}

#[test]
fn a_turn_below_a_mirroring_parent_goes_the_right_way_and_is_exact() {
    turns_the_right_way_in_a_mirror::<AccumulatedMatrix<f64>>();
    turns_the_right_way_in_a_mirror::<AccumulatedMatrix<f32>>();
    turns_the_right_way_in_a_mirror::<CombinedTrs<f64>>();
    turns_the_right_way_in_a_mirror::<CombinedTrs<f32>>();
}

/// A node without a size, or mirrored along one axis, comes back from another parent as it was made.
fn poses_come_back_as_they_were<T: Real>() {
    for scale in [vector::<T>(0.0, 0.0, 0.0), vector(1.0, -1.0, 1.0), vector(2.0, 3.0, -0.5)] {
        let (mut hierarchy, [_, child]) = child_below::<AccumulatedMatrix<T>>(1.0, 1.0, 1.0);
        let rigid = Trs::from_parts(
            vector(4.0, 5.0, 6.0),
            turn(0.3, -0.2, 0.9, 1.0),
            vector(1.0, 1.0, 1.0),
        );
        let other = hierarchy.insert(None, rigid).unwrap();
        hierarchy.set_scale(child, scale).unwrap();
        let (parent, before) = (hierarchy.parent(child).unwrap(), *hierarchy.local(child).unwrap());
        assert_eq!(hierarchy.reparent_keeping_world(child, other), Ok(Kept::Exact));
        assert_eq!(hierarchy.reparent_keeping_world(child, parent), Ok(Kept::Exact));
        let after = *hierarchy.local(child).unwrap();
        let off: f64 = (after.scale - before.scale).norm().into();
        let angle: f64 = after.rotation.angle_to(&before.rotation).into();
        assert!(off < 1e-5 && angle < 1e-3, "{after:?} instead of {before:?}");
    }
}

#[test]
fn a_pose_comes_back_from_another_parent_as_it_was_made() {
    poses_come_back_as_they_were::<f64>();
    poses_come_back_as_they_were::<f32>();
}

/// Far from the world's origin small steps add up all the same.
#[test]
fn small_steps_in_the_world_add_up_far_from_its_origin() {
    let mut hierarchy = Hierarchy::<CombinedTrs<f32>>::new();
    let far = hierarchy.insert(None, Trs::from_translation(vector(1e6, 0.0, 0.0))).unwrap();
    let node = hierarchy.insert(far, Trs::identity()).unwrap();
    for _ in 0..100 {
        let kept = hierarchy.translate(node, vector(0.01, 0.0, 0.0), Axes::World);
        assert!(kept.unwrap().is_exact());
    }
    assert!((hierarchy.local(node).unwrap().translation.x - 1.0).abs() < 1e-4);
}
