//! Causes: the cases that tell ablation from a guess.

use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use xform_compare::{SceneAudit, audit::Cause, compare, explain};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, BuiltIn, Inherit, LocalPose, Node, Scene, WarningCode};

pub(crate) fn scene(nodes: impl IntoIterator<Item = (Option<usize>, LocalPose)>) -> Scene {
    let nodes = nodes.into_iter().map(|(parent, local)| Node::new(parent, local));
    Scene::new("test", nodes.collect())
}

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

fn scaled(x: f64, y: f64, z: f64) -> Trs<f64> {
    Trs::from_scale(Vector3::new(x, y, z))
}

fn cause(audit: &SceneAudit, node: usize) -> &Cause {
    audit.nodes[node].cause.as_ref().unwrap()
}

#[test]
fn a_scale_that_compensates_has_a_negative_contribution() {
    // 30.19° in all; with the first scale uniform 7.99°, with the second 36.87°.
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
        (Some(0), LocalPose::Trs(scaled(1.0, 1.2, 1.0).with_rotation(about_z(20.0)))),
        (Some(1), LocalPose::Trs(Trs::from_rotation(about_z(25.0)))),
    ]))
    .unwrap();
    assert!((audit.nodes[2].skew_degrees.unwrap() - 30.19).abs() < 0.005);
    let cause = cause(&audit, 2);
    assert_eq!((cause.scaler, cause.rotator, cause.candidates), (0, Some(1), 2));
    let removed: Vec<_> =
        cause.contributions.iter().map(|c| (c.scaler, c.removes_skew_degrees.unwrap())).collect();
    assert_eq!((removed[0].0, removed[1].0), (1, 0), "nearest first");
    assert!((removed[0].1 - (30.19 - 36.87)).abs() < 0.01, "{removed:?}");
    assert!((removed[1].1 - (30.19 - 7.99)).abs() < 0.01, "{removed:?}");
    assert_eq!(cause.removes_skew_degrees, Some(removed[1].1));
    // Of the displacement too, which is what the sentence is about.
    let (first, second) = (&cause.contributions[1], &cause.contributions[0]);
    assert!(first.removes_displacement > Some(0.0) && second.removes_displacement < Some(0.0));
    let more = -second.removes_displacement.unwrap() / audit.nodes[2].displacement.unwrap();
    let words = explain(&audit, 2).unwrap();
    let told = words
        .split("The scale of `#1` compensates for some of it: making it uniform would increase the shift by ")
        .nth(1);
    let told = told.and_then(|told| told.strip_suffix(" %."));
    let told: f64 = told.unwrap_or_else(|| panic!("{words}")).parse().unwrap();
    assert!((told / 100.0 - more).abs() < 0.005, "{words}, {more}");
}

#[test]
fn a_cause_reads_as_a_sentence() {
    let mut scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
    scene.nodes[0].name = Some("Arm".to_owned());
    scene.nodes[1].name = Some("Hand".to_owned());
    assert_eq!(
        explain(&compare(&scene).unwrap(), 1).unwrap(),
        "`Arm` scales X by 2; below it, `Hand` is rotated by 38° about Z; a uniform scale of `Arm` removes \
         all of the shift and all of the skew."
    );
    assert_eq!(explain(&compare(&scene).unwrap(), 0), None);
}

#[test]
fn of_equal_causes_the_nearest_is_named() {
    // Neither scale acts on the other, and both stretch the same: each removes as much.
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
        (Some(0), LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
        (Some(1), LocalPose::Trs(Trs::from_rotation(about_z(90.0)))),
        (
            Some(2),
            LocalPose::Trs(Trs::from_rotation(about_z(-90.0)).with_translation(Vector3::x())),
        ),
    ]))
    .unwrap();
    let cause = cause(&audit, 3);
    let removes = |place: usize| cause.contributions[place].removes_displacement.unwrap();
    assert!((removes(0) - removes(1)).abs() < 1e-12);
    assert_eq!(cause.scaler, 1);
}

fn about_x(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), degrees.to_radians())
}

/// The rotator of the last of a chain of poses, each under the one before.
fn rotator_of_last(locals: &[Trs<f64>]) -> Option<usize> {
    let nodes =
        locals.iter().enumerate().map(|(i, &local)| (i.checked_sub(1), LocalPose::Trs(local)));
    cause(&compare(&scene(nodes)).unwrap(), locals.len() - 1).rotator
}

#[test]
fn the_rotator_is_the_first_whose_rotation_does_not_commute_with_the_scale() {
    let turned = |rotation| Trs::from_rotation(rotation);
    // Two in a row: the first.
    let chain = [scaled(2.0, 1.0, 1.0), turned(about_z(10.0)), turned(about_z(20.0))];
    assert_eq!(rotator_of_last(&chain), Some(1));
    // A turn about the axis of the odd scale commutes.
    let chain = [scaled(1.0, 1.0, 7.0), turned(about_z(10.0)), turned(about_x(20.0))];
    assert_eq!(rotator_of_last(&chain), Some(2));
    // What lies between and is not turned is passed over, below another scale too.
    let still = Trs::identity();
    let chain =
        [scaled(5.0, 1.0, 1.0), scaled(1.01, 1.0, 1.0), still, turned(about_z(10.0)), still];
    assert_eq!(rotator_of_last(&chain), Some(3));
    // Below another scale, which is turned by none.
    let chain = [
        scaled(5.0, 1.0, 1.0),
        scaled(1.01, 1.0, 1.0),
        turned(about_z(10.0)),
        turned(about_z(20.0)),
    ];
    assert_eq!(rotator_of_last(&chain), Some(2));
}

/// Two scales that nearly undo each other: without either of them it would be far worse.
#[test]
fn two_scales_are_named_where_each_makes_up_for_the_other() {
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(4.0, 1.0, 1.0))),
        (Some(0), LocalPose::Trs(scaled(0.26, 1.0, 1.0))),
        (Some(1), LocalPose::Trs(Trs::from_rotation(about_z(30.0)))),
    ]))
    .unwrap();
    // A stretch by a along X, and a turn t in it: the axes' dot product is (1 - a²) sin t cos t.
    let skew = |a: f64| {
        let (sine, cosine) = 30_f64.to_radians().sin_cos();
        let lengths = (a * cosine).hypot(sine) * (a * sine).hypot(cosine);
        ((1.0 - a * a) * sine * cosine / lengths).abs().asin().to_degrees()
    };
    assert!((audit.nodes[2].skew_degrees.unwrap() - skew(1.04)).abs() < 1e-9);
    let cause = cause(&audit, 2);
    assert_eq!((cause.scaler, cause.partner), (0, Some(1)));
    assert!((cause.removes_fraction - 1.0).abs() < 1e-9, "{cause:?}");
    assert_eq!(
        explain(&audit, 2).unwrap(),
        "`#0` scales X by 4, and `#1` scales X by 0.26; neither is the cause alone; uniform scales of both remove \
         all of the shift and all of the skew."
    );
}

/// The same 200 times over: pairs are not for the worst nodes alone.
#[test]
fn two_scales_are_named_for_every_node_of_many() {
    let three = |first: usize| {
        [
            (None, LocalPose::Trs(scaled(4.0, 1.0, 1.0))),
            (Some(first), LocalPose::Trs(scaled(0.26, 1.0, 1.0))),
            (Some(first + 1), LocalPose::Trs(Trs::from_rotation(about_z(30.0)))),
        ]
    };
    let audit = compare(&scene((0..200).flat_map(|copy| three(3 * copy)))).unwrap();
    for copy in 0..200 {
        let cause = cause(&audit, 3 * copy + 2);
        assert_eq!((cause.scaler, cause.partner), (3 * copy, Some(3 * copy + 1)));
    }
}

/// Stretches along X by these factors, in a row, and below them a turned cube, all of it this large.
fn cause_below(stretches: [f64; 3], rotation: UnitQuaternion<f64>, size: f64) -> Cause {
    let half = Point3::from(Vector3::repeat(size / 2.0));
    let locals = stretches.map(|stretch| scaled(stretch, 1.0, 1.0)).into_iter();
    let locals = locals.chain([Trs::from_rotation(rotation)]).enumerate();
    let mut scene = scene(locals.map(|(node, local)| (node.checked_sub(1), LocalPose::Trs(local))));
    for node in &mut scene.nodes {
        node.bounds = Bounds::Box(-half, half);
    }
    cause(&compare(&scene).unwrap(), 3).clone()
}

#[test]
fn of_all_pairs_that_remove_half_the_one_that_removes_most_is_named() {
    // One alone removes less than half, any two more.
    for size in [1e-12, 1.0, 1e12] {
        for (stretches, pair) in
            [([1.45, 1.35, 1.3], [0, 1]), ([1.3, 1.45, 1.35], [1, 2]), ([1.35, 1.3, 1.45], [2, 0])]
        {
            let cause = cause_below(stretches, about_z(30.0), size);
            let named = [Some(cause.scaler), cause.partner];
            assert_eq!(named, pair.map(Some), "{size}: {stretches:?}");
        }
    }
}

#[test]
fn of_pairs_that_remove_the_same_the_nearest_is_named() {
    // From axis to axis, and (9/8)³: no product of these is rounded.
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
    let cause = cause_below([1.423_828_125; 3], turn, 1.0);
    assert_eq!((cause.scaler, cause.partner), (2, Some(1)));
}

#[test]
fn a_scale_that_is_non_uniform_by_no_more_than_rounding_is_no_candidate() {
    // Non-uniform by as much as exporters round; and by twice that.
    for (even, candidates) in [(1e6 - 10.0, 1), (1e6 - 20.0, 2)] {
        let audit = compare(&scene([
            (None, LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
            (Some(0), LocalPose::Trs(scaled(1e6, even, 1e6))),
            (Some(1), LocalPose::Trs(Trs::from_rotation(about_z(30.0)))),
        ]))
        .unwrap();
        assert_eq!(cause(&audit, 2).candidates, candidates);
    }
}

#[test]
fn below_a_node_that_inherits_no_scale_a_cause_is_looked_for_1000_nodes_up() {
    // A stretch, a turn, nodes of no effect, a small stretch, and a node that inherits no scale.
    for (len, found) in [(1000, (2, false)), (1001, (2, false)), (1002, (1, true))] {
        let turned = Trs::from_rotation(about_z(30.0)).with_translation(Vector3::x());
        let local = |node: usize| match node {
            0 => scaled(2.0, 1.0, 1.0),
            1 => turned,
            _ if node == len - 2 => scaled(1.01, 1.0, 1.0).with_rotation(about_z(30.0)),
            _ => Trs::from_translation(Vector3::x()),
        };
        let nodes = (0..len).map(|node| (node.checked_sub(1), LocalPose::Trs(local(node))));
        let mut scene = scene(nodes);
        scene.nodes[len - 1].inherit = Inherit::NoScale;
        let audit = compare(&scene).unwrap();
        let cause = cause(&audit, len - 1);
        assert_eq!((cause.candidates, cause.is_cut), found, "{len}");
        let words = explain(&audit, len - 1).unwrap();
        assert_eq!(words.contains("no one or two of the nearest cause half"), found.1, "{words}");
    }
}

/// Each removes as much as the others, but for rounding.
#[test]
fn of_equal_scales_the_nearest_two_are_named_however_far_it_is_turned_below() {
    for degrees in (5..90).step_by(5) {
        let nodes = (0..4).map(|node: usize| {
            let local = match node {
                3 => Trs::from_rotation(about_z(f64::from(degrees))),
                _ => scaled(1.3, 1.0, 1.0),
            };
            (node.checked_sub(1), LocalPose::Trs(local))
        });
        let audit = compare(&scene(nodes)).unwrap();
        let cause = cause(&audit, 3);
        assert_eq!((cause.scaler, cause.partner), (2, Some(1)), "{degrees}°");
    }
}

#[test]
fn rounding_beside_a_stretch_is_not_told() {
    let turned = LocalPose::Trs(Trs::from_rotation(about_z(30.0)));
    for (scale, told) in [
        ([0.999_997, 1.204, 0.999_997], "scales Y by 1.204;"),
        ([0.999_999_9, 0.999_7, 0.999_999_6], "scales Y by 0.9997;"),
        ([0.99, 1.204, 1.0], "scales X by 0.99 and Y by 1.204;"),
    ] {
        let [x, y, z] = scale;
        let scaled = LocalPose::Trs(scaled(x, y, z));
        let audit = compare(&scene([(None, scaled), (Some(0), turned)])).unwrap();
        let words = explain(&audit, 1).unwrap();
        assert!(words.starts_with(&format!("`#0` {told}")), "{words}");
    }
}

#[test]
fn a_turn_is_told_the_shorter_way_round() {
    let long_way = UnitQuaternion::new_unchecked(-about_z(-38.0).into_inner());
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(2.0, 0.5, 1.0))),
        (Some(0), LocalPose::Trs(Trs::from_rotation(long_way))),
    ]));
    let words = explain(&audit.unwrap(), 1).unwrap();
    assert!(
        words.starts_with(
            "`#0` scales X by 2 and Y by 0.5; below it, `#1` is rotated by -38° about Z"
        ),
        "{words}"
    );
}

#[test]
fn what_moves_a_node_is_its_cause_where_its_axes_agree() {
    // Turned and turned back: its axes agree, its place does not.
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
        (Some(0), LocalPose::Trs(Trs::from_rotation(about_z(90.0)))),
        (
            Some(1),
            LocalPose::Trs(Trs::from_rotation(about_z(-90.0)).with_translation(Vector3::x())),
        ),
    ]))
    .unwrap();
    assert!(audit.nodes[2].is_differing());
    let words = explain(&audit, 2).unwrap();
    assert!(words.ends_with("removes all of the shift."), "{words}");
    let cause = cause(&audit, 2);
    assert_eq!((cause.scaler, cause.removes_fraction), (0, 1.0));
    assert!(cause.removes_difference.unwrap().abs() < 1e-12);
}

#[test]
fn a_matrix_that_is_no_pose_is_its_own_cause() {
    let mut shear = Matrix4::identity();
    shear[(0, 1)] = 1.0;
    let shear = LocalPose::Matrix(AccumulatedMatrix::from_matrix(shear).unwrap());
    let audit =
        compare(&scene([(None, shear), (Some(0), LocalPose::Trs(Trs::identity()))])).unwrap();
    for node in 0..2 {
        let cause = cause(&audit, node);
        assert_eq!((cause.scaler, cause.rotator), (0, None));
        let difference = audit.nodes[node].linear_difference.unwrap();
        assert!((cause.removes_difference.unwrap() - difference).abs() < 1e-12);
    }
    assert!(explain(&audit, 1).unwrap().starts_with("`#0` has a sheared matrix,"));
}

#[test]
fn a_node_that_agrees_has_no_cause() {
    let audit = compare(&scene([
        (None, LocalPose::Trs(scaled(2.0, 1.0, 1.0))),
        (Some(0), LocalPose::Trs(Trs::identity())),
    ]))
    .unwrap();
    assert_eq!(audit.nodes[1].cause, None);
}

#[test]
fn a_chain_of_scales_has_a_cause_at_every_node_and_says_where_it_cut() {
    a_chain_has_causes(10_000);
}

#[test]
#[ignore = "a quarter of a minute; `.ci/search` runs it"]
fn a_chain_of_100_000_scales_has_a_cause_at_every_node_in_full() {
    a_chain_has_causes(100_000);
}

fn a_chain_has_causes(count: usize) {
    // In matrices all stay as large as they are, so that a hundred thousand levels down a difference is still one of the scene.
    let turned = scaled(1.001, 0.999, 1.0).with_rotation(about_z(1.0));
    let nodes = (0..count).map(|i| (i.checked_sub(1), LocalPose::Trs(turned)));
    let audit = compare(&scene(nodes)).unwrap();
    let affected = audit.nodes.iter().filter(|node| node.is_differing() || node.is_skewed());
    assert!(affected.clone().count() > count - 10);
    for node in affected {
        assert_eq!(node.cause.as_ref().unwrap().candidates, node.index.min(32));
    }
    let in_full = audit.nodes.iter().filter_map(|node| node.cause.as_ref());
    assert_eq!(in_full.filter(|cause| !cause.contributions.is_empty()).count(), 100);
    let cut: Vec<_> = audit.warnings.iter().filter(|w| w.code == WarningCode::CauseCut).collect();
    assert_eq!(cut.len(), 1);
    assert!(cut[0].message.contains("the nearest 32 were tried"));
}
