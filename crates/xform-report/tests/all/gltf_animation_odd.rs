//! Animations in files that are odd, large for their size, or made to be: read as far as they go, quickly, and
//! told without what a terminal would obey.

use std::fs;

use serde_json::{Value, json};
use xform_compare::{
    Audit, Finding, Grade, SceneAudit,
    audit::AnimationAudit,
    compare, findings,
    judge::{Limits, Report},
};
use xform_report::{TextStyle, write_html, write_text};
use xform_scene::{animation::Track, gltf::Animations, read_gltf, read_gltf_file};

use crate::support::animated::{
    FLOAT, TIMES, bytes, data, document, embedded, glb, read, scales, uri,
};

fn whys(file: &Value) -> Vec<String> {
    read(file).animations[0].not_sampled.iter().map(|one| one.why.clone()).collect()
}

fn text(audit: SceneAudit) -> String {
    let mut text = Vec::new();
    write_text(&Audit::new(vec![audit]), TextStyle::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A file without meshes whose first node has these scales at 0, 1 and 2.5 s.
fn scaled(scales: [f32; 9]) -> Value {
    let mut file = embedded(&[bytes(&TIMES), bytes(&scales)].concat());
    file["animations"][0]["channels"][0]["target"]["path"] = json!("scale");
    file
}

#[test]
fn whole_numbers_may_have_a_point_and_what_no_animation_needs_may_be_missing() {
    let mut file = embedded(&data());
    let whole = read(&file);
    file["bufferViews"][1]["byteOffset"] = json!(12.0);
    file["accessors"][1]["count"] = json!(3.0);
    file["animations"][0]["samplers"][0]["input"] = json!(0.0);
    file["bufferViews"][0]["extensions"] = json!(null);
    file["animations"][0]["channels"][0]["target"]["extensions"] = json!(null);
    file["bufferViews"].as_array_mut().unwrap().push(json!({}));
    let sparse = json!({ "componentType": FLOAT, "type": 3, "sparse": { "count": 1 } });
    file["accessors"].as_array_mut().unwrap().push(sparse);
    assert_eq!(read(&file), whole);
    for (pointer, value) in
        [("/bufferViews/1/byteOffset", json!(-1)), ("/accessors/1/count", json!(2.5))]
    {
        let mut bad = file.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert_eq!(whys(&bad).len(), 1, "{pointer}");
    }
}

/// A turn below a stretch that one channel makes and the other does not.
#[test]
fn of_channels_that_move_the_same_the_worse_is_reported() {
    let turn = f32::sqrt(0.5);
    let [turned, still] = [[0.0, 0.0, turn, turn], [0.0, 0.0, 0.0, 1.0]];
    for rotations in [[turned, still], [still, turned]] {
        let rotations =
            rotations.map(|end| [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], end].concat());
        let mut file =
            embedded(&[bytes(&TIMES), bytes(&rotations[0]), bytes(&rotations[1])].concat());
        file["nodes"] = json!([{ "scale": [2, 1, 1], "children": [1] }, { "children": [2] }, { "translation": [1, 0, 0] }]);
        for (place, offset) in [(1, 12), (2, 60)] {
            file["bufferViews"][place] =
                json!({ "buffer": 0, "byteOffset": offset, "byteLength": 48 });
            file["accessors"][place] =
                json!({ "bufferView": place, "componentType": FLOAT, "count": 3, "type": "VEC4" });
        }
        let rotation = json!({ "node": 1, "path": "rotation" });
        file["animations"][0]["samplers"] =
            json!([{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }]);
        file["animations"][0]["channels"] =
            json!([{ "sampler": 0, "target": rotation }, { "sampler": 1, "target": rotation }]);
        let audit = compare(&read(&file)).unwrap();
        let motion = audit.summary.motion.unwrap();
        // Halfway of a quarter turn below a stretch by 2: asin(3/5).
        assert!(
            (motion.max_skew_difference_degrees - 0.6_f64.asin().to_degrees()).abs() < 0.1,
            "{motion:?}"
        );
        assert_eq!(audit.summary.grade, Grade::Severe);
        let names: Vec<_> = audit.animations.iter().map(AnimationAudit::label).collect();
        assert_eq!(names, ["\"walk\"", "\"walk\" (first channels)"]);
        let [warning] = &audit.warnings[..] else { panic!("{:?}", audit.warnings) };
        assert_eq!(
            (warning.code.name(), warning.pointer.as_str()),
            ("duplicate-channel", "/animations/0/channels/1")
        );
        assert!(
            warning
                .message
                .starts_with("channels 0 and 1 set the rotation of node 1, and some engines")
        );
    }
}

/// One warning for each target that is set twice, each with its own verdict.
#[test]
fn each_target_that_is_set_twice_is_named() {
    let target = |node: u32, path: &str, sampler: u32| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    let mut file = embedded(&data());
    let mut samplers = file["animations"][0]["samplers"].clone();
    samplers.as_array_mut().unwrap().push(json!({ "input": 1, "output": 1 }));
    let bad = samplers.as_array().unwrap().len() - 1;
    file["animations"][0]["samplers"] = samplers;
    let mut told = |channels: Value| -> (usize, Vec<String>) {
        file["animations"][0]["channels"] = channels;
        let audit = compare(&read(&file)).unwrap();
        let of_twice = audit.warnings.iter().filter(|one| one.code.name() == "duplicate-channel");
        (audit.animations.len(), of_twice.map(|one| one.message.clone()).collect())
    };
    // The same sampler again, with another channel between.
    let (animations, warnings) =
        told(json!([target(0, "scale", 0), target(1, "scale", 0), target(0, "scale", 0)]));
    assert_eq!(
        (animations, &warnings[..]),
        (1, &["channels 0 and 2 set the scale of node 0 to the same values".to_owned()][..])
    );
    // One of two differs: its first channel cannot even be read.
    let (animations, warnings) = told(json!([
        target(0, "scale", 0),
        target(0, "scale", 0),
        target(1, "scale", u32::try_from(bad).unwrap()),
        target(1, "scale", 0)
    ]));
    assert_eq!(animations, 2);
    assert_eq!(warnings[0], "channels 0 and 1 set the scale of node 0 to the same values");
    assert!(warnings[1].starts_with("channels 2 and 3 set the scale of node 1, and some engines"));
}

#[test]
fn what_keyframes_may_not_be_is_told() {
    let told = |times: [f32; 3], scales: [f32; 9]| {
        let mut file = scaled(scales);
        file["buffers"][0]["uri"] = json!(uri(&[bytes(&times), bytes(&scales)].concat()));
        let audit = compare(&read(&file)).unwrap();
        let told = audit
            .warnings
            .iter()
            .map(|one| (one.code.name(), one.pointer.clone(), one.message.clone()));
        told.collect::<Vec<_>>()
    };
    let ones = [1.0; 9];
    let is = |told: Vec<(&str, String, String)>, code: &str, pointer: &str, message: &str| {
        assert_eq!(told, [(code, pointer.to_owned(), message.to_owned())]);
    };
    is(
        told([-1.0, 0.0, 1.0], ones),
        "keyframe-times",
        "/accessors/0",
        "keyframe 0 is at a negative time, -1 s, which engines treat differently",
    );
    is(
        told([0.0, 1.0, 1.0], ones),
        "keyframe-times",
        "/accessors/0",
        "keyframes 1 and 2 are both at 1 s; the value is assumed to jump there",
    );
    let flat = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    is(
        told([0.0, 1.0, 2.5], flat),
        "zero-scale",
        "/animations/0",
        "a scale of 0 flattens the node and its descendants 1 s into the animation",
    );
    let mirrored = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0];
    is(
        told([0.0, 1.0, 2.5], mirrored),
        "mirrored",
        "/animations/0",
        "a negative scale mirrors the node and its descendants 2.5 s into the animation",
    );
    // Two mirrors are a turn.
    assert_eq!(told([0.0, 1.0, 2.5], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0]), []);

    let mut file = embedded(
        &[bytes(&TIMES), bytes(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0])]
            .concat(),
    );
    file["animations"][0]["channels"] =
        json!([{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }]);
    file["accessors"][1]["type"] = json!("VEC4");
    file["bufferViews"][1]["byteLength"] = json!(48);
    let warnings = compare(&read(&file)).unwrap().warnings;
    let told =
        warnings.iter().map(|one| (one.code.name(), one.pointer.clone(), one.message.clone()));
    is(
        told.collect(),
        "unit-quaternion",
        "/animations/0/channels/0",
        "the rotation at keyframe 1 has length 2; it was normalised",
    );
}

#[test]
fn of_channels_that_move_the_same_the_last_is_read_and_no_other() {
    let mut file = embedded(&data());
    let channel = file["animations"][0]["channels"][0].clone();
    let mut channels = vec![channel; 50_000];
    let mut last = file["animations"][0]["channels"][1].clone();
    last["target"] = json!({ "node": 0, "path": "scale" });
    channels.push(last);
    file["animations"][0]["channels"] = json!(channels);
    let scene = read(&file);
    assert_eq!(scene.animations[0].channels.len(), 2);
    assert_eq!(scene.animations[0].channels[1].track, scales());
    compare(&scene).unwrap();
}

#[test]
fn a_file_that_many_buffers_name_counts_once() {
    const BUFFERS: usize = 300;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("one_file_many_buffers");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.bin"), vec![0; 1 << 20]).unwrap();
    let mut file = document();
    file["nodes"] = json!(vec![json!({}); BUFFERS]);
    file["buffers"] = json!(vec![json!({ "uri": "a.bin", "byteLength": 1 << 20 }); BUFFERS]);
    let count = (1 << 20) / 16;
    let view = |buffer: usize| json!({ "buffer": buffer, "byteLength": 1 << 20 });
    file["bufferViews"] = json!((0..BUFFERS).map(view).collect::<Vec<_>>());
    let accessor = |view: usize| json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "VEC4" });
    let mut accessors: Vec<_> = (0..BUFFERS).map(accessor).collect();
    accessors
        .push(json!({ "bufferView": 0, "componentType": FLOAT, "count": count, "type": "SCALAR" }));
    file["accessors"] = json!(accessors);
    let sampler = |output: usize| json!({ "input": BUFFERS, "output": output });
    file["animations"][0]["samplers"] = json!((0..BUFFERS).map(sampler).collect::<Vec<_>>());
    let channel =
        |node: usize| json!({ "sampler": node, "target": { "node": node, "path": "rotation" } });
    file["animations"][0]["channels"] = json!((0..BUFFERS).map(channel).collect::<Vec<_>>());
    let path = folder.join("many.gltf");
    fs::write(&path, file.to_string()).unwrap();
    let scene = read_gltf_file(&path, Animations::Read).unwrap();
    let too_much = scene.animations[0].not_sampled.iter();
    let too_much =
        too_much.filter(|one| one.why.contains("request far more data than its buffers have"));
    assert!(too_much.count() >= BUFFERS - 6);
}

#[test]
fn strides_end_where_the_format_ends_them() {
    let mut file = embedded(&[0; 2000]);
    for (stride, is_read) in [(12, true), (252, true), (256, false), (8, false)] {
        file["bufferViews"][1] = json!({ "buffer": 0, "byteLength": 1900, "byteStride": stride });
        let refused = whys(&file).iter().any(|why| why.contains("stride"));
        assert_eq!(!refused, is_read, "{stride}");
    }
}

#[test]
fn what_a_file_says_is_cut_and_cannot_be_obeyed() {
    let mut file = embedded(&data());
    let hostile = format!("\u{1b}[31mRED\nnew line{}", "X".repeat(1 << 20));
    file["animations"][0]["samplers"][0]["interpolation"] = json!(hostile);
    let why = &whys(&file)[0];
    assert!(why.len() < 200 && !why.contains(|c: char| c.is_control()), "{why}");
    file["animations"][0]["name"] = json!("\u{1b}[2Jname");
    let audit = compare(&read(&file)).unwrap();
    assert!(!text(audit).contains('\u{1b}'));
    let mut elsewhere = document();
    elsewhere["buffers"][0]["uri"] = json!(hostile);
    assert!(whys(&elsewhere)[0].len() < 200);
}

#[test]
fn figures_beyond_all_numbers_still_make_a_page() {
    let scene = read(&scaled([1.0, 1.0, 1.0, 1e36, 1.0, 1e30, 3e38, 1e-38, 1e38]));
    let report = Report::of_scene(&scene).unwrap();
    let mut page = Vec::new();
    write_html(&report, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let markup = page.split_once("<script").unwrap().0;
    assert!(page.trim_end().ends_with("</html>") && !markup.contains("NaN"));
}

#[test]
fn a_long_animation_is_a_small_page() {
    let times: Vec<f32> = (0..60_000_u16).map(f32::from).collect();
    let turns = times.iter().flat_map(|time| [0.0, 0.0, (time * 0.1).sin(), (time * 0.1).cos()]);
    let turns: Vec<f32> = turns.collect();
    let mut file = embedded(&[bytes(&times), bytes(&turns)].concat());
    let (count, len) = (times.len(), 4 * times.len());
    file["nodes"] = json!([{ "children": [1] }, {}, {}]);
    file["nodes"][0]["scale"] = json!([2, 1, 1]);
    file["bufferViews"][0]["byteLength"] = json!(len);
    file["bufferViews"][1] = json!({ "buffer": 0, "byteOffset": len, "byteLength": 4 * len });
    file["accessors"][0]["count"] = json!(count);
    file["accessors"][1]["count"] = json!(count);
    file["accessors"][1]["type"] = json!("VEC4");
    file["animations"][0]["channels"] =
        json!([{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }]);
    let mut page = Vec::new();
    write_html(&Report::of_scene(&read(&file)).unwrap(), &mut page).unwrap();
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
}

#[test]
fn the_time_of_a_finding_is_that_of_its_figure() {
    // Skewed the most where the scale is the least uniform, at 1 s, and elsewhere where it is the largest.
    let mut file = scaled([2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 8.0, 4.0, 4.0]);
    file["nodes"] = json!([
        { "scale": [2, 1, 1], "children": [1] },
        { "rotation": [0, 0, 0.6, 0.8], "children": [2] },
        { "translation": [1, 0, 0] },
    ]);
    file["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let audit = compare(&read(&file)).unwrap();
    let found = findings(&audit, &Limits::default());
    let of_the_last = |one: &&Finding| one.animation.is_some() && one.pointer == "/nodes/2";
    let moving: Vec<&Finding> = found.iter().filter(of_the_last).collect();
    let [skewed, displaced] = &moving[..] else { panic!("{moving:?}") };
    assert_eq!([skewed.rule, displaced.rule], ["skewed", "displaced"]);
    assert!(skewed.message.contains(", 1 s into"), "{}", skewed.message);
    assert!(displaced.message.contains(", 2.5 s into"), "{}", displaced.message);
}

#[test]
fn a_scene_is_safe_in_what_was_sampled_alone() {
    let count = 3_000;
    let times: Vec<f32> = (0_u16..3_000).map(f32::from).collect();
    let mut file = embedded(&[bytes(&times), vec![0; 12 * count]].concat());
    let children: Vec<_> = (3..20_003).collect();
    let mut nodes = vec![json!({ "children": children, "scale": [2, 1, 1] }), json!({}), json!({})];
    nodes.resize(20_003, json!({}));
    file["nodes"] = json!(nodes);
    file["bufferViews"][0]["byteLength"] = json!(4 * count);
    file["bufferViews"][1] =
        json!({ "buffer": 0, "byteOffset": 4 * count, "byteLength": 12 * count });
    file["accessors"][0]["count"] = json!(count);
    file["accessors"][1]["count"] = json!(count);
    file["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let text = text(compare(&read(&file)).unwrap());
    assert!(
        text.contains(
            "The scene looks the same at rest and at the sampled times of its animations"
        ),
        "{text}"
    );
}

#[test]
fn a_glb_says_the_same_as_its_parts() {
    let mut file = document();
    file["buffers"][1]["uri"] = json!(uri(&bytes(&[0.0, 2.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0])));
    let scene = read_gltf(&glb(&file, &data()), "test.gltf").unwrap();
    assert_eq!(scene, read(&embedded(&data())));
    let Track::Translation(places) = &scene.animations[0].channels[0].track else { panic!() };
    assert_eq!(places.at(1.0), [1.0, 2.0, 3.0]);
    assert_eq!(places.at(9.0), [-4.0, 0.5, 0.25]);
}
