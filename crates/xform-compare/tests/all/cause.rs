//! Causes against a brute-force recomputation of the whole scene, and the cases that tell ablation
//! from a guess.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_compare::{
    BuiltIn, Cause, LocalPose, Node, NodeAudit, Scene, SceneAudit, WarningCode, compare, explain,
};
use xform_core::{Inherit, Trs};
use xform_matrix::{AccumulatedMatrix, Method};

fn scene(nodes: impl IntoIterator<Item = (Option<usize>, LocalPose)>) -> Scene {
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
    let told = words.split("`#1` compensates: with its scale made uniform there would be ").nth(1);
    let told = told.and_then(|told| told.strip_suffix(" % more displacement."));
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
        "`Arm` scales X by 2; `Hand` is turned 38° about Z below it; making `Arm` uniform removes \
         all of the displacement and all of the skew."
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
        "`#0` scales X by 4, and `#1` scales X by 0.26; neither is the cause alone; making both scales uniform \
         removes all of the displacement and all of the skew."
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
        words.starts_with("`#0` scales X by 2 and Y by 0.5; `#1` is turned -38° about Z"),
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
    assert!(words.ends_with("removes all of the displacement."), "{words}");
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
    assert!(explain(&audit, 1).unwrap().starts_with("`#0` has a matrix that is no"));
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
fn a_chain_of_100_000_scales_has_a_cause_at_every_node_and_says_where_it_cut() {
    let turned = scaled(1.001, 1.0, 1.0).with_rotation(about_z(1.0));
    let count = 100_000;
    let nodes = (0..count).map(|i: usize| (i.checked_sub(1), LocalPose::Trs(turned)));
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

/// The geometric mean of |s| with the sign of the determinant, 1 where it is 0.
fn uniform(scale: &Vector3<f64>) -> Vector3<f64> {
    let product: f64 = scale.iter().product();
    let mean = product.abs().cbrt();
    Vector3::repeat(if mean > 0.0 { mean * product.signum() } else { 1.0 })
}

/// The pose of a node as combined TRS has it.
fn pose(local: &LocalPose) -> Trs<f64> {
    match local {
        LocalPose::Trs(trs) => *trs,
        LocalPose::Matrix(matrix) => matrix.decompose(Method::NearestTrs).unwrap().trs,
        _ => unreachable!("poses and matrices alone are made here"),
    }
}

/// A scene with some scales made uniform.
pub(crate) fn without(scene: &Scene, removed: &[usize]) -> Scene {
    let mut ablated = scene.clone();
    for &scaler in removed {
        let local = pose(&scene.nodes[scaler].local);
        ablated.nodes[scaler].local = LocalPose::Trs(local.with_scale(uniform(&local.scale)));
    }
    ablated
}

/// What a node is ranked by, in an audit with some scales made uniform. It is chosen before.
pub(crate) fn figure(before: &NodeAudit, after: &NodeAudit) -> Option<f64> {
    if before.is_displaced() { after.displacement } else { after.linear_difference }
}

/// The candidates above a node, the nearest first.
fn candidates(scene: &Scene, node: usize) -> Vec<usize> {
    // Where a parent has no part in a node's place, neither does its scale.
    let above = |&node: &usize| {
        scene.nodes[node].parent.filter(|_| scene.nodes[node].inherit != Inherit::Nothing)
    };
    let path = std::iter::successors(Some(node), above);
    let candidates = path.filter(|&candidate| {
        let scale = pose(&scene.nodes[candidate].local).scale;
        let is_matrix = matches!(scene.nodes[candidate].local, LocalPose::Matrix(_));
        is_matrix || candidate != node && scale.max() != scale.min()
    });
    candidates.collect()
}

/// The node without some scales: all of the scene compared again.
fn recomputed(scene: &Scene, node: usize, removed: &[usize]) -> NodeAudit {
    compare(&without(scene, removed)).unwrap().nodes.swap_remove(node)
}

fn any_scale() -> impl Strategy<Value = Vector3<f64>> {
    let factor = prop_oneof![6 => 0.3..3.0, 1 => -3.0..-0.3, 1 => Just(1.0), 1 => Just(0.0)];
    let any = proptest::array::uniform3(factor).prop_map(Vector3::from);
    prop_oneof![2 => any, 1 => (0.5..2.0).prop_map(Vector3::repeat)]
}

fn any_local() -> impl Strategy<Value = LocalPose> {
    let turn = proptest::array::uniform3(-3.0..3.0);
    let rotation = turn.prop_map(|axis| UnitQuaternion::from_scaled_axis(Vector3::from(axis)));
    let rotation = prop_oneof![3 => rotation, 1 => Just(UnitQuaternion::identity())];
    let translation = proptest::array::uniform3(-3.0..3.0).prop_map(Vector3::from);
    let trs = (translation, rotation, any_scale())
        .prop_map(|(t, r, s)| LocalPose::Trs(Trs::from_parts(t, r, s)));
    let matrix = proptest::array::uniform9(-2.0..2.0).prop_map(|entries| {
        let linear = nalgebra::Matrix3::from_row_slice(&entries);
        LocalPose::Matrix(AccumulatedMatrix::from_matrix(linear.to_homogeneous()).unwrap())
    });
    prop_oneof![6 => trs, 1 => matrix]
}

pub(crate) fn any_scene() -> impl Strategy<Value = Scene> {
    (1_usize..14).prop_flat_map(|len| {
        // Mostly chains, so that causes are far up.
        let parents = (0..len).map(|node| {
            (0..4_usize, any::<prop::sample::Index>()).prop_map(move |(kind, other)| {
                if kind == 0 && node > 0 { Some(other.index(node)) } else { node.checked_sub(1) }
            })
        });
        let locals = proptest::collection::vec(any_local(), len);
        (parents.collect::<Vec<_>>(), locals)
            .prop_map(|(parents, locals)| scene(parents.into_iter().zip(locals)))
    })
}

/// Scenes in which about every other node inherits less than everything. None is flattened, since
/// the rotation of what is flat hangs on its rounding.
fn any_inheriting_scene() -> impl Strategy<Value = Scene> {
    let inherits = proptest::collection::vec((0..9_usize).prop_map(|n| n.saturating_sub(4)), 14);
    (any_scene(), inherits).prop_map(|(mut scene, inherits)| {
        for (node, inherit) in scene.nodes.iter_mut().zip(inherits) {
            node.inherit = Inherit::EACH[inherit];
            let local = pose(&node.local);
            let scale = local.scale.map(|s| if s.abs() < 0.2 { 1.0 } else { s });
            if !matches!(node.local, LocalPose::Matrix(_)) {
                node.local = LocalPose::Trs(local.with_scale(scale));
            }
        }
        scene
    })
}

fn assert_ablation_equals_a_recomputation(scene: &Scene) -> Result<(), TestCaseError> {
    let audit = compare(scene).unwrap();
    for node in &audit.nodes {
        let is_affected = node.is_differing() || node.is_skewed();
        if !is_affected || figure(node, node).is_none() {
            prop_assert_eq!(&node.cause, &None);
            continue;
        }
        let candidates = candidates(scene, node.index);
        let Some(cause) = &node.cause else {
            prop_assert!(candidates.is_empty());
            continue;
        };
        prop_assert_eq!(cause.candidates, candidates.len());
        let whole = figure(node, node).unwrap();
        let removes = |removed: &[usize]| {
            Some(whole - figure(node, &recomputed(scene, node.index, removed))?)
        };
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + whole);
        let alone = candidates.iter().filter_map(|&candidate| removes(&[candidate]));
        let best = alone.fold(f64::MIN, f64::max);
        // The cause removes at least as much as any scale alone, and what it says that it removes.
        let named: Vec<_> = [cause.scaler].into_iter().chain(cause.partner).collect();
        let removed = removes(&named).unwrap();
        prop_assert!(same(cause.removes_fraction * whole, removed), "{cause:?}: {removed}");
        prop_assert!(removed > best || same(removed, best), "{removed}, not {best}");
        prop_assert!(cause.partner.is_none() || best < 0.5 * whole);
        if cause.is_shared() {
            // These have few candidates, so that all pairs are tried.
            for (i, &one) in candidates.iter().enumerate().filter(|_| candidates.len() <= 8) {
                for &other in &candidates[..i] {
                    let both = removes(&[one, other]).unwrap_or(0.0);
                    prop_assert!(
                        both < 0.5 * whole || same(both, 0.5 * whole),
                        "{one} and {other}: {both}"
                    );
                }
            }
        }
        for (contribution, &scaler) in cause.contributions.iter().zip(&candidates) {
            prop_assert_eq!(contribution.scaler, scaler);
            let after = recomputed(scene, node.index, &[scaler]);
            let pairs = [
                (contribution.removes_displacement, node.displacement, after.displacement),
                (contribution.removes_difference, node.linear_difference, after.linear_difference),
            ];
            for (removed, before, after) in pairs {
                let expected = before.zip(after).map(|(before, after)| before - after);
                prop_assert_eq!(removed.is_some(), expected.is_some());
                let (removed, expected) = (removed.unwrap_or(0.0), expected.unwrap_or(0.0));
                prop_assert!(
                    (removed - expected).abs() <= 1e-8 * (1.0 + expected.abs() + whole),
                    "{removed} is not {expected}"
                );
            }
            // Near an axis without length, angles are all rounding.
            let skew = node.skew_degrees.zip(after.skew_degrees);
            prop_assert_eq!(contribution.removes_skew_degrees.is_some(), skew.is_some());
            if let (Some(removed), Some((before, after)), true) =
                (contribution.removes_skew_degrees, skew, node.orthogonality > Some(1e-3))
            {
                prop_assert!((removed - (before - after)).abs() < 1e-4, "{removed} of {before}");
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn ablation_equals_a_recomputation_of_the_whole_scene(scene in any_scene()) {
        assert_ablation_equals_a_recomputation(&scene)?;
    }

    #[test]
    fn ablation_follows_what_nodes_inherit(scene in any_inheriting_scene()) {
        assert_ablation_equals_a_recomputation(&scene)?;
    }
}
