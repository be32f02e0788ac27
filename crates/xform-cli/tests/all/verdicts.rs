//! Grades and bad files on the command line: what is said, and how it ends.

use std::fs;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{stderr, stdout, xform};

/// A mesh of its own, a stretch that only an empty feels, and nothing else.
const EMPTY: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [
    { "mesh": 0 }, { "name": "Arm", "scale": [9, 1, 1], "children": [2] },
    { "name": "Hand", "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867], "children": [3] },
    { "name": "Socket", "translation": [5, 0, 0] } ],
    "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }] }"#;

fn folder() -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("empty.gltf"), EMPTY).unwrap();
    fs::write(folder.path().join("broken.gltf"), "{").unwrap();
    folder
}

#[test]
fn one_bad_file_hides_nothing_in_any_format() {
    let folder = folder();
    for format in ["text", "json", "csv", "markdown", "sarif", "jsonl"] {
        let arguments = ["audit", "broken.gltf", "piston", "--format", format];
        let output = xform(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{format}");
        assert!(stdout(&output).contains("piston"), "{format}: {}", stdout(&output));
        assert!(stderr(&output).starts_with("xform: broken.gltf: "), "{}", stderr(&output));
        // A row of CSV is a node, so there it is standard error alone that names the file.
        assert_eq!(stdout(&output).contains("broken.gltf"), format != "csv", "{format}");
    }
    let output = xform(folder.path(), &["audit", "broken.gltf", "piston", "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["errors"].as_array().unwrap().len(), 1);
    assert_eq!(json["errors"][0]["source"], "broken.gltf");
    assert_eq!(json["errors"][0]["code"], "invalid-json");
    let output = xform(folder.path(), &["audit", "broken.gltf", "piston", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["descriptor"]["id"], "invalid-json");
}

#[test]
fn a_bad_file_beats_a_limit() {
    let arguments = ["audit", "broken.gltf", "piston", "--max-displacement", "0"];
    let output = xform(folder().path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    // And that it is the built-in scene which is checked.
    assert_eq!(stderr(&output).lines().count(), 3, "{}", stderr(&output));
}

#[test]
fn many_files_are_a_table_worst_first() {
    let arguments = ["audit", "empty.gltf", "broken.gltf", "skewed-child", "piston"];
    let output = xform(folder().path(), &arguments);
    let text = stdout(&output);
    assert!(
        text.starts_with("4 scenes: 2 severe, 0 visible, 0 negligible, 1 identical; 1 not audited")
    );
    let place = |line: &str| text.lines().position(|found| found.ends_with(line)).unwrap();
    let order = ["  piston", "  skewed-child", "  empty.gltf"].map(place);
    assert!(order.is_sorted(), "{text}");
    assert!(text.contains("not audited"), "{text}");
    // What is safe has its line and no more.
    assert!(!text.lines().any(|line| line == "empty.gltf"), "{text}");
    assert!(text.lines().any(|line| line == "piston"), "{text}");
}

#[test]
fn a_grade_is_a_limit_and_without_limits_nothing_fails() {
    let folder = folder();
    let status = |more: &[&str]| {
        xform(folder.path(), &[&["audit", "--no-config"], more].concat()).status.code()
    };
    assert_eq!(status(&["piston"]), Some(0), "severe, and no limit");
    for grade in ["negligible", "visible", "severe"] {
        assert_eq!(status(&["piston", "--fail-on", grade]), Some(1));
        assert_eq!(status(&["empty.gltf", "--fail-on", grade]), Some(0));
        assert_eq!(status(&["empty.gltf", "--fail-on", grade, "--undrawn"]), Some(1));
    }
    assert_eq!(status(&["piston", "--fail-on", "identical"]), Some(2), "it would always fail");
    let output = xform(folder.path(), &["audit", "piston", "--fail-on", "visible"]);
    let line = "severe in combined TRS; the limit is visible";
    assert!(stderr(&output).contains(line), "{}", stderr(&output));
}

#[test]
fn a_configuration_has_the_same_limits() {
    let folder = folder();
    let status = |config: &str, more: &[&str]| {
        fs::write(folder.path().join("xform.toml"), config).unwrap();
        xform(folder.path(), &[&["audit"], more].concat()).status.code()
    };
    assert_eq!(status("fail-on = \"severe\"", &["piston"]), Some(1));
    assert_eq!(status("fail-on = \"severe\"", &["empty.gltf"]), Some(0));
    assert_eq!(status("fail-on = \"severe\"\nundrawn = true", &["empty.gltf"]), Some(1));
    assert_eq!(status("fail-on = \"identical\"", &["piston"]), Some(2));
    // The command line wins.
    let negligible = ["skewed-child", "--set", "s=1.001", "--fail-on", "negligible"];
    assert_eq!(status("fail-on = \"severe\"", &negligible[..3]), Some(0));
    assert_eq!(status("fail-on = \"severe\"", &negligible), Some(1));
}

#[test]
fn a_missing_file_is_said_as_a_person_would() {
    let folder = tempdir().unwrap();
    let said = |name: &str| stderr(&xform(folder.path(), &["audit", name])).to_owned();
    assert_eq!(said("lost.glb"), "xform: lost.glb: no such file (unreadable)\n");
    let near =
        "xform: pistn: no such file; did you mean the built-in scene `piston`? (unreadable)\n";
    assert_eq!(said("pistn"), near);
    assert_eq!(said("zzz"), "xform: zzz: no such file (unreadable)\n");
}

#[test]
fn folders_have_vrm_files() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("avatar.VRM"), EMPTY).unwrap();
    let output = xform(folder.path(), &["audit", "."]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("avatar.VRM"));
}

#[test]
fn of_nodes_that_are_equally_bad_the_first_is_named() {
    let folder = tempdir().unwrap();
    let hand = r#"{ "rotation": [0, 0, 0.6, 0.8] }"#;
    let scene = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "scale": [2, 1, 1], "children": [1, 2] }}, {hand}, {hand} ] }}"#
    );
    fs::write(folder.path().join("hands.gltf"), scene).unwrap();
    let output = xform(folder.path(), &["audit", "hands.gltf", "--max-skew", "1"]);
    assert!(stderr(&output).starts_with("xform: hands.gltf: node 1 "), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}
