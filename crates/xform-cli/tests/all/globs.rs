//! Patterns on the command line that the shell did not expand.

use std::fs;

use tempfile::{TempDir, tempdir};

use crate::program::{names, stderr, stdout, xform};

const SCENE: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [{ "scale": [2, 1, 1] }] }"#;

fn folder_of(scenes: &[&str]) -> TempDir {
    let folder = tempdir().unwrap();
    for name in scenes {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SCENE).unwrap();
    }
    folder
}

/// The scenes that these arguments name, with `/` on every system.
fn audited(folder: &TempDir, arguments: &[&str]) -> Vec<String> {
    let output = xform(folder.path(), &[&["audit", "--format", "jsonl"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    let source = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["source"].as_str().unwrap().replace('\\', "/")
    };
    stdout(&output).lines().map(source).collect()
}

#[test]
fn a_pattern_is_what_it_matches_in_order() {
    let folder =
        folder_of(&["b.gltf", "a.gltf", "c1.glb", "c2.glb", "lib/d.gltf", "lib/deep/e.gltf"]);
    let audited = |pattern: &str| audited(&folder, &[pattern]);
    assert_eq!(audited("*.gltf"), ["a.gltf", "b.gltf"]);
    assert_eq!(audited("./*.gltf"), ["./a.gltf", "./b.gltf"]);
    assert_eq!(audited("?.gltf"), ["a.gltf", "b.gltf"]);
    assert_eq!(audited("c[2-9].glb"), ["c2.glb"]);
    assert_eq!(audited("lib/*.gltf"), ["lib/d.gltf"]);
    assert_eq!(audited("l*/d.*"), ["lib/d.gltf"]);
    assert_eq!(audited("lib/../?.gltf"), ["lib/../a.gltf", "lib/../b.gltf"]);
    assert_eq!(audited("**/*.gltf"), ["a.gltf", "b.gltf", "lib/d.gltf", "lib/deep/e.gltf"]);
    assert_eq!(audited("lib/**/e.gltf"), ["lib/deep/e.gltf"]);
    // Folders are searched, and what is in them is there once.
    assert_eq!(audited("l*"), ["lib/d.gltf", "lib/deep/e.gltf"]);
    assert_eq!(audited("lib/**"), ["lib/d.gltf", "lib/deep/e.gltf"]);
    let whole = folder.path().join("?.gltf");
    assert_eq!(audited(whole.to_str().unwrap()).len(), 2);
}

#[test]
fn what_exists_is_taken_by_its_name() {
    let folder = folder_of(&["a[1].gltf", "a1.gltf", "[wip]/b.gltf", "w/b.gltf"]);
    assert_eq!(audited(&folder, &["a[1].gltf"]), ["a[1].gltf"]);
    assert_eq!(audited(&folder, &["a[12].gltf"]), ["a1.gltf"]);
    assert_eq!(audited(&folder, &["[wip]/*.gltf"]), ["[wip]/b.gltf"]);
    assert_eq!(audited(&folder, &["piston", "a?.gltf"]), ["piston", "a1.gltf"]);
}

#[test]
fn a_pattern_that_matches_nothing_or_is_none_is_an_error_that_names_it() {
    let folder = folder_of(&["a.gltf"]);
    for (pattern, why) in
        [("*.glb", "no file matches"), ("gone/*", "no file matches"), ("b[.gltf", "unclosed")]
    {
        let audit = xform(folder.path(), &["audit", "a.gltf", pattern]);
        assert_eq!(audit.status.code(), Some(2), "{pattern}");
        assert!(stderr(&audit).starts_with(&format!("xform: {pattern}: ")), "{}", stderr(&audit));
        assert!(stderr(&audit).contains(why), "{}", stderr(&audit));
        assert!(stdout(&audit).contains("identical"), "the other is audited all the same");
        let report = xform(folder.path(), &["report", pattern]);
        assert_eq!(report.status.code(), Some(2), "{pattern}");
        assert!(stderr(&report).starts_with(&format!("xform: {pattern}: ")));
        assert_eq!(names(folder.path()), ["a.gltf"]);
    }
}

#[test]
fn a_pattern_that_matches_one_file_is_reported_on_like_that_file() {
    let folder = folder_of(&["a.gltf", "lib/b.gltf", "lib/c.gltf"]);
    assert!(xform(folder.path(), &["report", "?.gltf"]).status.success());
    assert_eq!(names(folder.path()), ["a.gltf", "lib", "xform-report.html"]);
    assert!(
        xform(folder.path(), &["report", "lib/*.gltf", "--all-pages", "-o", "pages"])
            .status
            .success()
    );
    let pages = names(&folder.path().join("pages"));
    assert_eq!(pages, ["index.html", "lib-b.gltf.html", "lib-c.gltf.html"]);
}
