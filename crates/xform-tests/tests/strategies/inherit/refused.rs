//! What cannot be left out of what a node inherits, and what cannot be edited in the world below a flat
//! parent.

use approx::AbsDiffEq;
use nalgebra::{Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{
    Axes, Hierarchy, HierarchyError, Inherit, Kept, NodeId, PoseError, Real, Topology, Transform,
    Trs, strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    placed::{Edit, at, linear, narrow, origin, turn, wide, world},
};

fn epsilon<X: Transform>() -> f64 {
    X::Scalar::default_epsilon().into()
}

/// Matrices that say nothing of parts and decompositions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Opaque(Matrix4<f64>);

impl Transform for Opaque {
    type Scalar = f64;

    fn identity() -> Self {
        Self(Matrix4::identity())
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        Self(self.0 * local.to_homogeneous())
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        self.0.transform_point(point)
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.0.transform_vector(vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f64>) -> Option<Point3<f64>> {
        Some(self.0.try_inverse()?.transform_point(point))
    }

    fn inverse_transform_vector(&self, vector: &Vector3<f64>) -> Option<Vector3<f64>> {
        Some(self.0.try_inverse()?.transform_vector(vector))
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        self.0
    }
}

/// A parent, its child, and the world of the child for each of [`Inherit::EACH`], as far as it can be.
fn opaque_pair() -> (Hierarchy<Opaque>, [NodeId; 2], [Option<Matrix4<f64>>; 5]) {
    let turn = |x| UnitQuaternion::from_scaled_axis(Vector3::new(x, -0.7, 1.1));
    let [t, s] = [Vector3::new(1.0, -2.0, 3.0), Vector3::new(1.25, -0.75, 1.5)];
    let poses = [Trs::from_parts(t, turn(0.3), s), Trs::from_parts(2.0 * t, turn(1.7), s)];
    let mut hierarchy = Hierarchy::new();
    let parent = hierarchy.insert(None, poses[0]).unwrap();
    let child = hierarchy.insert(parent, poses[1]).unwrap();
    let [above, own] = [poses[0], poses[1]].map(|pose: Trs<f64>| pose.to_homogeneous());
    let mut carried = own;
    let origin = above.transform_point(&poses[1].translation.into()).coords;
    carried.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
    (hierarchy, [parent, child], [Some(above * own), None, None, Some(carried), Some(own)])
}

#[test]
fn a_strategy_without_parts_refuses_to_leave_out_rotation_or_scale_alone() {
    let (mut hierarchy, [_, child], expected) = opaque_pair();
    assert_eq!(Inherit::EACH.len(), expected.len());
    for (&inherit, expected) in Inherit::EACH.iter().zip(expected) {
        hierarchy.propagate();
        let (before, current) = (hierarchy.world(child), hierarchy.inherit(child));
        let set = hierarchy.set_inherit(child, inherit);
        if let Some(expected) = expected {
            assert_eq!((set, hierarchy.inherit(child)), (Ok(()), Ok(inherit)));
            hierarchy.propagate();
            let off = hierarchy.world_matrix(child).unwrap() - expected;
            assert!(off.amax() < 1e-14);
        } else {
            assert_eq!(set, Err(HierarchyError::InheritsAll(child)));
            assert!(hierarchy.worlds().is_some(), "nothing is pending");
            assert_eq!((hierarchy.world(child), hierarchy.inherit(child)), (before, current));
        }
    }
}

#[test]
fn a_cast_to_a_strategy_without_parts_names_who_cannot_inherit_so() {
    let (opaque, [parent, child], _) = opaque_pair();
    let mut given: Hierarchy<CombinedTrs<f32>> = opaque.cast().unwrap();
    for &inherit in Inherit::EACH {
        given.set_inherit(child, inherit).unwrap();
        let cast: Result<Hierarchy<Opaque>, _> = given.cast();
        if matches!(inherit, Inherit::NoScale | Inherit::NoRotation) {
            assert_eq!(cast.err(), Some(HierarchyError::InheritsAll(child)));
        } else {
            assert_eq!(cast.unwrap().inherit(child), Ok(inherit));
        }
    }
    assert_eq!(given.inherit(parent), Ok(Inherit::All));
}

#[test]
fn in_slices_of_a_strategy_without_parts_everything_is_inherited_instead() {
    let (hierarchy, [parent, child], _) = opaque_pair();
    let locals = [parent, child].map(|node| *hierarchy.local(node).unwrap());
    let all = [hierarchy.world(parent).unwrap(), hierarchy.world(child).unwrap()];
    for inherit in [Inherit::NoScale, Inherit::NoRotation] {
        let topology = Topology::from_parents(&[None, Some(0)]).unwrap();
        let topology = topology.with_inherit(&[Inherit::All, inherit]);
        let mut worlds = [Opaque::identity(); 2];
        Opaque::accumulate(&topology, &locals, &mut worlds, std::slice::from_ref(&(0..2)));
        let off = worlds[1].0 - all[1].0;
        assert!(off.amax() < 1e-14 && worlds[0] == all[0]);
    }
}

/// A turned and flattened parent at (1, 2, 3), and a turned child, both turned about z.
fn flat<X: RelativeTransform>(inherit: Inherit) -> (Hierarchy<X>, [NodeId; 2], Matrix3<f64>) {
    let turn = |angle: f64| UnitQuaternion::from_scaled_axis(Vector3::z() * angle);
    let mut hierarchy = Hierarchy::<X>::new();
    let parent =
        Trs::from_parts(Vector3::new(1.0, 2.0, 3.0), turn(0.4), Vector3::new(0.0, 2.0, 3.0));
    let child = Trs::from_parts(Vector3::x(), turn(0.3), Vector3::new(1.0, 2.0, 3.0));
    let parent = hierarchy.insert(None, parent.cast()).unwrap();
    let node = hierarchy.insert(parent, child.cast()).unwrap();
    hierarchy.set_inherit(node, inherit).unwrap();
    hierarchy.propagate();
    let all = if inherit.rotation() { 0.7 } else { 0.3 };
    let alone = turn(all).to_rotation_matrix().matrix() * Matrix3::from_diagonal(&child.scale);
    (hierarchy, [parent, node], alone)
}

type EditOf<'a, X> = dyn Fn(&mut Hierarchy<X>) -> Edit<<X as Transform>::Scalar> + 'a;

/// Runs edits that have no answer, which must change nothing.
fn refuse<X: RelativeTransform>(inherit: Inherit) {
    let (hierarchy, [parent, node], _) = flat::<X>(inherit);
    let (point, by) = (Vector3::repeat(X::Scalar::rounded(1.0)), turn(&UnitQuaternion::identity()));
    let world = X::identity();
    let edits: [&EditOf<'_, X>; 4] = [
        &|h| h.set_world_translation(node, point),
        &|h| h.translate(node, point, Axes::World),
        &|h| h.rotate_around(node, point, by),
        &|h| h.set_world(node, world),
    ];
    for edit in edits {
        let mut after = hierarchy.clone();
        assert_eq!(edit(&mut after), Err(HierarchyError::Singular(parent)), "{inherit:?}");
        assert!(after.worlds().is_some(), "nothing is pending");
        assert_eq!(after.local(node), hierarchy.local(node));
    }
    let mut after = hierarchy.clone();
    let other = after.insert(None, Trs::identity()).unwrap();
    after.set_inherit(other, inherit).unwrap();
    let moved = after.reparent_keeping_world(other, parent);
    assert_eq!(moved, Err(HierarchyError::Singular(parent)));
    assert_eq!((after.parent(other), after.local(other)), (Ok(None), Ok(&Trs::identity())));
}

fn flat_parents_are_refused<X: RelativeTransform>() {
    for &inherit in Inherit::EACH.iter().filter(|&inherit| *inherit != Inherit::Nothing) {
        refuse::<X>(inherit);
    }
}

#[test]
fn below_a_flat_parent_what_has_no_answer_is_refused_and_changes_nothing() {
    for_every_strategy!(flat_parents_are_refused());
}

fn turns_below_flat_parents<X: RelativeTransform>(inherit: Inherit) {
    let (mut hierarchy, [_, node], alone) = flat::<X>(inherit);
    let off = (linear(&world(&hierarchy, node)) - alone).norm();
    assert!(off <= 32.0 * epsilon::<X>(), "{inherit:?} is off by {off}");
    let wanted = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 0.1));
    assert_eq!(hierarchy.set_world_rotation(node, turn(&wanted)), Ok(Kept::Exact));
    let found = wide(&hierarchy.world_rotation(node).unwrap());
    assert!((found * wanted.inverse()).imag().norm() <= 8.0 * epsilon::<X>());
    assert_eq!(hierarchy.rotate(node, turn(&wanted), Axes::World), Ok(Kept::Exact));
    let ahead = Vector3::new(-0.6, 0.64, 0.48);
    let target = origin(&world(&hierarchy, node)) + ahead;
    let up = Vector3::y().map(X::Scalar::rounded);
    assert_eq!(hierarchy.look_at(node, narrow(&target), up), Ok(Kept::Exact));
    let z = linear(&world(&hierarchy, node)).column(2).normalize();
    assert!((z + ahead).norm() <= 64.0 * epsilon::<X>());
    if X::identity().parts().is_some() {
        let scale = narrow(&Vector3::new(3.0, -1.0, 2.0));
        assert_eq!(hierarchy.set_world_scale(node, scale), Ok(Kept::Exact));
    }
}

fn freed_of_scale<X: RelativeTransform>() {
    for inherit in [Inherit::NoScale, Inherit::PositionOnly, Inherit::Nothing] {
        turns_below_flat_parents::<X>(inherit);
    }
}

#[test]
fn who_inherits_no_scale_can_be_turned_below_a_flat_parent() {
    for_every_strategy!(freed_of_scale());
}

fn freed_of_all<X: RelativeTransform>() {
    let (mut hierarchy, [_, node], alone) = flat::<X>(Inherit::Nothing);
    let point = narrow(&Vector3::new(4.0, 5.0, 6.0));
    assert_eq!(hierarchy.set_world_translation(node, point), Ok(Kept::Exact));
    assert_eq!(hierarchy.translate(node, point, Axes::World), Ok(Kept::Exact));
    let wanted = at(&alone, &Vector3::new(8.0, 10.0, 12.0));
    assert!((world(&hierarchy, node) - wanted).norm() <= 32.0 * epsilon::<X>());
    let target = X::identity().concat(&Trs::from_translation(point));
    assert_eq!(hierarchy.set_world(node, target), Ok(Kept::Exact));
    assert_eq!(hierarchy.world_matrix(node), Ok(target.to_homogeneous()));
}

#[test]
fn who_inherits_nothing_can_be_put_anywhere_below_a_flat_parent() {
    for_every_strategy!(freed_of_all());
}

fn steps_that_are_not_finite<X: RelativeTransform>() {
    let far = Vector3::x() * X::Scalar::rounded(f64::INFINITY);
    for &inherit in Inherit::EACH {
        let mut hierarchy = Hierarchy::<X>::new();
        let root = hierarchy.insert(None, Trs::identity()).unwrap();
        let child = hierarchy.insert(root, Trs::identity()).unwrap();
        for node in [root, child] {
            hierarchy.set_inherit(node, inherit).unwrap();
            let error = hierarchy.translate(node, far, Axes::Local).unwrap_err();
            let of_pose = HierarchyError::PoseOf { node, error: PoseError::TranslationNotFinite };
            assert!([of_pose, HierarchyError::WorldNotFinite(node)].contains(&error), "{error}");
            assert_eq!(hierarchy.local(node), Ok(&Trs::identity()));
        }
    }
}

#[test]
fn a_step_that_is_not_finite_is_refused_along_the_own_axes_too() {
    for_every_strategy!(steps_that_are_not_finite());
}

fn along_the_axes_of_the_parent<X: RelativeTransform>() {
    let quarter = UnitQuaternion::from_scaled_axis(Vector3::z() * std::f64::consts::FRAC_PI_2);
    let parent = Trs::from_rotation(quarter).with_scale(Vector3::repeat(3.0));
    for &inherit in Inherit::EACH {
        let is_free = inherit == Inherit::Nothing;
        let expected = if is_free { Vector3::x() } else { Vector3::y() * 3.0 };
        let mut hierarchy = Hierarchy::<X>::new();
        let parent = hierarchy.insert(None, parent.cast()).unwrap();
        let child = hierarchy.insert(parent, Trs::identity()).unwrap();
        hierarchy.set_inherit(child, inherit).unwrap();
        hierarchy.translate(child, narrow(&Vector3::x()), Axes::Parent).unwrap();
        let off = (origin(&world(&hierarchy, child)) - expected).norm();
        assert!(off <= 16.0 * epsilon::<X>(), "{inherit:?} is off by {off}");
    }
}

#[test]
fn along_the_axes_of_the_parent_a_step_is_added_to_the_translation() {
    for_every_strategy!(along_the_axes_of_the_parent());
}

/// What a node does not inherit is no measure of what may be lost.
fn losses_below_large_parents<T: Real>() {
    for inherit in [Inherit::NoScale, Inherit::PositionOnly, Inherit::Nothing] {
        let mut hierarchy = Hierarchy::<AccumulatedMatrix<T>>::new();
        let large = Trs::from_scale(Vector3::repeat(T::rounded(1e16)));
        let parent = hierarchy.insert(None, large).unwrap();
        let node = hierarchy.insert(parent, Trs::identity()).unwrap();
        hierarchy.set_inherit(node, inherit).unwrap();
        let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 0.7);
        let [scale, turn] =
            [Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)), Trs::from_rotation(turn)];
        let skewed = AccumulatedMatrix::from(scale.cast()).concat(&turn.cast());
        let kept = hierarchy.set_world(node, skewed).unwrap();
        assert!(!kept.is_exact(), "{inherit:?}");
    }
}

#[test]
fn what_is_lost_below_a_large_parent_is_told() {
    losses_below_large_parents::<f64>();
    losses_below_large_parents::<f32>();
}
