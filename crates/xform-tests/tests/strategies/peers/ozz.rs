//! ozz-animation: local poses of a skeleton to model space, all at once or some.

use std::slice::from_ref;

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_core::{Hierarchy, Topology, Transform, Trs, slices::SubtreeRanges};
use xform_matrix::AccumulatedMatrix;

use super::in_both::{at, in_both, near};

fn quarter() -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2)
}

fn scaled(pose: Trs<f64>, scale: f64) -> Trs<f64> {
    pose.with_scale(Vector3::repeat(scale))
}

/// A model's place, and its even scale, turned by a quarter or not.
fn model(place: [f64; 3], turns: bool, scale: f64) -> Matrix4<f64> {
    let turn = if turns { quarter() } else { UnitQuaternion::identity() };
    Matrix4::new_translation(&place.into()) * turn.to_homogeneous() * Matrix4::new_scaling(scale)
}

/// The skeleton of "TransformationFromTo": two roots and six below the first.
fn eight() -> (Topology, [Trs<f64>; 8], [Matrix4<f64>; 8]) {
    let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(4), Some(3), None];
    let poses = [
        at(2.0, 2.0, 2.0),
        Trs::from_rotation(quarter()),
        scaled(at(-2.0, -2.0, -2.0), 10.0),
        at(1.0, 2.0, 4.0),
        at(12.0, 46.0, -12.0),
        scaled(Trs::identity(), -0.1),
        at(3.0, 4.0, 5.0),
        at(6.0, 7.0, 8.0),
    ];
    let models = [
        model([2.0, 2.0, 2.0], false, 1.0),
        model([2.0, 2.0, 2.0], true, 1.0),
        model([0.0, 0.0, 4.0], true, 10.0),
        model([3.0, 4.0, 6.0], false, 1.0),
        model([15.0, 50.0, -6.0], false, 1.0),
        model([15.0, 50.0, -6.0], false, -0.1),
        model([6.0, 8.0, 11.0], false, 1.0),
        model([6.0, 7.0, 8.0], false, 1.0),
    ];
    (Topology::from_parents(&parents).unwrap(), poses, models)
}

/// That these slots are as they should be, and all others untouched.
fn only<X: Transform<Scalar = f64>>(found: &[X], updated: &[usize], models: &[Matrix4<f64>]) {
    for (slot, (found, model)) in found.iter().zip(models).enumerate() {
        let expected = if updated.contains(&slot) { *model } else { Matrix4::identity() };
        near(&found.to_homogeneous(), &expected);
    }
}

in_both! {
    /// guillaumeblanc/ozz-animation, test/animation/runtime/local_to_model_job_tests.cc, "Transformation"
    fn six_joints_are_where_their_figures_say_with_and_without_a_root<X>() {
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(3)];
        let topology = Topology::from_parents(&parents).unwrap();
        let poses = [
            at(2.0, 2.0, 2.0),
            Trs::from_rotation(quarter()),
            at(1.0, 2.0, 4.0),
            scaled(at(-2.0, -2.0, -2.0), 10.0),
            at(12.0, 46.0, -12.0),
            scaled(Trs::identity(), -0.1),
        ];
        let models = [
            model([2.0, 2.0, 2.0], false, 1.0),
            model([2.0, 2.0, 2.0], true, 1.0),
            model([6.0, 4.0, 1.0], true, 1.0),
            model([0.0, 0.0, 0.0], false, 10.0),
            model([120.0, 460.0, -120.0], false, 10.0),
            model([0.0, 0.0, 0.0], false, -1.0),
        ];
        let mut found = [X::identity(); 6];
        X::accumulate(&topology, &poses, &mut found, from_ref(&(0..6)));
        only(&found, &[0, 1, 2, 3, 4, 5], &models);
        let mut scene = Hierarchy::<X>::new();
        let joints = scene.insert_forest(None, &parents, &poses).unwrap();
        let worlds: Vec<_> = joints.iter().map(|&joint| scene.world(joint).unwrap()).collect();
        only(&worlds, &[0, 1, 2, 3, 4, 5], &models);
        let root = at(4.0, 3.0, 2.0);
        X::accumulate_below(&X::from(root), &topology, &poses, &mut found, from_ref(&(0..6)));
        only(&found, &[0, 1, 2, 3, 4, 5], &models.map(|model| root.to_homogeneous() * model));
    }

    /// guillaumeblanc/ozz-animation, test/animation/runtime/local_to_model_job_tests.cc, "TransformationFromTo"
    fn from_a_joint_all_below_it_are_updated_and_no_others<X>() {
        let (topology, poses, models) = eight();
        let mut below = SubtreeRanges::new(&topology);
        let mut full = [X::identity(); 8];
        X::accumulate(&topology, &poses, &mut full, from_ref(&(0..8)));
        only(&full, &[0, 1, 2, 3, 4, 5, 6, 7], &models);
        let cases: [(usize, &[usize], &[usize]); 6] = [
            (0, &[], &[0, 1, 2, 3, 4, 5, 6]),
            (7, &[], &[7]),
            (1, &[0], &[0, 1, 2]),
            (3, &[0], &[0, 3, 4, 5, 6]),
            (5, &[4], &[4, 5]),
            (6, &[3], &[3, 6]),
        ];
        for (from, known, updated) in cases {
            let mut found = [X::identity(); 8];
            known.iter().for_each(|&slot| found[slot] = full[slot]);
            X::accumulate(&topology, &poses, &mut found, below.of([from]));
            only(&found, updated, &models);
        }
        // Not as there: a job has a first and a last joint. Here there may be any number of ranges.
        let mut found = [X::identity(); 8];
        X::accumulate(&topology, &poses, &mut found, from_ref(&(0..3)));
        only(&found, &[0, 1, 2], &models);
    }

    /// guillaumeblanc/ozz-animation, test/animation/runtime/local_to_model_job_tests.cc, "TransformationFromToExclude"
    fn a_joint_that_is_left_out_carries_those_below_it_as_it_is<X>() {
        let (topology, poses, _) = eight();
        let mut found = [X::identity(); 8];
        let moved = X::from(at(1.0, 1.0, 1.0));
        found[1] = moved;
        // The one below slot 1, without it: a constraint has put that where its pose does not.
        X::accumulate(&topology, &poses, &mut found, from_ref(&(2..3)));
        assert_eq!(found[1], moved);
        near(&found[2].to_homogeneous(), &model([-1.0, -1.0, -1.0], false, 10.0));
        let untouched = found;
        X::accumulate(&topology, &poses, &mut found, &[]);
        assert_eq!(found, untouched);
    }

    /// guillaumeblanc/ozz-animation, test/animation/runtime/local_to_model_job_tests.cc, "Empty"
    fn a_skeleton_without_joints_is_one<X>() {
        X::accumulate(&Topology::from_parents(&[]).unwrap(), &[], &mut [], &[]);
        assert_eq!(Hierarchy::<X>::new().insert_forest(None, &[], &[]), Ok(vec![]));
    }
}

/// guillaumeblanc/ozz-animation, test/animation/runtime/local_to_model_job_tests.cc, "JobValidity"
#[test]
#[should_panic(expected = "one world transform per slot")]
fn too_little_room_for_models_is_a_mistake() {
    let (topology, poses, _) = eight();
    let mut found = [AccumulatedMatrix::identity(); 7];
    // Not as there: a job that is not valid returns false. Here lengths that do not fit are a mistake of the program.
    AccumulatedMatrix::accumulate(&topology, &poses, &mut found, from_ref(&(0..7)));
}
