//! A small animated glTF file, to be changed in one place.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use xform_scene::{
    Scene,
    animation::{Curve, Interpolation, Track},
    read_gltf,
};

pub(crate) const FLOAT: u32 = 5126;
pub(crate) const TIMES: [f32; 3] = [0.0, 1.0, 2.5];
pub(crate) const PLACES: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, -4.0, 0.5, 0.25];

pub(crate) fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// What is in buffer 0: the times, 12 bytes, and behind them the places, 36.
pub(crate) fn data() -> Vec<u8> {
    [bytes(&TIMES), bytes(&PLACES)].concat()
}

pub(crate) fn uri(data: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(data))
}

/// A file of three nodes. Channel 0 moves node 0 by accessors 0 and 1 of buffer 0, which has to be added;
/// channel 1 scales node 1 by accessors and a buffer of its own.
pub(crate) fn document() -> Value {
    let sound = bytes(&[0.0, 2.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0]);
    json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "translation": [9, 9, 9] }, { "children": [2] }, { "rotation": [0, 0, 0.6, 0.8] }],
        "buffers": [{ "byteLength": 48 }, { "uri": uri(&sound), "byteLength": 32 }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 12, "byteLength": 36 },
            { "buffer": 1, "byteLength": 8 },
            { "buffer": 1, "byteOffset": 8, "byteLength": 24 }
        ],
        "accessors": [
            { "bufferView": 0, "componentType": FLOAT, "count": 3, "type": "SCALAR" },
            { "bufferView": 1, "componentType": FLOAT, "count": 3, "type": "VEC3" },
            { "bufferView": 2, "componentType": FLOAT, "count": 2, "type": "SCALAR" },
            { "bufferView": 3, "componentType": FLOAT, "count": 2, "type": "VEC3" }
        ],
        "animations": [{
            "name": "walk",
            "samplers": [{ "input": 0, "output": 1 }, { "input": 2, "output": 3 }],
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 1, "path": "scale" } }
            ]
        }]
    })
}

/// The same with these bytes as buffer 0.
pub(crate) fn embedded(data: &[u8]) -> Value {
    let mut file = document();
    file["buffers"][0] = json!({ "uri": uri(data), "byteLength": data.len() });
    file
}

pub(crate) fn read(file: &Value) -> Scene {
    read_gltf(file.to_string().as_bytes(), "test.gltf").unwrap()
}

/// What channel 1 is.
pub(crate) fn scales() -> Track {
    let values = vec![[1.0; 3], [3.0, 1.0, 1.0]];
    Track::Scale(Curve::new([0.0, 2.0], values, Interpolation::Linear).unwrap())
}

/// A binary file with these bytes as its second chunk.
pub(crate) fn glb(file: &Value, data: &[u8]) -> Vec<u8> {
    let mut json = file.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    let padded = data.len().next_multiple_of(4);
    let mut glb = [b"glTF".as_slice(), &2_u32.to_le_bytes()].concat();
    glb.extend(length(28 + json.len() + padded));
    glb.extend([&length(json.len()), b"JSON".as_slice(), &json].concat());
    glb.extend([&length(padded), b"BIN\0".as_slice(), data].concat());
    glb.resize(28 + json.len() + padded, 0);
    glb
}
