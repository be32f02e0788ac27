//! New data of a file: bytes behind the old ones, with the views and accessors that tell what they are.

use crate::{document::Document, refusal::Why};

/// The number of a component type in glTF.
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// What a view is for, by its number in glTF.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
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
        target: Option<Target>,
        name: Option<&str>,
    ) -> Result<usize, Why> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "to the nearest, and checked to be finite"
        )]
        let stored: Vec<[f32; N]> =
            elements.iter().map(|element| element.map(|component| component as f32)).collect();
        if !stored.iter().flatten().all(|component| component.is_finite()) {
            return Err(Why::NotFinite);
        }
        let bytes = stored.iter().flatten().flat_map(|component| component.to_le_bytes());
        let shape = match N {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let bound = |choose: fn(f32, f32) -> f32| {
            let all = stored.iter().copied();
            let chosen = all.reduce(|a, b| std::array::from_fn(|i| choose(a[i], b[i])));
            serde_json::Value::from(chosen.unwrap_or([0.0; N]).to_vec())
        };
        let bounds = if is_bounded {
            format!(r#","min":{},"max":{}"#, bound(f32::min), bound(f32::max))
        } else {
            String::new()
        };
        Ok(self.add(bytes.collect(), elements.len(), F32, shape, &bounds, target, name))
    }

    pub(crate) fn indices(&mut self, indices: &[u32], name: Option<&str>) -> usize {
        // The greatest number of a type starts a strip anew in some engines.
        let is_short = indices.iter().all(|&index| index < u32::from(u16::MAX));
        let (kind, bytes): (_, Vec<u8>) = if is_short {
            let short = indices.iter().map(|index| index.to_le_bytes());
            (U16, short.flat_map(|[a, b, ..]| [a, b]).collect())
        } else {
            (U32, indices.iter().flat_map(|index| index.to_le_bytes()).collect())
        };
        self.add(bytes, indices.len(), kind, "SCALAR", "", Some(Target::Indices), name)
    }

    #[expect(clippy::too_many_arguments, reason = "the members of an accessor")]
    fn add(
        &mut self,
        bytes: Vec<u8>,
        count: usize,
        kind: u32,
        shape: &str,
        bounds: &str,
        target: Option<Target>,
        name: Option<&str>,
    ) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.is_full |= self.bytes.len() + bytes.len() > self.most;
        let (buffer, offset, len) = (self.buffer, self.start + self.bytes.len(), bytes.len());
        self.bytes.extend(bytes);
        let target =
            target.map_or_else(String::new, |target| format!(r#","target":{}"#, target as u32));
        let view = self.old_views + self.views.len();
        self.views.push(format!(
            r#"{{"buffer":{buffer},"byteOffset":{offset},"byteLength":{len}{target}}}"#
        ));
        let name = name.map_or_else(String::new, |name| {
            format!(r#","name":{}"#, serde_json::Value::from(name))
        });
        self.accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":{kind},"count":{count},"type":"{shape}"{bounds}{name}}}"#
        ));
        self.old_accessors + self.accessors.len() - 1
    }

    /// How long the buffer is with it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}
