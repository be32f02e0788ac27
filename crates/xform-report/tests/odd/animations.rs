//! Animations that cannot be sampled, each for a reason of its own.

use xform_scene::{WarningCode, animation::NotSampledCode};

use super::{Comes, Odd, fine, odd, warned};

/// One node that moves over a second: times 0 and 1, translations 0 0 0 and 1 2 3.
const MOVING: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [{}],
    "animations": [{ "name": "a", "samplers": [{ "input": 0, "output": 1 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
    "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
        { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
    "bufferViews": [{ "buffer": 0, "byteOffset": 0, "byteLength": 8 },
        { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
    "buffers": [{ "byteLength": 32,
        "uri": "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEA=" }] }"#;

/// The same with something else in place of a part of it.
fn changed(part: &str, by: &str) -> String {
    assert!(MOVING.contains(part), "{part}");
    MOVING.replacen(part, by, 1)
}

pub(super) fn files() -> Vec<Odd> {
    [data(), accessors(), channels(), tolerated()].into_iter().flatten().collect()
}

fn lost(part: &str, by: &str, code: NotSampledCode) -> Odd {
    odd(format!("{by} for {part}"), changed(part, by), Comes::NotSampled(code))
}

const DATA: &str = "AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEA=";
const URI: &str =
    "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEA=";

fn data() -> Vec<Odd> {
    let uri = |by: &str, code| lost(URI, by, code);
    vec![
        uri("data:;base64,AAAA*AAA", NotSampledCode::InvalidBase64),
        uri("data:;base64,AAAAA", NotSampledCode::InvalidBase64),
        uri("data:nothing", NotSampledCode::InvalidBase64),
        uri("data:,", NotSampledCode::OutOfBounds),
        uri("data:;base64,AAAA", NotSampledCode::OutOfBounds),
        lost(&format!(r#""uri": "{URI}""#), r#""uri": null"#, NotSampledCode::BufferWithoutUri),
        lost(&format!(r#""uri": "{URI}""#), r#""uri": 5"#, NotSampledCode::BufferWithoutUri),
        lost("\"buffers\"", "\"buffer\"", NotSampledCode::IndexOutOfRange),
        lost(r#""byteOffset": 8"#, r#""byteOffset": 9"#, NotSampledCode::OutOfBounds),
        lost(
            r#""byteOffset": 8"#,
            r#""byteOffset": 18446744073709551615"#,
            NotSampledCode::OutOfBounds,
        ),
        lost(r#""byteOffset": 8"#, r#""byteOffset": -8"#, NotSampledCode::OutOfBounds),
        lost(r#""byteOffset": 8"#, r#""byteOffset": 1e400"#, NotSampledCode::OutOfBounds),
        lost(r#""byteLength": 24"#, r#""byteLength": 23"#, NotSampledCode::OutOfBounds),
        lost(r#""byteLength": 24"#, r#""byteLength": "24""#, NotSampledCode::OutOfBounds),
        lost(r#""byteLength": 24"#, r#""byteLength": 24, "byteStride": 8"#, NotSampledCode::Stride),
        lost(r#""byteLength": 24"#, r#""byteLength": 24, "byteStride": 0"#, NotSampledCode::Stride),
        lost(
            r#""byteLength": 24"#,
            r#""byteLength": 24, "byteStride": 4294967295"#,
            NotSampledCode::Stride,
        ),
        lost(
            r#""buffer": 0, "byteOffset": 8"#,
            r#""byteOffset": 8"#,
            NotSampledCode::MissingMember,
        ),
        lost(r#""buffer": 0, "byteOffset": 8"#, r#""buffer": 1"#, NotSampledCode::IndexOutOfRange),
        lost(
            r#""buffer": 0, "byteOffset": 8"#,
            r#""buffer": 1, "extensions": { "EXT_meshopt_compression": { "buffer": 0 } }"#,
            NotSampledCode::Meshopt,
        ),
        lost(
            r#"{ "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],"#,
            r#"{ "componentType": 5126, "count": 2, "type": "VEC3" }],
                "meshes": [{ "primitives": [{ "attributes": { "POSITION": 1 }, "extensions":
                    { "KHR_draco_mesh_compression": { "bufferView": 1, "attributes": { "POSITION": 0 } } } }] }],"#,
            NotSampledCode::Draco,
        ),
    ]
}

fn accessors() -> Vec<Odd> {
    let count = |by: &str, code| {
        lost(r#""count": 2, "type": "VEC3""#, &format!(r#""count": {by}, "type": "VEC3""#), code)
    };
    let sparse = |by: &str, code| {
        lost(r#""type": "VEC3""#, &format!(r#""type": "VEC3", "sparse": {by}"#), code)
    };
    vec![
        count("1", NotSampledCode::ValueCount),
        count("3", NotSampledCode::OutOfBounds),
        count("4000000000", NotSampledCode::OutOfBounds),
        count("18446744073709551615", NotSampledCode::TooMuch),
        count("1e400", NotSampledCode::TooMuch),
        count("-1", NotSampledCode::TooMuch),
        count("null", NotSampledCode::MissingMember),
        lost(
            r#""count": 2, "type": "SCALAR""#,
            r#""count": 0, "type": "SCALAR""#,
            NotSampledCode::NoKeyframes,
        ),
        lost(r#""bufferView": 1, "#, "", NotSampledCode::ZeroRotation).rotation(),
        lost(
            r#""bufferView": 1, "componentType": 5126, "count": 2"#,
            r#""componentType": 5126, "count": 2000000000"#,
            NotSampledCode::TooMuch,
        ),
        lost(r#""bufferView": 1, "#, r#""bufferView": 2, "#, NotSampledCode::IndexOutOfRange),
        lost(
            r#""bufferView": 1, "#,
            r#""bufferView": 1, "byteOffset": 1, "#,
            NotSampledCode::OutOfBounds,
        ),
        lost(r#""VEC3""#, r#""VEC2""#, NotSampledCode::AccessorType),
        lost(r#""VEC3""#, r#""MAT4""#, NotSampledCode::AccessorType),
        lost(r#""VEC3""#, "3", NotSampledCode::AccessorType),
        lost(
            r#""componentType": 5126, "count": 2, "type": "VEC3""#,
            r#""componentType": 5124, "count": 2, "type": "VEC3""#,
            NotSampledCode::ComponentType,
        ),
        lost(
            r#""componentType": 5126, "count": 2, "type": "VEC3""#,
            r#""componentType": "FLOAT", "count": 2, "type": "VEC3""#,
            NotSampledCode::ComponentType,
        ),
        sparse(r#"{ "count": 1 }"#, NotSampledCode::ComponentType),
        sparse(
            r#"{ "count": 1, "indices": { "componentType": 5121 } }"#,
            NotSampledCode::MissingMember,
        ),
        sparse(
            r#"{ "count": 1, "indices": { "componentType": 5121, "bufferView": 0, "byteOffset": 7 },
                "values": { "bufferView": 1 } }"#,
            NotSampledCode::SparseIndex,
        ),
        sparse(
            r#"{ "count": 1e30, "indices": { "componentType": 5121, "bufferView": 0 } }"#,
            NotSampledCode::TooMuch,
        ),
        lost(DATA, "AACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEA=", NotSampledCode::Times),
        lost(DATA, "AAAAAAAAwH8AAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEA=", NotSampledCode::Times),
        lost(DATA, "AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AACAfwAAQEA=", NotSampledCode::NotFinite),
    ]
}

impl Odd {
    /// The same file, where the translation is a rotation; its values are all zero then.
    fn rotation(mut self) -> Self {
        let text = String::from_utf8(self.bytes).unwrap();
        self.bytes = text.replace("translation", "rotation").replace("VEC3", "VEC4").into_bytes();
        self
    }
}

fn channels() -> Vec<Odd> {
    let matrix = r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1] }]"#;
    let pointer = r#""path": "pointer", "extensions":
        { "KHR_animation_pointer": { "pointer": "/nodes/0/matrix" } }"#;
    vec![
        lost(r#""node": 0"#, r#""node": 1"#, NotSampledCode::IndexOutOfRange),
        lost(r#""node": 0"#, r#""node": -1"#, NotSampledCode::IndexOutOfRange),
        lost(r#""node": 0"#, r#""node": "0""#, NotSampledCode::IndexOutOfRange),
        lost(r#""node": 0, "path": "translation""#, pointer, NotSampledCode::MatrixAnimated),
        lost(r#""sampler": 0, "#, "", NotSampledCode::MissingMember),
        lost(r#""sampler": 0, "#, r#""sampler": 1, "#, NotSampledCode::IndexOutOfRange),
        lost(r#""sampler": 0, "#, r#""sampler": 0.5, "#, NotSampledCode::IndexOutOfRange),
        lost(
            r#""samplers": [{ "input": 0, "output": 1 }]"#,
            r#""samplers": {}"#,
            NotSampledCode::IndexOutOfRange,
        ),
        lost(r#""input": 0, "#, "", NotSampledCode::MissingMember),
        lost(r#""input": 0, "#, r#""input": 9, "#, NotSampledCode::IndexOutOfRange),
        lost(r#""input": 0, "#, r#""input": 1, "#, NotSampledCode::AccessorType),
        lost(r#", "output": 1"#, "", NotSampledCode::MissingMember),
        lost(
            r#""output": 1"#,
            r#""output": 1, "interpolation": "CUBIC""#,
            NotSampledCode::UnknownInterpolation,
        ),
        lost(
            r#""output": 1"#,
            r#""output": 1, "interpolation": 5"#,
            NotSampledCode::UnknownInterpolation,
        ),
        lost(
            r#""output": 1"#,
            r#""output": 1, "interpolation": "CUBICSPLINE""#,
            NotSampledCode::ValueCount,
        ),
        // What it replaces is not known.
        lost(r#""type": "VEC3""#, r#""type": "VEC3", "sparse": 5"#, NotSampledCode::ComponentType),
        lost(r#""translation""#, r#""transform""#, NotSampledCode::UnknownPath),
        lost(r#", "path": "translation""#, "", NotSampledCode::MissingMember),
        lost(r#""nodes": [{}]"#, matrix, NotSampledCode::MatrixAnimated),
        lost(DATA, "AAAAAAAAgD8AAAAAAAAAAAAAAADmsWF/5rFhf+axYX8=", NotSampledCode::ValuesOverflow)
            .below_huge(),
    ]
}

impl Odd {
    /// The same file, where what moves is below a huge scale.
    fn below_huge(mut self) -> Self {
        let text = String::from_utf8(self.bytes).unwrap();
        let nodes = r#""nodes": [{}, { "children": [0], "scale": [1e300, 1e300, 1e300] }]"#;
        self.bytes = text.replace(r#""nodes": [{}]"#, nodes).into_bytes();
        self
    }
}

fn tolerated() -> Vec<Odd> {
    let ok = |part: &str, by: &str| odd(format!("{by} for {part}"), changed(part, by), fine());
    let floats = r#""sampler": 0.0, "target": { "node": 0e0, "#;
    let in_glb = changed(&format!(r#""uri": "{URI}""#), r#""name": "in the file""#);
    vec![
        odd("an animation", MOVING, fine()),
        ok(r#""sampler": 0, "target": { "node": 0, "#, floats),
        ok(r#""input": 0"#, r#""input": 0.0"#),
        ok(r#""componentType": 5126"#, r#""componentType": 5126.0"#),
        ok(r#""count": 2"#, r#""count": 2.0"#),
        ok(r#""byteLength": 8"#, r#""byteLength": 8e0"#),
        ok(r#""name": "a""#, r#""name": { "a": 1e400 }"#),
        ok(r#""byteLength": 32"#, r#""byteLength": "32""#),
        ok(r#""path": "translation""#, r#""path": "weights""#),
        ok(r#""type": "VEC3""#, r#""type": "VEC3", "min": [1e400], "normalized": 5"#),
        ok("application/octet-stream", "image/png;charset=x"),
        odd(
            "an animation of a node that is not there and of morph weights",
            MOVING.replace(r#""node": 0"#, r#""node": 7"#).replace("translation", "weights"),
            fine(),
        ),
        odd(
            "a buffer of a GLB in a text file",
            in_glb,
            Comes::NotSampled(NotSampledCode::BufferWithoutUri),
        ),
        odd(
            "bytes that are not UTF-8 in a name beside an animation",
            [
                MOVING.split_once("\"a\"").unwrap().0.as_bytes(),
                b"\"\xFF\"",
                MOVING.split_once("\"a\"").unwrap().1.as_bytes(),
            ]
            .concat(),
            warned(WarningCode::NotUtf8),
        ),
    ]
}
