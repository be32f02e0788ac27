#![expect(unsafe_code, reason = "instructions that not every processor has, and vector loads")]

use std::arch::x86_64::{
    __m128, __m512, _mm512_broadcast_f32x4, _mm512_fmadd_ps, _mm512_load_ps,
    _mm512_maskz_broadcast_f32x4, _mm512_permute_ps, _mm512_store_ps,
};

use xform_core::{InstructionSet, strategy::Sweep};

use super::{Columns, avx2};
use crate::AccumulatedMatrix;

/// Prepares as the kernel for AVX2 does; then a product takes a whole matrix at once.
pub(super) fn sweep(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    assert!(InstructionSet::Avx512.is_available(), "AVX-512 F, VL and DQ");
    // SAFETY: the processor has what `run` is compiled for, as just checked.
    unsafe { run(sweep) }
}

#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn run(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    sweep.run::<8, _, _, _>(
        |locals, columns| avx2::prepare(locals, columns),
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
