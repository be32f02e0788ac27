/// How much memory a file may take while it is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct MemoryLimit {
    /// The most bytes that the reader may hold, and again as many for what it has read.
    pub bytes: usize,
}

impl MemoryLimit {
    /// So many bytes.
    #[must_use]
    pub fn bytes(bytes: usize) -> Self {
        Self { bytes }
    }
}

impl Default for MemoryLimit {
    /// 4 GiB, or what there can be of it.
    fn default() -> Self {
        Self { bytes: usize::try_from(1_u64 << 32).unwrap_or(usize::MAX) }
    }
}
