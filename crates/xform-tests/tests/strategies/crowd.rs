//! A crowd is as many hierarchies side by side.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    PoseError, Topology, Transform, Trs,
    crowd::{Crowd, CrowdTransform},
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// Rounding errors a step, in units of the last place of the largest entry on the way.
const ROUNDINGS: f32 = 32.0;

fn pose() -> impl Strategy<Value = Trs<f32>> {
    let vector =
        |range: std::ops::Range<f32>| proptest::array::uniform3(range).prop_map(Vector3::from);
    (vector(-2.0..2.0), vector(-3.0..3.0), vector(-1.5..1.5))
        .prop_map(|(t, axis, s)| Trs::from_parts(t, UnitQuaternion::from_scaled_axis(axis), s))
}

/// A topology and the poses of all joints of each instance.
fn crowd() -> impl Strategy<Value = (Topology, Vec<Vec<Trs<f32>>>)> {
    (0_usize..12, 0_usize..20).prop_flat_map(|(joints, instances)| {
        let parents = (0..joints).map(|joint| {
            proptest::option::of(0..joint.max(1)).prop_map(move |p| p.filter(|&p| p < joint))
        });
        let locals = proptest::collection::vec(pose(), joints);
        let topology = parents
            .collect::<Vec<_>>()
            .prop_map(|parents| Topology::from_parents(&parents).unwrap());
        (topology, proptest::collection::vec(locals, instances))
    })
}

fn check<X: CrowdTransform>(topology: &Topology, instances: &[Vec<Trs<f32>>]) {
    let mut crowd = Crowd::<X>::new(topology.clone(), instances.len());
    for (instance, locals) in instances.iter().enumerate() {
        if instance % 2 == 0 {
            crowd.set_locals(instance, locals).unwrap();
        } else {
            let mut joints = locals.iter().enumerate();
            joints.try_for_each(|(joint, local)| crowd.set_local(joint, instance, *local)).unwrap();
        }
    }
    crowd.propagate();
    assert_eq!((crowd.topology(), crowd.instances()), (topology, instances.len()));
    for (instance, locals) in instances.iter().enumerate() {
        let mut plain = vec![X::identity(); topology.len()];
        X::accumulate(topology, locals, &mut plain, std::slice::from_ref(&(0..topology.len())));
        let nowhere = Trs::from_translation(Vector3::repeat(1e9));
        let mut worlds = vec![X::identity().concat(&nowhere); topology.len()];
        crowd.copy_worlds_to(instance, &mut worlds);
        let size = plain.iter().map(|w| w.to_homogeneous().amax()).fold(10.0, f32::max);
        for (joint, (plain, world)) in plain.iter().zip(&worlds).enumerate() {
            let difference = (plain.to_homogeneous() - world.to_homogeneous()).amax();
            let steps = topology.len() as f32;
            assert!(difference <= ROUNDINGS * steps * f32::EPSILON * size, "joint {joint}");
            assert_eq!(crowd.local(joint, instance), locals[joint]);
        }
    }
}

properties! {
    #[test]
    fn each_instance_is_as_if_it_were_alone((topology, instances) in crowd()) {
        check::<AccumulatedMatrix<f32>>(&topology, &instances);
        check::<CombinedTrs<f32>>(&topology, &instances);
    }
}

#[test]
fn a_pose_that_is_refused_changes_nothing() {
    let topology = Topology::from_parents(&[None, Some(0)]).unwrap();
    let mut crowd = Crowd::<CombinedTrs<f32>>::new(topology, 3);
    let moved = Trs::from_translation(Vector3::x());
    let flawed = moved.with_scale(Vector3::repeat(f32::NAN));
    assert_eq!(crowd.set_locals(1, &[moved, flawed]), Err(PoseError::ScaleNotFinite));
    assert_eq!(crowd.set_local(1, 1, flawed), Err(PoseError::ScaleNotFinite));
    crowd.propagate();
    assert_eq!(crowd.world(1, 1), CombinedTrs::identity());
}

#[test]
fn a_nan_in_one_instance_stays_there() {
    let topology = Topology::from_parents(&[None, Some(0)]).unwrap();
    let mut crowd = Crowd::<AccumulatedMatrix<f32>>::new(topology, 5);
    let huge = Trs::from_scale(Vector3::repeat(f32::MAX));
    crowd.set_locals(2, &[huge, huge]).unwrap();
    crowd.propagate();
    assert!(!crowd.world(1, 2).matrix()[(0, 0)].is_finite());
    for instance in [0, 1, 3, 4] {
        assert_eq!(crowd.world(1, instance), AccumulatedMatrix::identity());
    }
}

#[test]
#[should_panic(expected = "an instance of the crowd")]
fn a_lane_that_no_instance_has_cannot_be_read() {
    let _ = Crowd::<CombinedTrs<f32>>::new(Topology::from_parents(&[None]).unwrap(), 1).world(0, 1);
}

/// As far off unit length as a pose may be, and down a chain in which an error that is not taken back would double
/// at every step.
fn off_unit<X: CrowdTransform>() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -1.1, 0.7));
    let parents: Vec<_> = (0..64_usize).map(|joint| joint.checked_sub(1)).collect();
    let topology = Topology::from_parents(&parents).unwrap();
    for length in [0.999_92, 1.000_08] {
        let off = UnitQuaternion::new_unchecked(turn.into_inner() * length);
        let mut crowd = Crowd::<X>::new(topology.clone(), 1);
        let mut locals = vec![Trs::identity(); 64];
        locals[0] = Trs::from_rotation(off);
        crowd.set_locals(0, &locals).unwrap();
        crowd.propagate();
        for joint in [0, 1, 63] {
            let found = crowd.world(joint, 0).to_homogeneous();
            // Uncorrected it would be off by 2e-4; what is left is of second order, less than rounding.
            let difference = (found - turn.to_homogeneous()).abs();
            assert!(difference.iter().all(|&entry| entry < 2e-6), "{length} {joint}: {difference}");
        }
        let Some(local) = crowd.world(63, 0).parts() else { continue };
        assert!((local.rotation.coords.norm() - 1.0).abs() < 1e-6, "{length}");
    }
}

#[test]
fn a_quaternion_off_unit_length_is_taken_back_to_it_to_first_order() {
    off_unit::<AccumulatedMatrix<f32>>();
    off_unit::<CombinedTrs<f32>>();
}
