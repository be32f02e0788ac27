//! The program where memory is short: what it cannot do it says, and what was there before or is written already stays.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::tempdir;

use crate::{
    odd::turned,
    program::{names, stderr, stdout},
};

const SMALL: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [
    { "scale": [2, 1, 1], "children": [1] }, { "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] }] }"#;

/// Runs the program with so many kilobytes of address space, beyond which every allocation fails.
fn xform_in(kilobytes: u64, folder: &Path, arguments: &str) -> Output {
    let line = format!("ulimit -c 0 -v {kilobytes}; exec \"$0\" {arguments}");
    let mut shell = Command::new("bash");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_xform")]).current_dir(folder);
    // Its signal ends it at once instead of looking for names of functions.
    shell.env("RUST_BACKTRACE", "0").output().unwrap()
}

/// So many nodes without anything.
fn nodes(count: usize) -> String {
    let nodes = vec!["{}"; count].join(",");
    format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#)
}

/// A node that turns below an uneven scale, by so many keyframes in `x.bin` beside it.
fn keyframes(folder: &Path, count: u16) -> String {
    let times = (0..count).flat_map(|time| f32::from(time).to_le_bytes());
    let turns = [0.0_f32, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt()].map(f32::to_le_bytes).concat();
    let turns = (0..count).flat_map(|_| turns.iter().copied());
    fs::write(folder.join("x.bin"), times.chain(turns).collect::<Vec<_>>()).unwrap();
    let (len, rest) = (u32::from(count) * 4, u32::from(count) * 16);
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": [3, 1, 1], "children": [1] }},
            {{ "children": [2] }}, {{ "translation": [1, 0, 0] }}],
        "animations": [{{ "channels": [{{ "sampler": 0, "target": {{ "node": 1, "path": "rotation" }} }}],
            "samplers": [{{ "input": 0, "output": 1 }}] }}],
        "accessors": [{{ "bufferView": 0, "componentType": 5126, "count": {count}, "type": "SCALAR" }},
            {{ "bufferView": 1, "componentType": 5126, "count": {count}, "type": "VEC4" }}],
        "bufferViews": [{{ "buffer": 0, "byteLength": {len} }},
            {{ "buffer": 0, "byteOffset": {len}, "byteLength": {rest} }}],
        "buffers": [{{ "byteLength": {}, "uri": "x%2ebin" }}] }}"#,
        len + rest
    )
}

#[test]
fn of_many_scenes_one_that_takes_all_memory_costs_itself_alone() {
    for (kilobytes, large) in [(300_000, nodes(400_000)), (250_000, turned(2_000, 400))] {
        let folder = tempdir().unwrap();
        let folder = folder.path();
        for (name, content) in [("a.gltf", SMALL), ("b.gltf", &large), ("c.gltf", SMALL)] {
            fs::write(folder.join(name), content).unwrap();
        }
        // A configuration that is not asked for changes nothing.
        fs::write(folder.join("xform.toml"), "nonsense = = 1").unwrap();
        // Alone it ends by a signal.
        let alone =
            xform_in(kilobytes, folder, "audit b.gltf --no-config --format jsonl --nodes all");
        assert_eq!(alone.status.code(), None, "{}", stderr(&alone));
        for format in ["jsonl", "json", "csv", "text", "markdown", "sarif"] {
            let arguments = format!("audit . --no-config --quiet --format {format}");
            let output = xform_in(kilobytes, folder, &arguments);
            assert_eq!(output.status.code(), Some(2), "{kilobytes}: {}", stderr(&output));
            let line = "xform: ./b.gltf: it takes more memory than there is (out-of-memory)\n";
            assert!(stderr(&output).starts_with(line), "{}", stderr(&output));
            for name in ["a.gltf", "c.gltf"] {
                assert!(stdout(&output).contains(name), "{}", stdout(&output));
            }
        }
        let output = xform_in(kilobytes, folder, "report . -o pages");
        assert_eq!(output.status.code(), Some(2), "{kilobytes}: {}", stderr(&output));
        assert_eq!(names(&folder.join("pages")), ["a.gltf.html", "c.gltf.html", "index.html"]);
    }
}

#[test]
fn a_scene_that_may_not_fit_is_audited_where_it_does() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.gltf"), SMALL).unwrap();
    fs::write(folder.join("b.gltf"), nodes(90_000)).unwrap();
    let output = xform_in(440_000, folder, "audit b.gltf a.gltf --quiet --format jsonl");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert_eq!(stdout(&output).lines().count(), 2);
}

/// What cannot be read is not sampled, but a scene is not safe for want of memory.
#[test]
fn an_animation_that_does_not_fit_is_an_error_of_its_scene() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let file = keyframes(folder, u16::MAX).replace("\"count\": 65535", "\"count\": 20000000");
    let file = file.replace("\"byteLength\": 262140", "\"byteLength\": 80000000");
    fs::write(folder.join("moving.gltf"), file).unwrap();
    fs::File::options()
        .write(true)
        .open(folder.join("x.bin"))
        .unwrap()
        .set_len(400_000_000)
        .unwrap();
    let output = xform_in(90_000, folder, "audit moving.gltf --quiet");
    let line = "xform: moving.gltf: out of memory (out-of-memory)\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), line));
}

/// From too little to start with to enough for all.
#[test]
fn whatever_allocation_fails_old_outputs_stay_and_new_ones_are_whole() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.gltf"), SMALL).unwrap();
    fs::write(folder.join("b.gltf"), SMALL).unwrap();
    fs::write(folder.join("moving.gltf"), keyframes(folder, u16::MAX)).unwrap();
    for command in [
        "audit moving.gltf --quiet --format json",
        "audit tree random --quiet --set nodes=600 --format text",
        "audit a.gltf b.gltf --quiet --format json",
        "audit a.gltf b.gltf --quiet --format jsonl --nodes all",
        "audit random --quiet --set nodes=600 --format sarif",
        "report a.gltf --quiet",
        "diff a.gltf b.gltf --format json",
        "sweep",
        "drift",
    ] {
        let whole = folder.join("whole");
        assert!(
            xform_in(4_000_000, folder, &format!("{command} -o whole")).status.code() <= Some(1)
        );
        let whole = fs::read(whole).unwrap();
        let (mut failed, mut done) = (0, 0);
        for step in 0..14 {
            let kilobytes = 8_000 * 3_u64.pow(step) / 2_u64.pow(step);
            fs::write(folder.join("out"), "what was there before").unwrap();
            let output = xform_in(kilobytes, folder, &format!("{command} -o out"));
            let written = fs::read(folder.join("out")).unwrap();
            match output.status.code() {
                // An error, a signal, or no start at all.
                Some(2 | 127) | None => {
                    failed += 1;
                    assert_eq!(written, b"what was there before", "{command} in {kilobytes}");
                    assert!(!output.stderr.is_empty() || output.status.code().is_none());
                }
                Some(0 | 1) => {
                    done += 1;
                    assert!(written == whole, "{command} in {kilobytes}");
                }
                other => panic!("{command} in {kilobytes}: {other:?}, {}", stderr(&output)),
            }
        }
        assert!(failed > 0 && done > 0, "{command}: {failed}, {done}");
    }
}
