#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use xform_core::{
    Trs,
    lanes::{
        f32x4::{self, F32x4, add, mul, shuffle},
        four as lanes,
    },
    strategy::Sweep,
};

use super::{Columns, SCALE, TRANSLATION};
use crate::AccumulatedMatrix;

/// Prepares four poses at a time, one in each lane. A product then computes one column at a time.
// Written with `add`, `mul`, `shuffle` and so on, each of which is one instruction of SSE2 or of WebAssembly's SIMD128.
// One file serves both, and no function needs a target feature. WebAssembly has no run-time detection: the kernel is
// used if the program is compiled for SIMD128.
pub(super) fn sweep(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    sweep.run::<4, _, _, _>(
        prepare,
        load,
        |parent, columns, _| product(parent, columns),
        store,
        super::copy,
    );
}

#[inline]
fn load(world: &AccumulatedMatrix<f32>) -> [F32x4; 4] {
    let scalars = std::ptr::from_ref(world).cast::<f32>();
    // SAFETY: four of the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    let column = |i: usize| unsafe { f32x4::load(scalars.add(4 * i)) };
    [column(0), column(1), column(2), column(3)]
}

#[inline]
fn product(parent: [F32x4; 4], columns: &Columns) -> [F32x4; 4] {
    let [x, y, z, translation] = parent;
    let turned = |i: usize| {
        // SAFETY: four of the sixteen scalars, which are aligned to 64 bytes.
        let column = unsafe { f32x4::load(columns.0.as_ptr().add(4 * i)) };
        [
            mul(x, shuffle::<0b00_00_00_00>(column, column)),
            mul(y, shuffle::<0b01_01_01_01>(column, column)),
            mul(z, shuffle::<0b10_10_10_10>(column, column)),
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
fn store(child: [F32x4; 4], world: &mut AccumulatedMatrix<f32>) {
    // SAFETY: the sixteen scalars of an `AccumulatedMatrix`, which is aligned to 64 bytes.
    unsafe { put(std::ptr::from_mut(world).cast(), child) };
}

#[inline]
fn prepare(locals: [&Trs<f32>; 4], columns: &mut [Columns; 4]) {
    let part = |i: usize, offset: usize| -> F32x4 {
        // SAFETY: a `Trs<f32>` is ten scalars, and offsets are 0, 4 and 6.
        unsafe { f32x4::load_unaligned(std::ptr::from_ref(locals[i]).cast::<f32>().add(offset)) }
    };
    let [x, y, z, w] = lanes::transposed([part(0, 0), part(1, 0), part(2, 0), part(3, 0)]);
    let before = SCALE - 1; // a vector that begins at the scale would reach beyond the pose
    let scales = [part(0, before), part(1, before), part(2, before), part(3, before)];
    let [_, sx, sy, sz] = lanes::transposed(scales);

    let columns_of_lanes = lanes::compose([x, y, z, w], [sx, sy, sz]);
    let [xs, ys, zs] = columns_of_lanes.map(lanes::by_pose);
    for (i, columns) in columns.iter_mut().enumerate() {
        // SAFETY: sixteen scalars, aligned to 64 bytes.
        unsafe { put(columns.0.as_mut_ptr(), [xs[i], ys[i], zs[i], part(i, TRANSLATION)]) };
    }
}

/// # Safety
///
/// `scalars` must point to sixteen writable scalars and be aligned to a vector.
#[inline]
unsafe fn put(scalars: *mut f32, columns: [F32x4; 4]) {
    for (i, column) in columns.into_iter().enumerate() {
        // SAFETY: within the sixteen scalars that the caller guarantees.
        unsafe { f32x4::store(scalars.add(4 * i), column) };
    }
}
