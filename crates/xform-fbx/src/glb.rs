//! A GLB that is made piece by piece.

use serde_json::{Map, Value, json};
use xform_scene::{
    ErrorCode,
    gltf::{EncodedAccessor, GltfContainer},
};

use crate::error::FbxError;

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

    /// Adds an accessor with its bytes; its index.
    pub(crate) fn accessor(&mut self, encoded: &EncodedAccessor) -> usize {
        let (offset, len) = (self.bytes.len(), encoded.bytes.len());
        self.bytes.extend(&encoded.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": len });
        let view = self.push("bufferViews", view);
        // As text it is what an edit of a file needs.
        let accessor = serde_json::from_str(&encoded.json(view, None));
        self.push("accessors", accessor.expect("an accessor is JSON"))
    }

    /// The file; `None` where it would be longer than a GLB can be.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        self.lists.insert("asset".to_owned(), json!({ "version": "2.0" }));
        if !self.bytes.is_empty() {
            self.push("buffers", json!({ "byteLength": self.bytes.len() }));
        }
        let json = Value::Object(self.lists).to_string();
        GltfContainer::GLB.with_binary(&json, &self.bytes, &[])
    }
}
