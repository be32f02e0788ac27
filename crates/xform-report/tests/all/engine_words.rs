//! What is written about engines, in sentences and in every format.

use std::{fs, path::PathBuf};

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::{Audit, SceneAudit, audit::EngineChoice, compare_engines, judge::Report};
use xform_core::Trs;
use xform_engines::Reason;
use xform_matrix::AccumulatedMatrix;
use xform_report::{
    DocumentFormat, NodeSelection, write_csv, write_html, write_json, write_markdown,
};
use xform_scene::{
    Animation, Bounds, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::{
    formats::written,
    grades::verdict,
    support::engine_choices::{all, named},
};

fn about_z(degrees: f64) -> Trs<f64> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians());
    Trs::from_rotation(turn)
}

fn stretch(by: f64) -> Trs<f64> {
    Trs::from_scale(Vector3::new(by, 1.0, 1.0))
}

/// A wide ground, and a hand below an arm that is stretched.
fn arm(by: f64) -> Scene {
    let ground = Bounds::Box([-20.0, -1.0, -20.0].into(), [20.0, 1.0, 20.0].into());
    Scene::new(
        "arm",
        vec![
            Node::new(None, Trs::identity()).with_name("Ground").with_bounds(ground),
            Node::new(None, stretch(by)).with_name("Arm"),
            Node::new(Some(1), about_z(30.0)).with_name("Hand"),
        ],
    )
}

/// A plate with a sheared matrix.
fn plate(name: &str) -> Scene {
    let sheared = stretch(2.0).to_homogeneous() * about_z(38.0).to_homogeneous();
    let sheared = AccumulatedMatrix::from_matrix(sheared).unwrap();
    Scene::new("plate", vec![Node::new(None, sheared).with_name(name)])
}

/// An arm that is mirrored at first, and flat in the end.
fn flattened() -> Scene {
    let scale = [[-1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]];
    let curve = Curve::new(vec![0.0, 1.0], scale.to_vec(), Interpolation::Linear).unwrap();
    let mut scene = Scene::new(
        "flat",
        vec![
            Node::new(None, Trs::from_scale(scale[0].into())).with_name("Arm"),
            Node::new(Some(0), about_z(30.0)).with_name("Hand"),
        ],
    );
    scene.animations =
        vec![Animation::new(0, vec![Channel { node: 0, track: Track::Scale(curve) }])];
    scene
}

fn audited(scene: &Scene, choice: &EngineChoice) -> SceneAudit {
    compare_engines(scene, choice).unwrap()
}

#[test]
fn who_shows_the_same_stands_first_then_who_does_not_and_by_how_much() {
    let usual = EngineChoice::usual();
    let cases = [
        (
            arm(1.0),
            &usual,
            "The scene looks the same in three.js, Babylon.js, Godot, Unity*, Unreal* and Blender. * Known from its source code or documentation; not run.",
        ),
        (
            arm(1.001),
            &usual,
            "Negligible in Unreal*: 1 of 3 nodes differs, but not visibly, by up to 0.000625 % of the scene, most at \"Arm/Hand\". The scene looks the same in three.js, Babylon.js, Godot, Unity* and Blender.",
        ),
        (
            arm(2.0),
            &usual,
            "Visible in Unreal*: 1 of 3 nodes looks different, by up to 0.625 % of the scene, most at \"Arm/Hand\". The scene looks the same in three.js, Babylon.js, Godot, Unity* and Blender.",
        ),
        (
            arm(2.0),
            &named(&["ogre"], None),
            "Visible in OGRE†: 1 of 3 nodes looks different, by up to 0.625 % of the scene, most at \"Arm/Hand\". As glTF defines it, 1 node is sheared, by up to 33°. † OGRE: this applies to nodes that a program creates;",
        ),
        (
            arm(2.0),
            &named(&["godot"], None),
            "Godot shows what glTF defines. As glTF defines it, 1 node is sheared, by up to 33°.",
        ),
        (
            arm(2.0),
            &named(&["godot"], Some("unreal")),
            "Visible in Godot compared with Unreal: 1 of 3 nodes",
        ),
        (
            plate("Plate"),
            &named(&["three", "blender", "godot", "o3de"], None),
            "Severe in Blender: 1 of 1 node looks different, by up to 12.1 % of the scene, most at \"Plate\". \"Plate\" has a sheared matrix, which engines read in different ways. Severe in three.js: 1 of 1 node looks different, by up to 11.8 % of the scene, most at \"Plate\". Godot shows what glTF defines. xform does not know what O3DE shows: how it handles a sheared matrix is unknown, as at \"Plate\".",
        ),
        (
            plate("Plate"),
            &named(&["usd", "godot"], None),
            "The scene looks the same in Godot and OpenUSD*. As glTF defines it, 1 node is sheared, by up to 36.04°.",
        ),
        (
            flattened(),
            &named(&["unreal", "godot"], None),
            "Godot shows what glTF defines at rest and in motion. xform does not know what Unreal shows: how it handles a scale of zero is unknown, as at \"Arm/Hand\".",
        ),
    ];
    for (scene, choice, words) in cases {
        let verdict = verdict(&audited(&scene, choice));
        assert!(verdict.starts_with(words), "{verdict}\nexpected:\n{words}");
    }
}

fn everything() -> Audit {
    let scenes = [arm(2.0), plate("Plate"), flattened()];
    Audit::new(scenes.iter().map(|scene| audited(scene, &all())).collect())
}

#[test]
fn json_with_engines_is_valid_by_its_schema_and_has_every_figure() {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let schema = fs::read_to_string(docs.join("report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let audit = everything();
    let json = written(|out| write_json(&audit, NodeSelection::All, out));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    let flawed = json.replace("\"sheared-matrix\"", "\"sheered\"");
    assert!(!validator.is_valid(&serde_json::from_str(&flawed).unwrap()));
    for reason in [
        Reason::MirroredMatrix,
        Reason::ZeroScale,
        Reason::Matrix,
        Reason::Inheritance,
        Reason::InheritType,
        Reason::NonUniformScale,
        Reason::BindPose,
        Reason::Quaternion,
        Reason::Rounding,
        Reason::Overflow,
    ] {
        let other = json.replace("sheared-matrix", reason.name());
        assert!(validator.is_valid(&serde_json::from_str(&other).unwrap()), "{reason}");
    }

    let (view, node) = (&value["scenes"][0]["engines"], audit.scenes[0].engines.groups[1].nodes[0]);
    let group = &view["groups"][1];
    assert_eq!(group["engines"][0]["id"], "unreal");
    assert_eq!(group["engines"][0]["known"], "read");
    assert_eq!(group["strategy"], "trs");
    assert_eq!(view["groups"][0]["grade"], "identical");
    assert_eq!(group["nodes"][0]["displacement"], node.displacement);
    assert_eq!(group["differing"], 1);
    // O3DE, the third, shows it worst.
    assert_eq!(value["scenes"][0]["nodes"][2]["group"], 2);
    assert_eq!(value["scenes"][1]["engines"]["unknown"][0]["reason"], "sheared-matrix");
    assert_eq!(value["scenes"][1]["engines"]["groups"][1]["sheared"], 0);
    // Of a group that comes to neither strategy the nodes have the worlds.
    let plate = &value["scenes"][1]["nodes"][0];
    assert_eq!(plate["groups"][0]["group"], 1);
    let world = plate["groups"][0]["world"].as_array().unwrap();
    assert_eq!(world.len(), 16);
    // A row of a file has the worst node of each group alone.
    let rows = DocumentFormat::JsonLines(None);
    let row = written(|out| rows.write_audited(&audit.scenes[1], &[], &[], out).map(drop));
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    let groups = row["engines"]["groups"].as_array().unwrap();
    assert!(groups.iter().skip(1).all(|group| group["nodes"].as_array().unwrap().len() == 1));
}

#[test]
fn a_table_says_of_each_node_in_which_engines_it_differs() {
    let csv = written(|out| write_csv(&everything(), NodeSelection::All, out));
    let rows: Vec<_> = csv.lines().collect();
    assert!(rows[0].ends_with(",engines,collider_grade,collider_distance,collider_engines"));
    assert!(rows[2].ends_with(",,,,"), "{}", rows[2]);
    let moved = ",\"visible in unreal (read), ogre (run); visible in o3de (documented); unknown in realitykit\",,,";
    assert!(rows[3].ends_with(moved), "{}", rows[3]);
    let shear = "severe in three (run), babylon (run), bevy (read), gltf-transform (run); severe in playcanvas (run)";
    assert!(rows[4].contains(shear), "{}", rows[4]);
    assert!(
        rows[4].contains("; unknown in galacean, o3de, realitykit, maya, 3dsmax, motionbuilder, houdini, osg, irrlicht"),
        "{}",
        rows[4]
    );
    let flat =
        "severe in ogre (run); severe in o3de (documented); unknown in unreal, realitykit\",,,";
    assert!(rows[6].ends_with(flat), "{}", rows[6]);
}

#[test]
fn names_of_nodes_are_no_markup_where_engines_are() {
    let scene = plate("<b>*x*</b>\u{1b}[31m");
    let audit = audited(&scene, &all());
    assert!(!verdict(&audit).contains('\u{1b}'));
    let page = written(|out| write_html(&Report::of_audit(&scene, audit.clone()), out));
    assert!(!page.contains("<b>*x*"), "escaped");
    assert!(page.contains("Engine by engine"));
    let markdown = written(|out| write_markdown(&Audit::new(vec![audit]), out));
    let verdict = markdown.lines().find(|line| line.contains("three.js")).unwrap();
    assert!(verdict.contains(r"\<b\>\*x\*") && !verdict.contains("<b>"), "{markdown}");
}
