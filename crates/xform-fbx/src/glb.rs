//! A GLB that is made piece by piece.

use serde_json::{Map, Value, json};
use xform_scene::ErrorCode;

use crate::error::FbxError;

/// The number of a component type in glTF.
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

pub(crate) struct Glb {
    lists: Map<String, Value>,
    bytes: Vec<u8>,
    /// How many bytes there may be.
    most: usize,
}

/// How many bytes of data a file may become in any case, and for each byte that it has. What is shared or compressed in FBX may be
/// any number of times as much.
const IN_ANY_CASE: usize = 16 << 20;
const TIMES: usize = 32;

impl Glb {
    /// A file with as many bytes of data at most as one of `len` bytes may become.
    pub(crate) fn of_file(len: usize) -> Self {
        let most = len.saturating_mul(TIMES).saturating_add(IN_ANY_CASE);
        Self { lists: Map::new(), bytes: Vec::new(), most }
    }

    /// Fails once there are more data than there may be. Asked before more are made, so that none are made in vain.
    pub(crate) fn check(&self) -> Result<(), FbxError> {
        if self.bytes.len() <= self.most {
            Ok(())
        } else {
            Err(FbxError::new(
                ErrorCode::OutOfMemory,
                "its meshes or animations would take many times the memory that the file does",
            ))
        }
    }

    /// Adds an entry to a list of the document; its index.
    pub(crate) fn push(&mut self, list: &str, entry: Value) -> usize {
        let list = self.lists.entry(list).or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("only arrays are added");
        list.push(entry);
        list.len() - 1
    }

    /// Adds an accessor of floats, with bounds as positions and keyframe times need them.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        elements: &[[f64; N]],
        is_bounded: bool,
    ) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "glTF has floats of 32 bits alone")]
        let stored: Vec<[f32; N]> =
            elements.iter().map(|element| element.map(|x| x as f32)).collect();
        let bytes: Vec<u8> = stored.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let shape = match N {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let bound = |choose: fn(f32, f32) -> f32| {
            let all = stored.iter().copied();
            all.reduce(|a, b| std::array::from_fn(|i| choose(a[i], b[i])))
                .map(|bound| bound.to_vec())
        };
        let mut accessor = self.accessor(&bytes, elements.len(), F32, shape);
        if let (true, Some(least), Some(greatest)) = (is_bounded, bound(f32::min), bound(f32::max))
        {
            accessor["min"] = json!(least);
            accessor["max"] = json!(greatest);
        }
        self.push("accessors", accessor)
    }

    pub(crate) fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, indices.len(), U32, "SCALAR");
        self.push("accessors", accessor)
    }

    pub(crate) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> =
            joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, joints.len(), U16, "VEC4");
        self.push("accessors", accessor)
    }

    fn accessor(&mut self, bytes: &[u8], count: usize, kind: u32, shape: &str) -> Value {
        let view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.push("bufferViews", view);
        json!({ "bufferView": view, "componentType": kind, "count": count, "type": shape })
    }

    /// The file; `None` where it would be longer than a GLB can be.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        self.lists.insert("asset".to_owned(), json!({ "version": "2.0" }));
        if !self.bytes.is_empty() {
            self.push("buffers", json!({ "byteLength": self.bytes.len() }));
        }
        let mut text = Value::Object(self.lists).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let binary = if self.bytes.is_empty() { 0 } else { 8 + self.bytes.len() };
        let word = |len: usize| u32::try_from(len).ok().map(u32::to_le_bytes);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend(word(20 + text.len() + binary)?);
        out.extend(word(text.len())?);
        out.extend(b"JSON");
        out.extend(text);
        if binary > 0 {
            out.extend(word(self.bytes.len())?);
            out.extend(b"BIN\0");
            out.extend(&self.bytes);
        }
        Some(out)
    }
}
