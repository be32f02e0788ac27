//! `xform verify`: the scenes, the answer, the exit status and what is bad.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::program::{stderr, stdout, xform, xform_with};

/// World matrices of `skew38` by path, column by column: a scale of (2, 1, 1) above a turn by 38° about z, as engines that multiply
/// matrices have them.
fn answers() -> Value {
    let turn = 38_f64.to_radians();
    let (sine, cosine) = (turn.sin(), turn.cos());
    let scene = kit("skew38");
    let turned = &scene["nodes"][1];
    let t = |axis: usize| turned["translation"][axis].as_f64().unwrap_or(0.0);
    json!({
        "schema": "xform-answers/1", "engine": "mine", "version": "1", "scenes": { "skew38": [{
            "seconds": null, "nodes": {
                "A": { "world": [2, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1] },
                "A/B": { "world": [2.0 * cosine, sine, 0, 0,  -2.0 * sine, cosine, 0, 0,  0, 0, 1, 0,  2.0 * t(0), t(1), t(2), 1] },
            },
        }] },
    })
}

fn kit(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/scenes");
    serde_json::from_str(&fs::read_to_string(path.join(format!("{name}.gltf"))).unwrap()).unwrap()
}

fn folder(answers: &Value) -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("answers.json"), answers.to_string()).unwrap();
    folder
}

fn verified(answers: &Value, arguments: &[&str]) -> Output {
    let folder = folder(answers);
    xform(folder.path(), &[&["verify", "answers.json"], arguments].concat())
}

/// The world matrix of `A/B`.
fn turned(answers: &mut Value) -> &mut Value {
    &mut answers["scenes"]["skew38"][0]["nodes"]["A/B"]["world"]
}

#[test]
fn the_rule_is_named_and_the_first_wrong_node() {
    let right = verified(&answers(), &[]);
    assert_eq!(right.status.code(), Some(0), "{}", stdout(&right));
    let text = stdout(&right);
    assert!(text.starts_with("mine 1\n  It follows what glTF defines, as three.js, "), "{text}");
    assert!(text.contains("all 2 answers are right"), "{text}");
    assert!(text.contains("The scene matrix_shear would tell them apart: "), "{text}");
    assert!(text.contains("2 nodes have no answer."), "{text}");
    let mut wrong = answers();
    turned(&mut wrong)[13] = json!(7);
    let wrong = verified(&wrong, &[]);
    assert_eq!(wrong.status.code(), Some(1));
    let neither = "  It follows neither glTF nor any engine's rule. By glTF, 1 of 2 answers";
    assert!(stdout(&wrong).contains(neither), "{}", stdout(&wrong));
    let text = stdout(&wrong);
    assert!(text.contains("The first wrong node is `A/B` in the scene skew38."), "{text}");
    assert!(text.contains("  In your axes and unit, its position is ("), "{text}");
    assert!(text.contains("\n! skew38  "), "{text}");
}

#[test]
fn an_expected_engine_is_held_to() {
    assert_eq!(verified(&answers(), &["--expect", "godot"]).status.code(), Some(0));
    let unreal = verified(&answers(), &["--expect", "unreal"]);
    assert_eq!(unreal.status.code(), Some(1));
    let text = stdout(&unreal);
    assert!(text.contains("It does not follow the rule of Unreal: 1 of 2 answers"), "{text}");
    assert!(text.contains("`A/B` in the scene skew38"), "{text}");
    assert!(text.contains("It follows the rule of three.js, "), "{text}");
    // What it says itself is expected of it.
    let mut says = answers();
    says["engine"] = json!("ogre");
    let ogre = verified(&says, &[]);
    assert_eq!(ogre.status.code(), Some(1));
    assert!(stdout(&ogre).contains("It does not follow the rule of OGRE"), "{}", stdout(&ogre));
    // So are its axes.
    says["engine"] = json!("mine");
    says["axes"] = json!({
        "from_gltf": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": false, "units_per_metre": 1,
    });
    let mirrored = verified(&says, &["--expect", "godot"]);
    assert_eq!(mirrored.status.code(), Some(1));
    let text = stdout(&mirrored);
    assert!(text.contains("in other axes than stated"), "{text}");
    assert!(
        text.contains("According to the file: x, y, z are glTF's −x, y, z (y up, left-handed)"),
        "{text}"
    );
    let misspelt = verified(&answers(), &["--expect", "gdot"]);
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(stderr(&misspelt).contains("did you mean `godot`?"), "{}", stderr(&misspelt));
}

#[test]
fn what_nothing_is_known_of_fails_unless_it_may() {
    let quaternions = kit("quaternions");
    let root = quaternions["nodes"][0]["name"].as_str().unwrap();
    let world = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    let mut answers = answers();
    answers["scenes"]["quaternions"] =
        json!([{ "seconds": null, "nodes": { root: { "world": world } } }]);
    let told = verified(&answers, &["--expect", "unity"]);
    assert_eq!(told.status.code(), Some(1));
    assert!(stdout(&told).contains("The rule is unknown for 1 other."), "{}", stdout(&told));
    assert_eq!(
        verified(&answers, &["--expect", "unity", "--allow-unknown"]).status.code(),
        Some(0)
    );
}

#[test]
fn every_format_says_the_same() {
    let mut wrong = answers();
    turned(&mut wrong)[13] = json!(7);
    let json = verified(&wrong, &["--format", "json"]);
    assert_eq!(json.status.code(), Some(1));
    let document: Value = serde_json::from_str(stdout(&json)).unwrap();
    let run = &document["runs"][0];
    assert_eq!(run["first_wrong"]["node"], "A/B");
    let headline = run["headline"].as_str().unwrap();
    for format in ["text", "markdown", "html"] {
        let told = verified(&wrong, &["--format", format]);
        assert_eq!(told.status.code(), Some(1), "{format}");
        let plain = stdout(&told).replace("&#39;", "'").replace('\\', "");
        assert!(plain.contains(headline), "{format}: {plain}");
    }
    // Programs read the others; people are told why the status is 1.
    assert_eq!(stderr(&json), format!("xform: mine 1: {headline}\n"));
    assert_eq!(stderr(&verified(&wrong, &[])), "");
}

#[test]
fn the_scenes_are_written_and_nothing_else_is_replaced() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let written = xform(path, &["verify", "--write-scenes", "scenes"]);
    assert_eq!(stdout(&written), "27 scenes are in scenes\n");
    assert_eq!(fs::read_dir(path.join("scenes")).unwrap().count(), 27);
    let own: Value =
        serde_json::from_str(&fs::read_to_string(path.join("scenes/skew38.gltf")).unwrap())
            .unwrap();
    assert_eq!(own, kit("skew38"));
    // Again is no mistake; another file of the name stays.
    assert!(xform(path, &["verify", "--write-scenes", "scenes"]).status.success());
    fs::write(path.join("scenes/skew38.gltf"), "mine").unwrap();
    let again = xform(path, &["verify", "--write-scenes", "scenes"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        stderr(&again).contains("skew38.gltf: another file of this name exists"),
        "{}",
        stderr(&again)
    );
    assert_eq!(fs::read_to_string(path.join("scenes/skew38.gltf")).unwrap(), "mine");
}

#[test]
fn scenes_of_a_folder_are_asked_about() {
    let mut own = answers();
    own["scenes"] = json!({ "mine": own["scenes"]["skew38"] });
    let folder = folder(&own);
    let path = folder.path();
    fs::create_dir(path.join("scenes")).unwrap();
    fs::write(path.join("scenes/mine.gltf"), kit("skew38").to_string()).unwrap();
    let arguments = ["verify", "answers.json", "--scenes", "scenes"];
    assert_eq!(xform(path, &arguments).status.code(), Some(0));
    // There is no such scene in the kit.
    let unknown = xform(path, &["verify", "answers.json"]);
    assert_eq!(unknown.status.code(), Some(1));
    let words = "No scenes with these names are known: mine.";
    assert!(stdout(&unknown).contains(words), "{}", stdout(&unknown));
    fs::write(path.join("scenes/bad.gltf"), "{").unwrap();
    let bad = xform(path, &arguments);
    assert_eq!(bad.status.code(), Some(2));
    assert!(stderr(&bad).contains("bad.gltf: "), "{}", stderr(&bad));
    let none = xform(path, &["verify", "answers.json", "--scenes", "nowhere"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).starts_with("xform: nowhere: "), "{}", stderr(&none));
}

#[test]
fn what_is_bad_is_named_and_hides_nothing_else() {
    let folder = folder(&answers());
    let path = folder.path();
    let by_row = {
        let mut answers = answers();
        *turned(&mut answers) = json!([1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]);
        answers.to_string()
    };
    let short = {
        let mut answers = answers();
        *turned(&mut answers) = json!([1, 2, 3]);
        answers.to_string()
    };
    let other = answers().to_string().replace("xform-answers/1", "xform-answers/2");
    for (name, text, words) in [
        ("row.json", &*by_row, "document 1: scenes.skew38: A/B: the matrix is stored row by row"),
        ("short.json", &short, "document 1: scenes.skew38[0].nodes.A/B.world: "),
        ("other.json", &other, "document 1: schema: `xform-answers/2` is not xform-answers/1"),
        ("empty.json", "", "it contains no answers"),
        ("cut.json", "{\"schema\": \"xform-answers/1\"", "document 1: "),
        ("packed.gz", "\u{1f}\u{0}", ""),
    ] {
        fs::write(path.join(name), text).unwrap();
        let told = xform(path, &["verify", name, "answers.json"]);
        assert_eq!(told.status.code(), Some(2), "{name}");
        assert!(stderr(&told).contains(&format!("xform: {name}: {words}")), "{}", stderr(&told));
        assert!(stdout(&told).contains("It follows what glTF defines"), "{}", stdout(&told));
        let alone = xform(path, &["verify", name]);
        assert_eq!((alone.status.code(), stdout(&alone)), (Some(2), ""), "{name}");
    }
    let missing = xform(path, &["verify", "none.json"]);
    assert_eq!(stderr(&missing), "xform: none.json: no such file\n");
    // An input is no output.
    let over = xform(path, &["verify", "answers.json", "-o", "answers.json"]);
    assert_eq!(over.status.code(), Some(2));
    assert!(stderr(&over).contains("is an input"), "{}", stderr(&over));
    let piped = xform_with(path, &["verify", "-"], answers().to_string().as_bytes());
    assert_eq!(piped.status.code(), Some(0), "{}", stderr(&piped));
}

#[test]
fn a_misnamed_node_is_told() {
    let mut misnamed = answers();
    let nodes = misnamed["scenes"]["skew38"][0]["nodes"].as_object_mut().unwrap();
    let world = nodes.remove("A/B").unwrap();
    nodes.insert("A/Bee".to_owned(), world);
    let told = verified(&misnamed, &[]);
    assert_eq!(told.status.code(), Some(1));
    assert!(stdout(&told).contains("The scene skew38 has no `A/Bee`"), "{}", stdout(&told));
    // By its name alone where no other node has it.
    let mut by_name = answers();
    let nodes = by_name["scenes"]["skew38"][0]["nodes"].as_object_mut().unwrap();
    let world = nodes.remove("A/B").unwrap();
    nodes.insert("B".to_owned(), world);
    assert_eq!(verified(&by_name, &[]).status.code(), Some(0));
}

/// The recorded answers of the repository.
fn recorded() -> Vec<PathBuf> {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/answers");
    let mut files: Vec<_> = fs::read_dir(kit).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_page_of_engines_has_every_recorded_run() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    assert!(xform(path, &["engines", "--page", "engines.html"]).status.success());
    let page = fs::read_to_string(path.join("engines.html")).unwrap();
    let rows = page.matches("<th scope=\"row\">").count();
    assert!(rows >= 85, "{rows}");
    assert!(page.contains("three.js r187") && recorded().len() == 20);
    // What was recorded of one engine is verified as what somebody answers.
    let three = recorded().into_iter().find(|file| file.ends_with("three.jsonl.gz")).unwrap();
    let told = xform(path, &["verify".as_ref(), three.as_os_str(), "--allow-unknown".as_ref()]);
    assert_eq!(told.status.code(), Some(0), "{}", stdout(&told));
    assert!(
        stdout(&told).contains("three.js r187 (three/gltf)\n  It follows the rule of three.js")
    );
}
