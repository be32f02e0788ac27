//! The place of new data: the binary chunk of a GLB, or a file beside a `.gltf` file.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use xform_scene::gltf::{GltfAsset, GltfContainer};

use crate::{data::NewData, document::Document, json::Edits};

/// New bytes and their destination.
pub(crate) struct PlacedBytes {
    pub(crate) data: NewData,
    pub(crate) place: Destination,
}

#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Destination {
    /// Appended to the binary chunk, which is buffer 0.
    Chunk,
    /// In a buffer of their own: a new binary chunk, a data URI, or a file beside the document.
    NewChunk,
    Embedded,
    Beside,
}

impl PlacedBytes {
    /// Returns the bytes that go into the file and those that go beside it.
    pub(crate) fn placed(&self) -> (&[u8], Option<&[u8]>) {
        let bytes = &self.data.bytes[..];
        match self.place {
            Destination::Chunk | Destination::NewChunk => (bytes, None),
            Destination::Embedded => (&[], None),
            Destination::Beside => (&[], Some(bytes).filter(|bytes| !bytes.is_empty())),
        }
    }

    /// Adds the bytes to the buffers, as a reader of the file will find them.
    pub(crate) fn add_to(&self, buffers: &mut Vec<Result<Vec<u8>, String>>) {
        let bytes = &self.data.bytes;
        match (self.place, buffers.first_mut()) {
            (Destination::Chunk, Some(Ok(first))) => {
                first.resize(first.len().next_multiple_of(4), 0);
                first.extend(bytes);
            }
            _ if bytes.is_empty() => {}
            _ => buffers.push(Ok(bytes.clone())),
        }
    }

    /// Adds the views, accessors and buffer of the new bytes to the document.
    pub(crate) fn name_in<'a>(
        &self,
        edits: &mut Edits<'a>,
        document: &Document<'a>,
        uri: &str,
    ) -> serde_json::Result<()> {
        let (root, data) = (document.root, &self.data);
        if data.bytes.is_empty() {
            return Ok(());
        }
        edits.push(root, "bufferViews", &data.views)?;
        edits.push(root, "accessors", &data.accessors)?;
        let len = data.end();
        let buffer = match self.place {
            Destination::Chunk => {
                return edits.set(document.buffers[0].raw, "byteLength", len.to_string());
            }
            Destination::NewChunk => format!(r#"{{"byteLength":{len}}}"#),
            Destination::Embedded => {
                let text = STANDARD.encode(&data.bytes);
                format!(
                    r#"{{"uri":"data:application/octet-stream;base64,{text}","byteLength":{len}}}"#
                )
            }
            Destination::Beside => {
                format!(r#"{{"uri":{},"byteLength":{len}}}"#, Value::from(uri))
            }
        };
        edits.push(root, "buffers", &[buffer])
    }

    /// Starts without bytes, and chooses their destination.
    pub(crate) fn new(
        asset: &GltfAsset,
        document: &Document<'_>,
        container: &GltfContainer<'_>,
    ) -> Self {
        let buffers = document.buffers.len();
        // If the first buffer's chunk is missing, new data must not take its place.
        let is_chunk = document.buffers.first().is_some_and(|first| first.is.uri.is_none())
            && asset.buffers().first().is_some_and(Result::is_ok);
        let (place, buffer, start) = match (container.is_glb(), buffers) {
            (true, 0) => (Destination::NewChunk, 0, 0),
            (true, _) if is_chunk => {
                (Destination::Chunk, 0, container.binary_len().next_multiple_of(4))
            }
            (true, _) => (Destination::Embedded, buffers, 0),
            (false, _) => (Destination::Beside, buffers, 0),
        };
        let old = asset.buffers().iter().flatten().map(Vec::len).sum();
        let data = NewData::new(document, buffer, start, old);
        Self { data, place }
    }
}
