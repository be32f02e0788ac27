//! Nothing that is read is written over, nor anything that is named like an asset.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::program::{names, stderr, xform, xform_with};

const SCENE: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [{ "scale": [2, 1, 1] }] }"#;

/// Scenes without an asset's name, which only the check of inputs protects.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene"), SCENE).unwrap();
    fs::create_dir(folder.path().join("assets")).unwrap();
    fs::write(folder.path().join("assets/other.gltf"), SCENE).unwrap();
    fs::write(folder.path().join("list"), "assets/other.gltf\nscene\n").unwrap();
    fs::write(folder.path().join("limits"), "max-skew = 5\n").unwrap();
    folder
}

/// Whether the program refused, said why and left all files as they were.
#[track_caller]
fn assert_kept(folder: &Path, arguments: &[&str], why: &str) {
    let before = contents(folder);
    let output = xform_with(folder, arguments, b"scene\n");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
    assert_eq!(contents(folder), before, "{arguments:?}");
}

/// The files of a folder, those of `assets` too, with what is in them.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |folder: &Path| -> Vec<_> {
        let files = names(folder).into_iter().filter(|name| folder.join(name).is_file());
        files.map(|name| (name.clone(), fs::read(folder.join(&name)).unwrap())).collect()
    };
    [read(folder), read(&folder.join("assets"))].concat()
}

const IS_INPUT: &str = "is an input that the output would overwrite";

#[test]
fn an_output_that_is_an_input_is_refused_in_every_format() {
    let folder = folder();
    for format in ["text", "json", "csv", "markdown", "jsonl", "sarif"] {
        assert_kept(
            folder.path(),
            &["audit", "scene", "--format", format, "-o", "scene"],
            IS_INPUT,
        );
    }
    assert_kept(folder.path(), &["report", "scene", "-o", "./assets/../scene"], IS_INPUT);
}

#[test]
fn an_output_is_compared_with_all_that_is_read() {
    let folder = folder();
    let folder = folder.path();
    for format in ["text", "jsonl"] {
        let audit = |more: &[&str]| {
            assert_kept(folder, &[&["audit", "--format", format], more].concat(), IS_INPUT);
        };
        audit(&["piston", "scene", "-o", "scene"]);
        audit(&["--files-from", "list", "-o", "scene"]);
        audit(&["--files-from", "-", "-o", "scene"]);
        audit(&["--files-from", "list", "-o", "list"]);
        audit(&["piston", "--config", "limits", "-o", "limits"]);
    }
}

#[cfg(unix)]
#[test]
fn links_of_either_kind_lead_to_the_same_file() {
    let folder = folder();
    let folder = folder.path();
    std::os::unix::fs::symlink("scene", folder.join("symbolic")).unwrap();
    fs::hard_link(folder.join("scene"), folder.join("hard")).unwrap();
    fs::hard_link(folder.join("assets/other.gltf"), folder.join("one_of_many")).unwrap();
    for (input, output) in [
        ("scene", "symbolic"),
        ("symbolic", "scene"),
        ("scene", "hard"),
        ("hard", "symbolic"),
        ("assets", "one_of_many"),
    ] {
        assert_kept(folder, &["audit", input, "-o", output], IS_INPUT);
        assert_kept(folder, &["audit", input, "--format", "jsonl", "-o", output], IS_INPUT);
    }
    assert_kept(folder, &["report", "scene", "-o", "symbolic"], IS_INPUT);
}

#[test]
fn what_is_named_like_an_asset_is_never_written_over() {
    let folder = folder();
    let folder = folder.path();
    for name in ["a.gltf", "b.GLB", "c.vrm", "d.bin"] {
        fs::write(folder.join(name), "an asset").unwrap();
        let why = "by its name it is not a report";
        assert_kept(folder, &["audit", "piston", "-o", name], why);
        assert_kept(folder, &["report", "piston", "-o", name], why);
        assert_kept(folder, &["sweep", "-o", name], why);
        assert_kept(folder, &["drift", "-o", name], why);
    }
}

#[test]
fn a_report_that_is_there_already_is_written_anew() {
    let folder = folder();
    for _ in 0..2 {
        let output = xform(folder.path(), &["audit", "scene", "-o", "report.txt"]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    // The name of a built-in scene is that of a file where there is one.
    assert!(xform(folder.path(), &["audit", "piston", "-o", "piston"]).status.success());
    assert!(fs::read_to_string(folder.path().join("piston")).unwrap().starts_with("piston"));
    assert_eq!(xform(folder.path(), &["audit", "piston", "-o", "piston"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn standard_input_and_other_shards_are_inputs_too() {
    use std::{fs::File, process::Command};

    let folder = folder();
    let folder = folder.path();
    let from = |file: &str, arguments: &[&str]| {
        let before = contents(folder);
        let output = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(arguments)
            .current_dir(folder)
            .stdin(File::open(folder.join(file)).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("standard input is an input"), "{}", stderr(&output));
        assert_eq!(contents(folder), before, "{arguments:?}");
    };
    from("scene", &["audit", "-", "-o", "scene"]);
    from("scene", &["report", "-", "-o", "scene"]);
    from("scene", &["diff", "-", "piston", "-o", "scene"]);
    from("list", &["audit", "--files-from", "-", "--format", "jsonl", "-o", "list"]);
    for format in ["text", "jsonl"] {
        let audit = |more: &[&str]| {
            let first = ["audit", "--shard", "1/2", "--format", format, "-o", "scene"];
            assert_kept(folder, &[&first, more].concat(), IS_INPUT);
        };
        audit(&["piston", "scene"]);
        // That list names it second.
        audit(&["--files-from", "list"]);
    }
}

#[test]
fn a_buffer_is_an_input_whatever_it_is_called_and_whether_it_is_read_or_not() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("assets/data 1.buf"), "text").unwrap();
    let scene = r#"{ "asset": { "version": "2.0" }, "nodes": [{ "scale": [2, 1, 1] }],
        "buffers": [{ "byteLength": 4, "uri": "data%201.buf" }, { "byteLength": 1, "uri": "gone" }] }"#;
    fs::write(folder.join("assets/other.gltf"), scene).unwrap();
    let output = ["-o", "assets/data 1.buf"];
    for format in ["text", "json", "csv", "markdown", "jsonl", "sarif"] {
        let audit = ["audit", "piston", "assets/other.gltf", "--format", format];
        assert_kept(folder, &[&audit[..], &output].concat(), IS_INPUT);
    }
    assert_kept(folder, &[&["audit", "assets", "--no-animation"], &output[..]].concat(), IS_INPUT);
    assert_kept(folder, &[&["report", "assets/other.gltf"], &output[..]].concat(), IS_INPUT);
    assert_kept(
        folder,
        &[&["diff", "piston", "assets/other.gltf"], &output[..]].concat(),
        IS_INPUT,
    );
    let told = xform(folder, &["report", "assets/other.gltf", "-o", "assets/data 1.buf"]);
    let line = format!("xform: assets/data 1.buf {IS_INPUT}; nothing was written\n");
    assert_eq!(stderr(&told), line);
    // What is named and is not there is no input.
    let written = xform(folder, &["audit", "assets/other.gltf", "-o", "assets/gone"]);
    assert!(written.status.success(), "{}", stderr(&written));
}

/// A buffer of a scene that is not read: of another shard, ignored, refused.
#[test]
fn what_is_no_text_is_no_report_and_is_kept() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("assets/my data"), [0x3f, 0x80, 0, 0]).unwrap();
    let why = "by its content it is not a report";
    for format in ["text", "json", "csv", "markdown", "jsonl", "sarif"] {
        assert_kept(folder, &["audit", "piston", "--format", format, "-o", "assets/my data"], why);
    }
    assert_kept(folder, &["report", "piston", "-o", "assets/my data"], why);
}

#[test]
fn a_list_may_be_named_like_a_built_in_scene() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("piston"), "scene\n").unwrap();
    fs::write(folder.join("levels"), "max-skew = 5\n").unwrap();
    assert_kept(folder, &["audit", "--files-from", "piston", "-o", "piston"], IS_INPUT);
    assert_kept(folder, &["audit", "scene", "--config", "levels", "-o", "levels"], IS_INPUT);
}
