#![expect(unsafe_code, reason = "instructions that not every processor has, and vector loads")]

use std::arch::x86_64::{
    __m128, __m256, _mm_loadu_ps, _mm256_add_ps, _mm256_broadcast_ps, _mm256_castps128_ps256,
    _mm256_fmadd_ps, _mm256_insertf128_ps, _mm256_load_ps, _mm256_mul_ps, _mm256_permute_ps,
    _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_store_ps,
};

use xform_core::{InstructionSet, Trs, lanes::avx2 as lanes, strategy::Sweep};

use super::{Columns, SCALE, TRANSLATION};
use crate::AccumulatedMatrix;

/// Prepares eight poses at a time, one in each lane. A product then computes two columns at once.
// `Sweep::run` prepares all poses of a batch of 64 slots before it takes the first step. On a tree this takes 4.7 ns a
// node. It took 8.0 with poses prepared one by one and 5.2 with eight poses prepared right before their steps: work
// that waits for a parent and work that does not compete for the processor's out-of-order window.
pub(super) fn sweep(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run` is compiled for, as just checked.
    unsafe { run(sweep) }
}

#[target_feature(enable = "avx2,fma")]
// The closures are inlined into this function, so they are compiled with its target features.
fn run(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    sweep.run::<8, _, _, _>(
        |locals, columns| prepare(locals, columns),
        |world| load(world),
        |parent, columns, _| product(parent, columns),
        |child, world| store(child, world),
        super::copy,
    );
}

/// The parent's columns: each of the three axes in both halves; then zeros and the translation.
type ParentColumns = [__m256; 4];

/// The child's columns: 0 and 1; then 2 and 3.
type ChildColumns = [__m256; 2];

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(world: &AccumulatedMatrix<f32>) -> ParentColumns {
    let column = |i: usize| -> &__m128 {
        // SAFETY: four of the sixteen scalars of an `AccumulatedMatrix`, whose alignment exceeds that of the vector.
        // Any bits are valid in each type.
        unsafe { &*std::ptr::from_ref(world).cast::<__m128>().add(i) }
    };
    let twice = |i| _mm256_broadcast_ps(column(i));
    [twice(0), twice(1), twice(2), _mm256_insertf128_ps::<1>(_mm256_setzero_ps(), *column(3))]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn product(parent: ParentColumns, columns: &Columns) -> ChildColumns {
    let [x, y, z, translation] = parent;
    // SAFETY: eight of the sixteen scalars, which are aligned to 64 bytes.
    let pair = |i: usize| unsafe { _mm256_load_ps(columns.0.as_ptr().add(8 * i)) };
    let (columns01, columns23) = (pair(0), pair(1));
    let x01 = _mm256_mul_ps(x, _mm256_permute_ps::<0b00_00_00_00>(columns01));
    let x23 = _mm256_mul_ps(x, _mm256_permute_ps::<0b00_00_00_00>(columns23));
    let y01 = _mm256_fmadd_ps(y, _mm256_permute_ps::<0b01_01_01_01>(columns01), x01);
    let y23 = _mm256_fmadd_ps(y, _mm256_permute_ps::<0b01_01_01_01>(columns23), x23);
    let z01 = _mm256_fmadd_ps(z, _mm256_permute_ps::<0b10_10_10_10>(columns01), y01);
    // The translation is added late: it is the last to arrive in a register, so the chain must not begin with it.
    let z23 = _mm256_fmadd_ps(z, _mm256_permute_ps::<0b10_10_10_10>(columns23), translation);
    [z01, _mm256_add_ps(y23, z23)]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(child: ChildColumns, world: &mut AccumulatedMatrix<f32>) {
    let scalars = std::ptr::from_mut(world).cast::<f32>();
    // SAFETY: the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    unsafe {
        _mm256_store_ps(scalars, child[0]);
        _mm256_store_ps(scalars.add(8), child[1]);
    }
}

// Poses are structs of 40 bytes, transposed here. Storing them in blocks of eight lanes would save the transposition,
// but gained nothing measurable: two kernels that differ only in this took 7.1–9.5 and 7.5–8.4 ns a node in one noisy
// run of 10 000 and 100 000 nodes. Structs are written and updated one by one.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn prepare(locals: [&Trs<f32>; 8], columns: &mut [Columns; 8]) {
    let part = |i: usize, offset: usize| -> __m128 {
        // SAFETY: a `Trs<f32>` is ten scalars, and offsets are 0, 4 and 6.
        unsafe { _mm_loadu_ps(std::ptr::from_ref(locals[i]).cast::<f32>().add(offset)) }
    };
    // Poses 0 to 3 in the lower half of each vector, poses 4 to 7 in the upper half.
    let pair = |i, offset| {
        let lower = _mm256_castps128_ps256(part(i, offset));
        _mm256_insertf128_ps::<1>(lower, part(i + 4, offset))
    };
    let [x, y, z, w] = lanes::transposed([pair(0, 0), pair(1, 0), pair(2, 0), pair(3, 0)]);
    let before = SCALE - 1; // a vector that begins at the scale would reach beyond the pose
    let scales = [pair(0, before), pair(1, before), pair(2, before), pair(3, before)];
    let [_, sx, sy, sz] = lanes::transposed(scales);

    let [xs, ys, zs] = lanes::compose([x, y, z, w], [sx, sy, sz]);
    let (xs, ys, zs) = (lanes::by_pose(xs), lanes::by_pose(ys), lanes::by_pose(zs));
    for i in 0..4 {
        let (lower, upper) = (part(i, TRANSLATION), part(i + 4, TRANSLATION));
        let upper = _mm256_castps128_ps256(upper);
        put(
            &mut columns[i],
            _mm256_permute2f128_ps::<0x20>(xs[i], ys[i]),
            _mm256_insertf128_ps::<1>(zs[i], lower),
        );
        put(
            &mut columns[i + 4],
            _mm256_permute2f128_ps::<0x31>(xs[i], ys[i]),
            _mm256_permute2f128_ps::<0x21>(zs[i], upper),
        );
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn put(columns: &mut Columns, columns01: __m256, columns23: __m256) {
    let scalars = columns.0.as_mut_ptr();
    // SAFETY: sixteen scalars, aligned to 64 bytes.
    unsafe {
        _mm256_store_ps(scalars, columns01);
        _mm256_store_ps(scalars.add(8), columns23);
    }
}
