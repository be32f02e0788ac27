use std::{
    io::{self, Read, SeekFrom},
    ops::Range,
};

use super::{GltfError, buffers::Input};

pub(super) const MAGIC: &[u8; 4] = b"glTF";
pub(super) const JSON: &[u8; 4] = b"JSON";
pub(super) const BINARY: &[u8; 4] = b"BIN\0";
pub(super) const HEADER_LEN: usize = 12;
pub(super) const CHUNK_HEADER_LEN: usize = 8;

pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The maximum number of bytes of JSON that are read. No real scene has more.
const LONGEST: u64 = 1 << 30;

/// Reads the required part of a file of `len` bytes: a GLB up to the end of its first chunk, any other file as a
/// whole.
pub(super) fn head(file: &mut dyn Input, len: u64) -> Result<Vec<u8>, GltfError> {
    let mut bytes = Vec::new();
    let start = HEADER_LEN + CHUNK_HEADER_LEN;
    file.take(start as u64).read_to_end(&mut bytes)?;
    if is_glb(&bytes) {
        let chunk_len = word(&bytes, HEADER_LEN, "").unwrap_or(0).into();
        if len.min(chunk_len) > LONGEST {
            return Err(GltfError::TooLong { longest: LONGEST });
        }
        file.take(chunk_len).read_to_end(&mut bytes)?;
    } else if len > LONGEST {
        return Err(GltfError::TooLong { longest: LONGEST });
    } else {
        // The file can grow while it is read.
        file.take(len).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns the JSON of a GLB: the first chunk after the header. `bytes` is the file's [head], and `available` its
/// length.
///
/// Later chunks are ignored, but a file that is shorter than its header states is an error.
pub(super) fn json_chunk(bytes: &[u8], available: u64) -> Result<&[u8], GltfError> {
    let version = word(bytes, 4, "its header")?;
    if version != 2 {
        return Err(GltfError::Version(format!("{version}.0")));
    }
    let length = word(bytes, 8, "its header")?;
    if available < length.into() {
        let (what, needed) = ("its stated length", length.into());
        return Err(GltfError::Truncated { what, needed, available });
    }
    let chunk_len = word(bytes, HEADER_LEN, "its first chunk's header")?;
    let kind_end = HEADER_LEN + CHUNK_HEADER_LEN;
    let kind = slice(bytes, HEADER_LEN + 4, 4, "its first chunk's header")?;
    if kind != JSON {
        return Err(GltfError::NoJsonChunk);
    }
    let stated_end = kind_end as u64 + u64::from(chunk_len);
    if u64::from(length) < stated_end {
        return Err(GltfError::BadLength { length });
    }
    let json = slice(bytes, kind_end, chunk_len as usize, "its JSON chunk")?;
    // The padding should be spaces, but some writers use zeros as in the binary chunk.
    let end = json.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    Ok(&json[..end])
}

/// Returns the range of the binary chunk in the file: the second chunk, if it is binary. Bytes after the length that
/// the header states are not a part of the GLB.
pub(super) fn binary_chunk(file: &mut dyn Input, head: &[u8]) -> io::Result<Option<Range<u64>>> {
    let stated = word(head, 8, "").map_or(0, u64::from);
    let mut header = Vec::new();
    file.seek(SeekFrom::Start(head.len() as u64))?;
    file.take(CHUNK_HEADER_LEN as u64).read_to_end(&mut header)?;
    let Ok(len) = word(&header, 0, "") else { return Ok(None) };
    let start = (head.len() + CHUNK_HEADER_LEN) as u64;
    let end = (start + u64::from(len)).min(stated);
    Ok((&header[4..] == BINARY && start <= end).then_some(start..end))
}

pub(super) fn word(bytes: &[u8], start: usize, what: &'static str) -> Result<u32, GltfError> {
    let bytes = slice(bytes, start, 4, what)?;
    Ok(u32::from_le_bytes(bytes.try_into().expect("sliced to four bytes")))
}

fn slice<'a>(
    bytes: &'a [u8],
    start: usize,
    len: usize,
    what: &'static str,
) -> Result<&'a [u8], GltfError> {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.get(..len).ok_or(GltfError::Truncated {
        what,
        needed: start as u64 + len as u64,
        available: bytes.len() as u64,
    })
}
