//! What is read to be drawn, of files that are made here.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use xform_scene::{
    Drawing, LocalPose,
    drawing::{MeshPart, PartKind},
    gltf::read_gltf_drawing,
    read_gltf,
};

/// A file with these accessors, each a buffer of its own: type, component type, and the bytes.
fn file(accessors: &[(&str, u32, Vec<u8>)], rest: &Value) -> Value {
    let width = |shape: &str| match shape {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    };
    let size = |component: u32| match component {
        5120 | 5121 => 1,
        5123 => 2,
        _ => 4,
    };
    let buffer = |(_, _, bytes): &(&str, u32, Vec<u8>)| {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
        json!({ "uri": uri, "byteLength": bytes.len() })
    };
    let view = |(buffer, (_, _, bytes)): (usize, &(&str, u32, Vec<u8>))| json!({ "buffer": buffer, "byteLength": bytes.len() });
    let accessor = |(view, (shape, component, bytes)): (usize, &(&str, u32, Vec<u8>))| {
        let count = bytes.len() / (width(shape) * size(*component));
        json!({ "bufferView": view, "type": shape, "componentType": component, "count": count })
    };
    let mut file = json!({
        "asset": { "version": "2.0" },
        "buffers": accessors.iter().map(buffer).collect::<Vec<_>>(),
        "bufferViews": accessors.iter().enumerate().map(view).collect::<Vec<_>>(),
        "accessors": accessors.iter().enumerate().map(accessor).collect::<Vec<_>>(),
    });
    let all = file.as_object_mut().unwrap();
    rest.as_object().unwrap().iter().for_each(|(key, value)| {
        all.insert(key.clone(), value.clone());
    });
    file
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn read(file: &Value) -> Drawing {
    let bytes = file.to_string().into_bytes();
    read_gltf(&bytes, "file").unwrap();
    read_gltf_drawing(&bytes).unwrap()
}

fn only_part(drawing: &Drawing) -> &MeshPart {
    let [Ok(parts)] = &drawing.meshes[..] else { panic!("{drawing:?}") };
    let [part] = &parts[..] else { panic!("{parts:?}") };
    part
}

/// Five corners, of which each has its number as x.
fn corners() -> Vec<u8> {
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 3.0, 1.0, 0.0, 4.0, 2.0, 0.0])
}

/// The numbers of the corners that indices join.
fn joined(part: &MeshPart) -> Vec<f32> {
    part.indices.iter().map(|&index| part.positions[index as usize][0]).collect()
}

#[test]
fn every_mode_becomes_a_list() {
    let with_mode = |mode: Value, indices: Value| {
        let mut primitive = json!({ "attributes": { "POSITION": 0 }, "indices": indices });
        primitive["mode"] = mode;
        let rest = json!({ "nodes": [{ "mesh": 0 }], "meshes": [{ "primitives": [primitive] }] });
        let order = vec![4_u8, 3, 2, 1, 0];
        read(&file(&[("VEC3", 5126, corners()), ("SCALAR", 5121, order)], &rest))
    };
    for (mode, kind, expected) in [
        (0, PartKind::Points, vec![0.0, 1.0, 2.0, 3.0, 4.0]),
        (1, PartKind::Lines, vec![0.0, 1.0, 2.0, 3.0]),
        (2, PartKind::Lines, vec![0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 0.0]),
        (3, PartKind::Lines, vec![0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0]),
        (4, PartKind::Triangles, vec![0.0, 1.0, 2.0]),
        (5, PartKind::Triangles, vec![0.0, 1.0, 2.0, 1.0, 3.0, 2.0, 2.0, 3.0, 4.0]),
        (6, PartKind::Triangles, vec![0.0, 1.0, 2.0, 0.0, 2.0, 3.0, 0.0, 3.0, 4.0]),
    ] {
        let drawing = with_mode(json!(mode), Value::Null);
        let part = only_part(&drawing);
        assert_eq!((part.kind, joined(part)), (kind, expected), "mode {mode}");
    }
    let drawing = with_mode(Value::Null, json!(1));
    assert_eq!(joined(only_part(&drawing)), [4.0, 3.0, 2.0], "indices are followed");
    assert_eq!(only_part(&drawing).positions.len(), 3, "what no index names is left out");
    let drawing = with_mode(json!(9), Value::Null);
    assert_eq!(drawing.meshes[0].as_ref().unwrap_err().why, "its mode is unknown");
}

#[test]
fn colours_normals_and_morph_targets_are_read() {
    let normals = floats(&[0.0, 0.0, 1.0].repeat(5));
    let target = floats(&[0.0, 0.5, 0.0].repeat(5));
    let times = floats(&[0.0, 1.0]);
    let weights = floats(&[0.0, 1.0, 1.0, 0.0]);
    let rest = json!({
        "nodes": [{ "mesh": 0 }, { "mesh": 0, "weights": [0.75, 0.5] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.25, 1, 2] } }],
        "meshes": [{ "weights": [0.25, 0], "primitives": [{ "material": 0,
            "attributes": { "POSITION": 0, "NORMAL": 1 }, "targets": [{ "POSITION": 2 }, {}] }] }],
        "animations": [{ "samplers": [{ "input": 3, "output": 4 }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "weights" } }] }],
    });
    let accessors = [
        ("VEC3", 5126, corners()),
        ("VEC3", 5126, normals),
        ("VEC3", 5126, target),
        ("SCALAR", 5126, times),
        ("SCALAR", 5126, weights),
    ];
    let drawing = read(&file(&accessors, &rest));
    let part = only_part(&drawing);
    assert_eq!(part.colour, [0.5, 0.25, 1.0, 1.0]);
    assert_eq!(part.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(part.targets, [vec![[0.0, 0.5, 0.0]; 3], Vec::new()]);
    let weights: Vec<_> = drawing.shown.iter().map(|shown| shown.weights.clone()).collect();
    assert_eq!(weights, [vec![0.25, 0.0], vec![0.75, 0.5]], "a node's own, or those of the mesh");
    let [track] = &drawing.morphs[..] else { panic!("{:?}", drawing.morphs) };
    assert_eq!((track.animation, track.node, track.weights.len()), (0, 1, 2));
    assert_eq!([0, 1].map(|target| track.weights[target].at(0.25)[0]), [0.25, 0.75]);
}

#[test]
fn more_than_four_joints_are_followed_and_what_follows_none_is_left_out() {
    // The fifth corner follows nothing; its triangle goes.
    let joints = [[0_u8, 1, 2, 3]; 5].concat();
    let more = [[4_u8, 0, 0, 0]; 5].concat();
    let mut weights = [[0.5_f32, 0.25, 0.0, 0.25]; 5].concat();
    weights[16..].fill(0.0);
    let mut others = [[1.0_f32, 0.0, 0.0, 0.0]; 5].concat();
    others[16..].fill(0.0);
    let rest = json!({
        "nodes": [{ "mesh": 0, "skin": 0 }, {}, {}, {}, {}, {}, { "mesh": 0, "skin": 1 }],
        "skins": [{ "joints": [1, 2, 3, 4, 5] }, { "joints": [1] }],
        "meshes": [{ "primitives": [{ "mode": 5, "attributes": { "POSITION": 0, "JOINTS_0": 1,
            "WEIGHTS_0": 2, "JOINTS_1": 3, "WEIGHTS_1": 4 } }] }],
    });
    let accessors = [
        ("VEC3", 5126, corners()),
        ("VEC4", 5121, joints),
        ("VEC4", 5126, floats(&weights)),
        ("VEC4", 5121, more),
        ("VEC4", 5126, floats(&others)),
    ];
    let drawing = read(&file(&accessors, &rest));
    let part = only_part(&drawing);
    assert_eq!(joined(part), [0.0, 1.0, 2.0, 1.0, 3.0, 2.0]);
    assert_eq!(part.follows, vec![vec![(0, 0.25), (1, 0.125), (3, 0.125), (4, 0.5)]; 4]);
    let [shown] = &drawing.shown[..] else { panic!("a skin with too few joints shows nothing") };
    let joints = shown.joints.as_ref().unwrap().iter().map(|joint| joint.node);
    assert_eq!((shown.node, joints.collect::<Vec<_>>()), (0, vec![1, 2, 3, 4, 5]));
}

#[test]
fn instances_have_poses() {
    let turn = floats(&[0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0]);
    let rest = json!({
        "nodes": [{ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": {
            "attributes": { "TRANSLATION": 1, "ROTATION": 2 } } } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    });
    let places = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let accessors = [("VEC3", 5126, corners()), ("VEC3", 5126, places), ("VEC4", 5126, turn)];
    let file = file(&accessors, &rest);
    let shown: Vec<_> = read(&file).shown.iter().map(|shown| shown.node).collect();
    assert_eq!(shown, [1, 2]);
    let nodes = read_gltf(file.to_string().as_bytes(), "file").unwrap().nodes;
    let poses: Vec<_> = nodes[1..]
        .iter()
        .map(|node| match node.local {
            LocalPose::Trs(pose) => pose,
            LocalPose::Matrix(_) => panic!("an instance has no matrix"),
        })
        .collect();
    assert_eq!(poses.len(), 2);
    assert_eq!(poses[1].translation.as_slice(), [4.0, 5.0, 6.0]);
    assert!((poses[0].rotation.k - 0.6).abs() < 1e-7 && poses[0].scale.iter().all(|s| *s == 1.0));
}

#[test]
fn what_cannot_be_drawn_has_a_reason_and_the_rest_is_drawn() {
    let of_primitive = |primitive: Value| {
        let plain = json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] });
        let rest = json!({ "nodes": [{ "mesh": 0 }, { "mesh": 1 }],
            "meshes": [{ "primitives": [primitive] }, plain] });
        let far = floats(&[f32::NAN; 9]);
        let accessors =
            [("VEC3", 5126, corners()), ("SCALAR", 5121, vec![0, 1, 9]), ("VEC3", 5126, far)];
        let drawing = read(&file(&accessors, &rest));
        assert!(drawing.meshes[1].is_ok());
        drawing.meshes[0].as_ref().map_or_else(|error| error.why.clone(), |_| String::new())
    };
    for (primitive, why) in [
        (json!({ "attributes": {} }), ""),
        (
            json!({ "attributes": {}, "extensions": { "ACME_packed": {} } }),
            "a primitive has no POSITION, and its vertices may be in `ACME_packed`, where xform cannot read them",
        ),
        (json!({ "attributes": { "POSITION": 0 }, "indices": 1 }), "an index is out of range"),
        (json!({ "attributes": { "POSITION": 2 } }), "a vertex is not finite"),
        (
            json!({ "attributes": { "POSITION": 0 }, "indices": 7 }),
            "there is no accessor 7; there are only 3",
        ),
    ] {
        assert_eq!(of_primitive(primitive), why);
    }
}

#[test]
fn a_small_file_that_shows_much_is_cut_short() {
    // One accessor of 100 000 corners, shown by 500 meshes of three primitives each.
    let corners = floats(&[1.0; 300_000]);
    let primitive = json!({ "attributes": { "POSITION": 0 } });
    let meshes: Vec<_> =
        (0..500).map(|_| json!({ "primitives": [primitive, primitive, primitive] })).collect();
    let nodes: Vec<_> = (0..500).map(|mesh| json!({ "mesh": mesh })).collect();
    let rest = json!({ "nodes": nodes, "meshes": meshes });
    let drawing = read(&file(&[("VEC3", 5126, corners)], &rest));
    let (read, unread): (Vec<_>, Vec<_>) = drawing.meshes.iter().partition(|mesh| mesh.is_ok());
    assert!(!read.is_empty() && unread.len() > 300, "{} {}", read.len(), unread.len());
}
