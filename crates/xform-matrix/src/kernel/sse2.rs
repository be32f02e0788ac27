#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_load_ps, _mm_loadu_ps, _mm_mul_ps, _mm_shuffle_ps, _mm_store_ps,
};

use xform_core::{Sweep, Trs, lanes::sse2 as lanes};

use super::{Columns, SCALE, TRANSLATION};
use crate::AccumulatedMatrix;

/// Four poses are prepared at a time, one in each lane; then a product takes a column at a time.
pub(super) fn sweep(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { run(sweep) }
}

#[target_feature(enable = "sse2")]
fn run(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    sweep.run::<4, _, _, _>(
        |locals, columns| prepare(locals, columns),
        |world| load(world),
        |parent, columns, _| product(parent, columns),
        |child, world| store(child, world),
        super::copy,
    );
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(world: &AccumulatedMatrix<f32>) -> [__m128; 4] {
    let scalars = std::ptr::from_ref(world).cast::<f32>();
    // SAFETY: four of the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    let column = |i: usize| unsafe { _mm_load_ps(scalars.add(4 * i)) };
    [column(0), column(1), column(2), column(3)]
}

#[inline]
#[target_feature(enable = "sse2")]
fn product(parent: [__m128; 4], columns: &Columns) -> [__m128; 4] {
    let [x, y, z, translation] = parent;
    let mul = |a, b| _mm_mul_ps(a, b);
    let add = |a, b| _mm_add_ps(a, b);
    let turned = |i: usize| {
        // SAFETY: four of the sixteen scalars, which are aligned to 64 bytes.
        let column = unsafe { _mm_load_ps(columns.0.as_ptr().add(4 * i)) };
        [
            mul(x, _mm_shuffle_ps::<0b00_00_00_00>(column, column)),
            mul(y, _mm_shuffle_ps::<0b01_01_01_01>(column, column)),
            mul(z, _mm_shuffle_ps::<0b10_10_10_10>(column, column)),
        ]
    };
    let axis = |i| {
        let [x, y, z] = turned(i);
        add(add(x, y), z)
    };
    let [x, y, z] = turned(3);
    [axis(0), axis(1), axis(2), add(add(add(x, translation), y), z)]
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(child: [__m128; 4], world: &mut AccumulatedMatrix<f32>) {
    // SAFETY: the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    unsafe { put(std::ptr::from_mut(world).cast(), child) };
}

#[inline]
#[target_feature(enable = "sse2")]
fn prepare(locals: [&Trs<f32>; 4], columns: &mut [Columns; 4]) {
    let part = |i: usize, offset: usize| -> __m128 {
        // SAFETY: a `Trs<f32>` is ten scalars, and offsets are 0, 4 and 6.
        unsafe { _mm_loadu_ps(std::ptr::from_ref(locals[i]).cast::<f32>().add(offset)) }
    };
    let [x, y, z, w] = lanes::transposed([part(0, 0), part(1, 0), part(2, 0), part(3, 0)]);
    let before = SCALE - 1; // a vector from the scale on would reach beyond the pose
    let scales = [part(0, before), part(1, before), part(2, before), part(3, before)];
    let [_, sx, sy, sz] = lanes::transposed(scales);

    let columns_of_lanes = lanes::compose([x, y, z, w], [sx, sy, sz]);
    let [xs, ys, zs] = columns_of_lanes.map(|column| lanes::by_pose(column));
    for (i, columns) in columns.iter_mut().enumerate() {
        // SAFETY: sixteen scalars, aligned to 64 bytes.
        unsafe { put(columns.0.as_mut_ptr(), [xs[i], ys[i], zs[i], part(i, TRANSLATION)]) };
    }
}

/// # Safety
///
/// `scalars` leads to sixteen scalars that may be written, and is aligned to a vector.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn put(scalars: *mut f32, columns: [__m128; 4]) {
    for (i, column) in columns.into_iter().enumerate() {
        // SAFETY: within the sixteen scalars that the caller vouches for.
        unsafe { _mm_store_ps(scalars.add(4 * i), column) };
    }
}
