//! Colliders that physics engines are asked about, on the command line and in `xform.toml`.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{stderr, stdout, xform};

/// A ball that is stretched, and a box that is not.
const LEVEL: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [
    { "name": "Ball", "scale": [1.697926, 1.542503, 1.726272],
      "extensions": { "OMI_physics_body": { "collider": { "shape": 0 } } } },
    { "name": "Crate", "translation": [2, 0, 0],
      "extensions": { "OMI_physics_body": { "collider": { "shape": 1 } } } } ],
  "extensions": { "OMI_physics_shape": { "shapes": [{ "type": "sphere" }, { "type": "box" }] } } }"#;

/// The same without shapes.
fn without_shapes() -> String {
    LEVEL.replace("OMI_physics_body", "OTHER_body")
}

fn folder() -> tempfile::TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("level.gltf"), LEVEL).unwrap();
    fs::write(folder.path().join("empty.gltf"), without_shapes()).unwrap();
    folder
}

/// The line of the text, the list below it, the JSON, SARIF and the exit status say the same.
#[test]
fn all_outputs_say_the_same_of_a_collider() {
    let folder = folder();
    let asked = ["--physics", "godot-jolt", "--physics", "godot-physics"];
    let audit = |more: &[&str]| {
        let arguments = [&["audit", "level.gltf"], &asked[..], more].concat();
        xform(folder.path(), &arguments)
    };
    let text = audit(&[]);
    assert_eq!(text.status.code(), Some(0));
    let text = stdout(&text);
    for words in [
        "1 of 2 colliders differs from the drawn shape in Godot (Jolt) or Godot (GodotPhysics): bodies collide up to 0.0565 units away from the drawn shape.",
        "1. Ball [0], a sphere (OMI_physics_body): visible",
        "Godot (Jolt): a sphere of radius 0.828, up to 0.0565 units",
        "It takes the mean of the three scales.",
        "Godot (GodotPhysics): matches the drawn shape.",
        "The cause is the scale (1.698, 1.543, 1.726) of Ball.",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("Crate [1]"), "{text}");
    let json: Value = serde_json::from_str(stdout(&audit(&["--format", "json"]))).unwrap();
    let physics = &json["scenes"][0]["physics"];
    let colliders = physics["colliders"].as_array().unwrap();
    let grades: Vec<_> = colliders.iter().map(|one| one["grade"].as_str().unwrap()).collect();
    assert_eq!((grades[0], grades[1]), ("visible", "identical"));
    let distance = colliders[0]["engines"][0]["distance"].as_f64().unwrap();
    assert!((distance - 0.0565).abs() < 5e-5, "{distance}");
    let sarif: Value = serde_json::from_str(stdout(&audit(&["--format", "sarif"]))).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let told: Vec<_> = results.iter().filter(|one| one["ruleId"] == "collider").collect();
    assert_eq!((told.len(), &told[0]["level"]), (1, &Value::from("warning")));
    let failed = audit(&["--fail-on", "visible"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).contains("node 0 (\"Ball\")"), "{}", stderr(&failed));
    // By Jolt alone.
    let exact = ["audit", "level.gltf", "--physics", "godot-physics", "--fail-on", "visible"];
    assert_eq!(xform(folder.path(), &exact).status.code(), Some(0));
}

#[test]
fn a_line_says_what_to_ask_for_and_nothing_is_said_without_shapes() {
    let folder = folder();
    let text = stdout(&xform(folder.path(), &["audit", "level.gltf"])).to_owned();
    let line =
        "1 of 2 colliders differs from the drawn shape in Godot (Jolt): --physics godot-jolt";
    assert!(text.contains(line), "{text}");
    let text = stdout(&xform(folder.path(), &["audit", "empty.gltf"])).to_owned();
    assert!(!text.contains("ollider"), "{text}");
    let json =
        stdout(&xform(folder.path(), &["audit", "level.gltf", "--format", "json"])).to_owned();
    assert!(!json.contains("physics\":"), "{json}");
    let text =
        stdout(&xform(folder.path(), &["audit", "empty.gltf", "--physics", "jolt"])).to_owned();
    assert!(text.contains("The file has no colliders."), "{text}");
}

#[test]
fn the_configuration_names_physics_engines_too() {
    let folder = folder();
    let config = |text: &str| fs::write(folder.path().join("xform.toml"), text).unwrap();
    config("physics = [\"unreal\"]\nfail-on = \"visible\"");
    let audit = xform(folder.path(), &["audit", "level.gltf"]);
    assert_eq!(audit.status.code(), Some(1));
    assert!(stdout(&audit).contains("It takes the smallest of the three scales."));
    // The command line wins.
    let audit = xform(folder.path(), &["audit", "level.gltf", "--physics", "godot-physics"]);
    assert_eq!(audit.status.code(), Some(0), "{}", stdout(&audit));
    for (text, words) in [
        ("physics = [\"unrael\"]", "there is no physics engine `unrael`; did you mean `unreal`?"),
        (
            "physics = [\"jolt/none\"]",
            "`jolt` has no `none`; possible after the slash: scale-shape,",
        ),
        ("collider = \"hull\"", "a shape for meshes was given without a physics engine"),
        ("physics = [\"jolt\"]\ncollider = \"ball\"", "unknown variant `ball`"),
    ] {
        config(text);
        let audit = xform(folder.path(), &["audit", "level.gltf"]);
        assert_eq!(audit.status.code(), Some(2), "{text}");
        assert!(stderr(&audit).contains(words), "{}", stderr(&audit));
    }
}

/// The page, and the index of several, take the same options; an engine that is named twice is judged once.
#[test]
fn pages_are_made_with_colliders_too() {
    let folder = folder();
    let asked = ["--physics", "godot-jolt", "--physics", "godot-jolt"];
    let report = |more: &[&str]| {
        let arguments = [&["report", "--quiet"], &asked[..], more].concat();
        xform(folder.path(), &arguments)
    };
    assert_eq!(report(&["level.gltf", "-o", "page.html"]).status.code(), Some(0));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    let line =
        "1 of 2 colliders differs from the drawn shape in Godot (Jolt): bodies collide up to";
    assert!(page.contains(line) && page.contains("<section id=\"colliders\">"));
    assert_eq!(report(&["level.gltf", "empty.gltf", "-o", "pages"]).status.code(), Some(0));
    let index = fs::read_to_string(folder.path().join("pages/index.html")).unwrap();
    assert!(index.contains("Colliders differ from the drawn shapes in 1 of 2 scenes."), "{index}");
    assert!(index.contains("visible, 1 of 2</td>"), "{index}");
    // A built-in scene has neither colliders nor meshes to judge.
    assert_eq!(
        report(&["piston", "--collider", "sphere", "-o", "piston.html"]).status.code(),
        Some(0)
    );
    let page = fs::read_to_string(folder.path().join("piston.html")).unwrap();
    assert!(page.contains("The file has no colliders."), "{page}");
    let alone = xform(folder.path(), &["report", "level.gltf", "--collider", "box"]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(
        stderr(&alone).contains("a shape for meshes was given without a physics engine"),
        "{}",
        stderr(&alone)
    );
}

/// Rows and tables have them, by the same numbers.
#[test]
fn rows_and_tables_have_colliders() {
    let folder = folder();
    let audit = |format: &str| {
        let arguments = ["audit", "level.gltf", "--physics", "godot-jolt", "--format", format];
        stdout(&xform(folder.path(), &arguments)).to_owned()
    };
    let row: Value = serde_json::from_str(audit("jsonl").lines().next().unwrap()).unwrap();
    let physics = &row["physics"];
    assert_eq!((&physics["colliders"], &physics["differing"]), (&2.into(), &1.into()));
    let csv = audit("csv");
    let ball = csv.lines().nth(1).unwrap();
    assert!(ball.ends_with(",visible in godot-jolt (run)"), "{ball}");
    assert!(ball.contains(",visible,0.0565"), "{ball}");
}
