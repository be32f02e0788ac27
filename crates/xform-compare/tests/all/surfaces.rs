//! Meshes of the same vertices that are joined in another way, and what else was not seen of two scenes or of one.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use xform_compare::{
    SceneAudit,
    audit::Grade,
    compare, compare_engines, diff,
    judge::{DiffOptions, SceneDiff},
};
use xform_scene::{
    Scene, WarningCode, animation::NotSampledCode, gltf::read_gltf_drawing, read_gltf,
};

use crate::support::engine_choices;

const CORNERS: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 2.0]];

/// A pyramid on a square.
const PYRAMID: [u8; 18] = [0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4];

fn scene(indices: &[u8], mode: u32) -> (Scene, SceneAudit) {
    scene_of(&CORNERS, indices, mode)
}

/// A scene of a mesh with these corners, joined by these indices in a way that glTF has a number for.
fn scene_of(corners: &[[f32; 3]], indices: &[u8], mode: u32) -> (Scene, SceneAudit) {
    let mut bytes: Vec<u8> =
        corners.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let len = bytes.len();
    bytes.extend(indices);
    let file = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "Roof", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "mode": mode }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": corners.len(), "type": "VEC3", "min": [0, 0, 0], "max": [2, 2, 2] },
            { "bufferView": 1, "componentType": 5121, "count": indices.len(), "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": len },
            { "buffer": 0, "byteOffset": len, "byteLength": indices.len() }
        ],
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes))
        }]
    });
    let bytes = file.to_string();
    let mut scene = read_gltf(bytes.as_bytes(), "roof.gltf").unwrap();
    scene.drawing = read_gltf_drawing(bytes.as_bytes()).unwrap();
    let audit = compare(&scene).unwrap();
    (scene, audit)
}

fn from_pyramid(indices: &[u8], mode: u32) -> SceneDiff {
    let (before, after) = (scene(&PYRAMID, 4), scene(indices, mode));
    diff([(&before.0, &before.1), (&after.0, &after.1)], &DiffOptions::default()).unwrap()
}

#[test]
fn what_is_joined_in_another_way_is_another_shape() {
    let without = |triangle: usize| -> Vec<u8> {
        let kept = PYRAMID.chunks(3).enumerate().filter(|&(at, _)| at != triangle);
        kept.flat_map(|(_, corners)| corners.to_vec()).collect()
    };
    for triangle in 0..6 {
        let found = from_pyramid(&without(triangle), 4);
        assert!(found.is_worse(), "without triangle {triangle}");
    }
    let side = from_pyramid(&without(2), 4).shape.unwrap().things[0].moved;
    // A hole is as deep as its deepest point is from what is left: on the side (1, y, 2y), 2y above the bottom and √(5/6) (1 - y) from the edge from
    // (2, 0, 0) to (1, 1, 2). Points are within 2 % of the diagonal, 0.07, of one another.
    let slope = (5.0_f64 / 6.0).sqrt();
    let deepest = 2.0 * slope / (2.0 + slope);
    assert!(side <= deepest + 1e-9 && side > deepest - 0.035, "{side} {deepest}");
    assert!(from_pyramid(&[0, 1, 4], 1).is_worse() && from_pyramid(&[0, 1, 2, 3, 4], 0).is_worse());
    // The other diagonal of the flat square, and triangles in another order, are the same surface.
    let same = [3, 0, 4, 0, 3, 1, 1, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4];
    assert!(!from_pyramid(&same, 4).is_worse());
    assert_eq!(from_pyramid(&PYRAMID, 4).shape.unwrap().things, []);
}

/// A large triangle of which only the corners and the middle are left is not the same.
#[test]
fn a_triangle_is_more_than_its_corners_and_its_middle() {
    let small = |[x, y]: [f32; 2]| [[x, y, 0.0], [x + 0.1, y, 0.0], [x, y + 0.1, 0.0]];
    let whole = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]];
    let left: Vec<_> =
        [[0.0, 0.0], [9.9, 0.0], [0.0, 9.9], [3.3, 3.3]].into_iter().flat_map(small).collect();
    let [whole, left] = [&whole[..], &left].map(|corners| {
        let indices: Vec<u8> = (0..u8::try_from(corners.len()).unwrap()).collect();
        scene_of(corners, &indices, 4)
    });
    let sides = [[&whole, &left], [&left, &whole]];
    for both in sides {
        let found =
            diff(both.map(|(scene, audit)| (scene, audit)), &DiffOptions::default()).unwrap();
        // The farthest point within from all four is some 4 units away from them.
        assert!(found.is_worse());
        assert!(found.shape.unwrap().things[0].moved > 3.0);
    }
}

/// That nobody knew what an engine shows is no excuse for what is known now.
#[test]
fn an_engine_that_was_not_known_and_shows_a_difference_is_worse() {
    let scene = |rotation: f64| {
        let file = json!({
            "asset": { "version": "2.0" },
            "nodes": [
                { "name": "A", "scale": [3, 1, 1], "children": [1] },
                { "name": "B", "rotation": [0, 0, 0.6 * rotation, 0.8 * rotation], "translation": [1, 0, 0] }
            ]
        });
        let scene = read_gltf(file.to_string().as_bytes(), "arm.gltf").unwrap();
        let audit =
            compare_engines(&scene, &engine_choices::named(&["unity", "unreal"], None)).unwrap();
        (scene, audit)
    };
    let (unknown, known) = (scene(1.5), scene(1.0));
    assert!(!unknown.1.engines.unknown.is_empty() && known.1.engines.unknown.is_empty());
    let is_worse = |before: &(Scene, SceneAudit), after: &(Scene, SceneAudit)| {
        let mut options = DiffOptions::default();
        options.has_shape = false;
        diff([(&before.0, &before.1), (&after.0, &after.1)], &options).unwrap().is_worse()
    };
    assert!(is_worse(&unknown, &known) && is_worse(&known, &unknown));
    assert!(!is_worse(&known, &known) && !is_worse(&unknown, &unknown));
    assert!(known.1.summary.grade >= Grade::Visible);
}

#[test]
fn a_pointer_to_no_node_is_not_passed_over() {
    let not_sampled = |target: Value| {
        let file = json!({
            "asset": { "version": "2.0" }, "nodes": [{}, {}],
            "animations": [{
                "channels": [{ "sampler": 0, "target": target }],
                "samplers": [{ "input": 0, "output": 0 }]
            }]
        });
        let scene = read_gltf(file.to_string().as_bytes(), "a.gltf").unwrap();
        let parts = scene.animations.iter().flat_map(|animation| &animation.not_sampled);
        parts.map(|part| (part.code, part.why.clone())).collect::<Vec<_>>()
    };
    let pointer = |pointer: Value| {
        let extension = json!({ "KHR_animation_pointer": { "pointer": pointer } });
        not_sampled(json!({ "path": "pointer", "extensions": extension }))
    };
    for odd in ["nodes/1/scale", "#/nodes/1/scale", " /nodes/1/scale", ""] {
        let why = format!("`{odd}` does not refer to a node");
        assert_eq!(pointer(json!(odd)), [(NotSampledCode::IndexOutOfRange, why)], "{odd}");
    }
    // What it would set of a node nobody knows.
    for path in ["scale/", "Scale", "scales", ""] {
        assert_eq!(pointer(json!(format!("/nodes/1/{path}"))).len(), 1, "{path}");
    }
    for path in ["weights", "weights/0", "extensions/KHR_node_visibility/visible"] {
        assert_eq!(pointer(json!(format!("/nodes/1/{path}"))), [], "{path}");
    }
    for index in ["18446744073709551617", "+1", "01", "-1", "", "one", "2"] {
        let named = format!("/nodes/{index}/rotation");
        let why = format!("`{named}` does not refer to a node");
        assert_eq!(pointer(json!(named)), [(NotSampledCode::IndexOutOfRange, why)], "{index}");
    }
    for odd in [json!(5), json!(null), json!([]), json!({})] {
        let why = "it has no pointer".to_owned();
        assert_eq!(pointer(odd.clone()), [(NotSampledCode::MissingMember, why)], "{odd}");
    }
    assert_eq!(not_sampled(json!({ "path": "pointer" })).len(), 1);
    // What moves no node is nobody's.
    assert_eq!(pointer(json!("/materials/0/alphaCutoff")), []);
}

#[test]
fn rotations_of_instances_that_are_none_are_told() {
    let warned = |components: u32, normalized: bool, rotation: &[u8]| {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(rotation));
        let file = json!({
            "asset": { "version": "2.0" },
            "nodes": [{
                "mesh": 0,
                "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "ROTATION": 0 } } }
            }],
            "meshes": [{ "primitives": [] }],
            "accessors": [{
                "bufferView": 0, "componentType": components, "normalized": normalized, "count": 1, "type": "VEC4"
            }],
            "bufferViews": [{ "buffer": 0, "byteLength": rotation.len() }],
            "buffers": [{ "byteLength": rotation.len(), "uri": uri }]
        });
        let scene = read_gltf(file.to_string().as_bytes(), "a.gltf").unwrap();
        let codes = scene.warnings.iter().map(|warning| warning.code);
        codes.filter(|code| *code != WarningCode::MissingBounds).collect::<Vec<_>>()
    };
    let floats = |all: [f32; 4]| all.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(warned(5126, false, &floats([0.0; 4])), [WarningCode::ZeroQuaternion]);
    assert_eq!(warned(5126, false, &floats([0.0, 0.0, 3.0, 4.0])), [WarningCode::UnitQuaternion]);
    assert_eq!(warned(5126, false, &floats([0.0, 0.0, 0.6, 0.8])), []);
    // As bytes, whose rounding is no defect; without `normalized` they are numbers.
    let bytes = [0, 0, 76, 102];
    assert_eq!(warned(5120, true, &bytes), []);
    assert_eq!(warned(5120, false, &bytes), [WarningCode::UnitQuaternion]);
}
