//! The program on input that is right: what it writes, where, and its exit status.

use std::fs;

use tempfile::tempdir;

use crate::program::{names, stderr, stdout, xform, xform_with};

const ARM: &str = r#"{
    "asset": { "version": "2.0" },
    "nodes": [
        { "name": "Arm", "scale": [2, 1, 1], "children": [1] },
        { "name": "Hand", "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] }
    ]
}"#;

#[test]
fn a_report_without_a_scene_is_the_arm_in_the_current_folder() {
    let folder = tempdir().unwrap();
    let output = xform(folder.path(), &["report"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "xform-report.html\n");
    assert_eq!(stdout(&output), "");
    assert_eq!(names(folder.path()), ["xform-report.html"]);
    let page = fs::read_to_string(folder.path().join("xform-report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(
        page.contains(
            "1 of 4 nodes looks different in motion in combined TRS than in accumulated matrices."
        ) && page.contains("<svg")
    );
    let again = xform(folder.path(), &["report", "arm", "--set", "bend=100", "-o", "-"]);
    assert_eq!(stdout(&again), page, "the same bytes for the same input");
    assert_eq!(stderr(&again), "");
}

#[test]
fn meshes_stay_out_of_a_page_where_they_are_to() {
    let folder = tempdir().unwrap();
    let page = |arguments: &[&str]| {
        let output = xform(folder.path(), &[&["report", "arm", "-o", "-"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    let (with, without, small) =
        (page(&[]), page(&["--no-meshes"]), page(&["--mesh-budget", "0.001"]));
    assert!(with.contains("\"parts\":[{") && with.contains("data:image/png"));
    assert!(without.contains("\"parts\":[]") && !without.contains("data:image/png"));
    assert!(small.contains(
        "1 mesh is shown as a box or by its joints: with it, the meshes would exceed 0.001 MB."
    ));
    for bad in ["-1", "NaN", "much"] {
        let output = xform(folder.path(), &["report", "arm", "--mesh-budget", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

#[test]
fn a_setting_changes_the_scene() {
    let folder = tempdir().unwrap();
    let output = xform(folder.path(), &["audit", "piston", "--set", "k=1"]);
    assert!(
        stdout(&output)
            .contains("The scene looks the same in accumulated matrices and combined TRS."),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_name_with_a_folder_is_a_file() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("piston"), ARM).unwrap();
    let output = xform(folder.path(), &["audit", "./piston"]);
    assert!(stdout(&output).contains("\"Arm/Hand\""), "{}", stdout(&output));
}

#[test]
fn standard_input_is_gltf_or_glb_by_its_magic() {
    let folder = tempdir().unwrap();
    let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    let header =
        [*b"glTF", 2_u32.to_le_bytes(), length(20 + ARM.len()), length(ARM.len()), *b"JSON"];
    let glb = [header.as_flattened(), ARM.as_bytes()].concat();
    let [from_json, from_glb] = [ARM.as_bytes(), &glb]
        .map(|input| xform_with(folder.path(), &["audit", "-", "--format", "json"], input));
    assert!(from_json.status.success());
    assert_eq!(stdout(&from_json), stdout(&from_glb));
    let audit: serde_json::Value = serde_json::from_str(stdout(&from_json)).unwrap();
    assert_eq!(audit["schema"], "xform-audit/3");
    assert_eq!(audit["scenes"][0]["source"], "standard input");
    assert_eq!(audit["scenes"][0]["nodes"][1]["parent"], 0);
}

#[test]
fn several_scenes_are_audited_in_the_order_given() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("arm.gltf"), ARM).unwrap();
    let arguments = ["audit", "arm.gltf", "levels", "--format", "json", "-o", "audit.json"];
    let output = xform(folder.path(), &arguments);
    assert!(output.status.success());
    assert_eq!(stdout(&output), "");
    assert_eq!(names(folder.path()), ["arm.gltf", "audit.json"]);
    let text = fs::read_to_string(folder.path().join("audit.json")).unwrap();
    let audit: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(audit["scenes"][0]["source"], "arm.gltf");
    assert_eq!(audit["scenes"][1]["source"], "levels");
    assert!(!text.contains("-0,") && !text.contains("-0]"), "−0 prints as 0");
}

#[test]
fn a_limit_that_is_exceeded_exits_1_and_one_that_is_met_exits_0() {
    let folder = tempdir().unwrap();
    let audit = |limit: &str, value: &str| {
        xform(folder.path(), &["audit", "skewed-child", "--set", "theta=45", limit, value])
    };
    let over = audit("--max-skew", "36.8");
    assert_eq!(over.status.code(), Some(1));
    assert!(stderr(&over).starts_with("xform: skewed-child: node 1 (\"A/B\"): skew 36.8"));
    assert!(stdout(&over).contains("of 2 nodes"), "the audit is written all the same");
    assert_eq!(audit("--max-skew", "36.9").status.code(), Some(0));
    assert_eq!(audit("--max-displacement", "1").status.code(), Some(1));
    assert_eq!(audit("--max-displacement", "99").status.code(), Some(0));

    let worst = xform(folder.path(), &["audit", "levels", "--max-skew", "1"]);
    assert!(stderr(&worst).contains("Level 1/Level 2\"): skew 43.15"), "{}", stderr(&worst));

    // Strictly greater: a figure that is the limit is within it.
    let piston = xform(folder.path(), &["audit", "piston", "--max-skew", "0"]);
    assert_eq!(piston.status.code(), Some(0));
}

#[test]
fn every_format_is_written() {
    let folder = tempdir().unwrap();
    let audit = |format: &str, nodes: &str| {
        let arguments = ["audit", "piston", "--format", format, "--nodes", nodes];
        let output = xform(folder.path(), &arguments);
        assert!(output.status.success());
        stdout(&output).to_owned()
    };
    assert!(audit("text", "all").contains("`Root` stretches 2 nodes below it: it scales X by 2;"));
    assert_eq!(audit("csv", "all").lines().count(), 4);
    assert_eq!(audit("csv", "differing").lines().count(), 3);
    assert!(audit("markdown", "all").starts_with("# Differences between engines\n"));
    let json: serde_json::Value = serde_json::from_str(&audit("json", "differing")).unwrap();
    assert_eq!(json["scenes"][0]["nodes"][0]["cause"]["scaler"], 0);
    assert_eq!(json["scenes"][0]["summary"]["nodes"], 3);
}

#[test]
fn nodes_are_listed_by_name() {
    let folder = tempdir().unwrap();
    let file = r#"{ "asset": { "version": "2.0" }, "nodes": [
        { "name": "Root", "scale": [3, 1, 1], "children": [1, 2] },
        { "name": "Left", "scale": [-1, 1, 1], "rotation": [0, 0, 0.6, 0.8], "children": [3] },
        { "name": "Turned", "scale": [-1, -1, 1] }, { "name": "Hand" }, { "name": "Even", "scale": [2, 2, 2] }] }"#;
    fs::write(folder.path().join("a.gltf"), file).unwrap();
    let list = |which: &str| {
        let output = xform(folder.path(), &["audit", "a.gltf", "--list", which]);
        assert_eq!(output.status.code(), Some(0));
        stdout(&output).to_owned()
    };
    let mirrored = "a.gltf\n  Root/Left [1]: scale (-1, 1, 1)\n  Root/Left/Hand [3]: scale (1, 1, 1), inherited\n";
    assert_eq!(list("mirrored"), mirrored);
    let non_uniform = list("non-uniform");
    assert!(
        non_uniform.starts_with("a.gltf\n  Root [0]: scale (3, 1, 1)\n  Root/Left [1]"),
        "{non_uniform}"
    );
    assert!(
        non_uniform.contains("Root/Turned [2]: scale (-1, -1, 1), inherited")
            && !non_uniform.contains("Even")
    );
    let sheared = list("sheared");
    let skew = "a.gltf\n  Root/Left [1]: scale (-1, 1, 1), skew ";
    assert!(sheared.starts_with(skew) && sheared.lines().count() == 3, "{sheared}");
    fs::write(folder.path().join("b.gltf"), r#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#)
        .unwrap();
    let both = xform(folder.path(), &["audit", "b.gltf", "a.gltf", "--list", "mirrored"]);
    assert_eq!(stdout(&both), format!("b.gltf\n  none\n{mirrored}"));
}

#[test]
fn every_warning_about_a_file_comes_out() {
    let folder = tempdir().unwrap();
    let odd = concat!(env!("CARGO_MANIFEST_DIR"), "/../xform-report/tests/scenes/odd.gltf");
    let output = xform(folder.path(), &["audit", odd, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    let warnings = json["scenes"][0]["warnings"].as_array().unwrap();
    let mut found: Vec<_> = warnings
        .iter()
        .map(|w| (w["code"].as_str().unwrap(), w["pointer"].as_str().unwrap()))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            ("broken-meshes", "/meshes/1"),
            ("gpu-instancing", "/nodes/6/extensions/EXT_mesh_gpu_instancing"),
            ("matrix-and-trs", "/nodes/5"),
            ("matrix-not-trs", "/nodes/3/matrix"),
            ("mirrored", "/nodes/1/scale"),
            ("missing-bounds", "/meshes/1"),
            ("non-default-scene", "/scenes"),
            ("skinned-mesh", "/nodes/4/skin"),
            ("undefined-figure", "/nodes/2"),
            ("unit-quaternion", "/nodes/4/rotation"),
            ("zero-quaternion", "/nodes/2/rotation"),
            ("zero-scale", "/nodes/2/scale"),
        ]
    );
}

#[test]
fn a_cause_that_was_cut_is_said() {
    let folder = tempdir().unwrap();
    let output = xform(folder.path(), &["audit", "chain", "--set", "nodes=100"]);
    assert!(stdout(&output).contains("(cause-cut)"), "{}", stdout(&output));
}

#[test]
fn sweep_and_drift_are_json_and_csv() {
    let folder = tempdir().unwrap();
    for (command, samples) in [("sweep", 12 * 19), ("drift", 0)] {
        let json = xform(folder.path(), &[command]);
        let json: serde_json::Value = serde_json::from_str(stdout(&json)).unwrap();
        assert_eq!(json["schema"], format!("xform-{command}/1"));
        let count = json["samples"].as_array().unwrap().len();
        assert!(count == samples || samples == 0 && count > 20);
        let csv = xform(folder.path(), &[command, "--format", "csv", "-o", "-"]);
        assert_eq!(stdout(&csv).lines().count(), count + 1);
    }
}

#[test]
fn many_children_of_one_node_go_through() {
    children_of_one_node_go_through(100_000);
}

#[test]
#[ignore = "half a minute; `.ci/search` runs it"]
fn two_million_children_of_one_node_go_through_in_full() {
    children_of_one_node_go_through(2_000_000);
}

fn children_of_one_node_go_through(count: usize) {
    let folder = tempdir().unwrap();
    let children: Vec<_> = (1..=count).map(|child| child.to_string()).collect();
    let json = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "children": [{}] }}{}] }}"#,
        children.join(","),
        ",{}".repeat(count)
    );
    let output = xform_with(folder.path(), &["audit", "-"], json.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains(&format!("{} nodes, depth 1", count + 1)));
}

#[test]
fn the_built_in_scenes_are_listed_with_their_settings() {
    let folder = tempdir().unwrap();
    let output = xform(folder.path(), &["scenes"]);
    for name in ["piston", "skewed-child", "levels", "chain", "fan", "tree", "humanoids", "random"]
    {
        assert!(stdout(&output).lines().any(|line| line.starts_with(name)));
    }
    assert!(stdout(&output).contains("--set k=2"));
}

/// Many more than calls of a function fit on a stack.
#[test]
fn a_long_chain_of_nodes_goes_through_on_the_default_stack() {
    a_chain_goes_through(100_000);
}

#[test]
#[ignore = "a quarter of a minute; `.ci/search` runs it"]
fn a_chain_of_a_million_nodes_goes_through_in_full() {
    a_chain_goes_through(1_000_000);
}

fn a_chain_goes_through(count: usize) {
    let folder = tempdir().unwrap();
    let mut json = String::from(r#"{ "asset": { "version": "2.0" }, "nodes": [{}"#);
    for child in 0..count - 1 {
        json.push_str(&format!(r#", {{ "children": [{child}] }}"#));
    }
    json.push_str("] }");
    let output = xform_with(folder.path(), &["audit", "-"], json.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains(&format!("{count} nodes, depth {}", count - 1)));
}

#[cfg(unix)]
#[test]
fn an_existing_file_keeps_its_permissions_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempdir().unwrap();
    let page = folder.path().join("page.html");
    fs::write(&page, "old").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("page.html", folder.path().join("link.html")).unwrap();
    assert!(xform(folder.path(), &["report", "-o", "link.html"]).status.success());
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(folder.path().join("link.html")).unwrap().is_symlink());
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    symlink("link.html", folder.path().join("second.html")).unwrap();
    assert!(xform(folder.path(), &["report", "levels", "-o", "second.html"]).status.success());
    assert!(fs::symlink_metadata(folder.path().join("link.html")).unwrap().is_symlink());
    assert!(fs::read_to_string(&page).unwrap().contains("<title>levels"));
    symlink("new.html", folder.path().join("dangling.html")).unwrap();
    assert!(xform(folder.path(), &["report", "-o", "dangling.html"]).status.success());
    assert!(fs::symlink_metadata(folder.path().join("dangling.html")).unwrap().is_symlink());
    assert!(folder.path().join("new.html").is_file());
}

/// What is not finished stands beside what it is to replace, which may be on another disk.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_written_to_the_current_folder_but_what_is_asked_for() {
    use std::path::Path;

    let folder = tempdir().unwrap();
    let page = folder.path().join("page.html");
    // Where nobody can make a file.
    let output = xform(Path::new("/proc"), &["report", "-o", page.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["page.html"]);
}

/// As any device: `/dev/null` itself would be lost to all where the program replaced it.
#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_stays_a_pipe() {
    use std::{fs::File, io::Read, os::unix::fs::FileTypeExt, process::Command};

    let folder = tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // To open one end alone would wait for the other.
    let mut pipe = File::options().read(true).write(true).open(&path).unwrap();
    let output = xform(folder.path(), &["audit", "piston", "-o", "pipe"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    let mut begin = [0; 6];
    pipe.read_exact(&mut begin).unwrap();
    assert_eq!(&begin, b"piston");
}

#[test]
fn a_new_file_can_be_read_by_others_as_any_new_file() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("plain"), "").unwrap();
    assert!(xform(folder.path(), &["report", "-o", "page.html"]).status.success());
    let permissions = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions();
    assert_eq!(permissions("page.html"), permissions("plain"));
}

#[test]
fn sarif_has_an_error_for_each_node_beyond_a_limit() {
    let folder = tempdir().unwrap();
    let arguments = ["audit", "skewed-child", "--format", "sarif", "--max-skew", "1"];
    let output = xform(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let log: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let found =
        |field: &str| results.iter().map(|result| result[field].clone()).collect::<Vec<_>>();
    assert_eq!(found("ruleId"), ["skewed", "displaced"]);
    assert_eq!(found("level"), ["error", "error"]);
}

#[test]
fn limits_see_motion_unless_animations_are_left_aside() {
    let folder = tempdir().unwrap();
    let moving = include_str!("../../../xform-report/tests/scenes/moving.gltf");
    fs::write(folder.path().join("moving.gltf"), moving).unwrap();
    let limited = |more: &[&str]| {
        let arguments = [&["audit", "moving.gltf", "--max-skew", "30"], more].concat();
        xform(folder.path(), &arguments)
    };
    let sampled = limited(&[]);
    assert_eq!(sampled.status.code(), Some(1));
    let line = "skew 36.87° > 30° in Unreal, 1 s into \"turn\"";
    assert!(stderr(&sampled).contains(line), "{}", stderr(&sampled));
    assert!(stdout(&sampled).contains("`lost.bin`: there is no such file"), "{}", stdout(&sampled));
    let at_rest = limited(&["--no-animation"]);
    assert_eq!(at_rest.status.code(), Some(0));
    assert!(stdout(&at_rest).contains("2 animations move nodes"), "{}", stdout(&at_rest));
    let page = ["report", "moving.gltf", "--no-animation", "-o", "-"];
    assert!(
        stdout(&xform(folder.path(), &page))
            .contains("The scene looks the same at rest in three.js, ")
    );
    let input = ["audit", "-", "--no-animation", "--max-skew", "30"];
    assert_eq!(xform_with(folder.path(), &input, moving.as_bytes()).status.code(), Some(0));
}
