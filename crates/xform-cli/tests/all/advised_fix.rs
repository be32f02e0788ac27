//! What `xform audit` advises of `xform fix`, run.

use std::path::Path;

use crate::{
    fix::{EMBEDDED, EVEN, NON_UNIFORM, audited, folder_of, turned},
    program::{stderr, stdout, xform},
};

/// An animation that turns the hand, with its accessors and their views; and the bytes of all.
const TURNING: &str = r#"{ "animations": [{
    "samplers": [{ "input": 0, "output": 1 }],
    "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }] }],"#;
const MORE_ACCESSORS: &str = r#""accessors": [
    { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
    { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC4" },"#;
const MORE_VIEWS: &str = r#""bufferViews": [
    { "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 8 },
    { "buffer": 0, "byteOffset": 44, "byteLength": 32 },"#;
const WITH_TURN: &str = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAABXvwz5eg2w/AAAAAAAAAADzBDU/8wQ1Pw==";

/// The command that an audit of a file advises, without the program.
fn advised(folder: &Path, file: &str, options: &[&str]) -> Option<Vec<String>> {
    let audit = [&["audit", file, "--no-config"], options].concat();
    let told = xform(folder, &audit);
    let (_, command) = stdout(&told).lines().find_map(|line| line.split_once("xform fix "))?;
    Some(["fix"].into_iter().chain(command.split_whitespace()).map(str::to_owned).collect())
}

#[test]
fn the_command_that_is_advised_does_what_is_said_of_it() {
    let arm = turned(NON_UNIFORM, EMBEDDED);
    // What a camera sees would change with the scale.
    let camera =
        r#"{ "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 1 } }],"#;
    let with_camera =
        arm.replacen('{', camera, 1).replace(r#""mesh": 0 }"#, r#""mesh": 0, "camera": 0 }"#);
    // No vertices show at all times what turns below a scale.
    let turning = arm
        .replacen('{', TURNING, 1)
        .replace(r#""bufferViews": ["#, MORE_VIEWS)
        .replace(r#""accessors": ["#, MORE_ACCESSORS)
        .replace(r#""POSITION": 0"#, r#""POSITION": 2"#)
        .replace(
            &format!(r#""byteLength": 36, "uri": "{EMBEDDED}""#),
            &format!(r#""byteLength": 76, "uri": "{WITH_TURN}""#),
        );
    let even = turned(EVEN, EMBEDDED);
    let folder = folder_of(&[
        ("arm.gltf", arm.into()),
        ("camera.gltf", with_camera.into()),
        ("turning.gltf", turning.into()),
        ("even.gltf", even.into()),
    ]);
    let run = |command: &[String]| {
        let arguments: Vec<_> = command.iter().map(String::as_str).collect();
        let output = xform(folder.path(), &arguments);
        assert!(output.status.success(), "{command:?} {}", stderr(&output));
        stdout(&output).to_owned()
    };
    let command = advised(folder.path(), "arm.gltf", &[]).unwrap();
    assert_eq!(command, ["fix", "arm.gltf", "-o", "arm-repaired.gltf"]);
    run(&command);
    assert!(audited(folder.path(), "arm-repaired.gltf"));
    let command = advised(folder.path(), "turning.gltf", &[]).unwrap();
    assert_eq!(command, ["fix", "turning.gltf", "--repair", "uniform", "--dry-run"]);
    assert!(run(&command).contains("Can be made uniform"));
    for nothing in ["camera.gltf", "even.gltf"] {
        assert_eq!(advised(folder.path(), nothing, &[]), None, "{nothing}");
    }
}

/// A mirror that is even looks the same in Unreal, and not in OGRE.
#[test]
fn what_the_engines_show_that_are_asked_about_is_repaired() {
    let folder = folder_of(&[("arm.gltf", turned("[1, -1, 1]", EMBEDDED).into())]);
    let fix = |options: &[&str]| {
        let output = xform(folder.path(), &[&["fix", "arm.gltf", "--dry-run"], options].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    assert_eq!(advised(folder.path(), "arm.gltf", &[]), None);
    assert!(fix(&[]).contains("Nothing to repair: "), "{}", fix(&[]));
    let ogre = ["--engine", "ogre"];
    let told = fix(&ogre);
    assert!(told.contains("differ in OGRE: 1 before, none after"), "{told}");
    let command = advised(folder.path(), "arm.gltf", &ogre).unwrap();
    assert_eq!(command, ["fix", "arm.gltf", "-o", "arm-repaired.gltf", "--engine", "ogre"]);
    let command: Vec<_> = command.iter().map(String::as_str).collect();
    assert!(xform(folder.path(), &command).status.success());
    let limited = ["audit", "arm-repaired.gltf", "--fail-on", "negligible", "--engine", "ogre"];
    assert!(xform(folder.path(), &limited).status.success());
}
