//! glTF animations read: wherever their numbers lie and however they are stored.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::{Vector3, Vector4};
use serde_json::{Value, json};
use xform_compare::compare;
use xform_scene::{
    LocalPose, Scene, WarningCode,
    animation::{Channel, Curve, Interpolation, Track},
    read_gltf,
};

use crate::support::animated::{
    FLOAT, PLACES, TIMES, bytes, data, document, embedded, glb, read, scales, uri,
};

/// What channel 0 is where nothing is changed.
fn places() -> Track {
    let values = PLACES.chunks(3).map(|place| [0, 1, 2].map(|i| place[i].into())).collect();
    Track::Translation(Curve::new(TIMES.map(f64::from), values, Interpolation::Linear).unwrap())
}

fn assert_whole(scene: &Scene, what: &str) {
    let [animation] = &scene.animations[..] else { panic!("{what}: one animation") };
    assert_eq!(animation.not_sampled, [], "{what}");
    let [first, second] = &animation.channels[..] else { panic!("{what}: two channels") };
    assert_eq!(first, &Channel { node: 0, track: places() }, "{what}");
    assert_eq!(second, &Channel { node: 1, track: scales() }, "{what}");
}

/// The track of channel 0.
fn track(file: &Value) -> Track {
    let scene = read(file);
    assert_eq!(scene.animations[0].not_sampled, []);
    scene.animations[0].channels[0].track.clone()
}

#[test]
fn an_embedded_buffer_is_read_whatever_it_is_said_to_be() {
    let file = embedded(&data());
    assert_whole(&read(&file), "embedded");
    let (_, base64) =
        uri(&data()).split_once(',').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let kinds = [
        "application/gltf-buffer;base64",
        ";base64",
        "application/octet-stream;charset=utf-8;base64",
    ];
    for kind in kinds {
        let mut file = document();
        file["buffers"][0]["uri"] = json!(format!("data:{kind},{base64}"));
        assert_whole(&read(&file), kind);
    }
    // JSON may write / as \/, as some writers do.
    let escaped = file.to_string().replace('/', r"\/");
    assert_whole(&read_gltf(escaped.as_bytes(), "x").unwrap(), "escaped");
}

#[test]
fn an_animation_keeps_its_name_its_number_and_what_it_moves() {
    let scene = read(&embedded(&data()));
    let animation = &scene.animations[0];
    assert_eq!((animation.index, animation.name.as_deref()), (0, Some("walk")));
    let audit = compare(&scene).unwrap();
    let moved: Vec<_> = audit.animations[0].nodes.iter().map(|node| node.index).collect();
    assert_eq!(moved, [0, 1, 2]);
    assert_eq!(audit.animations[0].keyframes, 4);
    let motion = audit.summary.motion.unwrap();
    assert_eq!((motion.animations, motion.not_sampled), (1, 0));
    // At rest nothing is skewed; stretched by 3 the child, turned by 2·asin 0.6, is.
    let (sine, cosine) = (0.96_f64, 0.28_f64);
    let [x, y] = [(3.0 * cosine).hypot(sine), (3.0 * sine).hypot(cosine)];
    let skew = (8.0 * sine * cosine / (x * y)).asin().to_degrees();
    assert_eq!(audit.summary.max_skew_degrees, 0.0);
    assert!((motion.max_skew_difference_degrees - skew).abs() < 1e-9);
    assert!(audit.warnings.iter().all(|one| one.code != WarningCode::AnimationNotSampled));
}

#[test]
fn the_binary_chunk_of_a_glb_is_buffer_0() {
    let glb = glb(&document(), &data());
    assert_whole(&read_gltf(&glb, "x").unwrap(), "bytes");
    // Bytes after the end that its header states.
    let longer = [&glb, b"BIN\0 and more".as_slice()].concat();
    assert_whole(&read_gltf(&longer, "x").unwrap(), "longer");
}

#[test]
fn strides_and_offsets_are_kept_to() {
    // Each keyframe is something else, its time, something else, its place.
    let mut data = bytes(&[77.0]);
    for (time, place) in TIMES.iter().zip(PLACES.chunks(3)) {
        data.extend([&bytes(&[88.0, *time, 99.0]), bytes(place).as_slice()].concat());
    }
    let mut file = embedded(&data);
    // The last place is not followed by a whole stride.
    let view = json!({ "buffer": 0, "byteOffset": 4, "byteLength": 72, "byteStride": 24 });
    file["bufferViews"][0] = view;
    file["accessors"][0]["byteOffset"] = json!(4);
    file["accessors"][1]["bufferView"] = json!(0);
    file["accessors"][1]["byteOffset"] = json!(12);
    assert_whole(&read(&file), "interleaved");
    // A view of exactly as many bytes as elements need.
    file["bufferViews"][0]["byteOffset"] = json!(8);
    file["bufferViews"][0]["byteLength"] = json!(68);
    file["accessors"][0]["byteOffset"] = json!(0);
    file["accessors"][1]["byteOffset"] = json!(8);
    assert_whole(&read(&file), "to the last byte");
}

/// A file in which the last two places are replaced, their indices stored like this.
fn sparse(view: Option<usize>, component: u32, indices: &[u8]) -> Value {
    let replaced = bytes(&PLACES[3..]);
    let base = bytes(&[0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0]);
    // Indices and values begin three and four bytes into their views.
    let data = [bytes(&TIMES), base, vec![9; 3], indices.to_vec(), vec![9; 4], replaced];
    let mut file = embedded(&data.concat());
    let start = 48 + 3 + indices.len();
    let views = file["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": 48, "byteLength": 3 + indices.len() }));
    views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": 28 }));
    file["accessors"][1] = json!({
        "componentType": FLOAT, "count": 3, "type": "VEC3", "sparse": {
            "count": 2,
            "indices": { "bufferView": 4, "byteOffset": 3, "componentType": component },
            "values": { "bufferView": 5, "byteOffset": 4 }
        }
    });
    if let Some(view) = view {
        file["accessors"][1]["bufferView"] = json!(view);
    }
    file
}

#[test]
fn sparse_accessors_replace_what_they_name_whether_it_is_stored_or_zero() {
    let indices =
        [(5121, vec![1, 2]), (5123, vec![1, 0, 2, 0]), (5125, vec![1, 0, 0, 0, 2, 0, 0, 0])];
    for (component, indices) in indices {
        for view in [Some(1), None] {
            assert_whole(&read(&sparse(view, component, &indices)), "sparse");
        }
    }
    // What is not named keeps what is stored, or is zero.
    let middle = |view| {
        let Track::Translation(curve) = track(&sparse(view, 5121, &[0, 2])) else { panic!() };
        curve.at(1.0)
    };
    assert_eq!((middle(Some(1)), middle(None)), ([5.0; 3], [0.0; 3]));
    // To replace nothing needs neither indices nor values.
    let mut nothing = embedded(&data());
    nothing["accessors"][1]["sparse"] = json!({ "count": 0 });
    assert_whole(&read(&nothing), "nothing replaced");
}

#[test]
fn a_sparse_accessor_may_name_any_of_many_elements() {
    let count = 300;
    let times: Vec<_> = (0..count).map(|i| i as f32).collect();
    let data = [bytes(&times), 258_u16.to_le_bytes().to_vec(), vec![0; 2], bytes(&[1.0, 2.0, 3.0])];
    let mut file = embedded(&data.concat());
    file["bufferViews"] = json!([
        { "buffer": 0, "byteLength": 4 * count },
        { "buffer": 0, "byteOffset": 4 * count, "byteLength": 2 },
        { "buffer": 0, "byteOffset": 4 * count + 4, "byteLength": 12 },
    ]);
    let sparse = json!({ "count": 1, "indices": { "bufferView": 1, "componentType": 5123 },
        "values": { "bufferView": 2 } });
    file["accessors"] = json!([
        { "bufferView": 0, "componentType": FLOAT, "count": count, "type": "SCALAR" },
        { "componentType": FLOAT, "count": count, "type": "VEC3", "sparse": sparse },
    ]);
    file["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let Track::Translation(curve) = track(&file) else { panic!() };
    assert_eq!(
        [257.0, 258.0, 259.0].map(|time| curve.at(time)),
        [[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3]]
    );
}

#[test]
fn times_may_be_whole_numbers_of_any_size() {
    let times = [0_u32, 1, 70_000].map(u32::to_le_bytes).concat();
    let mut file = embedded(&[times, bytes(&PLACES)].concat());
    file["accessors"][0]["componentType"] = json!(5125);
    file["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let Track::Translation(curve) = track(&file) else { panic!() };
    assert_eq!(curve.at(70_000.0), [6, 7, 8].map(|i| f64::from(PLACES[i])));
    assert_ne!(curve.at(69_000.0), curve.at(70_000.0));
}

/// Rotations of keyframes at 0, 1 and 2.5, stored like this.
fn rotations(component: u32, is_normalized: bool, values: &[u8]) -> Value {
    let mut file = embedded(&[&bytes(&TIMES), values].concat());
    file["bufferViews"][1]["byteLength"] = json!(values.len());
    file["accessors"][1] = json!({
        "bufferView": 1, "componentType": component, "normalized": is_normalized,
        "count": 3, "type": "VEC4"
    });
    file["animations"][0]["channels"][0]["target"]["path"] = json!("rotation");
    file
}

fn pose(file: &Value, time: f64) -> [f64; 4] {
    let scene = read(file).posed(0, time);
    let LocalPose::Trs(pose) = scene.nodes[0].local else { panic!("a pose") };
    pose.rotation.coords.into()
}

#[test]
fn normalised_integers_are_fractions() {
    let wanted =
        [[0.0, 0.0, 0.0, 1.0], [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2], [0.48, 0.6, 0.0, 0.64]];
    let floats: Vec<f32> =
        wanted.iter().flatten().map(|part| part.to_string().parse().unwrap()).collect();
    let plain = rotations(FLOAT, false, &bytes(&floats));
    let stored = |greatest: f64, width: usize| -> Vec<u8> {
        let whole = |part: &f64| format!("{:.0}", part * greatest).parse::<u16>().unwrap();
        let all = wanted.iter().flatten().map(whole);
        all.flat_map(|part| part.to_le_bytes()[..width].to_vec()).collect()
    };
    let kinds = [(5120, 127.0, 1), (5121, 255.0, 1), (5122, 32767.0, 2), (5123, 65535.0, 2)];
    for (component, greatest, width) in kinds {
        let file = rotations(component, true, &stored(greatest, width));
        let Track::Rotation(curve) = track(&file) else { panic!("a rotation") };
        assert_eq!(curve.rotation_at(-1.0), [0.0, 0.0, 0.0, 1.0]);
        for time in [-1.0, 0.0, 0.4, 1.0, 1.9, 2.5, 3.0] {
            let [plain, found] = [&plain, &file].map(|file| Vector4::from(pose(file, time)));
            let off = (plain - found).amax();
            assert!(off < 1.5 / greatest, "{component} at {time}: {off}");
        }
    }
}

#[test]
fn the_least_signed_integers_are_minus_one_as_the_next_are() {
    let quaternions = |least: [u8; 2], half: [u8; 2], width: usize| {
        let one = [&least[..width], &half[..width], &[0; 4][..2 * width]].concat();
        one.repeat(3)
    };
    let of_bytes = rotations(5120, true, &quaternions([0x80, 0], [64, 0], 1));
    let of_words = rotations(5122, true, &quaternions([0, 0x80], [0, 64], 2));
    for (file, half) in [(of_bytes, 64.0 / 127.0), (of_words, 16384.0 / 32767.0)] {
        let Track::Rotation(curve) = track(&file) else { panic!("a rotation") };
        let [x, y, ..] = curve.rotation_at(-1.0);
        assert!((x + 1.0).abs() < 1e-15 && (y - half).abs() < 1e-15, "{x} {y}");
    }
}

#[test]
fn interpolations_have_their_names_and_without_one_it_is_linear() {
    let mut file = embedded(&data());
    for (name, interpolation) in [("LINEAR", Interpolation::Linear), ("STEP", Interpolation::Step)]
    {
        file["animations"][0]["samplers"][0]["interpolation"] = json!(name);
        assert_eq!(track(&file).interpolation(), interpolation);
    }
    // One keyframe: tangent, value, tangent.
    file["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    file["accessors"][0]["count"] = json!(1);
    let values = vec![[0.0; 3], [1.0, 2.0, 3.0], [-4.0, 0.5, 0.25]];
    let spline = Curve::new([0.0], values, Interpolation::CubicSpline).unwrap();
    assert_eq!(track(&file), Track::Translation(spline));
    for (path, value) in [("scale", [1.0, 2.0, 3.0]), ("translation", [1.0, 2.0, 3.0])] {
        file["animations"][0]["channels"][0]["target"]["path"] = json!(path);
        let LocalPose::Trs(pose) = read(&file).posed(0, 7.0).nodes[0].local else {
            panic!("a pose")
        };
        let moved = if path == "scale" { pose.scale } else { pose.translation };
        assert_eq!(moved, Vector3::from(value));
    }
}

#[test]
fn what_moves_no_node_is_passed_over_in_silence() {
    let mut file = embedded(&data());
    let weights = json!({ "sampler": 0, "target": { "node": 2, "path": "weights" } });
    let nothing = json!({ "sampler": 99, "target": { "path": "translation" } });
    let material = json!({ "sampler": 0, "target": { "path": "pointer", "extensions":
        { "KHR_animation_pointer": { "pointer": "/materials/0/emissiveFactor" } } } });
    let walk = file["animations"][0].clone();
    let channels = file["animations"][0]["channels"].as_array_mut().unwrap();
    channels.extend([weights.clone(), nothing.clone(), material.clone()]);
    assert_whole(&read(&file), "beside others");
    let none = json!({ "samplers": walk["samplers"], "channels": [weights, nothing, material] });
    file["animations"] = json!([none, walk]);
    let scene = read(&file);
    assert_whole(&scene, "of two");
    assert_eq!(scene.animations[0].index, 1);
}

#[test]
fn the_same_numbers_may_serve_many_animations_of_a_small_file() {
    let mut file = embedded(&data());
    let animation = file["animations"][0].clone();
    file["animations"] = vec![animation; 40].into();
    let animations = read(&file).animations;
    assert_eq!(animations.len(), 40);
    for animation in animations {
        assert_eq!((animation.channels.len(), animation.not_sampled), (2, vec![]));
    }
}

/// Whether node 0, which stands at (9, 9, 9), counts as animated with these places at the three keyframes.
fn is_animated(places: [f32; 9]) -> bool {
    let scene = read(&embedded(&[bytes(&TIMES), bytes(&places)].concat()));
    assert!(scene.nodes[1].uses.is_animated, "its scale moves");
    assert!(!scene.nodes[2].uses.is_animated, "no channel");
    assert_ne!(scene.nodes[0].uses.is_animated, scene.nodes[0].uses.is_keyed);
    scene.nodes[0].uses.is_animated
}

#[test]
fn a_channel_that_leaves_the_pose_as_it_is_is_no_animation() {
    assert!(!is_animated([9.0; 9]));
    // As exporters round.
    let mut rounded = [9.0; 9];
    rounded[4] += 2e-6;
    assert!(!is_animated(rounded));
    rounded[4] += 2e-4;
    assert!(is_animated(rounded));
    assert!(is_animated([8.0; 9]), "it stays, but elsewhere than at rest");
}

#[test]
fn a_spline_may_leave_its_keyframes_and_a_quaternion_may_change_its_sign() {
    let with = |path: &str, shape: &str, node: usize, values: &[f32], interpolation: &str| {
        let mut file = embedded(&[bytes(&TIMES), bytes(values)].concat());
        file["bufferViews"][1]["byteLength"] = json!(4 * values.len());
        let width = if shape == "VEC3" { 3 } else { 4 };
        file["accessors"][1]["count"] = json!(values.len() / width);
        file["accessors"][1]["type"] = json!(shape);
        file["animations"][0]["samplers"][0]["interpolation"] = json!(interpolation);
        file["animations"][0]["channels"][0]["target"] = json!({ "node": node, "path": path });
        read(&file).nodes[node].uses.is_animated
    };
    let (still, place) = ([0.0; 3], [9.0; 3]);
    let spline = |tangent: [f32; 3]| {
        let values: Vec<f32> = (0..3).flat_map(|_| [tangent, place, still].concat()).collect();
        with("translation", "VEC3", 0, &values, "CUBICSPLINE")
    };
    assert!(!spline(still));
    assert!(spline([0.0, 1.0, 0.0]));
    let turn = [0.0, 0.0, 0.6, 0.8];
    let values = [turn, turn.map(|c: f32| -c), turn].concat();
    assert!(!with("rotation", "VEC4", 2, &values, "LINEAR"), "the shorter way is none");
    let splined: Vec<f32> =
        values.chunks(4).flat_map(|turn| [&[0.0; 4], turn, &[0.0; 4]].concat()).collect();
    assert!(with("rotation", "VEC4", 2, &splined, "CUBICSPLINE"), "it passes zero");
}
