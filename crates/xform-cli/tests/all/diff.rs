//! `xform diff`: its formats and its exit status.

use std::fs;

use tempfile::tempdir;

use crate::program::{stderr, stdout, xform};

/// A turned child below a stretch.
fn scene(stretch: f64) -> String {
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "name": "Arm", "scale": [{stretch}, 1, 1], "children": [1] }},
            {{ "name": "Hand", "rotation": [0, 0, 0.6, 0.8] }} ] }}"#
    )
}

#[test]
fn what_moved_and_what_is_worse_exits_1() {
    let folder = tempdir().unwrap();
    for (name, stretch) in [("even.gltf", 1.0), ("non-uniform.gltf", 2.0)] {
        fs::write(folder.path().join(name), scene(stretch)).unwrap();
    }
    let diff = |arguments: &[&str]| xform(folder.path(), &[&["diff"], arguments].concat());
    let worse = diff(&["even.gltf", "non-uniform.gltf"]);
    assert_eq!(worse.status.code(), Some(1), "{}", stderr(&worse));
    assert!(stdout(&worse).starts_with("even.gltf → non-uniform.gltf\n"), "{}", stdout(&worse));
    assert!(stdout(&worse).contains("worse: Arm/Hand: identical"), "{}", stdout(&worse));
    // Better for engines; and what it looks like is another thing.
    let repaired = ["non-uniform.gltf", "even.gltf"];
    assert_eq!(diff(&repaired).status.code(), Some(1));
    assert_eq!(diff(&[&repaired[..], &["--engines-only"]].concat()).status.code(), Some(0));
    let shape = diff(&[&repaired[..], &["--shape-only"]].concat());
    assert_eq!(shape.status.code(), Some(1));
    assert!(!stdout(&shape).contains("Engines"), "{}", stdout(&shape));
    let tolerant = [&repaired[..], &["--shape-only", "--tolerance", "99"]].concat();
    assert_eq!(diff(&tolerant).status.code(), Some(0));
    let same = diff(&["non-uniform.gltf", "non-uniform.gltf"]);
    assert_eq!(same.status.code(), Some(0));
    assert!(stdout(&same).contains("The shape is the same"), "{}", stdout(&same));
    assert!(stdout(&same).contains("Engines: no grade changed."), "{}", stdout(&same));
    for (format, part) in [
        ("markdown", "| worse | Arm/Hand |"),
        ("json", "\"xform-diff/2\""),
        ("html", "<strong>The shape changed</strong>: "),
    ] {
        let written = diff(&["even.gltf", "non-uniform.gltf", "--format", format, "-o", "diff"]);
        assert_eq!(written.status.code(), Some(1));
        let text = fs::read_to_string(folder.path().join("diff")).unwrap();
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn bad_inputs_are_named_and_none_is_written_over() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("scene"), scene(2.0)).unwrap();
    let bad = xform(folder.path(), &["diff", "lost.glb", "gone.glb"]);
    assert_eq!(bad.status.code(), Some(2));
    assert_eq!(stderr(&bad).lines().count(), 2, "{}", stderr(&bad));
    for arguments in [["diff", "scene", "piston"], ["diff", "piston", "scene"]] {
        let kept = xform(folder.path(), &[&arguments[..], &["-o", "scene"]].concat());
        assert_eq!(kept.status.code(), Some(2));
        assert_eq!(fs::read_to_string(folder.path().join("scene")).unwrap(), scene(2.0));
    }
}

#[test]
fn motion_counts_unless_animations_are_left_aside() {
    let folder = tempdir().unwrap();
    let moving = include_str!("../../../xform-report/tests/scenes/moving.gltf");
    fs::write(folder.path().join("moving.gltf"), moving).unwrap();
    fs::write(folder.path().join("still.gltf"), moving.replace("animations", "extras")).unwrap();
    let diff = |more: &[&str]| {
        xform(folder.path(), &[&["diff", "still.gltf", "moving.gltf"], more].concat())
    };
    assert_eq!(diff(&[]).status.code(), Some(1));
    assert_eq!(diff(&["--no-animation"]).status.code(), Some(0));
}
