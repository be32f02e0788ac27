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

/// Has what these tests start heed the signals, whatever they themselves ignore.
fn heed_signals() {
    // What a process has handlers for is what its children do not ignore; these handlers do what is done without them.
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
        }
    });
}

/// The program as it waits for a scene on standard input, with the file that it has begun to write. It ignores these signals and
/// no other.
fn waiting(folder: &Path, ignored: &[&str]) -> Child {
    heed_signals();
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

const SCENE: &[u8] = br#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#;

/// As many lines as are worked on together, and then it waits for more.
const LINES: usize = 256;

/// The program as it waits for more names on standard input.
fn listening(program: &Path, folder: &Path) -> Child {
    heed_signals();
    let mut audit = Command::new(program);
    audit.args(["audit", "-q", "--no-config", "--files-from", "-", "--format", "jsonl"]);
    audit.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    audit.spawn().unwrap()
}

/// The processes that another one has started and not waited for.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<String> {
    let is_child = |process: &String| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| {
            line.split_once("PPid:\t").is_some_and(|(_, found)| found == parent.to_string())
        })
    };
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    processes.filter_map(|name| name.into_string().ok()).filter(is_child).collect()
}

/// A signal to the program alone leaves none of those that work for it, neither running nor as a zombie that a first process which does
/// not wait would keep.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_workers_first() {
    use std::io::{BufRead, BufReader};

    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a.gltf"), SCENE).unwrap();
    for signal in SIGNALS {
        let mut child = listening(Path::new(env!("CARGO_BIN_EXE_xform")), folder.path());
        let mut input = child.stdin.take().unwrap();
        input.write_all(&b"a.gltf\n".repeat(LINES)).unwrap();
        let mut row = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut row).unwrap();
        let workers = children(child.id());
        assert!(!workers.is_empty());
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        for worker in workers {
            assert!(!Path::new("/proc").join(&worker).exists(), "{worker} outlived {signal}");
        }
    }
}

/// As an update does while it runs.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_replaced_starts_its_workers_all_the_same() {
    let folder = tempdir().unwrap();
    let program = folder.path().join("xform");
    fs::copy(env!("CARGO_BIN_EXE_xform"), &program).unwrap();
    fs::write(folder.path().join("a.gltf"), SCENE).unwrap();
    let mut child = listening(&program, folder.path());
    fs::remove_file(&program).unwrap();
    fs::write(&program, "another version").unwrap();
    child.stdin.take().unwrap().write_all(&b"a.gltf\n".repeat(2)).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
}

#[test]
fn an_interrupted_report_on_many_scenes_says_that_it_is_not_finished() {
    heed_signals();
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).unwrap();
    fs::write(at("in/a.gltf"), SCENE).unwrap();
    // One that takes a while.
    let nodes = vec!["{}"; 500_000].join(",");
    let large = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    fs::write(at("in/b.gltf"), large).unwrap();
    let mut report = Command::new(env!("CARGO_BIN_EXE_xform"));
    report.args(["report", "in", "-o", "pages", "-q", "--no-config"]).current_dir(folder.path());
    let mut child = report.spawn().unwrap();
    while !at("pages/index.html").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it wrote anything");
        thread::sleep(Duration::from_millis(1));
    }
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let index = fs::read_to_string(at("pages/index.html")).unwrap();
    assert!(index.contains("<h1>This report is not finished</h1>"), "{index}");
    assert!(index.contains("a report on 2 scenes"), "{index}");
    assert_eq!(names(&at("pages")), ["index.html"]);
}
