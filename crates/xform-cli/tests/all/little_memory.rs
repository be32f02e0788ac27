//! The program where memory is short: what it cannot do it says, and what was there before or is written already stays.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::tempdir;

use crate::program::{names, stderr, stdout};

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

#[test]
fn of_many_scenes_one_that_takes_all_memory_costs_itself_alone() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let large = vec!["{}"; 400_000].join(",");
    let large = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{large}] }}"#);
    for (name, content) in [("a.gltf", SMALL), ("b.gltf", &large), ("c.gltf", SMALL)] {
        fs::write(folder.join(name), content).unwrap();
    }
    // Alone it ends by a signal.
    assert_eq!(xform_in(300_000, folder, "audit b.gltf").status.code(), None);
    for format in ["jsonl", "json", "csv", "text", "markdown", "sarif"] {
        let arguments = format!("audit . --quiet --format {format}");
        let output = xform_in(300_000, folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let line = "xform: ./b.gltf: it takes more memory than there is (out-of-memory)\n";
        assert_eq!(stderr(&output), line);
        for name in ["a.gltf", "c.gltf"] {
            assert!(stdout(&output).contains(name), "{}", stdout(&output));
        }
    }
    let output = xform_in(300_000, folder, "report . -o pages");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(names(&folder.join("pages")), ["a.gltf.html", "c.gltf.html", "index.html"]);
    // Where there is enough nothing is lost.
    let output = xform_in(4_000_000, folder, "audit b.gltf a.gltf --quiet --format jsonl");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

/// From too little to start with to enough for all.
#[test]
fn whatever_allocation_fails_old_outputs_stay_and_new_ones_are_whole() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.gltf"), SMALL).unwrap();
    fs::write(folder.join("b.gltf"), SMALL).unwrap();
    for command in [
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
