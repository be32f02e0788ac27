//! Engines that are named: on the command line and in `xform.toml`.

use std::fs;

use tempfile::tempdir;

use crate::program::{stderr, stdout, xform};

/// A stretch with a turned child, both drawn.
const SKEWED: &str = r#"{ "asset": { "version": "2.0" },
    "nodes": [{ "name": "Arm", "scale": [2, 1, 1], "children": [1] }, { "name": "Hand", "rotation": [0, 0, 0.6, 0.8] }] }"#;

/// A matrix that is sheared.
const SHEARED: &str = r#"{ "asset": { "version": "2.0" },
    "nodes": [{ "name": "Plate", "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1] }] }"#;

fn folder() -> tempfile::TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("skewed.gltf"), SKEWED).unwrap();
    fs::write(folder.path().join("sheared.gltf"), SHEARED).unwrap();
    folder
}

#[test]
fn the_usual_engines_are_compared_unless_some_are_named() {
    let folder = folder();
    let audit = xform(folder.path(), &["audit", "skewed.gltf"]);
    let text = stdout(&audit);
    assert!(text.contains("\n  Severe in Unreal*: 1 of 2 nodes looks different"), "{text}");
    assert!(
        text.contains(
            "The scene looks the same in three.js, Babylon.js, Godot, Unity* and Blender."
        ),
        "{text}"
    );
    assert!(
        text.contains("\n  * Known from its source code or documentation; not run.\n"),
        "{text}"
    );
    assert!(text.contains("severe in Unreal: moves"), "{text}");
    let audit =
        xform(folder.path(), &["audit", "skewed.gltf", "--engine", "ogre", "--engine", "unreal"]);
    for words in ["Severe in Unreal* and OGRE†: ", "None of the engines shows what glTF defines."]
    {
        assert!(stdout(&audit).contains(words), "{}", stdout(&audit));
    }
    let audit =
        xform(folder.path(), &["audit", "skewed.gltf", "--engine", "three", "--reference", "ogre"]);
    assert!(
        stdout(&audit).contains("Severe in three.js compared with OGRE: "),
        "{}",
        stdout(&audit)
    );
    // A built-in scene shows the two strategies.
    let audit = xform(folder.path(), &["audit", "piston"]);
    assert!(
        stdout(&audit)
            .contains("Severe in combined TRS compared with accumulated matrices: 2 of 3 nodes"),
        "{}",
        stdout(&audit)
    );
    let audit = xform(folder.path(), &["audit", "piston", "--engine", "all"]);
    assert!(stdout(&audit).contains("Severe in Unreal* and OGRE†: "), "{}", stdout(&audit));
    // Which can be asked for of any file.
    let strategies = ["audit", "skewed.gltf", "--engine", "trs", "--reference", "matrices"];
    let audit = xform(folder.path(), &strategies);
    assert!(stdout(&audit).contains("Severe in combined TRS compared with"), "{}", stdout(&audit));
}

#[test]
fn limits_are_for_the_engines_that_are_named() {
    let folder = folder();
    let status = |more: &[&str]| {
        let arguments = [&["audit", "skewed.gltf", "--fail-on", "visible"], more].concat();
        xform(folder.path(), &arguments).status.code()
    };
    assert_eq!(status(&[]), Some(1));
    assert_eq!(status(&["--engine", "three", "--engine", "godot"]), Some(0));
    assert_eq!(status(&["--engine", "three", "--engine", "unreal"]), Some(1));
    // What the command line names counts, else what the configuration does.
    fs::write(
        folder.path().join("xform.toml"),
        "engines = [\"unity\", \"unreal\"]\nfail-on = \"visible\"",
    )
    .unwrap();
    let audit = xform(folder.path(), &["audit", "skewed.gltf"]);
    assert_eq!(audit.status.code(), Some(1));
    let line = "skewed.gltf: node 1 (\"Arm/Hand\"): severe in Unreal; the limit is visible";
    assert!(stderr(&audit).contains(line), "{}", stderr(&audit));
    assert_eq!(status(&["--engine", "three"]), Some(0));
    // A finding may be expected.
    let ignored = "engines = [\"all\"]\nfail-on = \"visible\"\n[[ignore]]\nrules = [\"displaced\", \"skewed\", \"engine-unknown\"]\nreason = \"Meant.\"";
    fs::write(folder.path().join("xform.toml"), ignored).unwrap();
    assert_eq!(status(&[]), Some(0));
}

#[test]
fn what_could_not_be_read_is_not_within_a_limit() {
    let folder = tempdir().unwrap();
    let file = r#"{ "asset": { "version": "2.0" }, "nodes": [{ "name": "Arm" }],
        "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR" },
            { "bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 12 }],
        "buffers": [{ "byteLength": 12, "uri": "gone.bin" }] }"#;
    fs::write(folder.path().join("moving.gltf"), file).unwrap();
    let status = |arguments: &[&str]| {
        let audit = xform(folder.path(), &[&["audit", "moving.gltf"], arguments].concat());
        (audit.status.code(), stderr(&audit).contains("(not-judged)"))
    };
    // Without a limit nothing is asked for, and a warning says it.
    assert_eq!(status(&[]), (Some(0), false));
    for limit in [["--fail-on", "severe"], ["--max-skew", "90"], ["--max-displacement", "100"]] {
        assert_eq!(status(&limit), (Some(1), true), "{limit:?}");
        assert_eq!(status(&[&limit[..], &["--allow-unknown"]].concat()), (Some(0), false));
        // The rest alone is what was asked about.
        assert_eq!(status(&[&limit[..], &["--no-animation"]].concat()), (Some(0), false));
    }
    let config = |text: &str| fs::write(folder.path().join("xform.toml"), text).unwrap();
    config("fail-on = \"visible\"");
    assert_eq!(status(&[]), (Some(1), true));
    config("fail-on = \"visible\"\nallow-unknown = true");
    assert_eq!(status(&[]), (Some(0), false));
    config("fail-on = \"visible\"\n[severity]\nnot-judged = \"note\"");
    assert_eq!(status(&[]).0, Some(0));
    // The counts of many scenes do not pass it off as identical.
    let counts =
        "2 scenes: 1 severe, 0 visible, 0 negligible, 1 identical; 1 of these not fully judged";
    let many = xform(folder.path(), &["audit", "moving.gltf", "piston"]);
    assert!(stdout(&many).starts_with(counts), "{}", stdout(&many));
    let rows = xform(folder.path(), &["audit", "moving.gltf", "piston", "--format", "jsonl"]);
    assert!(stderr(&rows).contains(&format!("{counts}; 1 over a limit")), "{}", stderr(&rows));
}

#[test]
fn an_engine_that_cannot_be_judged_is_not_within_a_limit() {
    let folder = folder();
    let arguments = ["audit", "sheared.gltf", "--engine", "o3de", "--engine", "godot"];
    let audit = xform(folder.path(), &arguments);
    assert_eq!(audit.status.code(), Some(0));
    let words = "xform does not know what O3DE shows: how it handles a sheared matrix is unknown, as at \"Plate\".";
    assert!(stdout(&audit).contains(words), "{}", stdout(&audit));
    let limited = xform(folder.path(), &[&arguments[..], &["--fail-on", "severe"]].concat());
    assert_eq!(limited.status.code(), Some(1));
    let line = "sheared.gltf: node 0 (\"Plate\"): it is unknown how O3DE handles a sheared matrix (engine-unknown)";
    assert!(stderr(&limited).contains(line), "{}", stderr(&limited));
    fs::write(folder.path().join("xform.toml"), "[severity]\nengine-unknown = \"note\"").unwrap();
    let allowed = xform(folder.path(), &[&arguments[..], &["--fail-on", "severe"]].concat());
    assert_eq!(allowed.status.code(), Some(0), "{}", stderr(&allowed));
}

#[test]
fn every_format_names_engines_and_how_they_are_known() {
    let folder = folder();
    let written = |format: &str| {
        let arguments =
            ["audit", "skewed.gltf", "--engine", "three", "--engine", "unreal", "--format", format];
        stdout(&xform(folder.path(), &arguments)).to_owned()
    };
    assert!(written("csv").contains(",severe in unreal (read)"), "{}", written("csv"));
    for words in
        ["three.js", "severe in Unreal |", "Known from its source code or documentation; not run"]
    {
        assert!(written("markdown").contains(words), "{}", written("markdown"));
    }
    for format in ["json", "jsonl"] {
        let compact: String = written(format).split_whitespace().collect();
        assert!(compact.contains(r#""engines":[{"id":"unreal","known":"read"}]"#), "{compact}");
        assert!(compact.contains(r#""strategy":"trs","grade":"severe""#), "{compact}");
    }
    let sarif = written("sarif");
    assert!(
        sarif.contains(r#""ruleId": "displaced""#) && sarif.contains("of the scene) in Unreal."),
        "{sarif}"
    );
    let page = xform(folder.path(), &["report", "skewed.gltf", "--engine", "all", "-o", "-"]);
    let page = stdout(&page);
    for words in ["Engine by engine", "<td>Unreal</td>", "read: dev.epicgames.com", "run: r187"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("1 of 2 nodes looks different in"));
    let two = ["report", "skewed.gltf", "--engine", "three", "--engine", "unreal", "-o", "-"];
    let page = xform(folder.path(), &two);
    assert!(stdout(&page).contains("1 of 2 nodes looks different in Unreal than in three.js."));
    assert!(stdout(&page).contains("1 node differs from what glTF defines, by up to"));
}

#[test]
fn names_that_no_engine_has_suggest_the_nearest() {
    let folder = folder();
    for option in ["--engine", "--reference"] {
        let audit = xform(folder.path(), &["audit", "skewed.gltf", option, "Unreel"]);
        assert_eq!(audit.status.code(), Some(2));
        let words = "there is no engine `Unreel`; did you mean `unreal`?";
        assert!(stderr(&audit).contains(words), "{}", stderr(&audit));
    }
    let audit = xform(folder.path(), &["audit", "skewed.gltf", "--engine", "x"]);
    assert!(stderr(&audit).contains("there is no engine `x`;"), "{}", stderr(&audit));
    for (engines, words) in [
        ("[\"godott\"]", "there is no engine `godott`; did you mean `godot`?"),
        ("[]", "the list of engines is empty"),
        ("[3]", "invalid type: integer `3`"),
    ] {
        fs::write(folder.path().join("xform.toml"), format!("engines = {engines}")).unwrap();
        let audit = xform(folder.path(), &["audit", "skewed.gltf"]);
        assert_eq!(audit.status.code(), Some(2));
        assert!(stderr(&audit).contains(words), "{}", stderr(&audit));
    }
}

#[test]
fn the_list_says_of_each_engine_what_it_does_and_how_that_is_known() {
    let folder = tempdir().unwrap();
    let list = xform(folder.path(), &["engines"]);
    let list = stdout(&list);
    let [engines, physics, strategies] = list.split("\n\n").collect::<Vec<_>>()[..] else {
        panic!("{list}");
    };
    let names = physics.lines().skip(1).filter(|line| !line.starts_with(' '));
    assert_eq!(names.count(), 14);
    assert!(physics.contains("godot-jolt      Godot (Jolt): Removes the skew"), "{physics}");
    assert!(physics.contains("/nested: a compound of one child"), "{physics}");
    assert_eq!(engines.lines().filter(|line| !line.starts_with(' ')).count(), 25);
    let strategies: Vec<_> =
        strategies.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(strategies, ["matrices", "trs"]);
    assert!(
        list.contains("godot           Godot: Multiplies matrices. Its nodes store matrices, so a sheared matrix is kept."),
        "{list}"
    );
    assert!(list.contains("worlds: run: 4.6.3"), "{list}");
    assert!(list.contains("worlds: read: dev.epicgames.com"), "{list}");
}
