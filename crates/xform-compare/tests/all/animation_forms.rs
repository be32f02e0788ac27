//! Scenes in motion in closed form: turns, jumps, what is refused and what is too much.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use xform_compare::{CompareError, SceneAudit, compare};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{
    Animation, LocalPose, Node, Scene, WarningCode,
    animation::{Channel, Curve, Interpolation, Track},
};

fn curve<const N: usize>(
    interpolation: Interpolation,
    times: &[f64],
    values: &[[f64; N]],
) -> Curve<N> {
    Curve::new(times, values.to_vec(), interpolation).unwrap()
}

fn about_z(degrees: f64) -> [f64; 4] {
    let half = degrees.to_radians() / 2.0;
    [0.0, 0.0, half.sin(), half.cos()]
}

fn turned(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// Nodes below one another, each with its pose, and what moves them.
fn chain(poses: &[Trs<f64>], moved: Vec<(usize, Track)>) -> Scene {
    let nodes = poses.iter().enumerate();
    let channels = moved.into_iter().map(|(node, track)| Channel { node, track });
    let nodes = nodes.map(|(i, &pose)| Node::new(i.checked_sub(1), pose));
    let mut scene = Scene::new("chain", nodes.collect());
    scene.animations = vec![Animation::new(0, channels.collect())];
    scene
}

/// A child that turns below a stretch along x.
fn turning(stretch: f64, times: &[f64], degrees: &[f64]) -> Scene {
    let values: Vec<_> = degrees.iter().map(|&degrees| about_z(degrees)).collect();
    let turn = curve(Interpolation::Linear, times, &values);
    let stretched = Trs::from_scale(Vector3::new(stretch, 1.0, 1.0));
    chain(&[stretched, Trs::identity()], vec![(1, Track::Rotation(turn))])
}

/// How the first node stands at a time.
fn pose(scene: &Scene, time: f64) -> Trs<f64> {
    let LocalPose::Trs(pose) = scene.posed(0, time).nodes[0].local else { panic!("a pose") };
    pose
}

fn rotation(spline_or_turn: Curve<4>, time: f64) -> UnitQuaternion<f64> {
    let track = Track::Rotation(spline_or_turn);
    pose(&chain(&[Trs::identity()], vec![(0, track)]), time).rotation
}

fn audit(scene: &Scene) -> SceneAudit {
    compare(scene).unwrap()
}

fn codes(audit: &SceneAudit) -> Vec<WarningCode> {
    audit.warnings.iter().map(|warning| warning.code).collect()
}

#[test]
fn a_quarter_turn_below_a_stretch_is_most_skewed_at_half_time() {
    for stretch in [0.25, 0.9, 1.1, 2.0, 5.0] {
        let audit = audit(&turning(stretch, &[1.0, 3.0], &[0.0, 90.0]));
        let [child] = &audit.animations[0].nodes[..] else { panic!("one node moves") };
        let peak = child.skew_difference_degrees.unwrap();
        let (square, largest) = (stretch * stretch, peak.max.to_radians().sin());
        assert!((largest - ((square - 1.0) / (square + 1.0)).abs()).abs() < 1e-12);
        assert!((peak.seconds - 2.0).abs() < 1e-12);
        assert_eq!(audit.nodes[1].skew_degrees, Some(0.0));
        let motion = audit.summary.motion.unwrap();
        assert_eq!((motion.differing_nodes, motion.max_skew_difference_degrees), (1, peak.max));
    }
}

#[test]
fn a_peak_between_two_samples_is_looked_for() {
    // 45° is passed at 45/77 of the way, which no even division has.
    let audit = audit(&turning(2.0, &[0.0, 7.0], &[0.0, 77.0]));
    let peak = audit.animations[0].nodes[0].skew_difference_degrees.unwrap();
    assert!((peak.max.to_radians().sin() - 0.6).abs() < 1e-5);
    assert!((peak.seconds - 7.0 * 45.0 / 77.0).abs() < 0.02);
}

#[test]
fn a_turn_goes_the_shorter_way_whatever_the_signs_and_lengths() {
    for (from, to) in [(1.0, 1.0), (1.0, -1.0), (-3.0, 0.5), (-0.25, -8.0)] {
        // From 170° to 200° and not back by way of 0°.
        let ends = [(170.0, from), (200.0, to)]
            .map(|(degrees, length)| about_z(degrees).map(|part| part * length));
        let turn = curve(Interpolation::Linear, &[0.0, 3.0], &ends);
        let passed = [(-1.0, 170.0), (0.0, 170.0), (1.0, 180.0), (2.0, 190.0), (4.0, 200.0)];
        for (time, degrees) in passed {
            assert!(rotation(turn.clone(), time).angle_to(&turned(degrees)) < 1e-7, "{time}");
        }
    }
}

#[test]
fn a_spline_of_rotations_is_normalised_after_its_components_are_interpolated() {
    // Halfway between no turn and a quarter, without tangents: the sum of both, made unit, is an eighth;
    // with a tangent it leans over: (½ + ⅛)·w and so on.
    let zero = [0.0; 4];
    let (from, to) = (about_z(0.0), about_z(90.0));
    let halfway = |leaving: [f64; 4]| {
        let values = [zero, from, leaving, zero, to, zero];
        let spline = curve(Interpolation::CubicSpline, &[2.0, 4.0], &values);
        rotation(spline, 3.0)
    };
    assert!(halfway(zero).angle_to(&turned(45.0)) < 1e-7);
    // A tangent of 1 a second for two seconds adds an eighth of 2 halfway.
    let [_, _, z, w] = [0, 1, 2, 3].map(|i| (from[i] + to[i]) / 2.0);
    let leaning = turned(2.0 * (z + 0.25_f64).atan2(w).to_degrees());
    assert!(halfway([0.0, 0.0, 1.0, 0.0]).angle_to(&leaning) < 1e-7);
}

/// Where the only node stands along x.
fn along_x(interpolation: Interpolation, times: &[f64], places: &[f64], time: f64) -> f64 {
    let values: Vec<_> = places.iter().map(|&place| [place, 0.0, 0.0]).collect();
    let places = curve(interpolation, times, &values);
    let scene = chain(&[Trs::identity()], vec![(0, Track::Translation(places))]);
    pose(&scene, time).translation.x
}

#[test]
fn steps_hold_until_they_jump() {
    let at = |time| along_x(Interpolation::Step, &[1.0, 2.0, 4.0], &[3.0, 5.0, 8.0], time);
    let before = |time: f64| at(time.next_down());
    assert_eq!([at(-1.0), at(1.0), before(2.0)], [3.0; 3]);
    assert_eq!([at(2.0), at(3.0), before(4.0)], [5.0; 3]);
    assert_eq!([at(4.0), at(1e9)], [8.0; 2]);
}

#[test]
fn two_keyframes_at_one_time_are_a_jump() {
    let times = [0.0, 1.0, 1.0, 2.0];
    let at = |time| along_x(Interpolation::Linear, &times, &[0.0, 4.0, 10.0, 12.0], time);
    assert_eq!([at(0.5), at(1.5)], [2.0, 11.0]);
    assert!((at(1.0_f64.next_down()) - 4.0).abs() < 1e-12);
    assert!((at(1.0_f64.next_up()) - 10.0).abs() < 1e-12);
    assert!([4.0, 10.0].contains(&at(1.0)));
    let keyframe = |place: f64| [0.0, place, 0.0];
    let places = [0.0, 4.0, 10.0, 12.0].map(keyframe).concat();
    let at = |time| along_x(Interpolation::CubicSpline, &times, &places, time);
    assert_eq!([at(0.5), at(1.5)], [2.0, 11.0]);
    assert!([4.0, 10.0].contains(&at(1.0)));
    // At the first and at the last keyframe too.
    let ends = |time| along_x(Interpolation::Linear, &[1.0, 1.0], &[3.0, 5.0], time);
    assert_eq!([ends(0.9), ends(1.1)], [3.0, 5.0]);
}

#[test]
fn one_that_moves_the_same_again_wins() {
    let place = |x: f64| curve(Interpolation::Linear, &[0.0], &[[x, 0.0, 0.0]]);
    let moved = [1.0, 2.0].map(|x| (0, Track::Translation(place(x))));
    let scene = chain(&[Trs::identity()], moved.to_vec());
    assert_eq!(pose(&scene, 0.0).translation.x, 2.0);
}

#[test]
fn a_sheared_matrix_is_moved_as_it_is() {
    let shear = Matrix4::new(1., 0.5, 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.);
    let mut scene = turning(2.0, &[0.0, 1.0], &[0.0, -90.0]);
    let mut sheared = scene.nodes[1].clone();
    sheared.parent = Some(1);
    sheared.local = AccumulatedMatrix::from_matrix(shear).map(LocalPose::Matrix).unwrap();
    scene.nodes.push(sheared);
    let audit = compare(&scene).unwrap();
    let peak = audit.animations[0].nodes[1].skew_difference_degrees.unwrap();
    let angle = peak.seconds * -90.0;
    let linear = Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0))
        * turned(angle).to_rotation_matrix().into_inner()
        * shear.fixed_view::<3, 3>(0, 0);
    let between_axes = linear.column(0).angle(&linear.column(1)).to_degrees();
    assert!((peak.max - (90.0 - between_axes).abs()).abs() < 1e-6);
    assert!(peak.max > audit.nodes[2].skew_degrees.unwrap());
}

#[test]
fn what_cannot_be_moved_is_an_error() {
    let scene = turning(2.0, &[0.0, 1.0], &[0.0, 90.0]);
    let refused = |change: fn(&mut Scene)| {
        let mut scene = scene.clone();
        change(&mut scene);
        // Posed, it stays where it is.
        assert_eq!(scene.posed(0, 0.5).nodes, scene.nodes);
        compare(&scene).unwrap_err()
    };
    let missing = refused(|scene| {
        scene.animations[0].index = 7;
        scene.animations[0].channels[0].node = 2;
    });
    assert_eq!(missing, CompareError::NotAnimatable { animation: 7, node: 2 });
    let fixed = refused(|scene| {
        let matrix = AccumulatedMatrix::from_matrix(Matrix4::new_scaling(2.0));
        scene.nodes[1].local = matrix.map(LocalPose::Matrix).unwrap();
    });
    assert_eq!(fixed, CompareError::NotAnimatable { animation: 0, node: 1 });
}

#[test]
fn an_animation_whose_values_overflow_is_not_sampled_and_the_rest_is_kept() {
    let growing = curve(Interpolation::Linear, &[0.0, 1.0], &[[1.0; 3], [1e300; 3]]);
    let large = Trs::from_scale(Vector3::repeat(1e10));
    let moving = chain(&[Trs::identity(), large], vec![(0, Track::Scale(growing))]);
    let audit = audit(&moving);
    assert_eq!((audit.nodes.len(), audit.animations[0].samples), (2, 0));
    assert_eq!(audit.animations[0].not_sampled[0].why, "values overflow at node 1");
    assert!(audit.warnings.iter().any(|one| one.code == WarningCode::AnimationNotSampled));
}

/// A quarter turn below (0, 1, 0) has an axis that is rounding alone; as soon as the scale grows it is none any more.
#[test]
fn an_axis_that_is_rounding_at_one_time_is_none_at_the_next() {
    for scales in [[[0.0, 1.0, 0.0], [1.0; 3]], [[1.0; 3], [0.0, 1.0, 0.0]]] {
        let growing = curve(Interpolation::Linear, &[0.0, 1.0], &scales);
        let poses = [0.0, 90.0 + 1e-13, 30.0].map(|degrees| Trs::from_rotation(turned(degrees)));
        let moving = chain(&poses, vec![(0, Track::Scale(growing))]);
        let audit = audit(&moving);
        for point in &audit.animations[0].timeline {
            let posed = compare(&moving.posed(0, point.seconds)).unwrap();
            let skews = posed.nodes.iter().filter_map(|node| node.skew_degrees);
            assert_eq!(
                point.skew_difference_degrees,
                skews.fold(0.0, f64::max),
                "{}",
                point.seconds
            );
        }
        for node in &audit.animations[0].nodes {
            let Some(peak) = node.skew_difference_degrees else { continue };
            let posed = compare(&moving.posed(0, peak.seconds)).unwrap();
            assert_eq!(posed.nodes[node.index].skew_degrees, Some(peak.max));
        }
    }
}

/// Nothing but rounding is left of the second node, so nothing is skewed below it, whichever of them is moved.
#[test]
fn what_is_below_nothing_but_rounding_has_no_skew_in_motion() {
    let flat = Trs::from_scale(Vector3::new(0.0, 1.0, 0.0));
    let quarter = Trs::from_rotation(turned(90.0 + 1e-13));
    let flat_again = quarter.with_scale(Vector3::new(0.0, 1.0, 1.0));
    let poses = [flat, flat_again, Trs::from_rotation(turned(30.0))];
    for moved in 0..poses.len() {
        let path = curve(Interpolation::Linear, &[0.0, 1.0], &[[0.0; 3], [1.0; 3]]);
        let audit = audit(&chain(&poses, vec![(moved, Track::Translation(path))]));
        for node in &audit.animations[0].nodes {
            assert_eq!(audit.nodes[node.index].skew_degrees, None);
            assert_eq!(node.skew_difference_degrees, None, "{} where {moved} is moved", node.index);
        }
    }
}

#[test]
fn an_animation_of_nothing_says_nothing() {
    let audit = audit(&chain(&[Trs::identity()], Vec::new()));
    let empty = &audit.animations[0];
    assert_eq!((empty.start_seconds, empty.keyframes, empty.samples), (None, 0, 0));
    assert!(empty.nodes.is_empty() && empty.timeline.is_empty());
    assert_eq!(audit.summary.motion.unwrap().animations, 0);
    assert!(!codes(&audit).contains(&WarningCode::AnimationThinned));
}

#[test]
fn skipped_animations_leave_the_scene_at_rest_with_a_warning() {
    let scene = turning(2.0, &[0.0, 1.0], &[0.0, 90.0]);
    let rest = scene.clone().at_rest();
    assert_eq!((&rest.nodes, rest.animations.len()), (&scene.nodes, 0));
    let audit = compare(&rest).unwrap();
    assert_eq!(codes(&audit), [WarningCode::AnimationNotSampled]);
    assert_eq!((audit.summary.motion, audit.summary.differing_nodes), (None, 0));
    assert_eq!(rest.clone().at_rest(), rest);
}

#[test]
fn many_keyframes_above_many_nodes_are_thinned_with_a_warning() {
    const KEYFRAMES: u32 = 2_000;
    const NODES: usize = 20_000;
    let times: Vec<_> = (0..KEYFRAMES).map(f64::from).collect();
    let scales: Vec<_> = times.iter().map(|time| [1.0 + time / 1000.0, 1.0, 1.0]).collect();
    let stretch = curve(Interpolation::Linear, &times, &scales);
    let mut scene = chain(&[Trs::identity()], vec![(0, Track::Scale(stretch))]);
    let below = Node::new(Some(0), Trs::from_rotation(turned(30.0)));
    scene.nodes.extend(std::iter::repeat_n(below, NODES));
    let audit = audit(&scene);
    let moved = &audit.animations[0];
    assert_eq!((moved.keyframes, moved.nodes.len()), (2_000, NODES + 1));
    assert!((2..1_000).contains(&moved.samples), "{} samples", moved.samples);
    assert_eq!((moved.start_seconds, moved.end_seconds), (Some(0.0), Some(1_999.0)));
    assert_eq!(codes(&audit), [WarningCode::AnimationThinned]);
    // The most at the end, where the stretch is.
    let peak = moved.nodes[NODES].linear_difference.unwrap();
    assert_eq!(peak.seconds, 1_999.0);
}

#[test]
fn animations_too_many_for_so_many_nodes_are_named() {
    const ANIMATIONS: usize = 1_000;
    let place = curve(Interpolation::Step, &[0.0], &[[1.0, 2.0, 3.0]]);
    let mut scene = chain(&[Trs::identity()], vec![(0, Track::Translation(place))]);
    scene.nodes.extend(std::iter::repeat_n(Node::new(Some(0), Trs::identity()), 20_000));
    let numbered = |index| Animation::new(index, scene.animations[0].channels.clone());
    scene.animations = (0..ANIMATIONS).map(numbered).collect();
    let audit = audit(&scene);
    assert_eq!(audit.animations.len(), ANIMATIONS);
    let not_sampled = audit.animations.iter().filter(|one| one.samples == 0);
    assert!(not_sampled.clone().count() > 0);
    for animation in not_sampled.clone() {
        let [why] = &animation.not_sampled[..] else { panic!("one reason") };
        assert_eq!(why.pointer, format!("/animations/{}", animation.index));
        assert!(why.why.contains("moves 20001 nodes"), "{}", why.why);
    }
    let motion = audit.summary.motion.unwrap();
    assert_eq!(motion.not_sampled, not_sampled.clone().count());
    assert_eq!(motion.animations + motion.not_sampled, ANIMATIONS);
    assert_eq!(codes(&audit), vec![WarningCode::AnimationNotSampled; motion.not_sampled]);
}

#[test]
fn a_scale_that_flips_while_it_turns_is_warned_of() {
    let flips = |interpolation, scales: [[f64; 3]; 3], degrees: [f64; 3]| {
        let times = [0.0, f64::from(0.1_f32), 1.0];
        let scale = curve(interpolation, &times, &scales);
        let turn = curve(Interpolation::Linear, &times, &degrees.map(about_z));
        let moved = vec![(1, Track::Scale(scale)), (1, Track::Rotation(turn))];
        let scene = chain(&[Trs::identity(), Trs::identity()], moved);
        let warnings = audit(&scene).warnings.into_iter();
        warnings.filter(|warning| warning.code == WarningCode::ScaleFlip).collect::<Vec<_>>()
    };
    let (plain, mirrored) = ([1.0; 3], [-1.0, -1.0, 1.0]);
    let found = flips(Interpolation::Linear, [plain, mirrored, plain], [0.0, 180.0, 0.0]);
    let [warning] = &found[..] else { panic!("one for all its flips: {found:?}") };
    assert_eq!((warning.node, warning.pointer.as_str()), (Some(1), "/animations/0"));
    assert!(warning.message.starts_with("between 0 s and 0.1 s of the animation"), "{warning:?}");
    assert_eq!(flips(Interpolation::Step, [plain, mirrored, plain], [0.0, 180.0, 0.0]), []);
    assert_eq!(flips(Interpolation::Linear, [plain, mirrored, plain], [0.0, 90.0, 0.0]), []);
    assert_eq!(flips(Interpolation::Linear, [plain, plain, plain], [0.0, 180.0, 0.0]), []);
}

#[test]
fn what_is_hidden_at_rest_counts_while_it_is_seen() {
    // A child that grows from nothing below a stretch.
    let grows = curve(Interpolation::Linear, &[0.0, 1.0], &[[0.0; 3], [1.0; 3]]);
    let turn = Trs::from_rotation(turned(45.0));
    let mut scene = chain(
        &[Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)), turn.with_scale(Vector3::zeros())],
        vec![(1, Track::Scale(grows))],
    );
    scene.nodes[0].bounds = xform_scene::Bounds::Origin;
    let audit = audit(&scene);
    assert!(audit.nodes[1].is_hidden && !audit.nodes[1].counts_at_rest());
    assert_eq!(audit.summary.grade, xform_compare::Grade::Severe);
    let mut limits = xform_compare::judge::Limits::default();
    limits.fail_on = Some(xform_compare::Grade::Visible);
    assert!(xform_compare::findings(&audit, &limits).iter().any(|finding| finding.fails));
}

#[test]
fn what_grows_until_it_jumps_is_measured_right_before() {
    // A root whose x scale grows from 1 to 3 in 2 s, a quarter turn, and a leaf at (1, 0, 0) that jumps to the origin at
    // 1.5 s: by matrices it stands at (0, 1, 0) until then, by combined TRS at (0, s, 0).
    let grows = curve(Interpolation::Linear, &[0.0, 2.0], &[[1.0; 3], [3.0, 1.0, 1.0]]);
    let jumps = curve(Interpolation::Step, &[0.0, 1.5], &[[1.0, 0.0, 0.0], [0.0; 3]]);
    let turn = Trs::from_rotation(turned(90.0));
    let mut scene = chain(
        &[Trs::identity(), turn, Trs::identity()],
        vec![(0, Track::Scale(grows)), (2, Track::Translation(jumps))],
    );
    scene.nodes.iter_mut().for_each(|node| node.bounds = xform_scene::Bounds::Origin);
    let audit = audit(&scene);
    let leaf = &audit.animations[0].nodes[2];
    let peak = leaf.displacement.unwrap();
    assert_eq!((leaf.index, peak.seconds), (2, 1.5_f64.next_down()));
    assert!((peak.max - 1.5).abs() < 1e-12, "{peak:?}");
}
