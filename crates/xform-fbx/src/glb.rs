//! Builds a GLB piece by piece.

use serde_json::{Map, Value, json};
use xform_scene::{
    ErrorCode,
    gltf::{EncodedAccessor, GltfContainer},
};

use crate::error::FbxError;

pub(crate) struct Glb {
    lists: Map<String, Value>,
    bytes: Vec<u8>,
    /// The greatest number of bytes.
    most: usize,
}

/// The number of bytes that the data of any file may have, and the number of further bytes for each byte of the file.
/// Shared or compressed data in FBX may expand by any factor.
const IN_ANY_CASE: usize = 16 << 20;
const TIMES: usize = 32;

impl Glb {
    /// Creates an empty GLB, whose data are limited by the length `len` of the FBX file.
    pub(crate) fn of_file(len: usize) -> Self {
        let most = len.saturating_mul(TIMES).saturating_add(IN_ANY_CASE);
        Self { lists: Map::new(), bytes: Vec::new(), most }
    }

    /// Fails if there are more data than allowed. Called before more data are created, so that none are created in
    /// vain.
    pub(crate) fn check(&self) -> Result<(), FbxError> {
        if self.bytes.len() <= self.most {
            Ok(())
        } else {
            Err(FbxError::new(
                ErrorCode::OutOfMemory,
                "its meshes or animations would take many times the size of the file in memory",
            ))
        }
    }

    /// Adds an entry to a list of the document and returns its index.
    pub(crate) fn push(&mut self, list: &str, entry: Value) -> usize {
        let list = self.lists.entry(list).or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("only arrays are added");
        list.push(entry);
        list.len() - 1
    }

    /// Adds an accessor with its bytes and returns its index.
    pub(crate) fn accessor(&mut self, encoded: &EncodedAccessor) -> usize {
        let (offset, len) = (self.bytes.len(), encoded.bytes.len());
        self.bytes.extend(&encoded.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": len });
        let view = self.push("bufferViews", view);
        // `EncodedAccessor` produces text because edits of files need text.
        let accessor = serde_json::from_str(&encoded.json(view, None));
        self.push("accessors", accessor.expect("an accessor is JSON"))
    }

    /// Finishes the file. Returns `None` if it would be longer than a GLB can be.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        self.lists.insert("asset".to_owned(), json!({ "version": "2.0" }));
        if !self.bytes.is_empty() {
            self.push("buffers", json!({ "byteLength": self.bytes.len() }));
        }
        let json = Value::Object(self.lists).to_string();
        GltfContainer::GLB.with_binary(&json, &self.bytes, &[])
    }
}
