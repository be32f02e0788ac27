#![expect(unsafe_code, reason = "instructions that not every processor has, and vector loads")]

use std::arch::x86_64::{
    __m128, __m512, _mm_load_ps, _mm512_castps128_ps512, _mm512_insertf32x4, _mm512_mask_blend_ps,
    _mm512_set1_ps, _mm512_shuffle_f32x4, _mm512_store_ps,
};

use xform_core::{
    InstructionSet, lanes::avx512 as lanes, strategy::Sweep, world_matrix::WorldMatrix,
};

use super::{SCALE, TRANSLATION, avx2, four};
use crate::CombinedTrs;

/// Takes the step for AVX2, whose vectors hold all that one step multiplies. Fills matrices sixteen at a
/// time.
pub(super) fn sweep(sweep: Sweep<'_, CombinedTrs<f32>>) {
    assert!(InstructionSet::Avx512.is_available(), "AVX-512 F, VL and DQ");
    // SAFETY: the processor has what `run` is compiled for, as just checked.
    unsafe { run(sweep) }
}

#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn run(sweep: Sweep<'_, CombinedTrs<f32>>) {
    sweep.run::<16, (), _, _>(
        |_, _| (),
        |world| avx2::load(world),
        |parent, (), local| avx2::step(parent, local),
        four::store,
        |worlds, matrices| fill(worlds, matrices),
    );
}

#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn fill(worlds: [&CombinedTrs<f32>; 16], matrices: &mut [WorldMatrix<f32>; 16]) {
    const W: u16 = 0x8888;
    let part = |i: usize, offset: usize| -> __m128 {
        let scalars = std::ptr::from_ref(worlds[i]).cast::<f32>();
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { _mm_load_ps(scalars.add(offset)) }
    };
    // Node i in the first quarter of each vector, then i + 4, i + 8 and i + 12.
    let four = |i, offset| -> __m512 {
        let four = _mm512_castps128_ps512(part(i, offset));
        let four = _mm512_insertf32x4::<1>(four, part(i + 4, offset));
        let four = _mm512_insertf32x4::<2>(four, part(i + 8, offset));
        _mm512_insertf32x4::<3>(four, part(i + 12, offset))
    };
    let rotations = lanes::transposed([0, 1, 2, 3].map(|i| four(i, 0)));
    let [sx, sy, sz, _] = lanes::transposed([0, 1, 2, 3].map(|i| four(i, SCALE)));
    let columns = lanes::compose(rotations, [sx, sy, sz]);
    let [xs, ys, zs] = columns.map(|column| lanes::by_pose(column));
    for i in 0..4 {
        let origins = _mm512_mask_blend_ps(W, four(i, TRANSLATION), _mm512_set1_ps(1.0));
        let [a, b, c, d] = by_matrix([xs[i], ys[i], zs[i], origins]);
        put(&mut matrices[i], a);
        put(&mut matrices[i + 4], b);
        put(&mut matrices[i + 8], c);
        put(&mut matrices[i + 12], d);
    }
}

/// Transposes four vectors, each with one column of four matrices, to one matrix in each vector.
#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn by_matrix([x, y, z, origin]: [__m512; 4]) -> [__m512; 4] {
    let xy_low = _mm512_shuffle_f32x4::<0b01_00_01_00>(x, y);
    let xy_high = _mm512_shuffle_f32x4::<0b11_10_11_10>(x, y);
    let zo_low = _mm512_shuffle_f32x4::<0b01_00_01_00>(z, origin);
    let zo_high = _mm512_shuffle_f32x4::<0b11_10_11_10>(z, origin);
    [
        _mm512_shuffle_f32x4::<0b10_00_10_00>(xy_low, zo_low),
        _mm512_shuffle_f32x4::<0b11_01_11_01>(xy_low, zo_low),
        _mm512_shuffle_f32x4::<0b10_00_10_00>(xy_high, zo_high),
        _mm512_shuffle_f32x4::<0b11_01_11_01>(xy_high, zo_high),
    ]
}

#[inline]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn put(matrix: &mut WorldMatrix<f32>, columns: __m512) {
    // SAFETY: the sixteen scalars of a `WorldMatrix`, which is aligned to 64 bytes.
    unsafe { _mm512_store_ps(std::ptr::from_mut(matrix).cast(), columns) };
}
