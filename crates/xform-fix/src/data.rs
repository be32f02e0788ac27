//! New data of a file: bytes behind the old ones, with the views and accessors that tell what they are.

use xform_scene::gltf::EncodedAccessor;

use crate::{document::Document, refusal::Why};

/// What a view is for, by its number in glTF.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ViewTarget {
    Vertices = 34962,
    Indices = 34963,
}

#[derive(Debug)]
pub(crate) struct NewData {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<String>,
    pub(crate) accessors: Vec<String>,
    /// The buffer that the bytes go to, and where in it.
    buffer: usize,
    start: usize,
    /// How many of each there are in the file.
    old_views: usize,
    old_accessors: usize,
    /// How many bytes there may be.
    most: usize,
    is_full: bool,
}

/// How many bytes there may be in any case, and how many times those of the old buffers. A small file may show a mesh at any
/// number of nodes, of which each takes a copy.
const IN_ANY_CASE: usize = 64 << 20;
const TIMES: usize = 16;

impl NewData {
    /// Data for a document, behind what is in a buffer already. `old` is how many bytes its buffers have.
    pub(crate) fn new(document: &Document<'_>, buffer: usize, start: usize, old: usize) -> Self {
        let (bytes, views, accessors) = (Vec::new(), Vec::new(), Vec::new());
        let (old_views, old_accessors) = (document.views.len(), document.accessors.len());
        let most = old.saturating_mul(TIMES).saturating_add(IN_ANY_CASE);
        let is_full = false;
        Self { bytes, views, accessors, buffer, start, old_views, old_accessors, most, is_full }
    }

    /// Fails once there are too many.
    pub(crate) fn check(&self) -> Result<(), Why> {
        if self.is_full { Err(Why::TooMuch) } else { Ok(()) }
    }

    /// Adds an accessor of floats. `is_bounded`: with the least and the greatest of each component, as positions need.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        elements: &[[f64; N]],
        is_bounded: bool,
        target: Option<ViewTarget>,
        name: Option<&str>,
    ) -> Result<usize, Why> {
        let encoded = EncodedAccessor::floats(elements, is_bounded);
        if encoded.is_finite() { Ok(self.add(&encoded, target, name)) } else { Err(Why::NotFinite) }
    }

    pub(crate) fn indices(&mut self, indices: &[u32], name: Option<&str>) -> usize {
        self.add(&EncodedAccessor::indices(indices), Some(ViewTarget::Indices), name)
    }

    fn add(
        &mut self,
        encoded: &EncodedAccessor,
        target: Option<ViewTarget>,
        name: Option<&str>,
    ) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let (buffer, offset, len) =
            (self.buffer, self.start + self.bytes.len(), encoded.bytes.len());
        self.is_full |= self.bytes.len() + len > self.most;
        self.bytes.extend(&encoded.bytes);
        let target =
            target.map_or_else(String::new, |target| format!(r#","target":{}"#, target as u32));
        let view = self.old_views + self.views.len();
        self.views.push(format!(
            r#"{{"buffer":{buffer},"byteOffset":{offset},"byteLength":{len}{target}}}"#
        ));
        self.accessors.push(encoded.json(view, name));
        self.old_accessors + self.accessors.len() - 1
    }

    /// How long the buffer is with it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}
