//! Advice on what only animation does, against the same change made in the scene and compared anew.

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::{
    compare,
    judge::{MotionAdvice, Report},
};
use xform_core::Trs;
use xform_scene::{
    Animation, LocalPose, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

fn turn(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

fn quaternions(degrees: &[f64]) -> Vec<[f64; 4]> {
    degrees.iter().map(|&degrees| turn(degrees).into_inner().coords.into()).collect()
}

/// An arm and a hand below it, moved by one track.
fn moving(arm: Trs<f64>, hand: Trs<f64>, node: usize, track: Track) -> Scene {
    let nodes = vec![
        Node::new(None, arm).with_name("Arm"),
        Node::new(Some(0), hand.with_translation(Vector3::y())).with_name("Hand"),
    ];
    let mut scene = Scene::new("moving", nodes);
    scene.animations = vec![Animation::new(0, vec![Channel { node, track }])];
    scene
}

fn advice(scene: &Scene) -> MotionAdvice {
    Report::of_scene(scene).unwrap().advice_in_motion[0].clone().unwrap()
}

fn scales(values: Vec<[f64; 3]>) -> Track {
    let times: Vec<_> = (0..values.len()).map(|key| key as f64 / 2.0).collect();
    Track::Scale(Curve::new(times, values, Interpolation::Linear).unwrap())
}

#[test]
fn a_stretch_that_only_an_animation_makes_is_told_by_its_key() {
    let track = scales(vec![[1.0; 3], [3.0, 1.0, 1.0], [1.0; 3]]);
    let scene = moving(Trs::identity(), Trs::from_rotation(turn(30.0)), 0, track);
    let advice = advice(&scene);
    let [change] = advice.changes[..] else { panic!("{advice:?}") };
    assert_eq!((change.node, change.key, change.scale), (0, Some((1, 0.5)), [3.0, 1.0, 1.0]));
    assert!((change.uniform - 3_f64.cbrt()).abs() < 1e-15);
    assert!(advice.displacement.unwrap() < 1e-12 && advice.turn.is_none());
}

/// A hand that turns is worst between the keys of the arm's stretch, which counts at both.
#[test]
fn between_two_keys_both_are_told_and_what_is_left_is_measured() {
    let mut scene = moving(
        Trs::identity(),
        Trs::identity(),
        0,
        scales(vec![[1.0; 3], [3.0, 1.0, 1.0], [3.0, 2.0, 1.0], [1.0; 3]]),
    );
    let turns = quaternions(&[0.0, 0.0, 90.0, 0.0, 0.0]);
    let turns = Curve::new([0.0, 0.5, 0.7, 0.9, 1.5], turns, Interpolation::Linear).unwrap();
    scene.animations[0].channels.push(Channel { node: 1, track: Track::Rotation(turns) });
    let report = Report::of_scene(&scene).unwrap();
    let worst = &report.audit.at_worst[0];
    let advice = report.advice_in_motion[0].as_ref().unwrap();
    let keys: Vec<_> = advice.changes.iter().map(|change| change.key).collect();
    assert_eq!(keys, [Some((1, 0.5)), Some((2, 1.0))]);
    // The same, by hand.
    let [first, second] = [3_f64.cbrt(), 6_f64.cbrt()];
    let by_hand = scales(vec![[1.0; 3], [first; 3], [second; 3], [1.0; 3]]);
    scene.animations[0].channels[0].track = by_hand;
    let after = compare(&scene.posed(0, worst.seconds)).unwrap();
    let left = after.nodes[1].displacement.unwrap();
    assert!((advice.displacement.unwrap() - left).abs() < 1e-12, "{advice:?}, {left}");
    assert!(left < 1e-12);
    let whole = compare(&scene).unwrap();
    let in_animation = whole.animations[0].nodes.iter().find(|node| node.index == 1);
    let left = in_animation.unwrap().displacement.unwrap();
    let (most, seconds) = advice.in_animation.unwrap();
    assert!((most - left.max).abs() < 1e-12 && seconds == left.seconds, "{advice:?}, {left:?}");
    // A corner of the arm's cube, from (3, 1, 1) to even; in both strategies, since nothing is above it. What hangs there moves farther.
    let corner = Vector3::new(3.0 - first, 1.0 - first, 1.0 - first).norm() / 2.0;
    assert!(advice.moves.iter().all(|&moved| moved >= corner), "{advice:?}, {corner}");
}

/// The keys of the arm's scale that are to be changed, where the hand is turned from one time to another.
fn keys(arm: Track, turned: [f64; 2]) -> Vec<Option<(usize, f64)>> {
    let mut scene = moving(Trs::identity(), Trs::identity(), 0, arm);
    let turns = quaternions(&[0.0, 40.0, 0.0]);
    let middle = (turned[0] + turned[1]) / 2.0;
    let turns = Curve::new([turned[0], middle, turned[1]], turns, Interpolation::Linear).unwrap();
    scene.animations[0].channels.push(Channel { node: 1, track: Track::Rotation(turns) });
    advice(&scene).changes.iter().map(|change| change.key).collect()
}

#[test]
fn at_a_key_and_after_the_last_one_only_that_key_is_told() {
    let non_uniform = || scales(vec![[1.0; 3], [3.0, 1.0, 1.0], [3.0, 2.0, 1.0]]);
    assert_eq!(keys(non_uniform(), [0.4, 0.6]), [Some((1, 0.5))]);
    assert_eq!(keys(non_uniform(), [2.0, 3.0]), [Some((2, 1.0))]);
}

#[test]
fn between_two_keys_of_a_step_the_first_is_told() {
    let values = vec![[1.0; 3], [3.0, 1.0, 1.0], [3.0, 2.0, 1.0]];
    let step = Curve::new([0.0, 0.5, 1.0], values, Interpolation::Step).unwrap();
    assert_eq!(keys(Track::Scale(step), [0.6, 0.8]), [Some((1, 0.5))]);
}

#[test]
fn a_turn_below_a_stretch_that_stands_still_is_told_with_that() {
    let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let turns = Curve::new([0.0, 1.0, 2.0], quaternions(&[0.0, 40.0, 0.0]), Interpolation::Linear);
    let scene = moving(stretched, Trs::identity(), 1, Track::Rotation(turns.unwrap()));
    let advice = advice(&scene);
    let [change] = advice.changes[..] else { panic!("{advice:?}") };
    assert_eq!((change.node, change.key, change.scale), (0, None, [2.0, 1.0, 1.0]));
    assert_eq!(advice.turn.map(|(node, key, _)| (node, key)), Some((1, 1)));
    assert!(advice.displacement.unwrap() < 1e-12);
}

#[test]
fn a_spline_is_made_uniform_with_its_tangents() {
    let keys = [[1.0; 3], [3.0, 1.0, 1.0], [1.0; 3]];
    let values = keys.iter().flat_map(|&key| [[5.0, 0.0, 0.0], key, [5.0, 0.0, 0.0]]).collect();
    let track =
        Track::Scale(Curve::new([0.0, 1.0, 2.0], values, Interpolation::CubicSpline).unwrap());
    let scene = moving(Trs::identity(), Trs::from_rotation(turn(30.0)), 0, track);
    let advice = advice(&scene);
    // The tangents of a key beside it, which is uniform, are left as they are.
    assert!(advice.changes.iter().all(|change| change.key.is_some_and(|(key, _)| key == 1)));
    let report = Report::of_scene(&scene).unwrap();
    let before = report.audit.at_worst[0].node.displacement.unwrap();
    assert!(advice.displacement.unwrap() < before, "{advice:?}");
}

#[test]
fn nothing_is_advised_where_nothing_can_be_changed() {
    let track = scales(vec![[1.0; 3], [1.0001, 1.0, 1.0]]);
    let scene = moving(Trs::identity(), Trs::from_rotation(turn(30.0)), 0, track);
    let report = Report::of_scene(&scene).unwrap();
    assert!(report.advice_in_motion.iter().all(Option::is_none), "too little to be seen");
    assert!(matches!(scene.nodes[0].local, LocalPose::Trs(_)));
}
