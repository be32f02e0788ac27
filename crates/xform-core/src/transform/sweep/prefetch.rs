#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a hint to the processor that cannot fail but takes a pointer")
)]

/// Prefetches the cache line in which an element begins. Does nothing if the position is out of range, or
/// on processors other than x86-64.
#[inline(always)]
pub(super) fn prefetch<T>(slice: &[T], position: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(position) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is in SSE, which every x86-64 processor has, and it is a hint:
        // no address makes it fault. This one is that of an element, besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, position);
}
