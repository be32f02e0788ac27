//! What a repository says in `xform.toml`: limits, severities, what is ignored and why.

use std::{fs, path::Path};

use serde_json::Value;
use serde_sarif::sarif::Sarif;
use tempfile::{TempDir, tempdir};

use crate::program::{names, stderr, stdout, xform};

/// A stretch by 2, a hand turned by 45° below it (36.87° of skew), and a mirrored node beside them.
const ARM: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [
    { "name": "Arm", "scale": [2, 1, 1], "children": [1] },
    { "name": "Hand [L]", "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] },
    { "name": "Mirror", "scale": [-1, 1, 1] } ] }"#;

/// A folder with such files, and an `xform.toml` where there is text for one.
fn repository(files: &[&str], config: &str) -> TempDir {
    let folder = tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, ARM).unwrap();
    }
    if !config.is_empty() {
        fs::write(folder.path().join("xform.toml"), config).unwrap();
    }
    folder
}

/// The exit status and the lines on standard error.
fn told(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = xform(folder, &[&["audit", "--format", "json"], arguments].concat());
    (output.status.code().unwrap(), stderr(&output).to_owned())
}

#[test]
fn limits_hold_from_any_folder_below_and_the_command_line_wins() {
    let repository = repository(&["assets/arm.gltf"], "max-skew = 30\n");
    let assets = repository.path().join("assets");
    for (folder, file) in [(repository.path(), "assets/arm.gltf"), (&assets, "arm.gltf")] {
        let (status, told) = told(folder, &[file]);
        assert_eq!(status, 1);
        assert!(told.contains("node 1 (\"Arm/Hand [L]\"): skew 36.87"), "{told}");
    }
    assert_eq!(told(&assets, &["arm.gltf", "--max-skew", "40"]), (0, String::new()));
    assert_eq!(told(&assets, &["arm.gltf", "--no-config"]), (0, String::new()));
    let other = tempdir().unwrap();
    let config = repository.path().join("xform.toml");
    fs::write(other.path().join("arm.gltf"), ARM).unwrap();
    assert_eq!(told(other.path(), &["arm.gltf"]).0, 0);
    assert_eq!(told(other.path(), &["arm.gltf", "--config", config.to_str().unwrap()]).0, 1);
}

#[test]
fn a_configuration_that_is_there_and_cannot_be_read_closes_the_gate() {
    // Not even the one of a folder above takes its place.
    let repository = repository(&["assets/arm.gltf"], "max-skew = 90\n");
    let assets = repository.path().join("assets");
    assert_eq!(told(&assets, &["arm.gltf"]).0, 0);
    fs::create_dir(assets.join("xform.toml")).unwrap();
    let (status, said) = told(&assets, &["arm.gltf"]);
    assert_eq!(status, 2);
    assert!(said.contains("xform.toml: it is not a regular file"), "{said}");
    assert_eq!(told(&assets, &["arm.gltf", "--no-config"]).0, 0);
    fs::remove_dir(assets.join("xform.toml")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("shared.toml", assets.join("xform.toml")).unwrap();
        let (status, said) = told(&assets, &["arm.gltf"]);
        assert_eq!(status, 2);
        assert!(said.contains("xform.toml: No such file or directory"), "{said}");
        fs::write(assets.join("shared.toml"), "max-skew = 30\n").unwrap();
        assert_eq!(told(&assets, &["arm.gltf"]).0, 1);
    }
}

#[test]
fn severities_decide_what_fails_and_what_is_said() {
    let repository = repository(
        &["arm.gltf"],
        "[severity]\nmirrored = \"error\"\nskewed = \"off\"\ndisplaced = \"note\"\n",
    );
    let [_, _, output] = ["text", "jsonl", "sarif"].map(|format| {
        let output = xform(repository.path(), &["audit", "arm.gltf", "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stderr(&output).contains("mirrors the node and its descendants (mirrored)"));
        output
    });
    let log: Sarif = serde_json::from_slice(&output.stdout).unwrap();
    let results = log.runs[0].results.as_ref().unwrap();
    let mut levels: Vec<_> = results
        .iter()
        .map(|result| (result.rule_id.clone().unwrap(), result.level.as_ref().unwrap().to_string()))
        .collect();
    levels.sort();
    assert_eq!(levels, [("displaced".into(), "note".into()), ("mirrored".into(), "error".into())]);
    // A limit is a limit, whatever the severity of what is within it.
    let limited = xform(repository.path(), &["audit", "arm.gltf", "--max-skew", "30"]);
    assert!(stderr(&limited).contains("skew 36.8"), "{}", stderr(&limited));
}

#[test]
fn ignored_nodes_and_rules_do_not_fail_and_are_suppressed_with_their_reason() {
    let config = r#"
        max-skew = 30
        [severity]
        mirrored = "error"
        [[ignore]]
        files = "props/*.gltf"
        nodes = "Arm/Hand [L]"
        reason = "squash and stretch"
        [[ignore]]
        rules = ["mirrored"]
        nodes = "Mir*"
        reason = "meant"
    "#;
    let repository = repository(&["props/arm.gltf", "arm.gltf"], config);
    assert_eq!(told(repository.path(), &["props/arm.gltf"]), (0, String::new()));
    let (status, told) = told(repository.path(), &["arm.gltf"]);
    assert!(status == 1 && told.contains("skew 36.8") && !told.contains("mirrored"), "{told}");
    let output = xform(repository.path(), &["audit", "props/arm.gltf", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let reason = |rule: &str| {
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap();
        result["suppressions"][0]["justification"].clone()
    };
    assert_eq!(reason("skewed"), "squash and stretch");
    assert_eq!(reason("mirrored"), "meant");
}

#[test]
fn ignored_files_are_not_looked_at_and_are_counted() {
    let config = "[[ignore]]\nfiles = \"old/**\"\nreason = \"replaced next month\"\n";
    let repository = repository(&["arm.gltf", "old/deep/arm.gltf"], config);
    fs::write(repository.path().join("old/broken.glb"), "glTF").unwrap();
    let output = xform(repository.path(), &["audit", ".", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = rows.iter().map(|row| row["row"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["file", "ignored", "ignored"]);
    assert_eq!(rows[1]["reason"], "replaced next month");
    assert!(stderr(&output).contains(
        "3 scenes: 1 severe, 0 visible, 0 negligible, 0 identical; 0 over a limit, 2 ignored, 0"
    ));
    for files in [&["old/broken.glb", "arm.gltf"][..], &["old/broken.glb"]] {
        let line = "xform: old/broken.glb: ignored: replaced next month\n";
        assert_eq!(told(repository.path(), files), (0, line.to_owned()));
    }
}

#[test]
fn mistakes_name_the_file_and_the_place() {
    let mistakes = [
        ("max-skew = \"a lot\"", "xform.toml:1:12: "),
        ("\nmax-skw = 1", "xform.toml:2:1: unknown field `max-skw`"),
        ("max-skew = -1", "xform.toml: max-skew = -1: a limit must be finite and not negative"),
        ("max-skew = inf", "xform.toml: max-skew = inf: a limit must be finite and not negative"),
        ("max-displacement = nan", "xform.toml: max-displacement = NaN: a limit must be finite"),
        ("[severity]\nskwed = \"off\"", "xform.toml: there is no rule `skwed`"),
        ("[severity]\nskewed = \"fatal\"", "xform.toml:2:10: "),
        ("[[ignore]]\nfiles = \"a\"", "xform.toml:1:1: missing field `reason`"),
        (
            "[[ignore]]\nreason = \"r\"",
            "xform.toml: ignore 1: it needs `files`, `nodes` or `rules`",
        ),
        ("[[ignore]]\nfiles = \"a\"\nreason = \" \"", "xform.toml: ignore 1: the reason is empty"),
        (
            "[[ignore]]\nrules = []\nreason = \"r\"",
            "xform.toml: ignore 1: the list of rules is empty",
        ),
        ("[[ignore]]\nfiles = \"a{\"\nreason = \"r\"", "xform.toml: ignore 1: `a{`: "),
    ];
    // What is too large for the matcher, which panicked.
    let pattern = |pattern: &str| format!("[[ignore]]\nfiles = \"{pattern}\"\nreason = \"r\"");
    let large = [
        (
            pattern(&"[!a]".repeat(400_000)),
            "xform.toml: ignore 1: a pattern may have at most 4096 bytes",
        ),
        (
            pattern(&format!("{}b{}", "{a,".repeat(300), "}".repeat(300))),
            "xform.toml: ignore 1: `{a,",
        ),
    ];
    let large = large.iter().map(|(config, expected)| (config.as_str(), *expected));
    for (config, expected) in mistakes.into_iter().chain(large) {
        let repository = repository(&["arm.gltf"], config);
        let (status, told) = told(repository.path(), &["arm.gltf", "-o", "out.json"]);
        assert_eq!(status, 2, "{config}");
        assert_eq!(names(repository.path()), ["arm.gltf", "xform.toml"]);
        assert!(told.contains(expected) && told.lines().count() == 1, "{config}: {told}");
    }
    let repository = repository(&["arm.gltf"], "");
    let (status, told) = told(repository.path(), &["arm.gltf", "--config", "none.toml"]);
    assert!(status == 2 && told.starts_with("xform: none.toml: "), "{told}");
}

#[test]
fn skew_is_said_before_displacement_and_what_has_no_limit_last() {
    let config = "max-skew = 0\nmax-displacement = 0\n[severity]\nmirrored = \"error\"\n";
    let repository = repository(&["arm.gltf"], config);
    let (status, told) = told(repository.path(), &["arm.gltf"]);
    let lines: Vec<_> = told.lines().collect();
    let [skew, displacement, mirrored] = lines[..] else { panic!("{told}") };
    assert!(skew.contains(": skew ") && displacement.contains(": displacement "), "{told}");
    assert!(mirrored.ends_with("(mirrored)") && status == 1, "{told}");
}

/// Reports show the last eight names of a path, and `…` for the rest.
#[test]
fn a_node_is_ignored_by_its_whole_path_and_by_the_one_that_is_shown() {
    let bones: Vec<_> = (1..9).map(|bone| format!(r#"{{ "children": [{}] }}"#, bone + 1)).collect();
    let scene = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "name": "Arm", "scale": [2, 1, 1], "children": [1] }}, {},
            {{ "name": "Hand", "rotation": [0, 0, 0.6, 0.8] }} ] }}"#,
        bones.join(",").replacen('{', r#"{ "name": "","#, 1)
    );
    for (nodes, status) in [
        ("Arm/#1/#2/#3/#4/#5/#6/#7/#8/Hand", 0),
        ("…/#2/#3/#4/#5/#6/#7/#8/Hand", 0),
        ("#2/#3/#4/#5/#6/#7/#8/Hand", 1),
    ] {
        let config = format!("max-skew = 1\n[[ignore]]\nnodes = \"{nodes}\"\nreason = \"r\"\n");
        let repository = repository(&[], &config);
        fs::write(repository.path().join("arm.gltf"), &scene).unwrap();
        assert_eq!(told(repository.path(), &["arm.gltf"]).0, status, "{nodes}");
    }
}
