/// A limit on the memory that reading a file may take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct MemoryLimit {
    /// The most bytes that the reader may hold. The same limit applies again to its results.
    pub bytes: usize,
}

impl MemoryLimit {
    /// Creates a limit of this many bytes.
    #[must_use]
    pub fn bytes(bytes: usize) -> Self {
        Self { bytes }
    }
}

impl Default for MemoryLimit {
    /// 4 GiB, or the greatest number that `usize` can hold.
    fn default() -> Self {
        Self { bytes: usize::try_from(1_u64 << 32).unwrap_or(usize::MAX) }
    }
}
