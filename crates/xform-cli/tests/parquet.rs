//! The tables for statistics, read back by DuckDB, which has a reader of Parquet of its own: the program that
//! `XFORM_PYTHON` names, or else `python3`, has to have the module `duckdb`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod program;

use std::{env, fs, path::Path, process::Command};

use program::{names, stderr, stdout, xform, xform_with};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Whole numbers without a point, as the program writes them.
const SCRIPT: &str = "
import duckdb, json, sys
whole = lambda cell: int(cell) if isinstance(cell, float) and cell.is_integer() else cell
print(json.dumps([[whole(cell) for cell in row] for row in duckdb.sql(sys.argv[1]).fetchall()]))";

/// What a query yields, a row an array.
fn query(folder: &Path, sql: &str) -> Value {
    let python = env::var_os("XFORM_PYTHON").unwrap_or_else(|| "python3".into());
    let output =
        Command::new(python).args(["-c", SCRIPT, sql]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// An animated file, one of 20 000 nodes, a broken and an ignored one.
fn library() -> TempDir {
    let folder = tempdir().unwrap();
    let assets = folder.path().join("assets");
    fs::create_dir(&assets).unwrap();
    let moving = include_str!("../../xform-report/tests/scenes/moving.gltf");
    fs::write(assets.join("moving.gltf"), moving).unwrap();
    let leaf = r#"{ "name": "leaf", "rotation": [0, 0, 0.6, 0.8] }"#;
    let leaves = vec![leaf; 20_000].join(",");
    let children: Vec<_> = (1..=20_000).map(|child| child.to_string()).collect();
    let children = children.join(",");
    let fan = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "scale": [2, 1, 1], "children": [{children}] }}, {leaves}] }}"#
    );
    fs::write(assets.join("fan.gltf"), fan).unwrap();
    fs::write(assets.join("broken.glb"), "glTF").unwrap();
    fs::write(assets.join("old.gltf"), moving).unwrap();
    let config = "[[ignore]]\nfiles = \"assets/old.gltf\"\nreason = \"replaced\"\n";
    fs::write(folder.path().join("xform.toml"), config).unwrap();
    folder
}

#[test]
fn an_independent_reader_finds_the_rows_of_json_lines() {
    let folder = library();
    let audit = ["audit", "assets", "--max-skew", "20", "--nodes", "all", "--format"];
    let tables = xform(folder.path(), &[&audit[..], &["parquet", "-o", "tables"]].concat());
    let lines = xform(folder.path(), &[&audit[..], &["jsonl"]].concat());
    assert_eq!(tables.status.code(), Some(2), "one is broken");
    assert_eq!(stderr(&tables), stderr(&lines));
    assert_eq!(names(&folder.path().join("tables")), ["assets.parquet", "nodes.parquet"]);
    let lines: Vec<Value> =
        stdout(&lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |row: &str| lines.iter().filter(|line| line["row"] == row).collect::<Vec<_>>();

    let assets =
        "SELECT source, ignored, nodes, max_skew_degrees, exceeded, motion_max_skew_difference_degrees
        FROM 'tables/assets.parquet' WHERE error IS NULL ORDER BY source";
    let file = |line: &&Value| {
        let (summary, motion) = (&line["summary"], &line["summary"]["motion"]);
        let exceeded = line["exceeded"].as_array().unwrap().len();
        let motion = &motion["max_skew_difference_degrees"];
        json!([
            line["source"],
            null,
            summary["nodes"],
            summary["max_skew_degrees"],
            exceeded,
            motion
        ])
    };
    let mut expected: Vec<_> = of("file").iter().map(file).collect();
    let ignored = of("ignored")[0];
    expected.push(json!([ignored["source"], ignored["reason"], null, null, null, null]));
    assert_eq!(query(folder.path(), assets), Value::from(expected));
    let failed = "SELECT source, error FROM 'tables/assets.parquet' WHERE error IS NOT NULL";
    let error = of("error")[0];
    assert_eq!(query(folder.path(), failed), json!([[error["source"], error["error"]]]));

    let nodes = "SELECT source, index, parent, name, skew_degrees, displacement, scaler
        FROM 'tables/nodes.parquet'";
    let node = |line: &&Value| {
        let node = &line["node"];
        let cause = &node["cause"]["scaler"];
        let (skew, moved) = (&node["skew_degrees"], &node["displacement"]);
        json!([line["source"], node["index"], node["parent"], node["name"], skew, moved, cause])
    };
    let expected: Vec<_> = of("node").iter().map(node).collect();
    assert_eq!(expected.len(), 20_001 + 3);
    assert!(query(folder.path(), nodes) == Value::from(expected));
}

#[test]
fn motion_is_in_the_nodes_and_poses_are_as_authored() {
    let folder = library();
    let audit = ["audit", "assets/moving.gltf", "--format", "parquet", "-o", "."];
    assert!(xform(folder.path(), &audit).status.success());
    let peaks = query(
        folder.path(),
        "SELECT path, round(motion_skew_difference_degrees, 4), round(1000 * motion_displacement), skew_degrees
         FROM 'nodes.parquet' ORDER BY index",
    );
    // asin(3/5) below a stretch by 2, and a leaf at (1, 0, 0) that is turned to (0, 1, 0) or (0, 2, 0).
    assert_eq!(
        peaks,
        json!([
            ["stretched", null, null, 0],
            ["stretched/turned", 36.8699, 707, 0],
            ["stretched/turned/leaf", 36.8699, 1581, 0]
        ])
    );
}

#[test]
fn tables_do_not_depend_on_threads_and_are_whole_or_not_there() {
    let folder = library();
    let tables = |threads: &str, into: &str| {
        let audit = ["audit", "assets", "--format", "parquet", "--threads", threads, "-o", into];
        xform(folder.path(), &audit);
        ["assets.parquet", "nodes.parquet"]
            .map(|name| fs::read(folder.path().join(into).join(name)).unwrap())
    };
    assert!(tables("1", "one") == tables("2", "two/deep"));
    let nowhere = ["audit", "piston", "--format", "parquet"];
    let output = xform(folder.path(), &nowhere);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "xform: --format parquet needs --output FOLDER\n");
    fs::write(folder.path().join("file"), "").unwrap();
    let into_file = [&nowhere[..], &["-o", "file"]].concat();
    let output = xform_with(folder.path(), &into_file, b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("xform: file: "), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["assets", "file", "one", "two", "xform.toml"]);
}

#[test]
fn a_list_that_is_named_like_a_table_is_kept() {
    let folder = tempdir().unwrap();
    for table in ["assets.parquet", "nodes.parquet"] {
        fs::write(folder.path().join(table), "piston\n").unwrap();
        let audit = ["audit", "--format", "parquet", "-o", ".", "--files-from", table];
        let output = xform(folder.path(), &audit);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("is an input"), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(folder.path().join(table)).unwrap(), "piston\n");
    }
}
