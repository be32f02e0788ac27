//! The program on input that is wrong: exit status 2, one line that names it, nothing written.

use std::fs;

use tempfile::tempdir;

use crate::program::{names, stderr, stdout, xform};

/// Audits and reports a file with this content; both must fail with this line.
fn assert_refused(content: &[u8], message: &str) {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("bad.gltf"), content).unwrap();
    for arguments in
        [&["audit", "bad.gltf", "-o", "out"][..], &["audit", "bad.gltf"], &["report", "bad.gltf"]]
    {
        let output = xform(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stdout(&output), "");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        let start = format!("xform: bad.gltf: {message}");
        assert!(stderr(&output).starts_with(&start), "{} is not {start}", stderr(&output));
        assert_eq!(names(folder.path()), ["bad.gltf"]);
    }
}

fn assert_nodes_refused(nodes: &str, message: &str) {
    let json = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    assert_refused(json.as_bytes(), message);
}

#[test]
fn all_that_is_wrong_with_a_file_is_told_in_every_format() {
    let folder = tempdir().unwrap();
    let nodes = [r#"{ "scale": 1 }"#, r#"{ "rotation": [0, 0, 0] }"#].join(",");
    let json = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    fs::write(folder.path().join("two.gltf"), json).unwrap();
    let nodes = vec!["7"; 150].join(",");
    let json = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    fs::write(folder.path().join("many.gltf"), json).unwrap();
    let told = [
        "two.gltf: /nodes/0/scale: invalid type",
        "two.gltf: /nodes/1/rotation: invalid length 3",
        "many.gltf: /nodes/0: invalid type",
        "many.gltf: /nodes/99: invalid type",
        "many.gltf: at least 1 further defect",
    ];
    for format in ["text", "json", "jsonl", "markdown", "sarif"] {
        let arguments = ["audit", "piston", "two.gltf", "many.gltf", "--format", format, "--quiet"];
        let output = xform(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2));
        let (said, errors) = (stdout(&output).replace('\\', ""), stderr(&output));
        assert_eq!(errors.lines().count(), 2 + 101, "{errors}");
        // Programs find the number of the others in JSON.
        let lines = if format.starts_with("json") { &told[..4] } else { &told[..] };
        for line in lines {
            assert!(said.contains(line), "{format}: {line}: {said}");
        }
        assert!(told.iter().all(|line| errors.contains(line)), "{errors}");
        assert_eq!(said.contains(r#""more": 1"#), format.starts_with("json"), "{format}");
    }
    for command in [&["report", "two.gltf"][..], &["diff", "two.gltf", "piston"]] {
        let output = xform(folder.path(), command);
        assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
        let first = stderr(&output).lines().next().unwrap();
        assert!(first.ends_with("expected an array of length 3 (invalid-value)"), "{first}");
    }
    let output =
        xform(folder.path(), &["report", "two.gltf", "piston", "--output", "pages", "--quiet"]);
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
    let index = fs::read_to_string(folder.path().join("pages/index.html")).unwrap();
    assert!(told[..2].iter().all(|line| index.contains(line)), "{index}");
}

#[test]
fn bytes_that_are_no_gltf() {
    assert_refused(b"", "the file is empty");
    assert_refused(b"not JSON", "expected ident at line 1 column 2");
    assert_refused(b"{\n  \"asset\": {", "EOF while parsing an object at line 2 column 12");
    assert_refused(b"{}", "not a glTF file: it has no asset.version");
    assert_refused(br#"{ "asset": { "version": "1.0" } }"#, "glTF 1.0 is not supported");
    assert_refused(
        b"glTF\x02\0\0\0\x14\0\0\0",
        "the GLB is truncated: its stated length needs 20 bytes, but there are 12",
    );
    assert_refused(
        b"glTF\x02\0\0\0\x14\0\0\0\x02\0\0\0JSON{}",
        "the GLB states a length of 20 bytes, too short for its JSON chunk",
    );
    assert_refused(
        b"glTF\x02\0\0\0\x16\0\0\0\x02\0\0\0BIN\0{}",
        "the first chunk of the GLB is not JSON",
    );
    assert_refused(
        b"glTF\x02\0\0\0\xff\xff\xff\xff\xeb\xff\xff\xffJSON{}",
        "the GLB is truncated: its stated length needs 4294967295 bytes, but there are 22",
    );
    assert_refused(b"glTF\x01\0\0\0\x14\0\0\0", "glTF 1.0 is not supported");
}

#[test]
fn nodes_that_are_no_forest() {
    assert_nodes_refused(r#"{ "children": [0] }"#, "node 0 is its own ancestor");
    assert_nodes_refused(
        r#"{ "children": [2] }, { "children": [2] }, {}"#,
        "node 2 has two parents, 0 and 1",
    );
    assert_nodes_refused(r#"{ "children": [9] }"#, "/nodes/0/children/0: there is no node 9");
}

#[test]
fn values_of_the_wrong_type_or_length_or_size() {
    assert_nodes_refused(
        r#"{ "scale": "2" }"#,
        "/nodes/0/scale: invalid type: string \"2\", expected an array",
    );
    assert_nodes_refused(
        r#"{ "scale": [1, 2] }"#,
        "/nodes/0/scale: invalid length 2, expected an array of length 3",
    );
    assert_nodes_refused(
        r#"{ "scale": [1, 2, 1e400] }"#,
        "/nodes/0/scale/2: the number is out of range (number-out-of-range)",
    );
    assert_nodes_refused(
        r#"{ "name": "Arm", "scale": [1e300, 1, 1], "children": [1] }, { "scale": [1e300, 1, 1] }"#,
        "node 1 (\"Arm/#1\"): values overflow",
    );
}

#[test]
fn numbers_that_json_does_not_have() {
    assert_nodes_refused(r#"{ "scale": [NaN, 1, 1] }"#, "expected value at line 1 column");
    assert_nodes_refused(r#"{ "scale": [Infinity, 1, 1] }"#, "expected value at line 1 column");
    assert_nodes_refused(r#"{ "scale": [-Infinity, 1, 1] }"#, "invalid number at line 1 column");
}

#[test]
fn a_matrix_with_perspective_and_a_scene_too_large() {
    assert_nodes_refused(
        r#"{ "matrix": [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }"#,
        "/nodes/0/matrix: the last row is [0.5, 0.0, 0.0, 1.0] instead of [0, 0, 0, 1]",
    );
    assert_nodes_refused(
        r#"{ "translation": [1e308, 0, 0] }, { "translation": [-1e308, 0, 0] }"#,
        "the scene is too large to be measured",
    );
}

#[test]
fn nesting_a_hundred_thousand_deep_where_it_does_not_belong() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_nodes_refused(&nested, "/nodes/0: invalid type: sequence");
    assert_nodes_refused(
        &format!(r#"{{ "scale": [{nested}, 1, 1] }}"#),
        "/nodes/0/scale/0: invalid type: sequence",
    );
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.gltf")).unwrap();
    let missing = xform(folder.path(), &["audit", "missing.gltf"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).starts_with("xform: missing.gltf: "));
    assert_eq!(stderr(&missing).lines().count(), 1);
    for command in ["audit", "report"] {
        let empty = xform(folder.path(), &[command, "folder.gltf"]);
        assert_eq!(empty.status.code(), Some(2));
        assert_eq!(
            stderr(&empty),
            "xform: folder.gltf: it contains no .gltf, .glb, .vrm or .fbx file\n"
        );
    }
    let directory = xform(folder.path(), &["diff", "folder.gltf", "piston"]);
    assert_eq!(directory.status.code(), Some(2));
    assert_eq!(stderr(&directory), "xform: folder.gltf: it is a directory (unreadable)\n");
}

#[test]
fn every_bad_scene_has_its_line_and_nothing_is_written_if_all_are_bad() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("empty.gltf"), "").unwrap();
    let output = xform(folder.path(), &["audit", "missing.gltf", "empty.gltf", "-o", "audit.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).lines().count(), 2);
    assert_eq!(names(folder.path()), ["empty.gltf"]);
}

#[cfg(unix)]
#[test]
fn control_characters_of_file_names_stay_off_the_terminal() {
    let folder = tempdir().unwrap();
    let name = "red\u{1b}[31m\n.gltf";
    let missing = xform(folder.path(), &["audit", name]);
    let written = xform(folder.path(), &["report", "-o", name]);
    fs::write(folder.path().join(name), r#"{ "asset": { "version": "2.0" } }"#).unwrap();
    let audited = xform(folder.path(), &["audit", name]);
    for output in [stderr(&missing), stderr(&written), stdout(&audited)] {
        assert!(output.contains("red") && !output.contains('\u{1b}'), "{output}");
    }
    assert_eq!(stderr(&written).lines().count(), 1);
}

#[test]
fn a_very_long_text_in_a_file_does_not_flood_the_terminal() {
    let long = "A".repeat(300_000);
    let json =
        format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": "{long}" }}] }}"#);
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("long.gltf"), json).unwrap();
    let output = xform(folder.path(), &["audit", "long.gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.len() < 600);
    let missing = xform(folder.path(), &["audit", &"long/".repeat(200)]);
    let shown = format!("xform: {}lon…\n", "long/".repeat(98));
    assert_eq!(stderr(&missing), shown, "500 characters");
}

#[test]
fn a_command_line_that_is_wrong() {
    let folder = tempdir().unwrap();
    let wrong: [&[&str]; 12] = [
        &[],
        &["audit"],
        &["nonsense"],
        &["audit", "piston", "--format", "xml"],
        &["audit", "piston", "--max-skew", "NaN"],
        &["audit", "piston", "--max-skew", "inf"],
        &["audit", "piston", "--max-displacement", "-1"],
        &["audit", "piston", "--set", "k"],
        &["audit", "piston", "--set", "k=two"],
        &["audit", "piston", "--set", "q=2"],
        &["audit", "piston", "--set", "k=NaN"],
        &["audit", "missing.gltf", "--set", "k=2"],
    ];
    for arguments in wrong {
        let output = xform(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert!(!stderr(&output).is_empty(), "{arguments:?}");
    }
    for (option, value, told) in [
        ("--max-skew", "-1", "a limit must be finite and not negative"),
        ("--max-displacement", "-1", "a limit must be finite and not negative"),
        ("--threads", "0", "not a whole number of at least 1"),
    ] {
        let output = xform(folder.path(), &["audit", "piston", option, value]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn an_output_that_cannot_be_written_leaves_nothing_behind() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for (target, why) in [("nowhere/page.html", "no such folder"), ("folder", "is a directory")] {
        let output = xform(folder.path(), &["report", "-o", target]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).starts_with(&format!("xform: {target}: {why}")));
        assert_eq!(stderr(&output).lines().count(), 1);
    }
    assert_eq!(names(folder.path()), ["folder"]);
    assert_eq!(names(&folder.path().join("folder")), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    use std::process::{Command, Stdio};

    for (arguments, status) in
        [(&["audit", "missing.gltf"][..], 2), (&["audit", "skewed-child", "--max-skew", "1"], 1)]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_xform"));
        let output = command.args(arguments).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "standard error is full");
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xform"));
    let output = command.args(["audit", "piston"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("xform: standard output: No space left"));

    let nodes = "nodes=3000";
    for arguments in [
        &["audit", "tree", "--set", nodes][..],
        &["audit", "tree", "--set", nodes, "--format", "json"],
        &["audit", "tree", "--set", nodes, "--format", "csv"],
        &["audit", "tree", "--set", nodes, "--format", "markdown"],
        &["report", "tree", "--set", nodes, "-o", "-"],
        &["sweep", "--format", "csv"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xform"));
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{arguments:?}");
    }
}

/// What may have no end is refused, and not waited for.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    use std::process::Command;

    let folder = tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("old"), "an old report").unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for file in ["/dev/zero", "pipe"] {
        for arguments in [
            &["audit", file][..],
            &["report", file],
            &["diff", "piston", file],
            &["audit", "--files-from", "/dev/zero"],
            &["audit", "piston", "--config", "/dev/zero"],
            &["audit", file, "--output", "old"],
        ] {
            let output = xform(folder, arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(stderr(&output).contains("it is not a regular file"), "{}", stderr(&output));
        }
    }
}

#[test]
fn what_is_far_too_long_is_refused() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    // Without a byte on the disk.
    let sparse = |name: &str, len: u64| {
        fs::File::create(folder.join(name)).unwrap().set_len(len).unwrap();
    };
    sparse("scene.gltf", (1 << 30) + 1);
    sparse("limits", 1 << 40);
    sparse("most", 1 << 24);
    fs::write(folder.join("list"), "x".repeat(1 << 17)).unwrap();
    for (arguments, why) in [
        (&["audit", "scene.gltf"][..], "its JSON is longer than 1073741824 bytes (too-long)"),
        (&["audit", "piston", "--config", "limits"], "it is larger than 16777216 bytes"),
        // As much as is read, but no TOML.
        (&["audit", "piston", "--config", "most"], "xform: most:1:"),
        (&["audit", "--files-from", "list"], "a line is too long for a path"),
    ] {
        let output = xform(folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

/// A list of which not every line ends, and which has a line that is too long.
#[test]
fn a_list_ends_with_a_line_that_is_too_long() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let list = format!("piston\r\n\nlevels\n{}\ntree\n", "x".repeat(70_000));
    fs::write(folder.join("list"), list).unwrap();
    let output = xform(folder, &["audit", "--files-from", "list", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let rows = stdout(&output);
    let sources = ["\"piston\"", "\"levels\""];
    assert!(sources.iter().all(|source| rows.contains(source)) && !rows.contains("\"tree\""));
    fs::write(folder.join("list"), "piston\ntree").unwrap();
    let output = xform(folder, &["audit", "--files-from", "list", "--format", "jsonl"]);
    assert!(stdout(&output).contains("\"tree\""), "{}", stderr(&output));
}

#[test]
fn a_line_of_65536_bytes_is_not_too_long() {
    let folder = tempdir().unwrap();
    for (len, is_too_long) in [(65_536, false), (65_537, true)] {
        fs::write(folder.path().join("list"), "x".repeat(len) + "\n").unwrap();
        let output = xform(folder.path(), &["audit", "--files-from", "list"]);
        assert_eq!(output.status.code(), Some(2));
        let told = "xform: list: a line is too long for a path";
        assert_eq!(stderr(&output).starts_with(told), is_too_long, "{}", stderr(&output));
    }
}
