//! A glTF file in memory, for editing it and for checking the edit.

use std::{collections::HashMap, io::Cursor, path::Path};

use super::{
    Animations, GltfErrors, Head, accessor,
    buffers::{Beside, Buffers},
    document::{BufferView, Document},
    read,
};
use crate::Scene;

/// A glTF 2.0 asset in memory: its JSON, and the buffers that can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfAsset {
    json: String,
    buffers: Vec<Result<Vec<u8>, String>>,
}

impl GltfAsset {
    /// Creates an asset from its JSON and its buffers. Each buffer is its bytes or the reason why it cannot be read.
    /// The locations of buffers in the JSON are ignored.
    #[must_use]
    pub fn new(json: impl Into<String>, buffers: Vec<Result<Vec<u8>, String>>) -> Self {
        Self { json: json.into(), buffers }
    }

    /// Reads the asset from the bytes of a `.gltf` or `.glb` file, with the buffers in its folder or below it.
    ///
    /// # Errors
    ///
    /// If the bytes are not glTF 2.0, or their JSON is not UTF-8.
    pub fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Self, GltfErrors> {
        Self::read_beside(bytes, folder.into())
    }

    /// The same with the files of its buffers in memory, as for [`read_gltf_with`](crate::gltf::read_gltf_with).
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn read_with(bytes: &[u8], files: &HashMap<String, Vec<u8>>) -> Result<Self, GltfErrors> {
        Self::read_beside(bytes, Beside::Memory(files))
    }

    fn read_beside(bytes: &[u8], beside: Beside<'_>) -> Result<Self, GltfErrors> {
        let (mut file, len) = (Cursor::new(bytes), bytes.len() as u64);
        let head = Head::read(&mut file, len)?;
        let json = String::from_utf8(head.json(len)?.to_vec());
        let json = json.map_err(|error| std::io::Error::other(error.utf8_error()))?;
        let chunk = head.binary_chunk(&mut file)?;
        let document = Document::parse(&json)?;
        let mut buffers = Buffers::new(&document, &mut file, chunk, beside);
        let all = (0..document.buffers.len()).map(|index| buffers.whole(index));
        let all = all.map(|read| read.map_err(|error| error.to_string())).collect();
        buffers.check_memory()?;
        Ok(Self { json, buffers: all })
    }

    /// Whether all buffers that its views need could be read. A compressed view does not need the buffer of its
    /// uncompressed copy.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_read = |buffer: usize| self.buffers.get(buffer).is_some_and(Result::is_ok);
        let document = Document::parse(&self.json);
        document.is_ok_and(|found| {
            found.buffer_views.iter().filter_map(BufferView::stored_in).all(is_read)
        })
    }

    /// Returns the JSON, including a byte order mark if there is one.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Returns the bytes of each buffer, or the reason why it cannot be read. A binary chunk is returned whole, with
    /// its padding.
    pub fn buffers(&self) -> &[Result<Vec<u8>, String>] {
        &self.buffers
    }

    /// Reads its scene, like [`read_gltf_file`](crate::read_gltf_file).
    ///
    /// # Errors
    ///
    /// As for [`read_gltf_file`](crate::read_gltf_file).
    pub fn scene(&self, source: &str) -> Result<Scene, GltfErrors> {
        let (json, len) = (self.json.as_bytes(), self.json.len() as u64);
        read(
            &mut Cursor::new(json),
            len,
            source,
            Beside::Nowhere,
            Some(&self.buffers),
            Animations::Read,
        )
    }

    /// Passes its accessors to a function.
    ///
    /// # Errors
    ///
    /// If the JSON is not glTF 2.0.
    pub fn accessors<R>(
        &self,
        use_them: impl FnOnce(&mut GltfAccessors<'_>) -> R,
    ) -> Result<R, GltfErrors> {
        let document = Document::parse(&self.json)?;
        let mut file = Cursor::new(&[][..]);
        let mut buffers = Buffers::new(&document, &mut file, None, Beside::Nowhere);
        buffers.hold_for_each(&self.buffers);
        Ok(use_them(&mut GltfAccessors { document: &document, buffers }))
    }
}

/// The accessors of a [`GltfAsset`].
#[allow(missing_debug_implementations, reason = "buffers are no text")]
pub struct GltfAccessors<'a> {
    document: &'a Document<'a>,
    buffers: Buffers<'a>,
}

impl GltfAccessors<'_> {
    /// Returns the elements of an accessor, each of 1, 3, 4 or 16 components. Normalised integers become fractions,
    /// and sparse values are filled in.
    ///
    /// # Errors
    ///
    /// The reason, for people, why it cannot be read: there is no such accessor, it has another type, its buffer
    /// cannot be read or decompressed, it ends beyond its buffer, or it requests many times more than there is.
    pub fn elements<const N: usize>(&mut self, index: usize) -> Result<Vec<[f64; N]>, String> {
        accessor::elements(self.document, &mut self.buffers, index)
            .map_err(|error| error.to_string())
    }
}
