//! New binary data: bytes appended to a buffer, with the buffer views and accessors that describe them.

use xform_scene::gltf::EncodedAccessor;

use crate::{document::Document, refusal::Why};

/// The target of a buffer view, by its number in glTF.
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
    /// The buffer that receives the bytes, and the offset at which they start.
    buffer: usize,
    start: usize,
    /// The number of views and accessors that the file already has.
    old_views: usize,
    old_accessors: usize,
    /// The most bytes allowed.
    most: usize,
    is_full: bool,
}

/// The limit on new bytes is `IN_ANY_CASE` plus `TIMES` times the bytes of the old buffers. A small file may show one
/// mesh at any number of nodes, each of which needs a copy.
const IN_ANY_CASE: usize = 64 << 20;
const TIMES: usize = 16;

impl NewData {
    /// Starts new data for a document, behind the existing bytes of a buffer. `old` is the number of bytes in its
    /// buffers.
    pub(crate) fn new(document: &Document<'_>, buffer: usize, start: usize, old: usize) -> Self {
        let (bytes, views, accessors) = (Vec::new(), Vec::new(), Vec::new());
        let (old_views, old_accessors) = (document.views.len(), document.accessors.len());
        let most = old.saturating_mul(TIMES).saturating_add(IN_ANY_CASE);
        let is_full = false;
        Self { bytes, views, accessors, buffer, start, old_views, old_accessors, most, is_full }
    }

    /// Fails if the data exceed the limit.
    pub(crate) fn check(&self) -> Result<(), Why> {
        if self.is_full { Err(Why::TooMuch) } else { Ok(()) }
    }

    /// Adds an accessor of floats. With `is_bounded` it has the minimum and maximum of each component, as positions
    /// need.
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

    /// The length of the buffer including the new data.
    pub(crate) fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}
