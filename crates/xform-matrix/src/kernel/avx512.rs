#![expect(unsafe_code, reason = "instructions that not every processor has, and vector loads")]

use std::arch::x86_64::{
    __m128, __m512, __m512i, _mm512_add_ps, _mm512_broadcast_f32x4, _mm512_broadcastss_ps,
    _mm512_castps512_ps128, _mm512_fmadd_ps, _mm512_fnmadd_ps, _mm512_load_ps,
    _mm512_mask_permutexvar_ps, _mm512_maskz_broadcast_f32x4, _mm512_maskz_loadu_ps, _mm512_mul_ps,
    _mm512_permute_ps, _mm512_permutexvar_ps, _mm512_set1_ps, _mm512_setr_epi32, _mm512_setr_ps,
    _mm512_store_ps, _mm512_xor_ps,
};

use xform_core::{InstructionSet, Sweep, Trs};

use super::Columns;
use crate::AccumulatedMatrix;

/// Takes one pose at a time, its whole matrix in one vector.
pub(super) fn sweep(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    assert!(InstructionSet::Avx512.is_available(), "AVX-512 F, VL and DQ");
    // SAFETY: the processor has what `run` is compiled for, as just checked.
    unsafe { run(sweep) }
}

#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn run(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    sweep.run::<1, _, _, _>(
        |[local], [columns]| prepare(local, columns),
        |world| load(world),
        |parent, columns, _| product(parent, columns),
        |child, world| store(child, world),
        super::copy,
    );
}

/// The parent's columns: each axis in all four quarters, then its translation in the last one and zeros
/// before it.
#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn load(world: &AccumulatedMatrix<f32>) -> [__m512; 4] {
    let column = |i: usize| -> __m128 {
        // SAFETY: four of the sixteen scalars of an `AccumulatedMatrix`, which is aligned to more
        // than a vector of them; any bits are valid in each type.
        unsafe { *std::ptr::from_ref(world).cast::<__m128>().add(i) }
    };
    let each = |i| _mm512_broadcast_f32x4(column(i));
    [each(0), each(1), each(2), _mm512_maskz_broadcast_f32x4(0xF000, column(3))]
}

#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn product([x, y, z, translation]: [__m512; 4], columns: &Columns) -> __m512 {
    // SAFETY: sixteen scalars, aligned to 64 bytes.
    let columns = unsafe { _mm512_load_ps(columns.0.as_ptr()) };
    let x = _mm512_fmadd_ps(x, _mm512_permute_ps::<0b00_00_00_00>(columns), translation);
    let y = _mm512_fmadd_ps(y, _mm512_permute_ps::<0b01_01_01_01>(columns), x);
    _mm512_fmadd_ps(z, _mm512_permute_ps::<0b10_10_10_10>(columns), y)
}

#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn store(child: __m512, world: &mut AccumulatedMatrix<f32>) {
    // SAFETY: the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    unsafe { _mm512_store_ps(std::ptr::from_mut(world).cast(), child) };
}

/// Composes a local pose into a matrix.
///
/// Each entry of `R` is 0 or 1 plus twice the sum of two products of components of the quaternion. `first` and `second` say
/// which, lane by lane, for
///
/// ```text
/// x: 1 − 2 (y·y + z·z)   2 (x·y + z·w)       2 (x·z − y·w)
/// y: 2 (x·y − z·w)       1 − 2 (x·x + z·z)   2 (y·z + x·w)
/// z: 2 (x·z + y·w)       2 (y·z − x·w)       1 − 2 (x·x + y·y)
/// ```
#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn prepare(local: &Trs<f32>, columns: &mut Columns) {
    const X: i32 = 0;
    const Y: i32 = 1;
    const Z: i32 = 2;
    const W: i32 = 3;
    const N: f32 = -0.0; // flips the sign
    // SAFETY: the mask lets through the ten scalars that a `Trs<f32>` is, and no more.
    let pose = unsafe { _mm512_maskz_loadu_ps(0x03FF, std::ptr::from_ref(local).cast()) };
    let at = |lanes: __m512i, of: __m512| _mm512_permutexvar_ps(lanes, of);

    let squares = _mm512_mul_ps(pose, pose);
    let pairs = _mm512_add_ps(squares, _mm512_permute_ps::<0b10_11_00_01>(squares));
    let norm_squared = _mm512_add_ps(pairs, _mm512_permute_ps::<0b01_00_11_10>(pairs));
    // 2/|q|² to first order: 2 · (1 + (1 − |q|²)), in all lanes; it arrives after the products that it multiplies
    let twice = _mm512_fnmadd_ps(norm_squared, _mm512_set1_ps(2.0), _mm512_set1_ps(4.0));
    let twice = _mm512_broadcastss_ps(_mm512_castps512_ps128(twice));

    let first_one = at(_mm512_setr_epi32(Y, X, X, W, X, X, Y, W, X, Y, X, W, W, W, W, W), pose);
    let first_other = at(_mm512_setr_epi32(Y, Y, Z, W, Y, X, Z, W, Z, Z, X, W, W, W, W, W), pose);
    let first_sign = _mm512_setr_ps(N, 0., 0., 0., 0., N, 0., 0., 0., 0., N, 0., 0., 0., 0., 0.);
    let second_one = at(_mm512_setr_epi32(Z, Z, Y, W, Z, Z, X, W, Y, X, Y, W, W, W, W, W), pose);
    let second_other = at(_mm512_setr_epi32(Z, W, W, W, W, Z, W, W, W, W, Y, W, W, W, W, W), pose);
    let second_sign = _mm512_setr_ps(N, 0., N, 0., N, N, 0., 0., 0., N, N, 0., 0., 0., 0., 0.);
    let identity = _mm512_setr_ps(1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0.);

    let first = _mm512_mul_ps(_mm512_xor_ps(first_one, first_sign), first_other);
    let both = _mm512_fmadd_ps(_mm512_xor_ps(second_one, second_sign), second_other, first);
    let rotation = _mm512_fmadd_ps(both, twice, identity);
    let scales = at(_mm512_setr_epi32(7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9), pose);
    let scaled = _mm512_mul_ps(rotation, scales);
    let translation_lanes = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 6);
    let all = _mm512_mask_permutexvar_ps(scaled, 0xF000, translation_lanes, pose);
    // SAFETY: sixteen scalars, aligned to 64 bytes.
    unsafe { _mm512_store_ps(columns.0.as_mut_ptr(), all) };
}
