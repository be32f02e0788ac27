use super::glb::{BINARY, CHUNK_HEADER_LEN, HEADER_LEN, JSON, MAGIC, is_glb, word};

/// The bytes of a file around its JSON and its binary chunk, for writing another JSON into it.
#[derive(Clone, Copy, Debug)]
pub struct GltfContainer<'a> {
    glb: Option<Glb<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Glb<'a> {
    /// The magic number and the version.
    start: &'a [u8],
    binary: &'a [u8],
    /// The other chunks.
    rest: &'a [u8],
    /// The bytes after the length that the header states.
    behind: &'a [u8],
}

impl<'a> GltfContainer<'a> {
    /// An empty GLB.
    pub const GLB: Self =
        Self { glb: Some(Glb { start: b"glTF\x02\0\0\0", binary: &[], rest: &[], behind: &[] }) };

    /// Splits a file that was already read as glTF.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        if !is_glb(bytes) {
            return Self { glb: None };
        }
        let word = |bytes: &[u8], start: usize| word(bytes, start, "").unwrap_or(0) as usize;
        let end = word(bytes, 8).min(bytes.len());
        let (inside, behind) = bytes.split_at(end);
        let json_end =
            (HEADER_LEN + CHUNK_HEADER_LEN).saturating_add(word(bytes, HEADER_LEN)).min(end);
        let chunk = &inside[json_end..];
        let (mut binary, mut rest) = (&[][..], chunk);
        if chunk.get(4..CHUNK_HEADER_LEN) == Some(&BINARY[..]) {
            let binary_end = CHUNK_HEADER_LEN.saturating_add(word(chunk, 0)).min(chunk.len());
            (binary, rest) = (&chunk[CHUNK_HEADER_LEN..binary_end], &chunk[binary_end..]);
        }
        let start = &bytes[..bytes.len().min(MAGIC.len() + 4)];
        Self { glb: Some(Glb { start, binary, rest, behind }) }
    }

    /// Whether it is a GLB.
    #[must_use]
    pub fn is_glb(&self) -> bool {
        self.glb.is_some()
    }

    /// Returns the length of its binary chunk.
    #[must_use]
    pub fn binary_len(&self) -> usize {
        self.glb.as_ref().map_or(0, |glb| glb.binary.len())
    }

    /// Returns the file with another JSON, and with more bytes at the end of its binary chunk. Returns `None` if it
    /// would exceed the maximum length of a GLB.
    #[must_use]
    pub fn with(&self, json: &str, more: &[u8]) -> Option<Vec<u8>> {
        self.with_binary(json, self.glb.as_ref().map_or(&[], |glb| glb.binary), more)
    }

    /// Returns the file with another JSON, and with a binary chunk of `first` and `more`. Returns `None` if it would
    /// exceed the maximum length of a GLB. If the file is not a GLB, the result is the JSON.
    #[must_use]
    pub fn with_binary(&self, json: &str, first: &[u8], more: &[u8]) -> Option<Vec<u8>> {
        let Some(glb) = &self.glb else { return Some(json.as_bytes().to_vec()) };
        let json_len = json.len().next_multiple_of(4);
        let binary_len = if more.is_empty() && first.len() == glb.binary.len() {
            first.len()
        } else {
            (first.len().next_multiple_of(4) + more.len()).next_multiple_of(4)
        };
        let binary = if binary_len == 0 { 0 } else { CHUNK_HEADER_LEN + binary_len };
        let len = HEADER_LEN + CHUNK_HEADER_LEN + json_len + binary + glb.rest.len();
        let word = |len: usize| u32::try_from(len).ok().map(u32::to_le_bytes);
        let mut out = Vec::with_capacity(len + glb.behind.len());
        out.extend(glb.start);
        out.extend(word(len)?);
        out.extend(word(json_len)?);
        out.extend(JSON);
        out.extend(json.as_bytes());
        out.resize(HEADER_LEN + CHUNK_HEADER_LEN + json_len, b' ');
        if binary_len > 0 {
            out.extend(word(binary_len)?);
            out.extend(BINARY);
            let start = out.len();
            out.extend(first);
            if !more.is_empty() {
                out.resize(start + first.len().next_multiple_of(4), 0);
                out.extend(more);
            }
            out.resize(start + binary_len, 0);
        }
        out.extend(glb.rest);
        out.extend(glb.behind);
        Some(out)
    }
}
