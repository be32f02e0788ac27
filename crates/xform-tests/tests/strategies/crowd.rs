//! A crowd is as many hierarchies side by side.

use std::slice::from_ref;

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    InstructionSet, PoseError, Topology, Transform, Trs,
    crowd::{Crowd, CrowdError, CrowdTransform, InverseBinds, LANES, TrsBlock},
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// Rounding errors a step, in units of the last place of the largest entry on the way.
const ROUNDINGS: f64 = 32.0;

fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vector3<f32>> {
    proptest::array::uniform3(range).prop_map(Vector3::from)
}

fn pose() -> impl Strategy<Value = Trs<f32>> {
    (vector(-2.0..2.0), vector(-3.0..3.0), vector(-1.5..1.5))
        .prop_map(|(t, axis, s)| Trs::from_parts(t, UnitQuaternion::from_scaled_axis(axis), s))
}

/// A topology, the poses of all joints of each instance, and whether each takes part.
#[derive(Clone, Debug)]
struct Known {
    topology: Topology,
    instances: Vec<Vec<Trs<f32>>>,
    active: Vec<bool>,
}

fn crowd() -> impl Strategy<Value = Known> {
    (0_usize..12, 0_usize..20).prop_flat_map(|(joints, instances)| {
        let parents = (0..joints).map(|joint| {
            proptest::option::of(0..joint.max(1)).prop_map(move |p| p.filter(|&p| p < joint))
        });
        let locals = proptest::collection::vec(pose(), joints);
        let topology = parents
            .collect::<Vec<_>>()
            .prop_map(|parents| Topology::from_parents(&parents).unwrap());
        let instances =
            proptest::collection::vec((locals, proptest::bool::weighted(0.7)), instances);
        (topology, instances).prop_map(|(topology, instances)| {
            let (instances, active) = instances.into_iter().unzip();
            Known { topology, instances, active }
        })
    })
}

impl Known {
    /// Each instance set by another road.
    fn crowd<X: CrowdTransform>(&self) -> Crowd<X> {
        let mut crowd = Crowd::<X>::new(self.topology.clone(), self.instances.len());
        for (instance, locals) in self.instances.iter().enumerate() {
            crowd.set_active(instance, self.active[instance]);
            match instance % 3 {
                0 => crowd.set_locals(instance, locals),
                1 => {
                    let joints = locals.iter().enumerate();
                    joints.for_each(|(joint, local)| crowd.set_local(joint, instance, *local));
                }
                _ => {
                    let first = instance / LANES * locals.len();
                    let blocks = crowd.blocks_mut()[first..].iter_mut();
                    blocks
                        .zip(locals)
                        .for_each(|(block, pose)| block.set_lane(instance % LANES, pose));
                }
            }
        }
        crowd
    }

    /// The world matrices of an instance in `f64`, and what they may be off for each step.
    fn oracle<X: Transform<Scalar = f64>>(&self, instance: usize) -> (Vec<Matrix4<f64>>, f64) {
        let locals: Vec<_> = self.instances[instance].iter().map(Trs::cast).collect();
        let mut worlds = vec![X::identity(); locals.len()];
        X::accumulate(&self.topology, &locals, &mut worlds, from_ref(&(0..locals.len())));
        let worlds: Vec<_> = worlds.iter().map(X::to_homogeneous).collect();
        let size = worlds.iter().map(Matrix4::amax).fold(10.0, f64::max);
        (worlds, ROUNDINGS * locals.len() as f64 * f64::from(f32::EPSILON) * size)
    }
}

/// The instruction sets that this processor has.
fn available() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL.into_iter().filter(|set| set.is_available())
}

fn check<X: CrowdTransform + PartialEq, O: Transform<Scalar = f64>>(
    known: &Known,
    by: InstructionSet,
) {
    let (joints, instances) = (known.topology.len(), known.instances.len());
    let mut crowd = known.crowd::<X>();
    assert_eq!((crowd.topology(), crowd.instances()), (&known.topology, instances));
    assert_eq!(crowd.propagate_by(by), Ok(()));
    assert_eq!(crowd.world_blocks().len(), joints * instances.div_ceil(LANES));
    let nowhere = X::identity().concat(&Trs::from_translation(Vector3::repeat(1e9)));
    let mut all = vec![nowhere; joints * instances];
    crowd.copy_all_worlds_to(&mut all);
    for (instance, locals) in known.instances.iter().enumerate() {
        assert_eq!(crowd.is_active(instance), known.active[instance]);
        let mut worlds = vec![nowhere; joints];
        crowd.copy_worlds_to(instance, &mut worlds);
        let (oracle, off) = known.oracle::<O>(instance);
        for joint in 0..joints {
            assert_eq!(crowd.local(joint, instance), locals[joint]);
            assert!(worlds[joint] == crowd.world(joint, instance));
            assert!(worlds[joint] == all[instance * joints + joint]);
            let found = worlds[joint].to_homogeneous().cast::<f64>();
            let difference = (found - oracle[joint]).amax();
            assert!(
                !known.active[instance] || difference <= off,
                "{instance} {joint}: {difference}"
            );
        }
    }
    // All at once is as one by one.
    let locals: Vec<_> = known.instances.iter().flatten().copied().collect();
    let mut at_once = Crowd::<X>::new(known.topology.clone(), instances);
    at_once.set_all_locals(&locals);
    let of = |crowd: &mut Crowd<X>| crowd.blocks_mut().to_vec();
    assert_eq!(of(&mut at_once), of(&mut crowd));
}

/// Skinning matrices of some joints in any order, some more than once, beside world × inverse bind in `f64`.
fn check_skin<X: CrowdTransform, O: Transform<Scalar = f64>>(
    known: &Known,
    mesh: &[(usize, Trs<f32>)],
    by: InstructionSet,
) {
    let (joints, instances) = (known.topology.len(), known.instances.len());
    let mesh: Vec<_> = mesh
        .iter()
        .filter(|_| joints > 0)
        .map(|(joint, bind)| (joint % joints, bind.to_homogeneous()))
        .collect();
    let inverse_binds = InverseBinds::new(mesh.iter().copied());
    assert_eq!((inverse_binds.len(), inverse_binds.is_empty()), (mesh.len(), mesh.is_empty()));
    let mut crowd = known.crowd::<X>();
    crowd.propagate_by(by).unwrap();
    let before = [7.0; 12];
    let mut palettes = vec![before; mesh.len() * instances];
    crowd.skin_into_by(by, &inverse_binds, &mut palettes);
    for instance in 0..instances {
        let (oracle, off) = known.oracle::<O>(instance);
        for (i, (joint, bind)) in mesh.iter().enumerate() {
            let found = palettes[instance * mesh.len() + i];
            if !known.active[instance] {
                assert_eq!(found, before);
                continue;
            }
            let expected = oracle[*joint] * bind.cast::<f64>();
            for (entry, found) in found.into_iter().enumerate() {
                let difference = (f64::from(found) - expected[(entry / 4, entry % 4)]).abs();
                assert!(difference <= 16.0 * off, "{instance} {joint} {entry}: {difference}");
            }
        }
    }
}

properties! {
    #[test]
    fn each_instance_is_as_if_it_were_alone(known in crowd()) {
        for by in available() {
            check::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&known, by);
            check::<CombinedTrs<f32>, CombinedTrs<f64>>(&known, by);
        }
    }

    #[test]
    fn skinning_matrices_are_the_world_matrix_times_the_inverse_bind(
        known in crowd(),
        mesh in proptest::collection::vec((0_usize..12, pose()), 0..6),
    ) {
        for by in available() {
            check_skin::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&known, &mesh, by);
            check_skin::<CombinedTrs<f32>, CombinedTrs<f64>>(&known, &mesh, by);
        }
    }
}

fn chain(joints: usize) -> Topology {
    let parents: Vec<_> = (0..joints).map(|joint| joint.checked_sub(1)).collect();
    Topology::from_parents(&parents).unwrap()
}

fn a_refused_pose_is_named_and_harms_nobody_else<X: CrowdTransform + PartialEq>(
    by: InstructionSet,
) {
    let moved = Trs::from_translation(Vector3::x());
    let flawed = moved.with_scale(Vector3::repeat(f32::NAN));
    let mut crowd = Crowd::<X>::new(chain(2), 11);
    (0..11).for_each(|instance| crowd.set_locals(instance, &[moved, moved]));
    crowd.set_local(0, 9, flawed);
    crowd.set_local(0, 6, moved.with_translation(Vector3::repeat(f32::INFINITY)));
    crowd.set_local(1, 5, flawed);
    let error = CrowdError { instance: 5, joint: 1, error: PoseError::ScaleNotFinite };
    assert_eq!(crowd.propagate_by(by), Err(error));
    assert_eq!(error.to_string(), "joint 1 of instance 5: scale is not finite");
    let two = X::identity().concat(&moved).concat(&moved);
    for instance in (0..11).filter(|instance| ![5, 6, 9].contains(instance)) {
        assert!(crowd.world(1, instance) == two, "{instance}");
    }
    crowd.set_active(5, false);
    assert_eq!(crowd.propagate_by(by).unwrap_err().instance, 6);
    (5..10).for_each(|instance| crowd.set_active(instance, false));
    assert_eq!(crowd.propagate_by(by), Ok(()));
}

#[test]
fn a_pose_that_is_refused_is_named_and_harms_nobody_else() {
    for by in available() {
        a_refused_pose_is_named_and_harms_nobody_else::<AccumulatedMatrix<f32>>(by);
        a_refused_pose_is_named_and_harms_nobody_else::<CombinedTrs<f32>>(by);
    }
}

#[test]
fn an_overflow_in_one_instance_stays_there() {
    for by in available() {
        let mut crowd = Crowd::<AccumulatedMatrix<f32>>::new(chain(2), 5);
        let huge = Trs::from_scale(Vector3::repeat(f32::MAX));
        crowd.set_locals(2, &[huge, huge]);
        assert_eq!(crowd.propagate_by(by), Ok(()));
        assert!(!crowd.world(1, 2).matrix()[(0, 0)].is_finite());
        for instance in [0, 1, 3, 4] {
            assert_eq!(crowd.world(1, instance), AccumulatedMatrix::identity());
        }
    }
}

#[test]
fn lanes_beyond_the_last_instance_may_hold_anything() {
    for by in available() {
        let mut crowd = Crowd::<CombinedTrs<f32>>::new(chain(2), 5);
        let nan = [[f32::NAN; LANES]; 3];
        crowd.blocks_mut()[3].scale = nan;
        crowd.set_locals(4, &[Trs::identity(); 2]);
        assert_eq!(crowd.propagate_by(by), Ok(()));
        assert_eq!(crowd.world(1, 4), CombinedTrs::identity());
    }
}

#[test]
#[should_panic(expected = "an instance of the crowd")]
fn a_lane_that_no_instance_has_cannot_be_read() {
    let _ = Crowd::<CombinedTrs<f32>>::new(chain(1), 1).world(0, 1);
}

#[test]
#[should_panic(expected = "one for each inverse bind and instance")]
fn a_buffer_of_another_length_is_a_mistake() {
    let crowd = Crowd::<CombinedTrs<f32>>::new(chain(1), 2);
    crowd.skin_into(&InverseBinds::new([(0, Matrix4::identity())]), &mut [[0.0; 12]; 3]);
}

/// As far off unit length as a pose may be, and down a chain in which an error that is not taken back would double
/// at every step.
fn off_unit<X: CrowdTransform>(by: InstructionSet) {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -1.1, 0.7));
    for length in [0.990_1, 0.999_92, 1.000_08, 1.009_9] {
        let off = UnitQuaternion::new_unchecked(turn.into_inner() * length);
        let mut crowd = Crowd::<X>::new(chain(64), 1);
        crowd.set_local(0, 0, Trs::from_rotation(off));
        crowd.propagate_by(by).unwrap();
        for joint in [0, 1, 63] {
            let found = crowd.world(joint, 0).to_homogeneous();
            let difference = (found - turn.to_homogeneous()).abs();
            assert!(difference.iter().all(|&entry| entry < 2e-6), "{length} {joint}: {difference}");
        }
        let Some(local) = crowd.world(63, 0).parts() else { continue };
        assert!((local.rotation.coords.norm() - 1.0).abs() < 1e-6, "{length}");
    }
}

#[test]
fn a_quaternion_off_unit_length_is_taken_back_to_it() {
    for by in available() {
        off_unit::<AccumulatedMatrix<f32>>(by);
        off_unit::<CombinedTrs<f32>>(by);
    }
}

/// So many joints that several threads share them, where there are several.
#[test]
fn many_joints_are_as_few() {
    let poses: [Trs<f32>; 7] = std::array::from_fn(|i| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.2, 0.3) * (i + 1) as f32);
        Trs::from_parts(Vector3::new(1.0, i as f32, 0.5), turn, Vector3::new(1.0, 0.9, 1.1))
    });
    let locals = |instance: usize| -> Vec<_> {
        (0..40).map(|joint| poses[(joint * 3 + instance) % 7]).collect()
    };
    let mut many = Crowd::<AccumulatedMatrix<f32>>::new(chain(40), 1_001);
    (0..1_001).for_each(|instance| many.set_locals(instance, &locals(instance)));
    many.propagate().unwrap();
    let binds = InverseBinds::new((0..40).map(|joint| (joint, Matrix4::identity())));
    let mut palettes = vec![[0.0; 12]; 40 * 1_001];
    many.skin_into(&binds, &mut palettes);
    for instance in [0, 3, 500, 1_000] {
        let mut alone = Crowd::<AccumulatedMatrix<f32>>::new(chain(40), 1);
        alone.set_locals(0, &locals(instance));
        alone.propagate().unwrap();
        let mut palette = vec![[0.0; 12]; 40];
        alone.skin_into(&binds, &mut palette);
        assert_eq!(palettes[40 * instance..][..40], palette);
    }
    let broken = Trs::from_scale(Vector3::repeat(f32::NAN));
    [990, 77, 500].into_iter().for_each(|instance| many.set_local(3, instance, broken));
    assert_eq!(many.propagate().unwrap_err().instance, 77);
}

#[test]
fn crowds_of_several_skeletons_write_to_parts_of_one_buffer() {
    let step = Trs::from_translation(Vector3::x());
    let mut buffer = vec![[0.0; 12]; 3 * 2 + 2 * 5];
    let mut rest = buffer.as_mut_slice();
    for (joints, instances) in [(3, 2), (2, 5)] {
        let mut crowd = Crowd::<CombinedTrs<f32>>::new(chain(joints), instances);
        crowd.set_all_locals(&vec![step; joints * instances]);
        crowd.propagate().unwrap();
        let binds = InverseBinds::new((0..joints).map(|joint| (joint, Matrix4::identity())));
        let (part, others) = rest.split_at_mut(joints * instances);
        crowd.skin_into(&binds, part);
        rest = others;
    }
    let xs: Vec<_> = buffer.iter().map(|rows| rows[3]).collect();
    assert_eq!(xs[..6], [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    assert_eq!(xs[6..], [1.0, 2.0].repeat(5));
}

#[test]
fn blocks_hold_a_pose_for_each_lane() {
    let poses = [1.0, 2.0, 3.0, 4.0].map(|x| Trs::from_translation(Vector3::new(x, 0.0, -x)));
    let block = TrsBlock::from(poses);
    assert_eq!(block.translation, [[1.0, 2.0, 3.0, 4.0], [0.0; 4], [-1.0, -2.0, -3.0, -4.0]]);
    assert_eq!([0, 1, 2, 3].map(|lane| block.lane(lane)), poses);
    assert_eq!(TrsBlock::IDENTITY.lane(3), Trs::identity());
}
