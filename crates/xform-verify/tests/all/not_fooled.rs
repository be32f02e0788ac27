//! Answers that look right and are not, and the other way round: each was found by an attack.

use std::{collections::HashMap, io::Write};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use xform_engines::Engine;
use xform_verify::{Answers, Question, Scenes, Verdict, VerifiedRun, verify};

fn verified(scenes: &Scenes, nodes: &Value, expected: Option<&'static Engine>) -> VerifiedRun {
    moments(scenes, &json!([{ "seconds": null, "nodes": nodes }]), expected)
}

fn moments(scenes: &Scenes, moments: &Value, expected: Option<&'static Engine>) -> VerifiedRun {
    let name = scenes.names().next().expect("a scene").to_owned();
    let document = json!({
        "schema": "xform-answers/1", "engine": "mine", "version": "1", "scenes": { name: moments },
    });
    let answers = Answers::read(document.to_string().as_bytes()).expect("answers");
    let files = [("mine.json".to_owned(), answers)];
    let question = Question { expected, ..Question::default() };
    verify(&files, scenes, &question).runs.remove(0)
}

fn scene(nodes: &Value) -> Scenes {
    scene_with(&json!({ "nodes": nodes }))
}

fn scene_with(members: &Value) -> Scenes {
    let mut document = json!({ "asset": { "version": "2.0" } });
    let members = members.as_object().expect("members").clone();
    document.as_object_mut().expect("an object").extend(members);
    let mut scenes = Scenes::default();
    scenes.add("own", document.to_string().as_bytes(), &HashMap::new()).expect("a scene");
    scenes
}

fn world(x: [f64; 3], y: [f64; 3], z: [f64; 3], place: [f64; 3]) -> Value {
    let columns = [(x, 0.0), (y, 0.0), (z, 0.0), (place, 1.0)];
    let entries = columns.into_iter().flat_map(|([a, b, c], last)| [a, b, c, last]);
    json!({ "world": entries.collect::<Vec<f64>>() })
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn a_position_far_away_makes_no_turn_right() {
    // A map: the house is turned by a quarter.
    let place = [4.5e6, 0.0, 0.0];
    let scenes = scene(&json!([
        { "name": "Site", "translation": place, "children": [1] },
        { "name": "House", "rotation": [0, 0, 0.5_f64.sqrt(), 0.5_f64.sqrt()] },
    ]));
    let house =
        |x, y| json!({ "Site": world(X, Y, Z, place), "Site/House": world(x, y, Z, place) });
    assert!(verified(&scenes, &house(Y, [-1.0, 0.0, 0.0]), None).followed);
    let unturned = verified(&scenes, &house(X, Y), None);
    assert_eq!(unturned.verdict, Verdict::Wrong);
    assert_eq!(unturned.first_wrong.expect("one").node, "Site/House");
    // Nor does a small scale.
    let scenes = scene(&json!([
        { "name": "A", "scale": [1e-6, 1e-6, 1e-6], "children": [1] },
        { "name": "B", "rotation": [0, 0, 0.5_f64.sqrt(), 0.5_f64.sqrt()] },
    ]));
    let scaled = |axis: [f64; 3]| axis.map(|part| part * 1e-6);
    let small = world(scaled(X), scaled(Y), scaled(Z), [0.0; 3]);
    let nodes = json!({ "A": small.clone(), "A/B": small });
    assert_eq!(verified(&scenes, &nodes, None).verdict, Verdict::Wrong);
}

/// A node that moves from the origin to (10, 0, 0) within a second.
fn moving() -> Scenes {
    // 0 and 1; (0, 0, 0) and (10, 0, 0).
    let data = "AAAAAAAAgD8AAAAAAAAAAAAAAAAAACBBAAAAAAAAAAA=";
    scene_with(&json!({
        "nodes": [{ "name": "A" }],
        "buffers": [{ "byteLength": 32, "uri": format!("data:application/octet-stream;base64,{data}") }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" },
        ],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }],
        }],
    }))
}

#[test]
fn a_time_of_the_animation_at_rest_is_the_rule_of_blender_alone() {
    let at = |x: f64| json!({ "A": world(X, Y, Z, [x, 0.0, 0.0]) });
    let scenes = moving();
    for engine in ["godot", "three", "unreal"] {
        let expected = Engine::named(engine);
        assert!(verified(&scenes, &at(0.0), expected).followed, "{engine}");
        assert!(!verified(&scenes, &at(10.0 / 24.0), expected).followed, "{engine}");
    }
    assert!(verified(&scenes, &at(10.0 / 24.0), Engine::named("blender")).followed);
}

#[test]
fn animations_are_compared_where_there_are_answers_at_times() {
    let scenes = moving();
    let at = |x: f64, y: f64| json!({ "A": world(X, Y, Z, [x, y, 0.0]) });
    let rest = json!({ "seconds": null, "nodes": at(0.0, 0.0) });
    let half = |y| json!([rest, { "seconds": 0.5, "nodes": at(5.0, y) }]);
    let right = moments(&scenes, &half(0.0), None);
    assert!(right.followed && right.not_in_motion.is_empty());
    // Along x it would be another unit.
    let wrong = moments(&scenes, &half(1.0), None).first_wrong.expect("a wrong node");
    assert_eq!(wrong.seconds, Some(0.5));
    // An answer that says nothing is none.
    let nothing = json!([rest, { "seconds": 0.5, "nodes": {} }]);
    assert_eq!(moments(&scenes, &nothing, None).not_in_motion, ["own"]);
}

#[test]
fn a_little_off_is_not_exactly_anything() {
    let scenes = scene(&json!([
        { "name": "A", "translation": [1, 2, 3], "children": [1] },
        { "name": "B", "translation": [1, 0, 0] },
    ]));
    let nodes = json!({
        "A": world(X, Y, Z, [1.0, 2.0, 3.0]), "A/B": world(X, Y, Z, [2.0, 2.0, 3.0 + 1e-4]),
    });
    let wrong = verified(&scenes, &nodes, None).first_wrong.expect("a wrong node");
    assert_eq!((&*wrong.node, wrong.mistake, wrong.hangs_below), ("A/B", None, None));
}

#[test]
fn vertices_of_a_node_that_there_is_not_are_no_right_ones() {
    let scenes = scene(&json!([{ "name": "A" }]));
    let answer = json!([{
        "seconds": null,
        "nodes": { "A": world(X, Y, Z, [0.0; 3]) },
        "vertices": { "Elsewhere/Body": [[9, 9, 9]] },
    }]);
    let found = moments(&scenes, &answer, None);
    assert_eq!(found.verdict, Verdict::Follows);
    assert!(!found.followed);
    assert_eq!(found.scenes[0].strangers, ["Elsewhere/Body"]);
}

/// A name alone may mean a node anywhere.
#[test]
fn a_name_that_no_node_has_is_not_passed_over_while_a_node_has_no_answer() {
    let scenes = scene(&json!([
        { "name": "A", "translation": [1, 2, 3], "children": [1] },
        { "name": "B", "translation": [1, 0, 0] },
    ]));
    let at = |place| world(X, Y, Z, place);
    let nodes = json!({ "A": at([1.0, 2.0, 3.0]), "B.001": at([9.0, 9.0, 9.0]) });
    let found = verified(&scenes, &nodes, None);
    assert!(!found.followed);
    assert_eq!(found.scenes[0].strangers, ["B.001"]);
    // An importer may add nodes of its own.
    let nodes = json!({
        "A": at([1.0, 2.0, 3.0]), "B": at([2.0, 2.0, 3.0]), "Root": at([0.0; 3]),
    });
    assert!(verified(&scenes, &nodes, None).followed);
}

#[test]
fn a_path_of_two_nodes_is_said_to_be_none() {
    let scenes = scene(&json!([
        { "name": "A", "children": [1, 2] },
        { "name": "B", "translation": [1, 0, 0] },
        { "name": "B", "translation": [2, 0, 0] },
    ]));
    let nodes = json!({
        "A": world(X, Y, Z, [0.0; 3]), "A/B": world(X, Y, Z, [2.0, 0.0, 0.0]),
    });
    let found = verified(&scenes, &nodes, None);
    assert!(found.followed);
    assert_eq!((found.scenes[0].ambiguous, found.scenes[0].not_answered), (2, 0));
    assert!(
        found.details.iter().any(|line| line.contains("2 nodes whose path another node also has"))
    );
}

#[test]
fn every_member_of_a_packed_file_is_read() {
    let document = |engine: &str| {
        json!({ "schema": "xform-answers/1", "engine": engine, "version": "1", "scenes": {} })
            .to_string()
    };
    let packed = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).expect("a vector");
        packed.finish().expect("a vector")
    };
    let both = [packed(&document("one")), packed(&document("two"))].concat();
    let read = Answers::read(&both).expect("two documents");
    assert_eq!(read.iter().map(|run| &*run.engine).collect::<Vec<_>>(), ["one", "two"]);
    assert!(Answers::read(&[both, b"more".to_vec()].concat()).is_err());
    let error = Answers::read(document(" ").as_bytes()).expect_err("no engine");
    assert_eq!(error.to_string(), "document 1: engine: it is empty");
}

#[test]
fn a_scene_that_nobody_knows_is_no_right_one() {
    let scenes = scene(&json!([{ "name": "A" }]));
    let moments = json!([{ "seconds": null, "nodes": { "A": world(X, Y, Z, [0.0; 3]) } }]);
    let document = json!({
        "schema": "xform-answers/1", "engine": "mine", "version": "1",
        "scenes": { "own": moments, "other": moments },
    });
    let answers = Answers::read(document.to_string().as_bytes()).expect("answers");
    let files = [("mine.json".to_owned(), answers)];
    let run = verify(&files, &scenes, &Question::default()).runs.remove(0);
    assert_eq!((run.verdict, run.followed), (Verdict::Follows, false));
    assert_eq!(run.unknown_scenes, ["other"]);
}

#[test]
fn of_two_answers_to_one_question_neither_counts() {
    let document = |scenes: &str| {
        format!(
            r#"{{"schema": "xform-answers/1", "engine": "mine", "version": "1", "scenes": {{ {scenes} }}}}"#
        )
    };
    let moment =
        |seconds: &str, nodes: &str| format!(r#"{{"seconds": {seconds}, "nodes": {{ {nodes} }}}}"#);
    let node = r#""A": {"world": null}"#;
    let once = moment("null", node);
    let cases = [
        (format!(r#""mirror": [{once}], "mirror": [{once}]"#), "`mirror` occurs twice"),
        (
            format!(r#""mirror": [{}]"#, moment("null", &format!("{node}, {node}"))),
            "`A` occurs twice",
        ),
        (format!(r#""mirror": [{once}, {once}]"#), "there are two answers for one time"),
    ];
    for (scenes, why) in cases {
        let error = Answers::read(document(&scenes).as_bytes()).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
    // One that Windows has saved is read.
    let marked = format!("\u{FEFF}{}", document(&format!(r#""mirror": [{once}]"#)));
    assert_eq!(Answers::read(marked.as_bytes()).expect("answers").len(), 1);
}
