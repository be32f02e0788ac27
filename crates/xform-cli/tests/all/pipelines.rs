//! What systems read of an audit that runs in a pipeline.

use std::{fs, path::Path, process::Command};

use roxmltree::Document;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{stderr, stdout, xform};

const GOOD: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#;

/// A stretch with so many turned nodes below it.
fn skewed(nodes: usize) -> String {
    let children: Vec<_> = (1..=nodes).map(|node| node.to_string()).collect();
    let turned = vec![r#"{ "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] }"#; nodes];
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": [2, 1, 1], "children": [{}] }}, {}] }}"#,
        children.join(","),
        turned.join(",")
    )
}

/// Two folders with a good and a bad file each, and one that is read by nobody.
fn library() -> TempDir {
    let folder = tempdir().unwrap();
    let files = [
        ("a/good.gltf", GOOD.to_owned()),
        ("a/skewed.gltf", skewed(30)),
        ("b/broken.gltf", "{".to_owned()),
    ];
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::write(
        folder.path().join("xform.toml"),
        "fail-on = \"visible\"\n[[ignore]]\nfiles = \"a/good.gltf\"\nreason = \"a <cube>\"\n",
    )
    .unwrap();
    folder
}

fn audit(folder: &Path, format: &str, more: &[&str]) -> (String, Option<i32>, String) {
    let output = xform(folder, &[&["audit", "--format", format], more].concat());
    (stdout(&output).to_owned(), output.status.code(), stderr(&output).to_owned())
}

#[test]
fn junit_has_every_file_as_a_suite_and_the_exit_status_is_that_of_other_formats() {
    let folder = library();
    let (text, status, _) = audit(folder.path(), "junit", &["a", "b"]);
    assert_eq!(status, Some(2));
    let document = Document::parse(&text).unwrap();
    let suites = document.root_element().children().filter(roxmltree::Node::is_element);
    let told = |attribute: &str| {
        let of = |suite: roxmltree::Node<'_, '_>| suite.attribute(attribute).unwrap().to_owned();
        suites.clone().map(of).collect::<Vec<_>>()
    };
    assert_eq!(told("name"), ["a/good.gltf", "a/skewed.gltf", "b/broken.gltf"]);
    assert_eq!(told("failures"), ["0", "1", "0"]);
    assert_eq!(told("errors"), ["0", "0", "1"]);
    assert_eq!(told("skipped"), ["1", "0", "0"]);
    let (text, status, _) = audit(folder.path(), "junit", &["a"]);
    assert_eq!((status, text.contains("<error")), (Some(1), false));
    assert!(text.contains("20 more in this file"), "{text}");
    let (text, ..) = audit(folder.path(), "junit", &["a", "--max-per-rule", "all"]);
    assert!(!text.contains("more in this file"));
}

#[test]
fn github_is_told_once_of_each_file_and_what_came_of_all_is_said_beside() {
    let folder = library();
    let (text, status, said) = audit(folder.path(), "github", &["a", "b"]);
    assert_eq!(status, Some(2));
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() <= 30, "{text}");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("::error file=a/skewed.gltf,line=1,title=xform%3A "))
    );
    assert!(lines.iter().any(|line| {
        line.starts_with("::error file=b/broken.gltf,line=1,title=xform%3A not audited::")
    }));
    assert!(said.ends_with("1 over a limit, 1 ignored, 1 not audited\n"), "{said}");
}

#[test]
fn no_name_in_the_log_is_a_command() {
    let folder = tempdir().unwrap();
    let skewed =
        skewed(1).replace("{ \"rotation\"", "{ \"name\": \"##[stop-commands]x\", \"rotation\"");
    fs::write(folder.path().join("a.gltf"), skewed).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_xform"))
        .args(["audit", "a.gltf", "--format", "github", "--fail-on", "visible"])
        .env("GITHUB_ACTIONS", "true")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(stderr(&output).contains("# #[stop-commands]x"), "{}", stderr(&output));
    assert!(stdout(&output).lines().all(|line| line.starts_with("::")));
}

#[test]
fn a_document_for_a_system_is_written_where_every_file_is_bad_too() {
    let folder = library();
    for format in ["junit", "gitlab", "sarif"] {
        let (text, status, _) = audit(folder.path(), format, &["b"]);
        assert_eq!(status, Some(2));
        assert!(text.contains("broken.gltf"), "{format}: {text}");
    }
    let (text, ..) = audit(folder.path(), "gitlab", &["b"]);
    let issues: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(issues[0]["severity"], "blocker");
    assert_eq!(issues[0]["location"]["path"], "b/broken.gltf");
}

#[test]
fn how_many_are_told_of_a_rule_is_a_number_or_all() {
    let folder = library();
    let results = |most: &str| {
        let (text, ..) = audit(folder.path(), "sarif", &["a", "--max-per-rule", most]);
        let log: Value = serde_json::from_str(&text).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        results.iter().filter(|result| result["ruleId"] == "skewed").count()
    };
    assert_eq!((results("1"), results("12"), results("all")), (1, 12, 30));
    for bad in ["0", "-1", "none"] {
        let option = format!("--max-per-rule={bad}");
        let (_, status, said) = audit(folder.path(), "sarif", &["a", &option]);
        assert_eq!(status, Some(2));
        assert!(said.contains("a whole number of at least 1"), "{said}");
    }
}
