/// How much memory a file may take while it is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes that the reader may hold, and again as many for what it has read.
    pub memory: usize,
}

impl Limits {
    /// No more than so many bytes.
    #[must_use]
    pub fn memory(memory: usize) -> Self {
        Self { memory }
    }
}

impl Default for Limits {
    /// 4 GiB, or what there can be of it.
    fn default() -> Self {
        Self { memory: usize::try_from(1_u64 << 32).unwrap_or(usize::MAX) }
    }
}
