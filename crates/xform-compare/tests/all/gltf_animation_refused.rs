//! glTF animations of which a part cannot be read: it is kept with the reason, and the rest is sampled.

use serde_json::{Value, json};
use xform_compare::compare;
use xform_scene::{Scene, WarningCode, read_gltf};

use crate::support::{
    animated::{FLOAT, PLACES, TIMES, bytes, data, document, embedded, glb, read, uri},
    not_sampled::why_not,
};

/// Why channel 0 is not sampled with one value changed, or added.
fn why(pointer: &str, value: Value) -> String {
    let mut file = embedded(&data());
    set(&mut file, pointer, value);
    why_not(&read(&file))
}

fn set(file: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = file.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        _ => parent[key] = value,
    }
}

fn assert_reasons(cases: impl IntoIterator<Item = (&'static str, Value, &'static str)>) {
    for (pointer, value, reason) in cases {
        let found = why(pointer, value.clone());
        assert!(found.contains(reason), "{pointer} {value}: {found}");
    }
}

#[test]
fn buffers_without_data_are_kept_with_the_reason() {
    assert_reasons([
        ("/buffers/0", json!({ "byteLength": 48 }), "no uri"),
        ("/buffers/0/uri", json!("data:;base64,AAA?"), "base64"),
        ("/buffers/0/uri", json!("data:;base64,AAAAA"), "base64"),
        ("/buffers/0/uri", json!("data:;base64"), "base64"),
        ("/buffers/0/uri", json!("data:;base64,"), "out of bounds"),
        ("/buffers/0/uri", json!(uri(&data()[..47])), "out of bounds"),
        ("/buffers/0/uri", json!("x.bin"), "no folder to find it in"),
        ("/buffers/0/uri", json!(""), "no folder to find it in"),
    ]);
    // Only the first is in the binary chunk of a GLB.
    let mut file = document();
    file["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 48 }));
    file["bufferViews"][0]["buffer"] = json!(2);
    let scene = read_gltf(&glb(&file, &data()), "x").unwrap();
    assert!(why_not(&scene).contains("no uri"));
}

#[test]
fn bytes_behind_the_stated_end_of_a_glb_are_no_chunk() {
    let mut glb = glb(&document(), &data());
    let end = u32::try_from(glb.len() - data().len() - 8).unwrap();
    glb[8..12].copy_from_slice(&end.to_le_bytes());
    why_not(&read_gltf(&glb, "x").unwrap());
}

#[test]
fn chunks_that_are_none_and_chunks_cut_short_are_kept_with_the_reason() {
    let whole = glb(&document(), &data());
    let chunk = whole.len() - data().len() - 8;
    let with = |place: usize, value: &[u8]| {
        let mut glb = whole.clone();
        glb[place..place + value.len()].copy_from_slice(value);
        why_not(&read_gltf(&glb, "x").unwrap())
    };
    assert!(with(chunk + 4, b"JSON").contains("no uri"));
    assert!(with(chunk, &47_u32.to_le_bytes()).contains("out of bounds"));
    let mut short = whole[..chunk].to_vec();
    short[8..12].copy_from_slice(&u32::try_from(chunk).unwrap().to_le_bytes());
    assert!(why_not(&read_gltf(&short, "x").unwrap()).contains("no uri"));
}

#[test]
fn indices_out_of_range_are_kept_with_the_reason() {
    assert_reasons([
        ("/bufferViews/1/buffer", json!(2), "no buffer 2"),
        ("/accessors/1/bufferView", json!(4), "no buffer view 4"),
        ("/accessors/0/bufferView", json!(u64::MAX), "not a valid buffer view index"),
        ("/animations/0/samplers/0/output", json!(4), "no accessor 4"),
        ("/animations/0/samplers/0/input", json!(5), "no accessor 5"),
        ("/animations/0/channels/0/sampler", json!(2), "no sampler 2"),
        ("/animations/0/channels/0/target/node", json!(3), "no node 3"),
    ]);
    let mut file = embedded(&data());
    file["animations"][0]["channels"][0]["target"]["node"] = json!(3);
    assert_eq!(read(&file).animations[0].not_sampled[0].node, None);
    let without = |member: &str| why(member, Value::Null);
    assert!(without("/animations/0/channels/0/sampler").contains("no sampler"));
    assert!(without("/animations/0/samplers/0/input").contains("no input"));
    assert!(without("/animations/0/samplers/0/output").contains("no output"));
}

#[test]
fn what_ends_beyond_what_it_is_in_is_kept_with_the_reason() {
    assert_reasons([
        ("/accessors/1/count", json!(4), "out of bounds"),
        ("/accessors/1/byteOffset", json!(4), "out of bounds"),
        ("/accessors/1/byteOffset", json!(u64::MAX), "out of bounds"),
        ("/bufferViews/1/byteStride", json!(16), "out of bounds"),
        ("/bufferViews/1/byteStride", json!(u64::MAX), ""),
        ("/bufferViews/1/byteLength", json!(35), "out of bounds"),
        ("/bufferViews/1/byteOffset", json!(13), "out of bounds"),
        ("/bufferViews/1/byteOffset", json!(u64::MAX), "out of bounds"),
        ("/bufferViews/1/byteStride", json!(8), "stride"),
        ("/bufferViews/1/byteStride", json!(0), "stride"),
    ]);
    let mut file = embedded(&data());
    file["bufferViews"][1]["byteLength"] = json!(48);
    file["accessors"][1]["count"] = json!(4);
    assert!(why_not(&read(&file)).contains("out of bounds"));
}

#[test]
fn gigantic_counts_in_a_tiny_file_are_refused_by_what_there_is() {
    for count in [4_000_000_000, 1 << 62, 1 << 63, u64::MAX] {
        for accessor in ["/accessors/0", "/accessors/1"] {
            why(&format!("{accessor}/count"), json!(count));
            let mut file = embedded(&data());
            set(&mut file, &format!("{accessor}/count"), json!(count));
            let accessor = file.pointer_mut(accessor).unwrap();
            accessor.as_object_mut().unwrap().remove("bufferView");
            assert!(why_not(&read(&file)).contains("far more data than its buffers have"));
            // Nor a stride that makes much of little, nor sparse ones.
            let accessor = file.pointer_mut("/accessors/1").unwrap();
            *accessor = json!({ "componentType": FLOAT, "count": 3, "type": "VEC3", "sparse": {
                "count": count, "indices": { "bufferView": 0, "componentType": 5121 },
                "values": { "bufferView": 1 } } });
            why_not(&read(&file));
        }
    }
}

#[test]
fn sparse_accessors_that_lead_nowhere_are_kept_with_the_reason() {
    let sparse = json!({ "count": 1, "indices": { "bufferView": 4, "componentType": 5121 },
        "values": { "bufferView": 1 } });
    let why = |pointer: &str, value: Value| {
        let mut file = embedded(&[data(), vec![3]].concat());
        let view = json!({ "buffer": 0, "byteOffset": 48, "byteLength": 1 });
        file["bufferViews"].as_array_mut().unwrap().push(view);
        file["accessors"][1]["sparse"] = sparse.clone();
        set(&mut file, pointer, value);
        why_not(&read(&file))
    };
    let at = |member: &str| format!("/accessors/1/sparse{member}");
    // Of three elements it replaces number three, counted from zero.
    assert!(why(&at("/count"), json!(1)).contains("does not have"));
    assert!(why(&at("/count"), json!(2)).contains("out of bounds"));
    assert!(why(&at("/indices/componentType"), json!(5120)).contains("type"));
    assert!(why(&at("/indices/componentType"), json!(FLOAT)).contains("type"));
    assert!(why(&at("/indices/componentType"), json!(5125)).contains("out of bounds"));
    assert!(why(&at("/indices/bufferView"), json!(9)).contains("no buffer view 9"));
    assert!(why(&at("/values/bufferView"), json!(9)).contains("no buffer view 9"));
    assert!(why(&at("/values/byteOffset"), json!(30)).contains("out of bounds"));
}

#[test]
fn wrong_types_and_names_are_kept_with_the_reason() {
    assert_reasons([
        ("/accessors/0/type", json!("VEC3"), "SCALAR"),
        ("/accessors/1/type", json!("VEC4"), "VEC3"),
        ("/accessors/1/type", json!("MAT2"), "VEC3"),
        ("/accessors/1/componentType", json!(5124), "type"),
        ("/accessors/0/componentType", json!(0), "type"),
        ("/animations/0/channels/0/target/path", json!("rotation"), "VEC4"),
        ("/animations/0/channels/0/target/path", json!("visibility"), "visibility"),
        ("/animations/0/samplers/0/interpolation", json!("CATMULLROMSPLINE"), "CATMULLROMSPLINE"),
        ("/animations/0/samplers/0/interpolation", json!("linear"), "linear"),
        ("/nodes/0", json!({ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1] }), "matrix"),
    ]);
}

#[test]
fn numbers_of_values_that_do_not_fit_are_kept_with_the_reason() {
    assert_reasons([
        ("/accessors/1/count", json!(2), "2 values instead of 3"),
        ("/accessors/1/count", json!(0), "0 values instead of 3"),
        ("/accessors/0/count", json!(2), "3 values instead of 2"),
        ("/accessors/0/count", json!(0), "no keyframes"),
        ("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"), "3 values instead of 9"),
    ]);
}

#[test]
fn times_and_values_that_are_none_are_kept_with_the_reason() {
    let why = |times: &[f32], values: &[f32]| {
        why_not(&read(&embedded(&[bytes(times), bytes(values)].concat())))
    };
    for times in [[0.0, 2.0, 1.0], [f32::NAN, 1.0, 2.0], [0.0, 1.0, f32::NAN]] {
        assert!(why(&times, &PLACES).contains("time of keyframe"));
    }
    for times in [[0.0, 1.0, f32::INFINITY], [f32::NEG_INFINITY, 0.0, 1.0]] {
        assert!(why(&times, &PLACES).contains("time of keyframe"));
    }
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut values = PLACES;
        values[4] = value;
        assert!(why(&TIMES, &values).contains("value 1 is not finite"));
    }
}

/// A file in which channel 0 turns.
fn turning(interpolation: &str, times: &[f32], values: &[f32]) -> Scene {
    let mut file = embedded(&[bytes(times), bytes(values)].concat());
    let (times_len, values_len) = (4 * times.len(), 4 * values.len());
    file["bufferViews"][0]["byteLength"] = json!(times_len);
    file["bufferViews"][1] =
        json!({ "buffer": 0, "byteOffset": times_len, "byteLength": values_len });
    file["accessors"][0]["count"] = json!(times.len());
    file["accessors"][1]["count"] = json!(values.len() / 4);
    file["accessors"][1]["type"] = json!("VEC4");
    file["animations"][0]["channels"][0]["target"]["path"] = json!("rotation");
    file["animations"][0]["samplers"][0]["interpolation"] = json!(interpolation);
    read(&file)
}

const UNIT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const ZERO: [f32; 4] = [0.0; 4];

#[test]
fn rotations_of_length_zero_are_kept_with_the_reason() {
    for interpolation in ["LINEAR", "STEP"] {
        for zero in 0..3 {
            let mut values = [UNIT; 3];
            values[zero] = ZERO;
            let scene = turning(interpolation, &TIMES, &values.concat());
            assert!(
                why_not(&scene).contains(&format!("keyframe {zero} is a rotation of length 0"))
            );
        }
    }
    let keyframes = [ZERO, UNIT, ZERO, UNIT, ZERO, UNIT].concat();
    let scene = turning("CUBICSPLINE", &[0.0, 1.0], &keyframes);
    assert!(why_not(&scene).contains("keyframe 1 is a rotation of length 0"));
}

#[test]
fn rotations_of_length_zero_where_another_keyframe_has_the_same_time_are_kept_with_the_reason() {
    for interpolation in ["LINEAR", "STEP"] {
        let jump = turning(interpolation, &[0.0, 1.0, 1.0], &[UNIT, ZERO, UNIT].concat());
        assert!(why_not(&jump).contains("keyframe 1 is a rotation of length 0"));
        let start = turning(interpolation, &[0.0, 0.0, 1.0], &[ZERO, UNIT, UNIT].concat());
        assert!(why_not(&start).contains("keyframe 0 is a rotation of length 0"));
    }
}

#[test]
fn what_cannot_be_decompressed_is_kept_with_the_reason() {
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut file = embedded(&data());
        let fallback = json!({ "byteLength": 48, "extensions": { name: { "fallback": true } } });
        file["buffers"].as_array_mut().unwrap().push(fallback);
        file["bufferViews"][1] = json!({ "buffer": 2, "byteLength": 36, "extensions": { name: {
            "buffer": 0, "byteLength": 20, "byteStride": 12, "mode": "ATTRIBUTES", "count": 3 } } });
        assert!(why_not(&read(&file)).contains("meshopt"));
    }
}

#[test]
fn a_pointer_to_a_pose_is_an_ordinary_channel() {
    let pointed = |pointer: &str| {
        let target = json!({ "path": "pointer", "extensions":
            { "KHR_animation_pointer": { "pointer": pointer } } });
        let mut file = embedded(&data());
        file["animations"][0]["channels"][0]["target"] = target;
        file
    };
    let plain = embedded(&data());
    let target = &plain["animations"][0]["channels"][0]["target"];
    let (node, path) = (&target["node"], target["path"].as_str().unwrap());
    let same = read(&pointed(&format!("/nodes/{node}/{path}")));
    assert_eq!(same.animations, read(&plain).animations);
    // Both set the same, which engines may take from either.
    let mut twice = plain.clone();
    let other = pointed(&format!("/nodes/{node}/{path}"))["animations"][0]["channels"][0].clone();
    twice["animations"][0]["channels"].as_array_mut().unwrap().push(other);
    let codes: Vec<_> = read(&twice).warnings.iter().map(|warning| warning.code.name()).collect();
    assert_eq!(codes, ["duplicate-channel"]);
    let why = |pointer: &str| {
        let scene = read(&pointed(pointer));
        let part = &scene.animations[0].not_sampled[0];
        (part.code.name(), part.node)
    };
    assert_eq!(why("/nodes/99/scale"), ("index-out-of-range", None));
    assert_eq!(why("/nodes/0/matrix"), ("matrix-animated", Some(0)));
}

#[test]
fn an_animation_of_which_nothing_can_be_read_is_listed_without_figures() {
    let mut file = document();
    file["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let audit = compare(&read(&file)).unwrap();
    let found = &audit.animations[0];
    assert_eq!((found.start_seconds, found.samples, found.nodes.len()), (None, 0, 0));
    let motion = audit.summary.motion.unwrap();
    assert_eq!((motion.animations, motion.not_sampled), (0, 1));
}

#[test]
fn channels_that_make_much_of_one_accessor_are_cut_short() {
    const CHANNELS: usize = 3_000;
    const COUNT: usize = 50_000;
    let mut file = embedded(&vec![0; 16 * COUNT]);
    file["bufferViews"][0]["byteLength"] = json!(4 * COUNT);
    file["bufferViews"][1] =
        json!({ "buffer": 0, "byteOffset": 4 * COUNT, "byteLength": 12 * COUNT });
    file["accessors"][0]["count"] = json!(COUNT);
    file["accessors"][1]["count"] = json!(COUNT);
    let first = file["animations"][0]["channels"][0].clone();
    let last = file["animations"][0]["channels"][1].clone();
    let of_node = |node: usize| {
        let mut channel = first.clone();
        channel["target"]["node"] = json!(node);
        channel
    };
    let mut channels: Vec<_> = (2..CHANNELS + 2).map(of_node).collect();
    channels.push(last);
    file["nodes"] = json!(vec![json!({}); CHANNELS + 2]);
    file["animations"][0]["channels"] = json!(channels);
    let scene = read(&file);
    let animation = &scene.animations[0];
    let sampled = animation.channels.iter().filter(|channel| channel.node >= 2).count();
    assert!((1..100).contains(&sampled), "{sampled} of {CHANNELS}");
    let whys = animation.not_sampled.iter();
    assert!(
        whys.clone().all(|one| one.why.contains("request far more data than its buffers have"))
    );
    assert!(animation.channels.len() + whys.len() == CHANNELS + 1);
    let warnings = compare(&scene).unwrap().warnings;
    assert_eq!(
        warnings.iter().filter(|one| one.code == WarningCode::AnimationNotSampled).count(),
        1
    );
}
