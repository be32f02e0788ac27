//! Verdicts: what is said first of a scene, at rest and in motion.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use xform_compare::compare;
use xform_core::Trs;
use xform_scene::{
    Animation, Bounds, Node, Scene, Warning, WarningCode,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::grades::{text, verdict};

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
    let text = text(&compare(scene).unwrap());
    assert!(text.contains(words), "{text}");
}

#[test]
fn of_nodes_that_move_by_the_same_the_first_is_named() {
    let mut scene = ground(100.0);
    add(&mut scene, 1.0, 1.0, &[90.0, 90.0]);
    assert_says(
        &scene,
        r#"Visible in combined TRS compared with accumulated matrices: 2 of 4 nodes look different, by up to 0.707 % of the scene, most at "Arm1/Hand2"."#,
    );

    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 1.0], 1.0, &[90.0, 90.0]);
    assert_says(&scene, r#"by up to 0.707 % of the scene, most at "Arm1/Hand2", 1 s into"#);
}

#[test]
fn what_looks_different_is_told_though_something_larger_moves_farther() {
    // A cube is seen to move by two fifths of itself, a plate is not by less than a hundredth.
    let mut scene = ground(3000.0);
    add(&mut scene, 0.98, 1.0, &[90.0]);
    add(&mut scene, 0.02, 200.0, &[90.0]);
    assert_says(
        &scene,
        r#"1 of 5 nodes looks different, by up to 0.0231 % of the scene, most at "Arm1/Hand2"."#,
    );
    assert_says(&scene, "1 more node moves invisibly");

    let mut scene = ground(3000.0);
    add_moving(&mut scene, [0.0, 0.98], 1.0, &[90.0]);
    add_moving(&mut scene, [0.0, 0.02], 200.0, &[90.0]);
    assert_says(&scene, r#"1 of 5 nodes looks different, by up to 0.0231 % of the scene, most"#);
    assert_says(&scene, "1 more node moves invisibly");
}

#[test]
fn what_moves_the_same_is_the_same_in_motion_unless_too_little_was_sampled() {
    let mut scene = ground(100.0);
    let places = Curve::new([0.0, 1.0], vec![[0.0; 3], [1.0; 3]], Interpolation::Linear).unwrap();
    animate(&mut scene, 0, Track::Translation(places));
    let who = "accumulated matrices and combined TRS";
    assert_says(&scene, &format!("The scene looks the same at rest and in motion in {who}."));
    scene.warnings.push(Warning::new(WarningCode::AnimationThinned, "/animations/0", "long"));
    assert_says(
        &scene,
        &format!(
            "The scene looks the same at rest and at the sampled times of its animations in {who}"
        ),
    );
    scene.warnings.push(Warning::new(WarningCode::GpuInstancing, "/nodes/0", "instances"));
    assert_says(
        &scene,
        "No difference found at rest and at the sampled times of its animations in",
    );
    assert_says(&scene, ": not all of the file could be judged.");
}

#[test]
fn what_is_different_in_motion_alone_is_told_with_its_time() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 9.0], 1.0, &[90.0]);
    assert_says(
        &scene,
        r#"Severe in combined TRS compared with accumulated matrices: 1 of 3 nodes looks different, by up to 6.36 % of the scene, most at "Arm1/Hand2", 1 s into"#,
    );
}

#[test]
fn what_is_seen_to_be_worse_in_motion_is_told() {
    // The second by less than rounding, but across the bound of the grade.
    for displacements in [[5.0, 10.0], [1.99996, 2.00001].map(|percent| percent / FRAC_1_SQRT_2)] {
        let mut scene = ground(100.0);
        add_moving(&mut scene, displacements, 1.0, &[90.0]);
        assert_says(&scene, "Severe in combined TRS");
        assert_says(&scene, "1 s into");
    }
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
    assert_says(&scene, "Severe in combined TRS");
    assert_says(&scene, "s into animation 0");
}

#[test]
fn what_draws_nothing_is_told_and_does_not_count() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 9.0], 1.0, &[90.0]);
    scene.nodes[2].bounds = Bounds::Origin;
    let below = Trs::from_translation(Vector3::x());
    scene.nodes.push(Node::new(Some(2), below).with_bounds(Bounds::Origin));
    assert_says(&scene, "The scene looks the same at rest and in motion in");
    assert_says(
        &scene,
        "Not counted: in combined TRS the empty node \"Arm1/Hand2/#3\", which a mesh may be attached to, has axes that differ by 126 % of their length and moves by 9 %",
    );
    assert_says(&scene, " % of the scene, 1 s into animation 0.");
}

#[test]
fn what_nobody_sees_is_told_where_nothing_is_seen() {
    let mut scene = ground(100.0);
    add_moving(&mut scene, [0.0, 0.001], 1.0, &[90.0]);
    assert_says(&scene, "Negligible in combined TRS");
    assert_says(&scene, "1 of 3 nodes differs, but not visibly, by up to 0.000707 % of the");
    add(&mut scene, 9.0, 1.0, &[90.0]);
    assert_says(&scene, "1 of 5 nodes looks different");
}

#[test]
fn what_is_skewed_and_moves_by_next_to_nothing_is_named_with_its_skew() {
    let mut scene = ground(1e7);
    add(&mut scene, 1.0, 1.0, &[45.0]);
    assert_says(
        &scene,
        r#"1 of 3 nodes differs, but not visibly, by up to 36.9° of skew, most at "Arm1/Hand2"."#,
    );
}

#[test]
fn beside_a_scene_without_extent_a_displacement_has_no_percentage() {
    // All in one point; and so by matrices alone, since the arm flattens the tip's place away.
    let from_axis_to_axis = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
    for (scale, rotation, away, told) in [
        (2.0, turn(45.0), 0.0, r#"by up to 36.9° of skew, most at "Arm/Hand"."#),
        (0.0, from_axis_to_axis, 1.0, r#"by up to 1 unit, most at "Arm/Hand/Tip"."#),
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
