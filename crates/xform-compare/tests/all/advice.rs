//! Advice against the same repairs made in the scene and compared anew.

use std::f64::consts::PI;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    Advice, SceneAudit, advise, compare,
    judge::{Repair, RepairOutcome, RepairRefusal, Report},
    measure::displacement,
};
use xform_core::{Hierarchy, Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, BuiltIn, LocalPose, Node, Scene, read_gltf};
use xform_trs::CombinedTrs;

pub(crate) fn built_in(name: &str) -> (Scene, SceneAudit) {
    let scene = BuiltIn::named(name).unwrap().scene(&[]).unwrap();
    let audit = compare(&scene).unwrap();
    (scene, audit)
}

pub(crate) fn outcome(
    advice: &[Advice],
    is_wanted: fn(&Repair) -> bool,
) -> Result<RepairOutcome, RepairRefusal> {
    advice.iter().find(|advice| is_wanted(&advice.repair)).unwrap().outcome.clone()
}

pub(crate) fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() <= 1e-12, "{found} is not {expected}");
}

#[test]
fn every_repair_of_the_piston_leaves_nothing_but_the_copy() {
    let (scene, audit) = built_in("piston");
    let advice = advise(&scene, &audit, 2);
    assert_eq!(advice.len(), 4);
    for advice in &advice[..3] {
        assert_near(advice.outcome.clone().unwrap().displacement, 0.0);
    }
    // What is shown stays with the mesh baked; a helper shows what combined TRS does.
    assert_near(
        outcome(&advice, |r| matches!(r, Repair::Bake { .. })).unwrap().changes.first().copied(),
        0.0,
    );
    let by_trs = audit.nodes[2].displacement.unwrap();
    assert_near(
        outcome(&advice, |r| matches!(r, Repair::HelperNode)).unwrap().changes.first().copied(),
        by_trs,
    );
    // A, half a unit wide each way along the root's stretch and 2 long, loses most: 4 of its length is 2.
    let leaf = outcome(&advice, |r| matches!(r, Repair::MoveToLeaf { .. })).unwrap();
    assert_near(leaf.changes.first().copied(), 1.0);
    let is_uniform = |advice: &&Advice| matches!(advice.repair, Repair::MakeUniform { .. });
    let Repair::MakeUniform { scaler, scale, half_turn } =
        advice.iter().find(is_uniform).unwrap().repair
    else {
        unreachable!("just found")
    };
    assert_eq!((scaler, half_turn), (0, None));
    assert_near(Some(scale), 2_f64.cbrt());
    // The one that leaves what is shown as it is comes first.
    assert!(matches!(advice[0].repair, Repair::Bake { top: 0 }));
    assert!(matches!(advice[3].repair, Repair::HelperNode));
}

#[test]
fn what_nobody_sees_is_left() {
    let scene = BuiltIn::named("piston").unwrap().scene(&[("k".to_owned(), 1.0001)]).unwrap();
    let advice = advise(&scene, &compare(&scene).unwrap(), 2);
    assert!(matches!(advice[..], [Advice { repair: Repair::Nothing, .. }]));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_node() {
    let refused = |tie: fn(&mut Scene), is_wanted: fn(&Repair) -> bool| {
        let (mut scene, audit) = built_in("piston");
        tie(&mut scene);
        outcome(&advise(&scene, &audit, 2), is_wanted).unwrap_err()
    };
    let bake: fn(&Repair) -> bool = |repair| matches!(repair, Repair::Bake { .. });
    let leaf: fn(&Repair) -> bool = |repair| matches!(repair, Repair::MoveToLeaf { .. });
    let uniform: fn(&Repair) -> bool = |repair| matches!(repair, Repair::MakeUniform { .. });
    let helper: fn(&Repair) -> bool = |repair| matches!(repair, Repair::HelperNode);
    for repair in [bake, leaf, helper] {
        assert_eq!(refused(|s| s.nodes[2].uses.is_skinned = true, repair), RepairRefusal::Skin(2));
        assert_eq!(
            refused(|s| s.nodes[2].uses.is_animated = true, repair),
            RepairRefusal::Animation(2)
        );
    }
    assert_eq!(
        refused(|s| s.nodes[0].uses.is_animated = true, uniform),
        RepairRefusal::Animation(0)
    );
    assert_eq!(refused(|s| s.nodes[0].bounds = Bounds::Origin, leaf), RepairRefusal::NoMesh(0));
    assert_eq!(
        refused(|s| s.nodes[1].inherit = Inherit::NoScale, uniform),
        RepairRefusal::Inherits(1)
    );
}

/// Advice on a cause takes time in proportion to the nodes that it acts on.
#[test]
fn one_cause_may_act_on_many_nodes() {
    let stretched = Node::new(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)));
    let turned = Trs::from_rotation(UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 0.5)));
    let below = (0..20_000).map(|_| Node::new(Some(0), turned));
    let scene = Scene::new("many", std::iter::once(stretched).chain(below).collect());
    let report = Report::of_scene(&scene).unwrap();
    assert_eq!(report.advice.len(), 1);
    assert_eq!(report.advice[0].group.nodes.len(), 20_000);
}

#[test]
fn a_mirror_in_a_matrix_must_become_a_pose() {
    let (mut scene, _) = built_in("piston");
    let mirror = Vector3::new(-1.0, 1.0, 1.0);
    for is_matrix in [false, true] {
        let pose = Trs::from_scale(mirror);
        let matrix = AccumulatedMatrix::from_matrix(pose.to_homogeneous()).unwrap();
        scene.nodes[0].local = if is_matrix { LocalPose::Matrix(matrix) } else { pose.into() };
        let advice = advise(&scene, &compare(&scene).unwrap(), 2);
        let uniform = outcome(&advice, |repair| matches!(repair, Repair::MakeUniform { .. }));
        assert_eq!(uniform.unwrap().matrix, is_matrix.then_some(0));
    }
}

#[test]
fn a_file_says_what_its_nodes_are_tied_to() {
    let json = br#"{ "asset": { "version": "2.0" },
        "accessors": [{ "componentType": 5126, "count": 1, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": [{ "mesh": 0 }, { "mesh": 0 }, {}], "skins": [{ "joints": [2] }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 1, "path": "scale" } }] }] }"#;
    let scene = read_gltf(json, "tied.gltf").unwrap();
    assert_eq!(scene.animations[0].not_sampled[0].node, Some(1));
    let uses = scene.nodes.into_iter().map(|node| node.uses);
    let uses: Vec<_> = uses.map(|uses| (uses.mesh, uses.is_skinned, uses.is_animated)).collect();
    assert_eq!(uses, [(Some(0), false, false), (Some(0), false, true), (None, true, false)]);
}

fn any_chain() -> impl Strategy<Value = Scene> {
    let vector = || proptest::array::uniform3(-3.0..3.0).prop_map(Vector3::from);
    let factor = prop_oneof![6 => 0.3..3.0, 1 => -3.0..-0.3];
    let scale = proptest::array::uniform3(factor).prop_map(Vector3::from);
    let pose = (vector(), vector(), scale)
        .prop_map(|(t, axis, s)| Trs::from_parts(t, UnitQuaternion::from_scaled_axis(axis), s));
    proptest::collection::vec(pose, 2..6).prop_map(|poses| {
        let nodes = poses.into_iter().enumerate();
        Scene::new("chain", nodes.map(|(i, pose)| Node::new(i.checked_sub(1), pose)).collect())
    })
}

fn pose(scene: &Scene, node: usize) -> Trs<f64> {
    match scene.nodes[node].local {
        LocalPose::Trs(pose) => pose,
        _ => unreachable!("the chains are of poses"),
    }
}

fn linear<X: Transform<Scalar = f64>>(world: &X) -> Matrix3<f64> {
    world.to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned()
}

/// Each world transform of a chain of poses.
fn worlds<X: Transform<Scalar = f64>>(poses: &[Trs<f64>]) -> Vec<X> {
    let mut hierarchy = Hierarchy::<X>::new();
    let mut parent = None;
    let ids: Vec<_> =
        poses.iter().map(|&pose| *parent.insert(hierarchy.insert(parent, pose).unwrap())).collect();
    ids.into_iter().map(|id| hierarchy.world(id).unwrap()).collect()
}

/// The baked chain: no non-uniform scales from the scaler on, each origin where matrices have it.
fn baked(scene: &Scene, scaler: usize) -> Vec<Trs<f64>> {
    let mut poses: Vec<_> = (0..scene.nodes.len()).map(|node| pose(scene, node)).collect();
    let origins: Vec<_> = worlds::<AccumulatedMatrix<f64>>(&poses)
        .iter()
        .map(AccumulatedMatrix::translation)
        .collect();
    for node in scaler..poses.len() {
        poses[node].scale = Vector3::repeat(1.0);
        if node > scaler {
            let parent = worlds::<AccumulatedMatrix<f64>>(&poses[..node])[node - 1];
            poses[node].translation =
                parent.inverse_transform_point(&origins[node].into()).unwrap().coords;
        }
    }
    poses
}

/// How far any node is from where matrices had it.
pub(crate) fn most_moved(before: &SceneAudit, after: &SceneAudit) -> f64 {
    let moved = before.nodes.iter().zip(&after.nodes).map(|(before, after)| {
        let [was, is] = [before, after].map(|node| node.by_matrix.matrix());
        displacement(was, is, &before.bounds).unwrap()
    });
    moved.fold(0.0, f64::max)
}

#[test]
fn a_mirror_is_made_uniform_by_half_a_turn_and_nothing_moves() {
    let mirror = Trs::from_scale(Vector3::new(-0.5, 0.5, 0.5));
    let turned = Trs::from_rotation(UnitQuaternion::from_scaled_axis(Vector3::y()));
    let nodes = vec![Node::new(None, mirror), Node::new(Some(0), turned)];
    let scene = Scene::new("mirror", nodes);
    let advice = advise(&scene, &compare(&scene).unwrap(), 1);
    let about_x: fn(&Repair) -> bool =
        |repair| matches!(repair, Repair::MakeUniform { half_turn: Some(0), .. });
    let outcome = outcome(&advice, about_x).unwrap();
    assert_near(outcome.displacement, 0.0);
    assert_near(outcome.changes.first().copied(), 0.0);
}

#[test]
fn a_helper_is_for_a_copy_since_the_strategies_still_differ_there() {
    let (scene, audit) = built_in("skewed-child");
    let advice = advise(&scene, &audit, 1);
    let copy = outcome(&advice, |r| matches!(r, Repair::HelperNode)).unwrap();
    assert_near(copy.changes.first().copied(), audit.nodes[1].displacement.unwrap());
    assert!(copy.displacement > Some(0.1));
}

properties! {
    #[test]
    fn outcomes_are_those_of_the_scene_repaired(scene in any_chain()) {
        let audit = compare(&scene).unwrap();
        let last = scene.nodes.len() - 1;
        let found = &audit.nodes[last];
        prop_assume!(found.cause.is_some());
        let size = audit.summary.diagonal;
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * size;
        for advice in advise(&scene, &audit, last) {
            let Ok(outcome) = advice.outcome else { continue };
            let left = outcome.displacement.unwrap();
            match advice.repair {
                Repair::MakeUniform { scaler, scale, half_turn } => {
                    let mut repaired = scene.clone();
                    let local = pose(&scene, scaler);
                    let half = |axis| UnitQuaternion::from_scaled_axis(Vector3::ith(axis, PI));
                    let turn = half_turn.map_or_else(UnitQuaternion::identity, half);
                    let uniform = local.with_scale(Vector3::repeat(scale));
                    repaired.nodes[scaler].local = LocalPose::Trs(uniform.with_rotation(local.rotation * turn));
                    let after = compare(&repaired).unwrap();
                    prop_assert!(near(left, after.nodes[last].displacement.unwrap()));
                    prop_assert!(near(outcome.changes[0], most_moved(&audit, &after)));
                    // So turned, each axis still points where it did.
                    let axes = [local, uniform.with_rotation(local.rotation * turn)]
                        .map(|local| linear(&AccumulatedMatrix::from(local)));
                    prop_assert!((0..3).all(|i| axes[0].column(i).dot(&axes[1].column(i)) > 0.0));
                }
                Repair::Bake { top } => {
                    let poses = baked(&scene, top);
                    let by_matrix = worlds::<AccumulatedMatrix<f64>>(&poses)[last];
                    let by_trs = worlds::<CombinedTrs<f64>>(&poses)[last];
                    let now = found.by_matrix.linear();
                    let geometry = linear(&by_matrix).try_inverse().unwrap() * now;
                    let moved = found.bounds.corners().map(|corner| {
                        let corner = (geometry * corner.coords).into();
                        (by_matrix.transform_point(&corner) - by_trs.transform_point(&corner)).norm()
                    });
                    prop_assert!(near(left, moved.fold(0.0, f64::max)));
                    prop_assert!(near(outcome.changes[0], 0.0));
                }
                Repair::HelperNode => {
                    prop_assert!(near(outcome.changes[0], found.displacement.unwrap()));
                }
                _ => {}
            }
        }
    }
}
