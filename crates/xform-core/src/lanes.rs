//! Composes several poses into matrices at a time, one in each lane of a vector.
//!
//! Hidden: the kernels of the strategies share it. All functions are safe to call from a function that is compiled
//! for the same target features. Those of four lanes can be called from any function.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
pub mod f32x4;
pub mod four;
