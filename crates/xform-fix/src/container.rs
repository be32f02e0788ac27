//! The bytes of a file around its JSON and its binary chunk.

use crate::error::FixError;

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// A file taken apart.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    bytes: &'a [u8],
    /// Of a GLB, where its binary chunk is, and what is behind that.
    glb: Option<Glb<'a>>,
}

#[derive(Debug)]
struct Glb<'a> {
    binary: &'a [u8],
    /// The other chunks.
    rest: &'a [u8],
    /// What is behind the length that the header states.
    behind: &'a [u8],
}

impl<'a> Container<'a> {
    /// Takes apart a file that was read as glTF before.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        if !bytes.starts_with(b"glTF") {
            return Self { bytes, glb: None };
        }
        let end = word(bytes, 8).min(bytes.len());
        let (inside, behind) = bytes.split_at(end);
        let json_end = (HEADER + CHUNK_HEADER).saturating_add(word(bytes, HEADER)).min(end);
        let chunk = &inside[json_end..];
        let (mut binary, mut rest) = (&[][..], chunk);
        if chunk.get(4..CHUNK_HEADER) == Some(b"BIN\0") {
            let binary_end = CHUNK_HEADER.saturating_add(word(chunk, 0)).min(chunk.len());
            (binary, rest) = (&chunk[CHUNK_HEADER..binary_end], &chunk[binary_end..]);
        }
        Self { bytes, glb: Some(Glb { binary, rest, behind }) }
    }

    pub(crate) fn is_glb(&self) -> bool {
        self.glb.is_some()
    }

    /// The length of its binary chunk.
    pub(crate) fn binary_len(&self) -> usize {
        self.glb.as_ref().map_or(0, |glb| glb.binary.len())
    }

    /// The file with another JSON, and with more bytes at the end of its binary chunk.
    pub(crate) fn with(&self, json: &str, more: &[u8]) -> Result<Vec<u8>, FixError> {
        self.with_binary(json, self.glb.as_ref().map_or(&[], |glb| glb.binary), more)
    }

    /// The file with another JSON, and with a binary chunk of some bytes with more behind them.
    pub(crate) fn with_binary(
        &self,
        json: &str,
        first: &[u8],
        more: &[u8],
    ) -> Result<Vec<u8>, FixError> {
        let Some(glb) = &self.glb else { return Ok(json.as_bytes().to_vec()) };
        let json_len = json.len().next_multiple_of(4);
        let binary_len = if more.is_empty() && first.len() == glb.binary.len() {
            first.len()
        } else {
            (first.len().next_multiple_of(4) + more.len()).next_multiple_of(4)
        };
        let binary = if binary_len == 0 { 0 } else { CHUNK_HEADER + binary_len };
        let len = HEADER + CHUNK_HEADER + json_len + binary + glb.rest.len();
        let word =
            |len: usize| u32::try_from(len).map(u32::to_le_bytes).map_err(|_| FixError::TooLong);
        let mut out = Vec::with_capacity(len + glb.behind.len());
        out.extend(&self.bytes[..8]);
        out.extend(word(len)?);
        out.extend(word(json_len)?);
        out.extend(b"JSON");
        out.extend(json.as_bytes());
        out.resize(HEADER + CHUNK_HEADER + json_len, b' ');
        if binary_len > 0 {
            out.extend(word(binary_len)?);
            out.extend(b"BIN\0");
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
        Ok(out)
    }
}

/// The number in four bytes, or 0 where they are not there.
fn word(bytes: &[u8], start: usize) -> usize {
    let bytes = bytes.get(start..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
}
