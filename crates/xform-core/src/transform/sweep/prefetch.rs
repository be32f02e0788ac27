#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a hint to the processor that cannot fail but takes a pointer")
)]

/// Prefetches the cache line in which an element begins. Does nothing on processors other than x86-64.
///
/// The position may be out of range, because nothing is read.
#[inline(always)]
pub(super) fn prefetch<T>(slice: &[T], position: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // The position is not compared with the length: that would cost the time that the hint saves.
        let element = slice.as_ptr().wrapping_add(position);
        // SAFETY: the instruction is in SSE, which every x86-64 processor has, and it is a hint: no address makes it
        // fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, position);
}
