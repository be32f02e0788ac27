//! Audits of many files: rows that do not depend on threads or shards, and are whole whatever happens.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{names, stderr, stdout, xform, xform_with};

/// A chain whose length and stretch depend on a number; some stretch nothing.
fn scene(number: usize) -> String {
    let len = 2 + number % 7;
    let node = |i: usize| {
        let children =
            if i + 1 < len { format!(r#", "children": [{}]"#, i + 1) } else { String::new() };
        let stretch = 1 + number % 3;
        format!(r#"{{ "scale": [{stretch}, 1, 1], "rotation": [0, 0, 0.6, 0.8]{children} }}"#)
    };
    let nodes: Vec<_> = (0..len).map(node).collect();
    format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{}] }}"#, nodes.join(","))
}

/// So many files in several folders, and one that is none.
fn library(count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..count {
        let within = folder.path().join(format!("assets/{:02}", number % 17));
        fs::create_dir_all(&within).unwrap();
        let extension = if number % 5 == 0 { "GLTF" } else { "gltf" };
        fs::write(within.join(format!("{number:05}.{extension}")), scene(number)).unwrap();
    }
    fs::write(folder.path().join("assets/notes.txt"), "no scene").unwrap();
    folder
}

fn jsonl(folder: &Path, more: &[&str]) -> String {
    let arguments = [&["audit", "--format", "jsonl"], more].concat();
    let output = xform(folder, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).to_owned()
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_thousand_files_give_the_same_rows_on_any_threads_and_in_any_shards() {
    files_give_the_same_rows(1_000);
}

#[test]
#[ignore = "a quarter of a minute; `.ci/search` runs it"]
fn ten_thousand_files_give_the_same_rows_in_full() {
    files_give_the_same_rows(10_000);
}

fn files_give_the_same_rows(count: usize) {
    let folder = library(count);
    let whole = jsonl(folder.path(), &["assets"]);
    assert_eq!(whole.lines().count(), count);
    assert!(whole == jsonl(folder.path(), &["assets", "--threads", "1"]));
    assert!(whole == jsonl(folder.path(), &["assets", "--threads", "2"]));
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = jsonl(folder.path(), &["assets", "--shard", shard]);
        parts.extend(part.lines().map(str::to_owned));
    }
    let mut lines: Vec<_> = whole.lines().collect();
    parts.sort();
    lines.sort_unstable();
    assert!(parts == lines);
    // One at a time they are the same as together.
    let alone = jsonl(folder.path(), &["assets/03/00003.gltf"]);
    assert!(whole.lines().any(|line| line == alone.trim_end()));
}

#[test]
fn a_list_is_read_from_a_file_or_from_standard_input() {
    let folder = library(20);
    let list = "assets/00/00000.GLTF\r\n\nassets/01/00001.gltf\npiston\n";
    fs::write(folder.path().join("list"), list).unwrap();
    let by_file = jsonl(folder.path(), &["--files-from", "list"]);
    let sources: Vec<_> = rows(&by_file).iter().map(|row| row["source"].to_string()).collect();
    let expected = ["\"assets/00/00000.GLTF\"", "\"assets/01/00001.gltf\"", "\"piston\""];
    assert_eq!(sources, expected);
    let arguments = ["audit", "--format", "jsonl", "--files-from", "-"];
    assert_eq!(stdout(&xform_with(folder.path(), &arguments, list.as_bytes())), by_file);
    let missing = xform(folder.path(), &["audit", "--files-from", "nothing"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).starts_with("xform: nothing: "), "{}", stderr(&missing));
}

#[test]
fn a_file_that_fails_is_a_row_and_the_others_are_audited() {
    let folder = library(3);
    fs::write(folder.path().join("assets/01/broken.glb"), "glTF").unwrap();
    let output = xform(folder.path(), &["audit", "assets", "gone.gltf", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let rows = rows(stdout(&output));
    let kinds: Vec<_> = rows.iter().map(|row| row["row"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["file", "file", "error", "file", "error"]);
    assert_eq!(rows[2]["source"], "assets/01/broken.glb");
    assert!(rows[2]["error"].as_str().unwrap().contains("truncated"));
    let told: Vec<_> = stderr(&output).lines().collect();
    assert!(told[0].starts_with("xform: assets/01/broken.glb: "));
    assert!(told[1].starts_with("xform: gone.gltf: "));
    assert!(told[2].starts_with("xform: 5 scenes: ") && told[2].ends_with(" 2 not audited"));
}

#[test]
fn limits_are_in_the_rows_and_in_the_exit_status() {
    let folder = library(3);
    let arguments =
        ["audit", "assets", "--format", "jsonl", "--max-skew", "1", "--nodes", "differing"];
    let output = xform(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let rows = rows(stdout(&output));
    let files = rows.iter().filter(|row| row["row"] == "file");
    let exceeded = files.map(|row| row["exceeded"].as_array().unwrap().len());
    assert_eq!(exceeded.collect::<Vec<_>>(), [0, 1, 1]);
    let total = "; 2 over a limit, 0 not audited\n";
    assert!(stderr(&output).ends_with(total), "{}", stderr(&output));
    let summary = &rows.last().unwrap();
    assert_eq!(summary["row"], "node");
    assert!(rows.iter().filter(|row| row["row"] == "node").count() > 2);
}

#[test]
fn the_other_formats_take_folders_and_shards_too() {
    let folder = library(6);
    let output = xform(folder.path(), &["audit", "assets", "--shard", "2/6", "--format", "json"]);
    let json: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(json["scenes"].as_array().unwrap().len(), 1);
    assert_eq!(json["scenes"][0]["source"], "assets/01/00001.gltf");
    for bad in ["0/2", "3/2", "1", "a/b", "1/0"] {
        let output = xform(folder.path(), &["audit", "assets", "--shard", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

fn started(folder: &Path) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_xform"))
        .args(["audit", "assets", "--format", "jsonl"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn killed_in_the_middle_it_leaves_whole_rows() {
    let folder = library(3000);
    let mut child = started(folder.path());
    let mut out = child.stdout.take().unwrap();
    // It waits for a reader now and then, so it is in the middle when it is killed.
    let mut begin = vec![0; 60_000];
    out.read_exact(&mut begin).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut written = begin;
    out.read_to_end(&mut written).unwrap();
    let text = String::from_utf8(written).unwrap();
    assert!(text.ends_with('\n'));
    let rows = rows(&text);
    assert!(rows.len() > 20 && rows.len() < 3000, "{} rows", rows.len());
}

/// Each write to a datagram socket is a message.
#[cfg(target_os = "linux")]
#[test]
fn rows_are_written_whole() {
    use std::os::{fd::OwnedFd, unix::net::UnixDatagram};

    let folder = library(6);
    // Rows so long that standard output, which holds back the beginning of a line, has no room for one.
    let long = ["long"; 300].join("/");
    fs::create_dir_all(folder.path().join(&long)).unwrap();
    fs::rename(folder.path().join("assets"), folder.path().join(&long).join("assets")).unwrap();
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_xform"))
        .args(["audit", "long", "--format", "jsonl"])
        .current_dir(folder.path())
        .stdout(OwnedFd::from(theirs))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    ours.set_nonblocking(true).unwrap();
    let (mut rows, mut message) = (0, [0; 8192]);
    while let Ok(len) = ours.recv(&mut message) {
        assert!(message[..len].ends_with(b"\n"), "{len} bytes after {rows} rows");
        rows += message[..len].iter().filter(|&&byte| byte == b'\n').count();
    }
    assert_eq!(rows, 6);
}

#[test]
fn a_closed_pipe_and_a_full_disk_end_cleanly() {
    let folder = library(3000);
    let mut child = started(folder.path());
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
    if Path::new("/dev/full").exists() {
        let status = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["audit", "assets", "--format", "jsonl"])
            .current_dir(folder.path())
            .stdout(File::options().write(true).open("/dev/full").unwrap())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(status.status.code(), Some(2));
        assert!(stderr(&status).starts_with("xform: standard output: "), "{}", stderr(&status));
    }
    assert_eq!(names(folder.path()), ["assets"]);
}

/// A reader that has seen enough changes nothing about what was found.
#[test]
fn a_closed_pipe_hides_no_bad_file() {
    let folder = library(600);
    fs::write(folder.path().join("assets/zzz.gltf"), "").unwrap();
    for format in ["text", "json", "csv", "markdown", "sarif"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["audit", "assets", "--format", format])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{format}");
        assert!(stderr(&output).contains("zzz.gltf: the file is empty"), "{}", stderr(&output));
    }
}
