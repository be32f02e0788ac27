//! A small file with a skinned mesh, to be changed in one place.

use serde_json::{Value, json};
use xform_scene::{Scene, read_gltf};

use super::animated::{FLOAT, bytes, uri};

/// A mesh of two vertices that follow two joints, from buffer 0: positions, joints, weights, inverse binds, and what a
/// morph target adds.
pub(crate) fn file() -> Value {
    let positions = bytes(&[1.0, 2.0, 0.5, -1.0, 0.0, 0.0]);
    let joints = [0_u8, 1, 0, 0, 1, 0, 0, 0].to_vec();
    let weights = bytes(&[0.25, 0.75, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    // Column by column.
    let binds = bytes(
        &[
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0],
        ]
        .concat(),
    );
    let morph = bytes(&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
    let parts = [positions, joints, weights, binds, morph];
    let mut views = Vec::new();
    let mut offset = 0;
    for part in &parts {
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": part.len() }));
        offset += part.len();
    }
    let data = parts.concat();
    let accessor = |view: usize, component: u32, shape: &str| json!({ "bufferView": view, "componentType": component, "count": 2, "type": shape });
    let mut places = accessor(0, FLOAT, "VEC3");
    (places["min"], places["max"]) = (json!([-1, 0, 0]), json!([1, 2, 0.5]));
    json!({
        "asset": { "version": "2.0" },
        "nodes": [
            { "scale": [2, 1, 1], "children": [1] },
            { "rotation": [0, 0, 0.6, 0.8], "translation": [0, 1, 0] },
            { "mesh": 0, "skin": 0 },
            { "mesh": 0, "skin": 0 }
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 },
            "targets": [{ "POSITION": 4 }]
        }] }],
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": 3 }],
        "buffers": [{ "uri": uri(&data), "byteLength": data.len() }],
        "bufferViews": views,
        "accessors": [
            places,
            accessor(1, 5121, "VEC4"),
            accessor(2, FLOAT, "VEC4"),
            accessor(3, FLOAT, "MAT4"),
            accessor(4, FLOAT, "VEC3")
        ]
    })
}

pub(crate) fn read(file: &Value) -> Scene {
    read_gltf(file.to_string().as_bytes(), "test.gltf").unwrap()
}
