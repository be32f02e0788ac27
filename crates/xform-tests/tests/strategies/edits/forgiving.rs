//! Rotations that are a little off unit length, and what is said where an edit falls short.

use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, HierarchyError, PoseError, Real, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Tree, epsilon, non_uniform_scale, tree, vector},
    placed::narrow,
};

fn of_length<T: Real>(rotation: UnitQuaternion<f64>, length: f64) -> UnitQuaternion<T> {
    let scaled = (rotation.into_inner() * length).coords.map(T::rounded);
    UnitQuaternion::new_unchecked(Quaternion::from(scaled))
}

/// An hour of frames, each of which turns what the last one left.
fn products_stay_rotations<X: Oracle>() {
    const FRAMES: u32 = 60 * 60 * 60;
    let mut hierarchy = Hierarchy::<X>::new();
    let node = hierarchy.insert(None, Trs::identity()).unwrap();
    let step = Vector3::new(0.001, 0.02, -0.003);
    let by = of_length::<X::Scalar>(UnitQuaternion::from_scaled_axis(step), 1.0);
    for _ in 0..FRAMES {
        let turned = hierarchy.local(node).unwrap().rotation * by;
        hierarchy.set_rotation(node, turned).unwrap();
    }
    let expected = UnitQuaternion::from_scaled_axis(step * f64::from(FRAMES));
    let found = hierarchy.local(node).unwrap().cast::<f64>().rotation;
    let off = UnitQuaternion::new_normalize(found.into_inner()).angle_to(&expected);
    assert!(off <= 4.0 * f64::from(FRAMES) * epsilon::<X::Scalar>(), "{off}");
}

/// Every way in which a hierarchy takes a rotation.
fn is_taken_everywhere<X: Oracle>() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -1.1, 0.3));
    let (good, off) = (of_length::<f64>(turn, 1.0), of_length::<X::Scalar>(turn, 1.004));
    let mut hierarchy = Hierarchy::<X>::new();
    let pose = Trs::from_rotation(off);
    let check = |hierarchy: &Hierarchy<X>, node| {
        let found = hierarchy.local(node).unwrap().cast::<f64>().rotation;
        let off = (found.coords - good.coords).norm();
        assert!(off <= 8.0 * epsilon::<X::Scalar>(), "{off}");
    };
    let node = hierarchy.insert(None, pose).unwrap();
    check(&hierarchy, node);
    for node in hierarchy.insert_forest(None, &[None, Some(0)], &[pose; 2]).unwrap() {
        check(&hierarchy, node);
    }
    let back = |hierarchy: &mut Hierarchy<X>| hierarchy.set_local(node, Trs::identity()).unwrap();
    back(&mut hierarchy);
    hierarchy.set_local(node, pose).unwrap();
    check(&hierarchy, node);
    back(&mut hierarchy);
    hierarchy.set_locals(&[node], &[pose]).unwrap();
    check(&hierarchy, node);
    back(&mut hierarchy);
    hierarchy.set_rotation(node, off).unwrap();
    check(&hierarchy, node);
    back(&mut hierarchy);
    hierarchy.set_world_rotation(node, off).unwrap();
    check(&hierarchy, node);
    for about in [xform_core::Axes::Local, xform_core::Axes::Parent, xform_core::Axes::World] {
        back(&mut hierarchy);
        hierarchy.rotate(node, off, about).unwrap();
        check(&hierarchy, node);
    }
    back(&mut hierarchy);
    hierarchy.rotate_around(node, Point3::origin(), off).unwrap();
    check(&hierarchy, node);
}

/// The error names the node, the length and what to call.
fn is_refused_beyond<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let node = hierarchy.insert(None, Trs::identity()).unwrap();
    let long = of_length::<X::Scalar>(UnitQuaternion::identity(), 1.5);
    let error = hierarchy.set_rotation(node, long).unwrap_err();
    let expected =
        HierarchyError::PoseOf { node, error: PoseError::RotationNotUnit { length: 1.5 } };
    assert_eq!(error, expected);
    assert_eq!(hierarchy.set_local(node, Trs::from_rotation(long)), Err(expected));
    assert_eq!(hierarchy.local(node), Ok(&Trs::identity()));
    let said = error.to_string();
    for part in [&node.to_string(), "length 1.5 instead of 1", "UnitQuaternion::new_normalize"] {
        assert!(said.contains(part), "{said}");
    }
}

/// What `update` makes is checked, set and marked as what a setter sets.
fn updates<X: Oracle>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let root = hierarchy.insert(None, Trs::identity()).unwrap();
    let node = hierarchy.insert(root, Trs::identity()).unwrap();
    hierarchy.propagate();
    let one = X::Scalar::rounded(1.0);
    let old = hierarchy.update(root, |pose| {
        pose.scale.y = one + one;
        std::mem::replace(&mut pose.translation.x, one)
    });
    assert_eq!(old, Ok(X::Scalar::rounded(0.0)));
    assert!(hierarchy.worlds().is_none());
    let found = hierarchy.world_matrix(node).unwrap().map(Into::into);
    let expected =
        Trs::from_parts(Vector3::x(), UnitQuaternion::identity(), [1.0, 2.0, 1.0].into());
    assert_eq!(found, expected.to_homogeneous());
    hierarchy.propagate();
    assert_eq!(hierarchy.update(root, |_| ()), Ok(()));
    assert!(hierarchy.worlds().is_some(), "nothing changed");
    let before = *hierarchy.local(root).unwrap();
    let nan = X::Scalar::rounded(f64::NAN);
    let error = hierarchy.update(root, |pose| pose.scale.x = nan).unwrap_err();
    assert_eq!(error, HierarchyError::PoseOf { node: root, error: PoseError::ScaleNotFinite });
    assert_eq!(hierarchy.local(root), Ok(&before));
    hierarchy.remove(node).unwrap();
    assert_eq!(hierarchy.update(node, |_| ()), Err(HierarchyError::UnknownNode(node)));
}

/// A strategy that composes its parts and does not say so.
#[derive(Clone, Copy, Debug)]
struct Silent(CombinedTrs<f64>);

impl Transform for Silent {
    type Scalar = f64;

    fn identity() -> Self {
        Self(CombinedTrs::identity())
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        Self(self.0.concat(local))
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        self.0.transform_point(point)
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.0.transform_vector(vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f64>) -> Option<Point3<f64>> {
        self.0.inverse_transform_point(point)
    }

    fn inverse_transform_vector(&self, vector: &Vector3<f64>) -> Option<Vector3<f64>> {
        self.0.inverse_transform_vector(vector)
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        self.0.to_homogeneous()
    }
}

/// How far −z is from the direction to a target, as the sine of the angle or more.
fn off_target<X: Transform<Scalar = f64>>(world: &X, target: &Point3<f64>) -> f64 {
    let world = world.to_homogeneous();
    let away = target.coords - world.column(3).xyz();
    (world.column(2).xyz().normalize() + away.normalize()).norm()
}

#[test]
fn a_miss_is_not_called_exact() {
    let mut hierarchy = Hierarchy::<Silent>::new();
    let stretch = Trs::from_scale(Vector3::new(4.0, 1.0, 1.0));
    let parent = hierarchy.insert(None, stretch).unwrap();
    let node = hierarchy.insert(parent, Trs::identity()).unwrap();
    let target = Point3::new(1.0, 0.0, -1.0);
    let kept = hierarchy.look_at(node, target, Vector3::y()).unwrap();
    let off = off_target(&hierarchy.world(node).unwrap(), &target);
    assert!(off > 0.5 && !kept.is_exact(), "{off} {kept:?}");
}

properties! {
    #![cases(64)]

    #[test]
    fn what_is_called_exact_hits_its_target_in_any_strategy(
        tree in tree(non_uniform_scale().boxed()), to in vector(), up in vector()
    ) {
        hits_where_it_says_so::<Silent>(&tree, &to, &up);
        hits_where_it_says_so::<CombinedTrs<f64>>(&tree, &to, &up);
    }
}

fn hits_where_it_says_so<X: Transform<Scalar = f64>>(
    tree: &Tree,
    to: &Vector3<f64>,
    up: &Vector3<f64>,
) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    for node in ids {
        let target = Point3::from(narrow(to));
        let Ok(kept) = hierarchy.look_at(node, target, narrow(up)) else { continue };
        let off = off_target(&hierarchy.world(node).unwrap(), &target);
        assert!(!kept.is_exact() || off <= 1e-7, "{off}");
    }
}

/// In `f32`, as it is in `f64` by nalgebra: the axes are so skewed that they enclose next to nothing.
#[test]
fn a_covector_keeps_its_length_in_a_skewed_space() {
    let poses = [
        ([2.4, -2.1, -1.2], [1.0, 0.01, 100.0]),
        ([-0.9, -1.5, 1.5], [0.01, 1.0, 10.0]),
        ([1.5, -2.4, 0.3], [10.0, 1.0, 1.0]),
    ]
    .map(|(axis, scale): ([f64; 3], [f64; 3])| {
        Trs::from_rotation(UnitQuaternion::from_scaled_axis(axis.into())).with_scale(scale.into())
    });
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let mut node = None;
    for pose in poses {
        node = Some(hierarchy.insert(node, pose.cast()).unwrap());
    }
    let product = poses.iter().fold(Matrix4::identity(), |m, pose| m * pose.to_homogeneous());
    let covector = Vector3::new(0.3, -0.5, 0.8);
    let inverse = product.fixed_view::<3, 3>(0, 0).try_inverse().unwrap();
    let expected = inverse.transpose() * covector;
    let conversion = hierarchy.conversion(node.unwrap(), xform_core::Space::World).unwrap();
    let found = conversion.covector(&covector.cast()).unwrap().cast::<f64>();
    assert!((found - expected).norm() < 0.02 * expected.norm(), "{found} {expected}");
}

/// However large it is.
#[test]
fn nothing_is_called_exact_since_it_is_huge() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let flat = Trs::from_scale(Vector3::new(0.0, 1.0, 1.0));
    let parent = hierarchy.insert(None, flat).unwrap();
    let turn = UnitQuaternion::from_euler_angles(0.5, 0.3, 0.8);
    let node = hierarchy.insert(parent, Trs::from_rotation(turn)).unwrap();
    for size in [1.0, 1e37, 1e38] {
        let kept = hierarchy.set_world_scale(node, Vector3::repeat(size));
        assert!(!kept.is_ok_and(|kept| kept.is_exact()), "{size}");
    }
}

#[test]
fn an_update_is_a_setter_for_the_whole_pose() {
    for_every_strategy!(updates());
}

#[test]
fn an_hour_of_products_stays_a_rotation() {
    products_stay_rotations::<CombinedTrs<f32>>();
    products_stay_rotations::<CombinedTrs<f64>>();
}

#[test]
fn a_rotation_that_is_a_little_long_is_made_unit_wherever_it_is_given() {
    for_every_strategy!(is_taken_everywhere());
}

#[test]
fn a_rotation_that_is_far_too_long_is_refused_by_name() {
    for_every_strategy!(is_refused_beyond());
}
