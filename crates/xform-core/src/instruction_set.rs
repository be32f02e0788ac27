/// The instruction set of the kernel that runs a [`Sweep`](crate::transform::Sweep). The variants are ordered: of
/// two that a processor supports, the greater one is better.
///
/// Hidden, because a user never has to choose: the best instruction set that the processor supports is found at run
/// time. Only tests and benchmarks choose one.
// There is no AVX-512: its kernels were at most 8 % faster, and matrices of skeletons up to 11 % slower. There is no NEON:
// nobody could measure it, and on AArch64 the plain kernel is compiled with NEON anyway. docs/rejected.md has the figures.
// `best` serves all strategies, so a variant that one strategy has no kernel for would make that strategy plain.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum InstructionSet {
    /// Plain Rust, without the instructions of a particular processor: the kernel that defines what the
    /// others compute.
    Plain,
    /// SIMD128 of WebAssembly, available if the program is compiled for it (`-C target-feature=+simd128`).
    Simd128,
    /// SSE2, which every x86-64 processor has.
    Sse2,
    /// AVX2 with FMA.
    Avx2,
}

impl InstructionSet {
    /// All instruction sets, with plain first.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Simd128, Self::Sse2, Self::Avx2];

    /// Returns the best instruction set that this processor supports.
    #[must_use]
    pub fn best() -> Self {
        let available = Self::ALL.into_iter().filter(|set| set.is_available());
        available.max().unwrap_or(Self::Plain)
    }

    /// Returns whether this processor supports the instruction set.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Plain | Self::Sse2 => true,
            Self::Simd128 => false,
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        return match self {
            Self::Plain => true,
            Self::Simd128 => cfg!(target_feature = "simd128"),
            Self::Sse2 | Self::Avx2 => false,
        };
    }

    /// Returns the name to print in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Simd128 => "SIMD128",
            Self::Sse2 => "SSE2",
            Self::Avx2 => "AVX2",
        }
    }
}
