//! What a signal leaves behind.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::tempdir;

use crate::program::names;

/// Fails where these tests are themselves made to ignore a signal, as under `nohup`: the program then heeds none.
#[test]
fn a_signal_leaves_no_temporary_file_and_the_old_report() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("rows"), "an old report").unwrap();
        // It waits for a scene that does not come.
        let mut child = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["audit", "-", "--format", "jsonl", "-o", "rows"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // To wait for a child closes its standard input, which would end it too.
        let input = child.stdin.take();
        while names(folder).len() < 2 {
            thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        drop(input);
        assert_eq!(names(folder), ["rows"]);
        assert_eq!(fs::read_to_string(folder.join("rows")).unwrap(), "an old report");
    }
}

/// As under `nohup`.
#[test]
fn a_signal_that_somebody_has_it_ignore_is_ignored() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" audit - --format jsonl -o rows"])
        .arg(env!("CARGO_BIN_EXE_xform"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while names(folder).is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    let scene = br#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#;
    child.stdin.take().unwrap().write_all(scene).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(names(folder), ["rows"]);
}
