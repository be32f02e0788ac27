//! glTF files made in tests, and taken apart.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use xform_fix::{
    Fix, FixError, Group, Options, Refusal, RepairKind, SameFolder, Why, fix, repairs,
};
use xform_scene::gltf::GltfAsset;

/// A file whose JSON is made piece by piece, and its only buffer.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    pub(crate) fn new() -> Self {
        let json = json!({ "asset": { "version": "2.0" }, "accessors": [], "bufferViews": [] });
        Self { json, bytes: Vec::new() }
    }

    pub(crate) fn len(&self, name: &str) -> usize {
        self.json[name].as_array().map_or(0, Vec::len)
    }

    pub(crate) fn push(&mut self, name: &str, value: Value) -> usize {
        if self.json[name].is_null() {
            self.json[name] = json!([]);
        }
        self.json[name].as_array_mut().unwrap().push(value);
        self.len(name) - 1
    }

    /// Adds an accessor of floats, with bounds, as positions and keyframe times need.
    pub(crate) fn floats<const N: usize>(&mut self, elements: &[[f32; N]]) -> usize {
        let bytes = elements.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let shape = match N {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let accessor = self.add(bytes, elements.len(), 5126, shape);
        let bound = |choose: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|i| elements.iter().map(|one| one[i]).reduce(choose).unwrap()).collect()
        };
        self.json["accessors"][accessor]["min"] = json!(bound(f32::min));
        self.json["accessors"][accessor]["max"] = json!(bound(f32::max));
        accessor
    }

    pub(crate) fn shorts<const N: usize>(&mut self, elements: &[[u16; N]]) -> usize {
        let bytes = elements.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let shape = if N == 1 { "SCALAR" } else { "VEC4" };
        self.add(bytes, elements.len(), 5123, shape)
    }

    fn add(&mut self, bytes: Vec<u8>, count: usize, kind: u32, shape: &str) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        let view = self.push("bufferViews", view);
        let accessor =
            json!({ "bufferView": view, "componentType": kind, "count": count, "type": shape });
        self.push("accessors", accessor)
    }

    /// The elements of an accessor of three floats each, with nothing between them.
    pub(crate) fn vectors(&self, accessor: usize) -> Vec<[f32; 3]> {
        let view = self.json["accessors"][accessor]["bufferView"].as_u64().unwrap();
        let view = &self.json["bufferViews"][usize::try_from(view).unwrap()];
        let number = |name: &str| usize::try_from(view[name].as_u64().unwrap()).unwrap();
        let bytes = &self.bytes[number("byteOffset")..number("byteOffset") + number("byteLength")];
        let floats: Vec<_> =
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        floats.as_chunks::<3>().0.to_vec()
    }

    /// As a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = serde_json::to_string(&json).unwrap().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.bytes.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let word = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend(word(28 + text.len() + binary.len()));
        out.extend(word(text.len()));
        out.extend(b"JSON");
        out.extend(text);
        out.extend(word(binary.len()));
        out.extend(b"BIN\0");
        out.extend(binary);
        out
    }

    /// As a `.gltf` file with its buffer inside.
    pub(crate) fn gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        json["buffers"] = json!([{ "byteLength": self.bytes.len(), "uri": uri }]);
        serde_json::to_string_pretty(&json).unwrap().into_bytes()
    }

    /// A GLB taken apart.
    pub(crate) fn of_glb(glb: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(word(8), glb.len(), "the stated length");
        let end = 20 + word(12);
        assert_eq!((&glb[16..20], &glb[end + 4..end + 8]), (&b"JSON"[..], &b"BIN\0"[..]));
        let binary = glb[end + 8..end + 8 + word(end)].to_vec();
        Self { json: serde_json::from_slice(&glb[20..end]).unwrap(), bytes: binary }
    }
}

/// Repairs a file; what was foretold of it is what comes of it.
pub(crate) fn fixed_with(bytes: &[u8], options: &Options) -> Result<Fix, FixError> {
    let asset = GltfAsset::read(bytes, None)?;
    let fix = fix(bytes, &asset, "test", &mut SameFolder("new.bin".to_owned()), options)?;
    let foretold = repairs(bytes, &GltfAsset::read(bytes, None)?, "test", &options.engines)?;
    let foretold = match options.repair {
        RepairKind::Bake => foretold.baked,
        RepairKind::Leaf => foretold.to_leaves,
        RepairKind::Uniform => foretold.uniform,
        _ => return Ok(fix),
    };
    let done: Vec<_> =
        fix.groups.iter().filter(|group| group.is_fixed()).map(|group| group.top).collect();
    // Some of what cannot be read is found by the proof.
    let is_unread = |(_, refusal): &(String, Refusal)| matches!(refusal.why, Why::Unread(_));
    let is_broken = |group: &Group| group.refusals.iter().any(is_unread);
    let expected = foretold.into_iter().filter(|top| {
        let group = fix.groups.iter().find(|group| group.top == *top);
        group.is_some_and(|group| group.is_asked_for && !is_broken(group))
    });
    assert_eq!(expected.collect::<Vec<_>>(), done, "{:?}", options.repair);
    Ok(fix)
}

pub(crate) fn fixed(bytes: &[u8]) -> Fix {
    fixed_with(bytes, &Options::default()).unwrap()
}
