#![expect(unsafe_code, reason = "intrinsics of SSE2; loads and stores that take pointers")]

// A kernel of four lanes is written in words: `add`, `mul`, `shuffle` and so on. Each word is one instruction of
// SSE2 or of WebAssembly's SIMD128, so one source serves both, and its functions need no target features.
// WebAssembly has no detection at run time: the kernel exists if the program is compiled for SIMD128.
#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::{
    f32x4, f32x4_add, f32x4_extract_lane, f32x4_lt, f32x4_mul, f32x4_splat, f32x4_sub,
    i32x4_bitmask, i32x4_eq, i32x4_shuffle, i32x4_splat, v128, v128_and, v128_load, v128_or,
    v128_store, v128_xor,
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_and_ps, _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32,
    _mm_cmplt_ps, _mm_load_ps, _mm_loadu_ps, _mm_movemask_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps,
    _mm_setr_ps, _mm_setzero_si128, _mm_shuffle_ps, _mm_store_ps, _mm_sub_ps, _mm_unpackhi_ps,
    _mm_unpacklo_ps, _mm_xor_ps,
};

/// Four scalars, the first in the lowest lane.
#[cfg(target_arch = "x86_64")]
pub type F32x4 = __m128;
/// Four scalars, the first in the lowest lane.
#[cfg(target_arch = "wasm32")]
pub type F32x4 = v128;

/// Defines words, each for one instruction of SSE2, which every x86-64 processor has, and of WebAssembly's SIMD128.
macro_rules! words {
    ($($(#[$doc:meta])* $word:ident($($of:ident: $type:ty),*) = $sse2:path, $simd128:path;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $word($($of: $type),*) -> F32x4 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has SSE2.
            return unsafe { $sse2($($of),*) };
            #[cfg(target_arch = "wasm32")]
            return $simd128($($of),*);
        }
    )*};
}

words! {
    /// The sum in each lane.
    add(a: F32x4, b: F32x4) = _mm_add_ps, f32x4_add;
    /// The difference in each lane.
    sub(a: F32x4, b: F32x4) = _mm_sub_ps, f32x4_sub;
    /// The product in each lane.
    mul(a: F32x4, b: F32x4) = _mm_mul_ps, f32x4_mul;
    /// The bits that are set in both.
    and(a: F32x4, b: F32x4) = _mm_and_ps, v128_and;
    /// The bits that are set in one or both.
    or(a: F32x4, b: F32x4) = _mm_or_ps, v128_or;
    /// The bits that are set in exactly one.
    xor(a: F32x4, b: F32x4) = _mm_xor_ps, v128_xor;
    /// All bits of each lane in which `a` is less than `b`, and none of the others.
    less(a: F32x4, b: F32x4) = _mm_cmplt_ps, f32x4_lt;
    /// The scalar in all lanes.
    splat(scalar: f32) = _mm_set1_ps, f32x4_splat;
    /// The scalars in order.
    of(x: f32, y: f32, z: f32, w: f32) = _mm_setr_ps, f32x4;
    /// The lower lanes, interleaved: `a0 b0 a1 b1`.
    low(a: F32x4, b: F32x4) = _mm_unpacklo_ps, i32x4_shuffle::<0, 4, 1, 5>;
    /// The upper lanes, interleaved: `a2 b2 a3 b3`.
    high(a: F32x4, b: F32x4) = _mm_unpackhi_ps, i32x4_shuffle::<2, 6, 3, 7>;
}

/// Returns the scalars in order.
#[inline(always)]
#[must_use]
pub fn scalars(vector: F32x4) -> [f32; 4] {
    // SAFETY: both are four scalars.
    unsafe { std::mem::transmute(vector) }
}

/// Returns whether any bit is set.
#[inline(always)]
#[must_use]
pub fn any(vector: F32x4) -> bool {
    inhabited(vector) != 0
}

/// Returns a bit for each lane, the lowest first, which is set if any bit of the lane is.
#[inline(always)]
#[must_use]
pub fn inhabited(vector: F32x4) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has SSE2.
    let are_empty = unsafe {
        let are_empty = _mm_cmpeq_epi32(_mm_castps_si128(vector), _mm_setzero_si128());
        _mm_movemask_ps(_mm_castsi128_ps(are_empty)).cast_unsigned()
    };
    #[cfg(target_arch = "wasm32")]
    let are_empty = u32::from(i32x4_bitmask(i32x4_eq(vector, i32x4_splat(0))));
    are_empty ^ 0b1111
}

/// Returns two lanes of `a`, then two of `b`. `LANES` holds the four indices, two bits each, the lowest bits first.
#[inline(always)]
#[must_use]
pub fn shuffle<const LANES: i32>(a: F32x4, b: F32x4) -> F32x4 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has SSE2.
    return unsafe { _mm_shuffle_ps::<LANES>(a, b) };
    #[cfg(target_arch = "wasm32")]
    {
        // The compiler turns this into one shuffle.
        let lane = |of, at: i32| match LANES >> (2 * at) & 3 {
            0 => f32x4_extract_lane::<0>(of),
            1 => f32x4_extract_lane::<1>(of),
            2 => f32x4_extract_lane::<2>(of),
            _ => f32x4_extract_lane::<3>(of),
        };
        f32x4(lane(a, 0), lane(a, 1), lane(b, 2), lane(b, 3))
    }
}

/// Loads four scalars that are aligned to a vector.
///
/// # Safety
///
/// The four scalars from there on may be read, and they are aligned to a vector.
#[inline(always)]
#[must_use]
pub unsafe fn load(scalars: *const f32) -> F32x4 {
    // SAFETY: as the caller vouches.
    #[cfg(target_arch = "x86_64")]
    return unsafe { _mm_load_ps(scalars) };
    // SAFETY: as the caller vouches.
    #[cfg(target_arch = "wasm32")]
    return unsafe { v128_load(scalars.cast()) };
}

/// Loads four scalars that need not be aligned.
///
/// # Safety
///
/// The four scalars from there on may be read.
#[inline(always)]
#[must_use]
pub unsafe fn load_unaligned(scalars: *const f32) -> F32x4 {
    // SAFETY: as the caller vouches.
    #[cfg(target_arch = "x86_64")]
    return unsafe { _mm_loadu_ps(scalars) };
    // SAFETY: as the caller vouches; a load of SIMD128 needs no alignment.
    #[cfg(target_arch = "wasm32")]
    return unsafe { v128_load(scalars.cast()) };
}

/// Stores four scalars to a place that is aligned to a vector.
///
/// # Safety
///
/// The four scalars from there on may be written, and they are aligned to a vector.
#[inline(always)]
pub unsafe fn store(scalars: *mut f32, vector: F32x4) {
    // SAFETY: as the caller vouches.
    #[cfg(target_arch = "x86_64")]
    return unsafe { _mm_store_ps(scalars, vector) };
    // SAFETY: as the caller vouches.
    #[cfg(target_arch = "wasm32")]
    return unsafe { v128_store(scalars.cast(), vector) };
}
