//! `xform fix` from outside: what it writes and where, what it leaves alone, and its exit status.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{names, stderr, stdout, xform};

/// A file with a triangle that is turned below a scale; its buffer is a data URI or a file.
pub(crate) fn turned(scale: &str, buffer: &str) -> String {
    format!(
        r#"{{ "asset": {{ "version": "2.0" }},
            "nodes": [
                {{ "name": "Arm", "scale": {scale}, "children": [1] }},
                {{ "name": "Hand", "rotation": [0, 0, 0.38268343, 0.92387953], "mesh": 0 }}
            ],
            "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
            "accessors": [{{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0] }}],
            "bufferViews": [{{ "buffer": 0, "byteLength": 36 }}],
            "buffers": [{{ "byteLength": 36, "uri": "{buffer}" }}] }}"#
    )
}

pub(crate) const NON_UNIFORM: &str = "[2, 1, 1]";
pub(crate) const EVEN: &str = "[2, 2, 2]";
pub(crate) const EMBEDDED: &str =
    "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";

/// A triangle, as in [`EMBEDDED`].
pub(crate) fn triangle() -> Vec<u8> {
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    corners.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn folder_of(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

pub(crate) fn audited(folder: &Path, file: &str) -> bool {
    xform(folder, &["audit", file, "--fail-on", "negligible", "--no-config"]).status.success()
}

#[test]
fn what_is_not_known_of_an_engine_is_told_and_is_not_safe() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let fix = |engine: &str| {
        let options = ["fix", "arm.gltf", "--dry-run", "--strict", "--engine", engine];
        xform(folder.path(), &options)
    };
    let unknown = fix("realitykit");
    assert_eq!(unknown.status.code(), Some(1));
    let told = stdout(&unknown);
    assert!(told.contains("nothing drawn is known to differ in these engines"), "{told}");
    assert!(told.contains("xform does not know what RealityKit shows."), "{told}");
    let known = fix("unreal");
    assert!(known.status.success() && !stdout(&known).contains("does not know"));
    let json = ["fix", "arm.gltf", "--dry-run", "--format", "json", "--engine", "realitykit"];
    let json: Value = serde_json::from_slice(&xform(folder.path(), &json).stdout).unwrap();
    assert_eq!(json["unknown"], serde_json::json!(["realitykit"]));
}

#[test]
fn a_built_in_scene_is_no_file() {
    let folder = folder_of(&[]);
    let output = xform(folder.path(), &["fix", "arm", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("arm: it is a built-in scene, but xform fix repairs files"));
}

#[test]
fn a_file_is_repaired_and_the_input_is_not_touched() {
    let input = turned(NON_UNIFORM, EMBEDDED);
    let folder = folder_of(&[("arm.gltf", input.clone().into())]);
    let output = xform(folder.path(), &["fix", "arm.gltf", "-o", "out.gltf"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stdout(&output);
    assert!(told.contains("Repaired: \"Arm\" and the node below it."), "{told}");
    assert!(told.contains("1 before, none after (severe before, identical after)"), "{told}");
    assert_eq!(names(folder.path()), ["arm.gltf", "out.bin", "out.gltf"]);
    assert_eq!(fs::read_to_string(folder.path().join("arm.gltf")).unwrap(), input);
    assert!(!audited(folder.path(), "arm.gltf") && audited(folder.path(), "out.gltf"));
    // A file is called as it was named.
    let named = xform(folder.path(), &["fix", "./arm.gltf", "--dry-run", "--format", "json"]);
    assert!(stdout(&named).contains(r#""input":"./arm.gltf""#), "{}", stdout(&named));
    // Again, over what is there.
    let again = xform(folder.path(), &["fix", "arm.gltf", "-o", "out.gltf"]);
    assert!(again.status.success(), "{}", stderr(&again));
    assert_eq!(names(folder.path()), ["arm.gltf", "out.bin", "out.gltf"]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    for also in
        [&["fix", "arm.gltf", "--dry-run"][..], &["fix", "arm.gltf", "-o", "o.gltf", "--dry-run"]]
    {
        let output = xform(folder.path(), also);
        assert!(output.status.success() && stdout(&output).contains("Can be repaired"));
        assert_eq!(names(folder.path()), ["arm.gltf"]);
    }
}

#[test]
fn in_place_the_buffers_that_are_there_are_kept() {
    let input = turned(NON_UNIFORM, "arm.bin");
    let folder = folder_of(&[("arm.gltf", input.into()), ("arm.bin", triangle())]);
    let output = xform(folder.path(), &["fix", "arm.gltf", "--in-place"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["arm.2.bin", "arm.bin", "arm.gltf"]);
    assert_eq!(fs::read(folder.path().join("arm.bin")).unwrap(), triangle());
    assert!(audited(folder.path(), "arm.gltf"));
    // There is nothing more to do, so nothing is written.
    let before = fs::metadata(folder.path().join("arm.gltf")).unwrap().modified().unwrap();
    let again = xform(folder.path(), &["fix", "arm.gltf", "--in-place"]);
    assert!(stdout(&again).contains("Nothing to repair") && !stdout(&again).contains("Written"));
    assert_eq!(fs::metadata(folder.path().join("arm.gltf")).unwrap().modified().unwrap(), before);
    // Another place gets a copy, which is called one.
    let copied = xform(folder.path(), &["fix", "arm.gltf", "-o", "copy.gltf"]);
    assert!(stdout(&copied).contains("  Copied to copy.gltf without a repair."));
    assert_eq!(
        fs::read(folder.path().join("copy.gltf")).unwrap(),
        fs::read(folder.path().join("arm.gltf")).unwrap()
    );
}

#[test]
fn in_another_folder_uris_lead_back() {
    let input = turned(NON_UNIFORM, "sub%20folder/arm.bin");
    let image =
        r#""images": [{ "uri": "skin.png" }, { "uri": "https://example.org/x.png" }], "asset""#;
    let input = input.replacen("\"asset\"", image, 1);
    let folder = folder_of(&[
        ("in here/arm.gltf", input.into()),
        ("in here/sub folder/arm.bin", triangle()),
    ]);
    let output = xform(folder.path(), &["fix", "in here/arm.gltf", "-o", "out/arm.gltf"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("It still refers to files in ../in%20here/: keep both folders.")
    );
    let json: Value =
        serde_json::from_slice(&fs::read(folder.path().join("out/arm.gltf")).unwrap()).unwrap();
    assert_eq!(json["buffers"][0]["uri"], "../in%20here/sub%20folder/arm.bin");
    assert_eq!(json["buffers"][1]["uri"], "arm.bin");
    assert_eq!(json["images"][0]["uri"], "../in%20here/skin.png");
    assert_eq!(json["images"][1]["uri"], "https://example.org/x.png");
}

#[test]
fn a_folder_goes_to_a_folder_and_a_bad_file_hides_none() {
    let folder = folder_of(&[
        ("in/a.gltf", turned(NON_UNIFORM, EMBEDDED).into()),
        ("in/bad.gltf", b"{".to_vec()),
        ("in/deep/b.gltf", turned(EVEN, EMBEDDED).into()),
    ]);
    let output = xform(folder.path(), &["fix", "in", "-o", "out", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("bad.gltf"), "{}", stderr(&output));
    let rows: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<_> = rows.iter().map(|row| row["groups"].as_array().unwrap().len()).collect();
    assert_eq!(states, [1, 0]);
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("in/deep/b.gltf"), read("out/deep/b.gltf"), "the same to the byte");
    assert_eq!(names(&folder.path().join("out")), ["a.bin", "a.gltf", "deep"]);
}

#[test]
fn what_was_written_below_the_inputs_is_no_input() {
    let folder = folder_of(&[("in/a.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    for _ in 0..2 {
        let output = xform(folder.path(), &["fix", "in", "-o", "in/out"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(names(&folder.path().join("in/out")), ["a.bin", "a.gltf"]);
    }
    // The folder of the inputs is not that of the outputs, and it is said.
    let itself = xform(folder.path(), &["fix", "in/out", "-o", "in/out"]);
    assert_eq!(itself.status.code(), Some(2));
    assert!(stderr(&itself).contains("a.gltf"), "{}", stderr(&itself));
    // In place nothing is left out, whatever it is called.
    assert!(xform(folder.path(), &["fix", "in/out", "--in-place"]).status.success());
    fs::create_dir(folder.path().join("none")).unwrap();
    fs::write(folder.path().join("none/arm.fbx"), "").unwrap();
    let none = xform(folder.path(), &["fix", "none", "--dry-run"]);
    assert!(
        stderr(&none).contains("none: it contains no .gltf, .glb or .vrm file"),
        "{}",
        stderr(&none)
    );
}

#[test]
fn the_name_of_the_output_says_what_is_in_it() {
    let json = turned(NON_UNIFORM, EMBEDDED);
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let len = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    let (all, chunk) = (len(json.len() + 20), len(json.len()));
    let glb = [&b"glTF"[..], &2_u32.to_le_bytes(), &all, &chunk, b"JSON", &json].concat();
    let folder = folder_of(&[("arm.gltf", json), ("hand.glb", glb)]);
    for (input, output, must) in [
        ("arm.gltf", "out.glb", ".gltf"),
        ("arm.gltf", "out.txt", ".gltf"),
        ("arm.gltf", "out", ".gltf"),
        ("hand.glb", "out.gltf", ".glb or .vrm"),
        ("hand.glb", "out.txt", ".glb or .vrm"),
        ("hand.glb", "out", ".glb or .vrm"),
    ] {
        let done = xform(folder.path(), &["fix", input, "-o", output]);
        assert_eq!(done.status.code(), Some(2), "{output}");
        let told = format!("so the output must be {must}");
        assert!(stderr(&done).contains(&told), "{}", stderr(&done));
    }
    assert_eq!(names(folder.path()), ["arm.gltf", "hand.glb"]);
    assert!(xform(folder.path(), &["fix", "hand.glb", "-o", "out.VRM"]).status.success());
}

#[test]
fn the_exit_status_tells_what_is_left() {
    let camera = r#""name": "Hand", "camera": 0"#;
    let refused = turned(NON_UNIFORM, EMBEDDED).replace(r#""name": "Hand""#, camera);
    let folder = folder_of(&[
        ("arm.gltf", refused.into()),
        ("good.gltf", turned(NON_UNIFORM, EMBEDDED).into()),
    ]);
    let status = |arguments: &[&str]| {
        let arguments = [&["fix"], arguments, &["--dry-run"]].concat();
        xform(folder.path(), &arguments).status.code()
    };
    assert_eq!(status(&["arm.gltf"]), Some(0));
    assert_eq!(status(&["arm.gltf", "--strict"]), Some(1));
    assert_eq!(status(&["good.gltf", "--strict"]), Some(0));
    assert_eq!(status(&["good.gltf", "--tolerance", "0"]), Some(3));
    // Of several the worst: not proved is worse than left, and bad input the worst.
    assert_eq!(status(&[".", "--strict", "--tolerance", "0"]), Some(3));
    fs::write(folder.path().join("bad.gltf"), "{").unwrap();
    assert_eq!(status(&[".", "--strict", "--tolerance", "0"]), Some(2));
    assert_eq!(status(&["missing.gltf"]), Some(2));
    assert_eq!(status(&["arm.gltf", "--only", "Nobody"]), Some(2));
}

#[test]
fn what_is_not_proved_is_not_written() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let output = xform(folder.path(), &["fix", "arm.gltf", "-o", "out.gltf", "--tolerance", "0"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("not proved: a vertex would move by"), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["arm.gltf"]);
}

#[test]
fn inputs_are_never_written_over_but_in_place() {
    let folder =
        folder_of(&[("arm.gltf", turned(NON_UNIFORM, "arm.bin").into()), ("arm.bin", triangle())]);
    let fix = |output: &str| xform(folder.path(), &["fix", "arm.gltf", "-o", output]);
    for output in ["arm.gltf", "./arm.gltf"] {
        let refused = fix(output);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("is an input"), "{}", stderr(&refused));
    }
    let kind = fix("out.glb");
    assert!(stderr(&kind).contains("so the output must be .gltf"), "{}", stderr(&kind));
    // Data that belong to nothing that is known.
    fs::write(folder.path().join("other.bin"), "kept").unwrap();
    let other = fix("other.gltf");
    assert!(other.status.success(), "{}", stderr(&other));
    assert_eq!(fs::read(folder.path().join("other.bin")).unwrap(), b"kept");
    assert_eq!(
        names(folder.path()),
        ["arm.bin", "arm.gltf", "other.2.bin", "other.bin", "other.gltf"]
    );
    assert!(audited(folder.path(), "other.gltf"));
    for stream in [["-", "-o", "x.gltf"], ["arm.gltf", "-o", "-"]] {
        let output = xform(folder.path(), &[&["fix"], &stream[..]].concat());
        assert!(stderr(&output).contains("not standard input and output"), "{}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_written_through() {
    use std::os::unix::fs::symlink;

    let folder = folder_of(&[
        ("in/arm.gltf", turned(NON_UNIFORM, EMBEDDED).into()),
        ("kept", b"kept".to_vec()),
    ]);
    let at = |name: &str| folder.path().join(name);
    symlink(at("kept"), at("out.gltf")).unwrap();
    symlink(at("in/arm.gltf"), at("arm.gltf")).unwrap();
    symlink(at("nothing"), at("data.bin")).unwrap();
    for arguments in [&["in/arm.gltf", "-o", "out.gltf"][..], &["arm.gltf", "--in-place"]] {
        let output = xform(folder.path(), &[&["fix"], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("it is a link"), "{}", stderr(&output));
    }
    let output = xform(folder.path(), &["fix", "in/arm.gltf", "-o", "data.gltf"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!at("nothing").exists() && at("data.2.bin").is_file());
    let output = xform(folder.path(), &["fix", "in/arm.gltf", "-o", "/dev/null"]);
    assert!(
        stderr(&output).contains("it already exists and is not a regular file"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read(at("kept")).unwrap(), b"kept");
}

#[test]
fn a_folder_that_is_read_only_is_told() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into()), ("file", vec![])]);
    let output = xform(folder.path(), &["fix", "arm.gltf", "-o", "file/out.gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("xform: file: not a directory"), "{}", stderr(&output));
    let none = xform(folder.path(), &["fix", "arm.gltf"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("--output"), "{}", stderr(&none));
}

#[test]
fn each_repair_is_carried_out_where_it_is_asked_for() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let fix = |repair: &str, also: &[&str]| {
        let output = format!("{repair}.gltf");
        let arguments = [&["fix", "arm.gltf", "-o", &output, "--repair", repair], also].concat();
        let output = xform(folder.path(), &arguments);
        (output.status.code(), stdout(&output).to_owned(), stderr(&output).to_owned())
    };
    for (repair, told) in [
        ("bake", "The scales are now in the vertices."),
        ("leaf", "The scales are now on new nodes without children, or in the vertices."),
        ("uniform", "Made uniform: the scale of \"Arm\"."),
    ] {
        let (status, text, problems) = fix(repair, &["--strict"]);
        assert!(status == Some(0) && text.contains(told), "{text} {problems}");
        assert!(audited(folder.path(), &format!("{repair}.gltf")), "{repair}");
    }
    for repair in ["helper", "nearest"] {
        let (status, text, _) = fix(repair, &["--strict"]);
        assert!(status == Some(1) && text.contains("no node has a sheared matrix"), "{text}");
    }
    let (status, _, problems) = fix("straighten", &[]);
    assert!(status == Some(2) && problems.contains("possible values: bake, leaf"), "{problems}");
}

#[test]
fn what_is_not_used_any_more_is_taken_out_where_it_is_asked_for() {
    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let output = xform(folder.path(), &["fix", "arm.gltf", "-o", "out.gltf", "--compact"]);
    let told = stdout(&output);
    assert!(told.contains("Removed as unused: 1 accessor, 1 buffer view, 36 bytes."), "{told}");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let json: Value = serde_json::from_slice(&read("out.gltf")).unwrap();
    assert_eq!(json["buffers"].as_array().unwrap().len(), 1);
    assert!(audited(folder.path(), "out.gltf"));
    // Data that may be used in unknown ways are left, which is no success where all was asked for.
    let odd =
        turned(NON_UNIFORM, EMBEDDED).replacen('{', r#"{ "extensions": { "ACME_data": {} },"#, 1);
    fs::write(folder.path().join("odd.gltf"), odd).unwrap();
    let arguments = ["fix", "odd.gltf", "-o", "out.gltf", "--compact", "--strict"];
    let output = xform(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let told = stdout(&output);
    assert!(
        told.contains("Unused data were not removed: the unknown extension ACME_data may use"),
        "{told}"
    );
}

/// Whenever it is killed, the output is not there or whole.
#[cfg(unix)]
#[test]
fn killed_in_the_middle_it_leaves_no_half_file() {
    use std::{process::Command, thread, time::Duration};

    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let at = |name: &str| folder.path().join(name);
    assert!(xform(folder.path(), &["fix", "arm.gltf", "-o", "whole.gltf"]).status.success());
    let whole = fs::read_to_string(at("whole.gltf")).unwrap().replace("whole.bin", "out.bin");
    let data = fs::read(at("whole.bin")).unwrap();
    for tenths in 0..40 {
        let mut fix = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["fix", "arm.gltf", "-o", "out.gltf"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(tenths * 250));
        fix.kill().unwrap();
        fix.wait().unwrap();
        if let Ok(out) = fs::read_to_string(at("out.gltf")) {
            assert_eq!(out, whole);
            assert_eq!(fs::read(at("out.bin")).unwrap(), data);
        }
        for name in ["out.gltf", "out.bin"] {
            // It may not be there.
            let _ = fs::remove_file(at(name));
        }
    }
}
