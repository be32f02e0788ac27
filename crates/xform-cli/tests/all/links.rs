//! Symbolic links in folders.

use std::{fs, os::unix::fs::symlink, path::Path};

use tempfile::tempdir;

use crate::program::{stderr, stdout, xform};

const GOOD: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#;

/// The files that an audit of a folder reads, in order, what it says, and its exit status.
fn audited(folder: &Path, named: &str) -> (Vec<String>, String, Option<i32>) {
    let output = xform(folder, &["audit", "--quiet", "--format", "jsonl", named]);
    let source = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["source"].as_str().unwrap().to_owned()
    };
    let sources = stdout(&output).lines().map(source).collect();
    (sources, stderr(&output).to_owned(), output.status.code())
}

#[test]
fn what_links_lead_to_is_audited_once_after_what_is_in_the_folder() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("assets/deep")).unwrap();
    fs::create_dir_all(at("shared/more")).unwrap();
    for name in ["assets/z.gltf", "assets/deep/b.gltf", "shared/more/c.gltf", "store"] {
        fs::write(at(name), GOOD).unwrap();
    }
    symlink("../store", at("assets/a.gltf")).unwrap();
    symlink("../store", at("assets/again.gltf")).unwrap();
    symlink("../shared", at("assets/linked")).unwrap();
    symlink("../store", at("assets/not-a-scene")).unwrap();
    symlink("nowhere", at("assets/not-a-scene-either.png")).unwrap();
    let (sources, said, status) = audited(folder.path(), "assets");
    let expected =
        ["assets/deep/b.gltf", "assets/z.gltf", "assets/a.gltf", "assets/linked/more/c.gltf"];
    assert_eq!(sources, expected);
    let spared = "xform: assets: skipped links that lead back or to folders searched anyway: assets/again.gltf\n";
    assert_eq!((&*said, status), (spared, Some(0)));
}

#[test]
fn loops_are_not_followed_and_said() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("assets/deep")).unwrap();
    fs::create_dir_all(at("other")).unwrap();
    fs::write(at("assets/deep/b.gltf"), GOOD).unwrap();
    fs::write(at("other/c.gltf"), GOOD).unwrap();
    symlink("..", at("assets/deep/up")).unwrap();
    symlink("../..", at("assets/deep/further-up")).unwrap();
    symlink("../other", at("assets/other")).unwrap();
    symlink("../assets", at("other/back")).unwrap();
    let (sources, said, status) = audited(folder.path(), "assets");
    assert_eq!(sources, ["assets/deep/b.gltf", "assets/other/c.gltf"]);
    assert_eq!(status, Some(0));
    for link in ["assets/deep/up", "assets/deep/further-up", "assets/other/back"] {
        assert!(said.contains(link), "{link}: {said}");
    }
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_scene_that_leads_nowhere_is_a_mistake() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("assets")).unwrap();
    fs::write(at("assets/b.gltf"), GOOD).unwrap();
    symlink("gone.glb", at("assets/a.glb")).unwrap();
    symlink("itself.glb", at("assets/itself.glb")).unwrap();
    let (sources, said, status) = audited(folder.path(), "assets");
    assert_eq!(sources, ["assets/b.gltf", "assets/a.glb", "assets/itself.glb"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("assets/a.glb: the link is dead"), "{said}");
    assert!(said.contains("assets/itself.glb: the link is dead"), "{said}");
}

#[test]
fn a_folder_is_searched_whole_whatever_led_into_it_before() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("assets")).unwrap();
    fs::create_dir_all(at("data/sub")).unwrap();
    for name in ["data/other.gltf", "data/sub/s.gltf", "data/third.gltf"] {
        fs::write(at(name), GOOD).unwrap();
    }
    symlink("../data/sub", at("assets/a")).unwrap();
    symlink("../data/third.gltf", at("assets/b.gltf")).unwrap();
    symlink("../data", at("assets/c")).unwrap();
    let (sources, said, status) = audited(folder.path(), "assets");
    assert_eq!(sources, ["assets/a/s.gltf", "assets/b.gltf", "assets/c/other.gltf"]);
    assert_eq!((&*said, status), ("", Some(0)));
}
