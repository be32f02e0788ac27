//! Poses composed into matrices several at a time, one in each lane of a vector.
//!
//! Hidden: for the kernels of the backends, which share it. Safe functions all; what they are
//! compiled for, their callers must be compiled for too.

pub mod avx2;
pub mod avx512;
pub mod sse2;
