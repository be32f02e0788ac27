//! The figures of docs/roads.md are those that were recorded.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

use crate::runs::rules;

#[derive(Deserialize)]
struct Roads {
    parent_inverse: BTreeMap<String, f64>,
    rig: BTreeMap<String, BTreeMap<String, f64>>,
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(path).expect("a file of the repository").replace("\r\n", "\n")
}

fn roads() -> Roads {
    serde_json::from_str(&read("tests/witnesses/roads.json")).expect("as its member `about` says")
}

/// The cells of the row of a table that begins with this one.
fn row<'a>(page: &'a str, first: &str) -> Vec<&'a str> {
    let start = format!("| {first} |");
    let row = page.lines().find(|line| line.starts_with(&start)).expect("a row");
    row.trim_matches('|').split('|').skip(1).map(str::trim).collect()
}

/// Whether a number as it is written is this one, rounded to as many decimals.
fn is_rounded(written: &str, figure: f64) -> bool {
    let decimals = written.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{figure:.decimals$}") == written
}

#[test]
fn the_table_of_rigs_has_what_was_recorded() {
    let (page, Roads { rig, .. }) = (read("../../docs/roads.md"), roads());
    for (modes, label) in [
        (&["FULL"][..], "Full"),
        (&["NONE", "NONE_LEGACY"], "None, None (Legacy)"),
        (&["AVERAGE"], "Average"),
        (&["FIX_SHEAR"], "Fix Shear"),
        (&["ALIGNED"], "Aligned"),
    ] {
        for (mode, (written, road)) in modes.iter().flat_map(|mode| {
            row(&page, label).into_iter().zip(["gltf", "fbx", "usd"]).map(move |cell| (mode, cell))
        }) {
            assert!(is_rounded(written, rig[*mode][road]), "{mode} {road}: {written}");
        }
    }
}

#[test]
fn a_parent_inverse_is_lost_by_as_much_as_was_recorded() {
    let (page, Roads { parent_inverse, .. }) = (read("../../docs/roads.md"), roads());
    assert!(page.contains("with a corner 0.245 off") && page.contains("exact to 1e-7"));
    for road in ["gltf", "fbx", "usd"] {
        assert!(is_rounded("0.245", parent_inverse[road]), "{road}");
    }
    assert!(parent_inverse["gltf_flatten"] < 1.5e-7);
}

#[test]
fn what_another_parent_loses_is_what_the_runs_lose_beside_plain_matrices() {
    let page = read("../../docs/roads.md");
    for (run, written) in [
        ("three/attach-to-root", "0.49 in three.js"),
        ("bevy/set_parent_in_place", "0.42 in Bevy"),
        ("blender52/parent_clear-keep", "0.40 in Blender"),
        ("gltf-transform/flatten", "up to 0.98 in the measure"),
        ("gltf-transform/clearNodeParent", "loses up to 0.49"),
        ("godot/reparent-then-quaternion", "(up to 0.65)"),
    ] {
        assert!(
            page.split_whitespace().collect::<Vec<_>>().join(" ").contains(written),
            "{written}"
        );
        let rule = rules().into_iter().find(|rule| rule.run == run).expect("a run");
        let [matrices, _] = crate::told_apart::plain(&rule);
        let figure = written
            .split(|c: char| !c.is_ascii_digit() && c != '.')
            .find(|part| part.starts_with("0."))
            .expect("a figure");
        assert!(is_rounded(figure, matrices), "{run}: {matrices}");
    }
}
