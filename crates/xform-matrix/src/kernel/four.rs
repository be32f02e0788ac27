#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use xform_core::{
    Trs,
    lanes::{
        f32x4::{self, F32x4, add, and, mul, of, or, shuffle, splat, sub},
        four as lanes,
    },
    strategy::Sweep,
};

use super::{Columns, SCALE, Step, TRANSLATION};
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
        [mul(x, all::<0>(column)), mul(y, all::<1>(column)), mul(z, all::<2>(column))]
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

/// Takes a single step. Each scalar comes from the same operations in the same order as in the plain step.
// The compiler's own code for that stores the columns of `R · S` and loads them back before they have left the store
// buffer. A conversion from a node eleven levels below its root took 416 ns by it, and takes 302 by this
// (AMD EPYC, Zen 3).
#[inline]
pub(super) fn concat(Step { parent, local, child }: Step<'_, f32>) {
    let Trs { rotation, translation: t, scale: s } = local;
    let (q, s) = (of(rotation.i, rotation.j, rotation.k, rotation.w), of(s.x, s.y, s.z, 0.0));
    let (one, squares) = (splat(1.0), mul(q, q));
    let halves = add(squares, shuffle::<0b01_00_11_10>(squares, squares)); // xx + zz, yy + ww
    let error = sub(one, all::<0>(add(halves, all::<1>(halves))));
    let twice = |v: F32x4| {
        let doubled = add(v, v);
        add(doubled, mul(doubled, error))
    };
    let next = |v: F32x4| shuffle::<0b11_00_10_01>(v, v); // y z x
    let others = add(
        shuffle::<0b11_00_00_01>(squares, squares), // yy xx xx
        shuffle::<0b11_01_10_10>(squares, squares), // zz zz yy
    );
    let products = mul(q, next(q)); // xy yz zx
    let by_w = mul(all::<3>(q), shuffle::<0b11_01_00_10>(q, q)); // wz wx wy
    // The entries of `R · S` on the diagonal, behind it and before it, column by column.
    let on = mul(sub(one, twice(others)), s); // xx yy zz
    let below = mul(twice(add(products, by_w)), s); // yx zy xz
    let above = mul(twice(sub(products, by_w)), next(s)); // xy yz zx
    let [x, y, z, origin] = load(parent);
    let turned = |a, b, c| add(add(mul(x, a), mul(y, b)), mul(z, c));
    let axes = [
        turned(all::<0>(on), all::<0>(below), all::<2>(above)),
        turned(all::<0>(above), all::<1>(on), all::<1>(below)),
        turned(all::<2>(below), all::<1>(above), all::<2>(on)),
    ];
    let moved = add(turned(splat(t.x), splat(t.y), splat(t.z)), origin);
    // The last row stays 0 0 0 1 even if an entry is not finite.
    let set = f32::from_bits(u32::MAX);
    let rows = of(set, set, set, 0.0);
    let [x, y, z] = axes.map(|axis| and(axis, rows));
    store([x, y, z, or(and(moved, rows), of(0.0, 0.0, 0.0, 1.0))], child);
}

/// Returns one lane in all lanes.
#[inline]
fn all<const LANE: i32>(vector: F32x4) -> F32x4 {
    match LANE {
        0 => shuffle::<0b00_00_00_00>(vector, vector),
        1 => shuffle::<0b01_01_01_01>(vector, vector),
        2 => shuffle::<0b10_10_10_10>(vector, vector),
        _ => shuffle::<0b11_11_11_11>(vector, vector),
    }
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
