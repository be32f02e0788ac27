//! `EXT_meshopt_compression` and `KHR_meshopt_compression`: compressed buffer views.

use meshoptimizer_rs::{
    Error, Workspace,
    codec::{
        decode_filter_color, decode_filter_exp, decode_filter_oct, decode_filter_quat,
        decode_index_buffer, decode_index_sequence, decode_vertex_buffer,
    },
};

use super::{document::Meshopt, unread::Unread};
use crate::text::printable;

impl Meshopt {
    /// Returns the number of bytes after decompression.
    pub(super) fn decompressed_len(&self) -> Option<u64> {
        self.count.checked_mul(self.byte_stride)
    }

    /// Decompresses the stored stream of buffer view `view`. Both extensions may have any version of the stream, as
    /// in the decoders of engines.
    pub(super) fn decompress(&self, view: usize, stream: &[u8]) -> Result<Vec<u8>, Unread> {
        let failed = |error: Error| Unread::Meshopt { view, error: error.to_string() };
        let size = |value| usize::try_from(value).map_err(|_| Unread::TooMuch);
        let (count, stride) = (size(self.count)?, size(self.byte_stride)?);
        let mut workspace = Workspace::default();
        let decode = match self.mode.as_str() {
            "ATTRIBUTES" => decode_vertex_buffer,
            "TRIANGLES" => decode_index_buffer,
            "INDICES" => decode_index_sequence,
            other => return Err(Unread::MeshoptMode(printable(other))),
        };
        let mut bytes = decode(count, stride, stream, &mut workspace).map_err(failed)?;
        let filter = match self.filter.as_str() {
            "" | "NONE" => return Ok(bytes),
            "OCTAHEDRAL" => decode_filter_oct,
            "QUATERNION" => decode_filter_quat,
            "EXPONENTIAL" => decode_filter_exp,
            "COLOR" => decode_filter_color,
            other => return Err(Unread::MeshoptFilter(printable(other))),
        };
        filter(&mut bytes, count, stride, &mut workspace).map_err(failed)?;
        Ok(bytes)
    }
}
