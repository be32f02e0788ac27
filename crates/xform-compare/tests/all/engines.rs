//! What engines show of scenes of which it is known.

use std::path::Path;

use nalgebra::{Matrix4, Rotation3, UnitQuaternion, Vector3};
use xform_compare::{
    Engine, Grade, SceneAudit,
    audit::{EngineAudit, EngineChoice, EngineGroup},
    compare, compare_engines, findings,
    judge::{Limits, Severity, headline},
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{
    Animation, BuiltIn, LocalPose, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
    gltf::Animations,
    read_gltf_file,
    skin::Joint,
};

use crate::{
    engines_as_defined::group,
    support::{
        engine_choices::{all, named},
        given::read,
    },
};

fn ids(group: &EngineGroup) -> Vec<&'static str> {
    group.engines.iter().map(|engine| engine.id).collect()
}

fn engines(scene: &Scene, choice: &EngineChoice) -> (SceneAudit, EngineAudit) {
    let audit = compare_engines(scene, choice).unwrap();
    let engines = audit.engines.clone();
    (audit, engines)
}

fn stretched(local: Trs<f64>) -> Scene {
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    Scene::new(
        "arm",
        vec![
            Node::new(None, stretch).with_name("Arm"),
            Node::new(Some(0), local).with_name("Hand"),
        ],
    )
}

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

#[test]
fn the_piston_moves_by_its_closed_form_in_unreal_and_ogre() {
    let scene = BuiltIn::named("piston").unwrap().scene(&[]).unwrap();
    let (_, engines) = engines(&scene, &all());
    assert_eq!(engines.groups.len(), 3);
    assert_eq!(ids(&engines.groups[1]), ["unreal", "ogre"]);
    assert_eq!(ids(&engines.groups[2]), ["o3de"]);
    let worst = engines.groups[1].nodes[0];
    assert!((worst.displacement - 2.5_f64.sqrt()).abs() < 1e-12);
    assert!((worst.displacement_percent.unwrap() - 2.5_f64.sqrt() / 5.678_91 * 100.0).abs() < 1e-3);
    assert_eq!((engines.groups[1].grade, engines.grade()), (Grade::Severe, Grade::Severe));
}

#[test]
fn an_even_mirror_is_the_same_in_unreal_and_not_in_ogre() {
    let mirror = Trs::from_scale(Vector3::new(-1.0, 1.0, 1.0));
    let turned = Trs::from_rotation(about_z(30.0));
    let scene = Scene::new("mirror", vec![Node::new(None, mirror), Node::new(Some(0), turned)]);
    let (audit, engines) = engines(&scene, &all());
    assert_eq!(engines.groups.len(), 3);
    assert_eq!(ids(&engines.groups[1]), ["ogre"]);
    assert_eq!(ids(&engines.groups[2]), ["o3de"]);
    assert_eq!(audit.summary.grade, Grade::Severe);
}

#[test]
fn a_sheared_matrix_is_read_in_as_many_ways_as_there_are() {
    let sheared = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).to_homogeneous()
        * Trs::from_rotation(about_z(38.0)).to_homogeneous();
    let sheared = AccumulatedMatrix::from_matrix(sheared).unwrap();
    let scene = Scene::new("plate", vec![Node::new(None, sheared).with_name("Plate")]);
    let (_, found) = engines(&scene, &all());
    let groups: Vec<_> = found.groups.iter().map(ids).collect();
    assert_eq!(groups[0], ["filament", "godot", "panda3d", "usd", "assimp", "trimesh"]);
    assert_eq!(groups[1], ["three", "babylon", "bevy", "gltf-transform"]);
    assert_eq!(groups[2], ["playcanvas", "unity", "unity-entities", "unreal", "blender"]);
    let unknown: Vec<_> = found.unknown.iter().map(|unknown| unknown.engine.id).collect();
    let expected = [
        "galacean",
        "o3de",
        "realitykit",
        "maya",
        "3dsmax",
        "motionbuilder",
        "houdini",
        "osg",
        "irrlicht",
    ];
    assert_eq!(unknown, expected);
    assert!(found.others().iter().all(|group| group.sheared == Some(0)));
    assert!(found.has_sheared_matrices);
    // Limits are for each that does not show what glTF defines, whoever else shows the same.
    let (audit, found) = engines(&scene, &named(&["three", "unity"], None));
    let groups: Vec<_> = found.groups.iter().map(ids).collect();
    assert_eq!(groups, [vec![], vec!["three"], vec!["unity"]]);
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Negligible);
    let found = findings(&audit, &limits);
    assert_eq!(found[1].rule, "displaced");
    assert!(found[1].fails && found[1].severity == Severity::Error);
    assert!(found[1].message.contains(" in Unity."), "{}", found[1].message);
}

#[test]
fn limits_are_for_the_engines_that_were_named() {
    let scene = stretched(Trs::from_rotation(about_z(38.0)));
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Visible);
    let fails = |choice: &EngineChoice| {
        let audit = compare_engines(&scene, choice).unwrap();
        findings(&audit, &limits).iter().any(|finding| finding.fails)
    };
    assert!(fails(&EngineChoice::strategies()));
    assert!(fails(&EngineChoice::usual()), "nobody named them");
    assert!(!fails(&named(&["three", "godot"], None)), "they show the same");
    assert!(fails(&named(&["three", "unreal"], None)));
    assert!(!fails(&named(&["ogre"], Some("unreal"))));
    // A skew is limited between engines too: only one of them shows it.
    let mut limits = Limits::default();
    limits.max_skew_degrees = Some(1.0);
    let audit = compare_engines(&scene, &named(&["three", "unreal"], None)).unwrap();
    let found = findings(&audit, &limits);
    assert!(found.iter().any(|finding| {
        finding.excess.as_ref().is_some_and(|e| e.words.starts_with("skew 36.04° > 1°"))
    }));
}

#[test]
fn a_reference_stands_first_and_the_others_are_compared_with_it() {
    let scene = stretched(Trs::from_rotation(about_z(38.0)));
    let (_, found) = engines(&scene, &named(&["three", "godot", "ogre"], Some("unreal")));
    assert_eq!(
        found.groups.iter().map(ids).collect::<Vec<_>>(),
        [vec!["unreal", "ogre"], vec!["three", "godot"]]
    );
    // Named twice, once as the reference, it is there once.
    let (_, found) = engines(&scene, &named(&["unreal", "unreal", "three"], Some("unreal")));
    assert_eq!(found.groups.iter().map(ids).collect::<Vec<_>>(), [vec!["unreal"], vec!["three"]]);
}

#[test]
fn nothing_is_said_where_a_negative_scale_meets_one_of_zero() {
    let flat = Trs::from_scale(Vector3::new(-1.0, 0.0, 1.0));
    let scene =
        Scene::new("flat", vec![Node::new(None, flat), Node::new(Some(0), Trs::identity())]);
    let (_, found) = engines(&scene, &all());
    let unknown: Vec<_> =
        found.unknown.iter().map(|unknown| (unknown.engine.id, unknown.node)).collect();
    assert_eq!(unknown, [("unreal", 1)]);
    assert_eq!(found.unknown[0].reason.name(), "zero-scale");
    let (audit, _) = engines(&scene, &named(&["unreal"], None));
    assert_eq!(headline(&audit).1, "xform does not know what Unreal shows.");
}

#[test]
fn an_engine_that_nobody_named_and_is_not_known_fails_a_limit() {
    let flat = Trs::from_scale(Vector3::new(-1.0, 0.0, 1.0));
    let scene =
        Scene::new("flat", vec![Node::new(None, flat), Node::new(Some(0), Trs::identity())]);
    let (audit, _) = engines(&scene, &EngineChoice::usual());
    let unknown = |limits: &Limits| -> Vec<(String, bool)> {
        let found = findings(&audit, limits).into_iter();
        let found = found.filter(|finding| finding.rule == "engine-unknown");
        found.map(|finding| (finding.message, finding.fails)).collect()
    };
    let only = |limits: &Limits| {
        let [(message, fails)] = &unknown(limits)[..] else { panic!("{:?}", unknown(limits)) };
        assert!(message.contains("Unreal"), "{message}");
        *fails
    };
    let mut limits = Limits::default();
    assert!(!only(&limits));
    limits.fail_on = Some(Grade::Severe);
    assert!(only(&limits));
    limits.allows_unknown = true;
    assert!(!only(&limits));
}

#[test]
fn nothing_is_said_where_that_happens_in_motion_alone() {
    let scale = [[-1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]];
    let curve = Curve::new(vec![0.0, 1.0], scale.to_vec(), Interpolation::Linear).unwrap();
    let arm = Trs::from_scale(scale[0].into());
    let hand = Trs::from_rotation(about_z(30.0));
    let mut scene = Scene::new("flat", vec![Node::new(None, arm), Node::new(Some(0), hand)]);
    let channel = Channel { node: 0, track: Track::Scale(curve) };
    scene.animations = vec![Animation::new(0, vec![channel])];
    let (_, found) = engines(&scene, &all());
    let unknown: Vec<_> =
        found.unknown.iter().map(|unknown| (unknown.engine.id, unknown.node)).collect();
    assert_eq!(unknown, [("unreal", 1), ("realitykit", 1)]);
    assert!(group(&found, "ogre").is_some() && group(&found, "unreal").is_none());
}

#[test]
fn a_flat_matrix_is_unknown_where_it_is_taken_apart() {
    let flat = Trs::from_scale(Vector3::new(2.0, 1.0, 0.0)).to_homogeneous();
    let flat = AccumulatedMatrix::from_matrix(flat).unwrap();
    let scene = Scene::new("flat", vec![Node::new(None, flat)]);
    let (_, found) = engines(&scene, &named(&["three", "godot", "unreal", "usd"], None));
    assert_eq!(found.groups.iter().map(ids).collect::<Vec<_>>(), [["godot", "usd"]]);
    let unknown: Vec<_> = found.unknown.iter().map(|unknown| unknown.engine.id).collect();
    assert_eq!(unknown, ["three", "unreal"]);
    // As a pose it comes through all.
    let pose = Trs::from_scale(Vector3::new(2.0, 1.0, 0.0));
    let (_, found) = engines(&Scene::new("flat", vec![Node::new(None, pose)]), &all());
    assert_eq!((found.groups.len(), found.unknown.len()), (1, 0));
}

#[test]
fn where_the_reference_is_unknown_what_gltf_defines_stands_in_its_place() {
    let sheared = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).to_homogeneous()
        * Trs::from_rotation(about_z(38.0)).to_homogeneous();
    let sheared = AccumulatedMatrix::from_matrix(sheared).unwrap();
    let scene = Scene::new("plate", vec![Node::new(None, sheared)]);
    let (_, found) = engines(&scene, &named(&["three", "godot"], Some("o3de")));
    assert_eq!((found.reference, found.unknown_reference.unwrap().id), (None, "o3de"));
    let groups: Vec<_> = found.groups.iter().map(ids).collect();
    assert_eq!(groups, [["godot"], ["three"]]);
    assert_eq!(found.unknown[0].engine.id, "o3de");
}

#[test]
fn the_size_of_a_scene_does_not_matter() {
    for size in [1e-100, 1e-12, 1.0, 1e12, 1e100] {
        let sheared = Matrix4::new(
            1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        );
        let mut matrix = sheared * size;
        matrix[(3, 3)] = 1.0;
        let matrix = AccumulatedMatrix::from_matrix(matrix).unwrap();
        let scene = Scene::new("sized", vec![Node::new(None, matrix)]);
        let (_, found) = engines(&scene, &named(&["three", "godot"], None));
        let sizes = found.groups.iter().map(|group| group.engines.len());
        assert_eq!(sizes.collect::<Vec<_>>(), [1, 1], "{size}");
        // Far from the origin too.
        let far = Trs::from_translation(Vector3::repeat(1e6 * size));
        let nodes = vec![Node::new(None, far), Node::new(Some(0), matrix)];
        let (_, found) = engines(&Scene::new("far", nodes), &named(&["three", "godot"], None));
        let sizes = found.groups.iter().map(|group| group.engines.len());
        assert_eq!(sizes.collect::<Vec<_>>(), [1, 1], "{size}");
    }
}

#[test]
fn nodes_that_inherit_less_are_in_no_file_and_nothing_is_said_of_them() {
    let scene = BuiltIn::named("inherit").unwrap().scene(&[]).unwrap();
    let (_, found) = engines(&scene, &all());
    assert_eq!(found.groups.iter().map(ids).collect::<Vec<_>>(), [vec![""; 0]]);
    assert_eq!(found.unknown.len(), Engine::all().len());
}

/// OGRE undoes a binding pose in parts, which is the matrix of the joint but below a non-uniform scale.
#[test]
fn nothing_is_said_of_ogre_where_a_joint_was_turned_when_it_was_bound() {
    let kit = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../xform-engines/kit/scenes");
        read_gltf_file(&Path::new(folder).join(name), Animations::Skip).unwrap()
    };
    let unknown = |scene: &Scene| {
        let (_, found) = engines(scene, &named(&["ogre", "three"], None));
        found
            .unknown
            .iter()
            .map(|unknown| (unknown.engine.id, unknown.reason.name()))
            .collect::<Vec<_>>()
    };
    let mut turned = kit("skin_turned_bind.gltf");
    assert_eq!(unknown(&turned), [("ogre", "bind-pose")]);
    // With an even scale there is nothing to undo otherwise, but for the scale in the binding pose itself.
    for node in &mut turned.nodes {
        if let Some(skin) = &mut node.skin {
            let joints = skin.joints.iter().map(|joint| {
                let pose = AccumulatedMatrix::from_matrix(joint.inverse_bind).unwrap();
                let turn = Rotation3::from_matrix(&pose.linear()).to_homogeneous();
                Joint { inverse_bind: turn, ..*joint }
            });
            skin.joints = joints.collect();
        }
        if let LocalPose::Trs(pose) = &mut node.local {
            pose.scale = Vector3::repeat(1.0);
        }
    }
    assert_eq!(unknown(&turned), []);
    assert_eq!(unknown(&kit("skin_sheared_bind.gltf")), [("ogre", "bind-pose")]);
    assert_eq!(unknown(&kit("skin_stretched.gltf")), []);
}

/// A quaternion of length l becomes I + l²·(R − I) where nobody divides it by its length.
#[test]
fn a_rotation_that_is_no_unit_quaternion_squashes_the_node_in_some_engines() {
    let file = |length: f64| {
        let (z, w) = (length * 0.6, length * 0.8);
        let nodes = format!(
            r#""nodes": [{{ "name": "Arm", "mesh": 0, "rotation": [0, 0, {z}, {w}], "scale": [2, 1, 1] }}],
            "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
            "accessors": [{{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }}]"#
        );
        read(&nodes).unwrap()
    };
    let (audit, found) = engines(&file(0.5), &EngineChoice::usual());
    let groups: Vec<_> = found.groups.iter().map(ids).collect();
    assert_eq!(groups, [vec!["godot", "blender"], vec!["three", "babylon"]]);
    let pair = &found.groups[1];
    // R turns by 73.74°, with a cosine of 0.28 and a sine of 0.96; a corner at (x, y) is off by (1 − l²)·(R − I)·(x, y).
    let moved = |x: f64, y: f64| 0.75 * ((-0.72 * x - 0.96 * y).hypot(0.96 * x - 0.72 * y));
    let farthest = moved(2.0, 1.0).max(moved(2.0, -1.0));
    assert!(
        (pair.nodes[0].displacement - farthest).abs() < 1e-12,
        "{}",
        pair.nodes[0].displacement
    );
    assert_eq!((pair.grade, pair.odd_rotation, pair.sheared), (Grade::Severe, Some(0), None));
    assert_eq!(audit.nodes[0].rotation_length, Some(0.5));
    let unknown: Vec<_> =
        found.unknown.iter().map(|unknown| (unknown.engine.id, unknown.reason.name())).collect();
    assert_eq!(unknown, [("unity", "quaternion"), ("unreal", "quaternion")]);
    // What moves and does not turn keeps the rotation that it has.
    let mut moving = file(0.5);
    let places = vec![[0.0; 3], [0.0, 0.0, 5.0]];
    let curve = Curve::new(vec![0.0, 1.0], places, Interpolation::Linear).unwrap();
    let channel = Channel { node: 0, track: Track::Translation(curve) };
    moving.animations = vec![Animation::new(0, vec![channel])];
    let (_, found) = engines(&moving, &named(&["three", "usd", "godot"], None));
    let groups: Vec<_> = found.groups.iter().map(ids).collect();
    assert_eq!(groups, [["godot"], ["three"], ["usd"]]);
    assert!((found.groups[1].nodes[0].displacement - farthest).abs() < 1e-12);
    // By OpenUSD it is turned by 2 acos 0.4 in place of 2 acos 0.8, at all times.
    let turned = 2.0 * (libm::acos(0.4) - libm::acos(0.8));
    let chord = 5_f64.sqrt() * 2.0 * libm::sin(turned / 2.0);
    assert!((found.groups[2].nodes[0].displacement - chord).abs() < 1e-12, "{chord}");
    // What nobody can see is nobody's difference.
    let (_, found) = engines(&file(1.000_05), &EngineChoice::usual());
    assert_eq!((found.groups.len(), found.unknown.len()), (1, 0));
    let (_, found) = engines(&file(0.995), &EngineChoice::usual());
    assert_eq!((found.groups.len(), found.grade()), (2, Grade::Visible));
}

#[test]
fn what_draws_nothing_does_not_count() {
    let scene = read(
        r#""nodes": [{ "mesh": 0 }, { "scale": [2, 1, 1], "children": [2] }, { "rotation": [0, 0, 0.6, 0.8] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }]"#,
    );
    let (_, found) = engines(&scene.unwrap(), &all());
    assert_eq!(found.groups.len(), 1);
    // Of one unknown, because of the node that is turned.
    let unknown: Vec<_> = found.unknown.iter().map(|unknown| unknown.engine.id).collect();
    assert_eq!(unknown, ["realitykit"]);
    assert_eq!(found.groups[0].engines.len(), Engine::all().len() - unknown.len());
}

#[test]
fn the_strategies_can_be_asked_for_like_engines() {
    for scene in ["piston", "skewed-child", "inherit"] {
        let scene = BuiltIn::named(scene).unwrap().scene(&[]).unwrap();
        let audit = compare(&scene).unwrap();
        assert_eq!(audit, compare_engines(&scene, &EngineChoice::strategies()).unwrap());
        let named = compare_engines(&scene, &named(&["trs"], Some("matrices"))).unwrap();
        assert_eq!(audit, named);
        let groups: Vec<_> = audit.engines.groups.iter().map(ids).collect();
        assert_eq!(groups, [["matrices"], ["trs"]]);
    }
    assert!(all().engines.iter().all(|engine| !["matrices", "trs"].contains(&engine.id)));
}
