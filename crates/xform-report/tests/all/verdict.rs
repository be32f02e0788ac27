//! Verdicts: what is said first of a scene, at rest and in motion.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use xform_compare::{Grade, compare};
use xform_core::Trs;
use xform_scene::{
    Animation, Bounds, LocalPose, Node, Scene, Warning, WarningCode,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::grades::verdict;

fn cube(size: f64) -> Bounds {
    let half = Point3::from(Vector3::repeat(size / 2.0));
    Bounds::Box(-half, half)
}

/// A box around the origin that makes the scene's diagonal this long.
fn ground(diagonal: f64) -> Scene {
    let half = Vector3::new(0.24, 0.32, 0.3) * diagonal;
    let bounds = Bounds::Box((-half).into(), half.into());
    let ground = Node::new(None, Trs::identity()).with_name("Ground").with_bounds(bounds);
    Scene::new("test", vec![ground])
}

fn stretch(by: f64) -> Vector3<f64> {
    Vector3::new(1.0 + by, 1.0, 1.0)
}

fn turn(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// Adds an arm that draws nothing, of a scale of 1 + `by` along X, and hands below it, each a cube turned about Z. By a
/// turn of t, a hand of size 1 moves by `by` · sin t / √2.
fn add(scene: &mut Scene, by: f64, size: f64, turns: &[f64]) -> usize {
    let arm = scene.nodes.len();
    let local = Trs::from_scale(stretch(by));
    let named = Node::new(None, local).with_name(format!("Arm{arm}"));
    scene.nodes.push(named.with_bounds(Bounds::Origin));
    for &degrees in turns {
        let name = format!("Hand{}", scene.nodes.len());
        let hand = Node::new(Some(arm), Trs::from_rotation(turn(degrees))).with_name(name);
        scene.nodes.push(hand.with_bounds(cube(size)));
    }
    arm
}

/// Adds a track to the only animation.
fn animate(scene: &mut Scene, node: usize, track: Track) {
    if scene.animations.is_empty() {
        scene.animations.push(Animation::new(0, Vec::new()));
    }
    scene.animations[0].channels.push(Channel { node, track });
}

/// Adds an arm as [`add`] does, which an animation stretches further.
fn add_moving(scene: &mut Scene, by: [f64; 2], size: f64, turns: &[f64]) {
    let arm = add(scene, by[0], size, turns);
    let scales = by.map(|by| stretch(by).into()).to_vec();
    let curve = Curve::new([0.0, 1.0], scales, Interpolation::Linear).unwrap();
    animate(scene, arm, Track::Scale(curve));
}

#[track_caller]
fn assert_says(scene: &Scene, words: &str) {
    let verdict = verdict(&compare(scene).unwrap());
    assert!(verdict.contains(words), "{verdict}");
}

#[track_caller]
fn assert_says_nothing_of_motion(scene: &Scene) {
    let verdict = verdict(&compare(scene).unwrap());
    assert!(!verdict.contains("In motion"), "{verdict}");
}

#[test]
fn of_nodes_that_move_by_the_same_the_first_is_named() {
    let mut scene = ground(100.0);
    add(&mut scene, 1.0, 1.0, &[90.0, 90.0]);
    assert_says(&scene, r#"is 0.7071 (0.707 % of the scene), at "Arm1/Hand2"."#);

    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 1.0], 1.0, &[90.0, 90.0]);
    assert_says(&scene, r#"is 0.7071 (0.707 % of the scene), at "Arm1/Hand2", 1 s into"#);
}

#[test]
fn the_largest_displacement_is_told_though_something_smaller_looks_worse() {
    // A cube is seen to move by two fifths of itself, a plate is not by less than a hundredth.
    let mut scene = ground(3000.0);
    add(&mut scene, 0.98, 1.0, &[90.0]);
    add(&mut scene, 0.02, 200.0, &[90.0]);
    assert_says(&scene, "1 of 5 nodes looks different");
    assert_says(&scene, r#"is 2.828 (0.0943 % of the scene), at "Arm3/Hand4"."#);

    let mut scene = ground(3000.0);
    add_moving(&mut scene, [0.0, 0.98], 1.0, &[90.0]);
    add_moving(&mut scene, [0.0, 0.02], 200.0, &[90.0]);
    assert_says(&scene, "In motion 1 node looks different");
    assert_says(&scene, r#"is 2.828 (0.0943 % of the scene), at "Arm3/Hand4", 1 s into"#);
}

#[test]
fn what_moves_the_same_in_both_is_safe_in_motion_unless_too_little_was_sampled() {
    let mut scene = ground(100.0);
    let places = Curve::new([0.0, 1.0], vec![[0.0; 3], [1.0; 3]], Interpolation::Linear).unwrap();
    animate(&mut scene, 0, Track::Translation(places));
    assert_says(&scene, "Safe at rest and in motion: the only node looks the same");
    scene.warnings.push(Warning::new(WarningCode::GpuInstancing, "/nodes/0", "instances"));
    assert_says(&scene, "Safe at rest and in motion: the only node looks the same");
    scene.warnings.push(Warning::new(WarningCode::AnimationThinned, "/animations/0", "long"));
    assert_says(&scene, "Safe at rest and in what was sampled of its motion: the only node");
}

#[test]
fn what_is_different_in_motion_alone_is_safe_at_rest_alone() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 9.0], 1.0, &[90.0]);
    assert_says(&scene, "Safe at rest: both nodes that draw anything look the same");
    assert_says(&scene, "In motion 1 node looks different, severely. The largest");
}

#[test]
fn what_is_seen_to_be_worse_in_motion_is_told() {
    // The second by less than rounding, but across the bound of the grade.
    for displacements in [[5.0, 10.0], [1.99996, 2.00001].map(|percent| percent / FRAC_1_SQRT_2)] {
        let mut scene = ground(100.0);
        add_moving(&mut scene, displacements, 1.0, &[90.0]);
        assert_says(
            &scene,
            "1 of 3 nodes looks different in Unreal and OGRE than in Unity, Godot, three.js",
        );
        assert_says(&scene, "In motion 1 node looks different, or more so than at rest, severely.");
    }
}

#[test]
fn what_is_more_skewed_in_motion_but_moves_by_the_same_is_not_told() {
    // 4 · sin 90° is 8 · sin 30°; but a quarter turn skews nothing.
    let mut scene = ground(100.0);
    let arm = add(&mut scene, 4.0, 1.0, &[90.0]);
    let scales = [4.0, 8.0].map(|by| stretch(by).into()).to_vec();
    let turns = [90.0, 30.0].map(|degrees| turn(degrees).coords.into()).to_vec();
    let scales = Curve::new([0.0, 1.0], scales, Interpolation::Step).unwrap();
    let turns = Curve::new([0.0, 1.0], turns, Interpolation::Step).unwrap();
    animate(&mut scene, arm, Track::Scale(scales));
    animate(&mut scene, arm + 1, Track::Rotation(turns));
    let audit = compare(&scene).unwrap();
    assert_eq!((audit.nodes[2].grade(), audit.ranking.in_motion.len()), (Grade::Severe, 1));
    assert_says_nothing_of_motion(&scene);
}

#[test]
fn what_is_hidden_at_rest_and_shown_in_motion_is_told() {
    // By matrices the arm does not stretch the way to the hand, by combined TRS it does.
    let mut scene = ground(100.0);
    let arm = add(&mut scene, 4.0, 1.0, &[90.0]);
    scene.nodes[arm + 1].bounds = Bounds::Origin;
    let hidden = Trs::from_scale(Vector3::zeros()).with_translation(Vector3::x());
    let hand = Node::new(Some(arm + 1), hidden).with_name("Shown");
    scene.nodes.push(hand.with_bounds(cube(1e-9)));
    let scales = vec![[0.0; 3], [1.0; 3]];
    let scales = Curve::new([0.0, 1.0], scales, Interpolation::Linear).unwrap();
    animate(&mut scene, arm + 2, Track::Scale(scales));
    assert_says(&scene, "Safe at rest: the only node that draws anything looks the same");
    assert_says(&scene, "In motion 1 node looks different, severely.");
}

#[test]
fn what_draws_nothing_is_not_counted_in_motion() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 9.0], 1.0, &[90.0]);
    scene.nodes[2].bounds = Bounds::Origin;
    let below = Trs::from_translation(Vector3::x());
    scene.nodes.push(Node::new(Some(2), below).with_bounds(Bounds::Origin));
    assert_says(&scene, "1 node that draws nothing moves by");
    assert_says_nothing_of_motion(&scene);
}

#[test]
fn what_nobody_sees_in_motion_is_told_where_nothing_is_seen_at_rest() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 0.001], 1.0, &[90.0]);
    assert_says(&scene, "In motion nothing that you would see looks different.");
    add(&mut scene, 9.0, 1.0, &[90.0]);
    assert_says(&scene, "1 of 5 nodes looks different");
    assert_says_nothing_of_motion(&scene);
}

#[test]
fn how_many_look_severely_different_is_told() {
    let mut scene = ground(100.0);
    add(&mut scene, 9.0, 1.0, &[90.0, 80.0]);
    assert_says(&scene, "2 of 4 nodes look different");
    assert_says(&scene, "Blender, both severely.");
    add(&mut scene, 1.0, 1.0, &[90.0]);
    assert_says(&scene, "3 of 6 nodes look different");
    assert_says(&scene, "Blender, 2 of them severely.");
    scene.nodes[4].local = LocalPose::Trs(Trs::from_scale(stretch(9.0)));
    assert_says(&scene, "Blender, all of them severely.");
}

#[test]
fn what_is_skewed_and_moves_by_next_to_nothing_is_named_without_a_displacement() {
    let mut scene = ground(1e7);
    add(&mut scene, 1.0, 1.0, &[45.0]);
    let nothing = r#"Nothing that you would see looks different. No bounds move by more than 0.0001 % of the scene; the worst node is "Arm1/Hand2"."#;
    assert_says(&scene, nothing);
    // At the bound it is still the same as nothing.
    let mut audit = compare(&scene).unwrap();
    audit.nodes[2].displacement_percent = Some(Grade::IDENTICAL_PERCENT);
    assert!(verdict(&audit).starts_with(nothing), "{}", verdict(&audit));
}

#[test]
fn beside_a_scene_without_extent_a_displacement_has_no_percentage() {
    // All in one point; and so by matrices alone, since the arm flattens the tip's place away.
    let from_axis_to_axis = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
    for (scale, rotation, away, told) in [
        (2.0, turn(45.0), 0.0, r#"No bounds move; the worst node is "Arm/Hand"."#),
        (0.0, from_axis_to_axis, 1.0, r#"The largest shift is 1, at "Arm/Hand/Tip"."#),
    ] {
        let arm = Trs::from_scale(Vector3::new(scale, 1.0, 1.0));
        let hand = Trs::from_rotation(rotation);
        let tip = Trs::from_translation(Vector3::new(0.0, 0.0, away));
        let nodes = [(None, arm, "Arm"), (Some(0), hand, "Hand"), (Some(1), tip, "Tip")];
        let nodes = nodes.map(|(parent, local, name)| {
            Node::new(parent, local).with_name(name).with_bounds(Bounds::Origin)
        });
        let audit = compare(&Scene::new("test", nodes.into())).unwrap();
        assert_eq!(audit.summary.diagonal, 0.0);
        assert!(verdict(&audit).contains(told), "{}", verdict(&audit));
    }
}
