//! What a signal leaves behind, whatever these tests themselves ignore.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Once, atomic::AtomicBool},
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag,
};
use tempfile::tempdir;

use crate::program::names;

const SIGNALS: [&str; 3] = ["HUP", "INT", "TERM"];

/// The program as it waits for a scene on standard input, with the file that it has begun to write. It ignores these signals and
/// no other.
fn waiting(folder: &Path, ignored: &[&str]) -> Child {
    // What a process has handlers for is what its children do not ignore; these handlers do what is done without them.
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
        }
    });
    fs::write(folder.join("rows"), "an old report").unwrap();
    let ignoring = match ignored {
        [] => String::new(),
        _ => format!("trap '' {}; ", ignored.join(" ")),
    };
    let line = format!("{ignoring}exec \"$0\" audit - --format jsonl -o rows");
    let mut child = Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_xform")])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while names(folder).len() < 2 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it wrote anything");
        thread::sleep(Duration::from_millis(2));
    }
    child
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_signal_leaves_no_temporary_file_and_the_old_report() {
    for ignored in [&[][..], &["HUP"], &["INT"], &["TERM"], &["HUP", "INT"], &["INT", "TERM"]] {
        for signal in SIGNALS.into_iter().filter(|signal| !ignored.contains(signal)) {
            let folder = tempdir().unwrap();
            let folder = folder.path();
            let mut child = waiting(folder, ignored);
            // To wait for a child closes its standard input, which would end it too.
            let input = child.stdin.take();
            send(signal, &child);
            let status = child.wait().unwrap();
            assert_eq!(status.code(), Some(130), "{signal}, ignored: {ignored:?}");
            drop(input);
            assert_eq!(names(folder), ["rows"]);
            assert_eq!(fs::read_to_string(folder.join("rows")).unwrap(), "an old report");
        }
    }
}

/// As under `nohup`, or in the background of a script.
#[test]
fn a_signal_that_somebody_has_it_ignore_is_ignored() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let mut child = waiting(folder, &SIGNALS);
    SIGNALS.iter().for_each(|signal| send(signal, &child));
    let scene = br#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#;
    child.stdin.take().unwrap().write_all(scene).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(names(folder), ["rows"]);
    assert_ne!(fs::read_to_string(folder.join("rows")).unwrap(), "an old report");
}
