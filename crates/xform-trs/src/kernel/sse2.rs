#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_and_ps, _mm_castsi128_ps, _mm_load_ps, _mm_loadu_ps, _mm_mul_ps,
    _mm_or_ps, _mm_set1_ps, _mm_setr_epi32, _mm_setr_ps, _mm_shuffle_ps, _mm_store_ps, _mm_sub_ps,
    _mm_xor_ps,
};

use xform_core::{Sweep, Trs, WorldMatrix, lanes::sse2 as lanes};

use super::{LOCAL_SCALE, LOCAL_TRANSLATION, SCALE, TRANSLATION};
use crate::CombinedTrs;

pub(super) fn sweep(sweep: Sweep<'_, CombinedTrs<f32>>) {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { run(sweep) }
}

#[target_feature(enable = "sse2")]
fn run(sweep: Sweep<'_, CombinedTrs<f32>>) {
    sweep.run::<4, (), _, _>(
        |_, _| (),
        |world| load(world),
        |parent, (), local| step(parent, local),
        |child, world| store(child, world),
        |worlds, matrices| fill(worlds, matrices),
    );
}

/// Rotation, translation and scale; the fourth lane of the last two is 0.
pub(super) type Parts = [__m128; 3];

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn load(world: &CombinedTrs<f32>) -> Parts {
    let scalars = std::ptr::from_ref(world).cast::<f32>();
    // Volatile, or the compiler splits some of these loads in two, or joins two of them into one
    // that has to wait until the two stores which it spans have left the store buffer.
    [0, TRANSLATION, SCALE].map(|offset| {
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { scalars.add(offset).cast::<__m128>().read_volatile() }
    })
}

#[inline]
#[target_feature(enable = "sse2")]
fn step([rotation, translation, scale]: Parts, local: &Trs<f32>) -> Parts {
    let scalars = std::ptr::from_ref(local).cast::<f32>();
    // SAFETY: four of the ten scalars of a `Trs<f32>`, at 0, 4 and 6.
    let part = |offset: usize| unsafe { _mm_loadu_ps(scalars.add(offset)) };
    let local_rotation = part(0);
    let local_translation = part(LOCAL_TRANSLATION);
    let local_scale = part(LOCAL_SCALE - 1); // from the scale on it would reach beyond the pose
    let local_scale = _mm_shuffle_ps::<0b00_11_10_01>(local_scale, local_scale);

    let offset = rotate(rotation, _mm_mul_ps(scale, local_translation));
    [
        hamilton(rotation, local_rotation),
        _mm_add_ps(translation, offset),
        _mm_mul_ps(scale, local_scale),
    ]
}

/// The product of two rotations, normalised to first order.
#[inline]
#[target_feature(enable = "sse2")]
fn hamilton(p: __m128, q: __m128) -> __m128 {
    let mul = |a, b| _mm_mul_ps(a, b);
    let add = |a, b| _mm_add_ps(a, b);
    let flip = |v, signs| _mm_xor_ps(v, signs);
    let q_x = flip(_mm_shuffle_ps::<0b00_01_10_11>(q, q), _mm_setr_ps(0.0, -0.0, 0.0, -0.0));
    let q_y = flip(_mm_shuffle_ps::<0b01_00_11_10>(q, q), _mm_setr_ps(0.0, 0.0, -0.0, -0.0));
    let q_z = flip(_mm_shuffle_ps::<0b10_11_00_01>(q, q), _mm_setr_ps(-0.0, 0.0, 0.0, -0.0));
    let w = mul(_mm_shuffle_ps::<0b11_11_11_11>(p, p), q);
    let x = mul(_mm_shuffle_ps::<0b00_00_00_00>(p, p), q_x);
    let y = mul(_mm_shuffle_ps::<0b01_01_01_01>(p, p), q_y);
    let z = mul(_mm_shuffle_ps::<0b10_10_10_10>(p, p), q_z);
    let product = add(add(w, x), add(y, z));

    let squares = add(mul(p, p), mul(q, q));
    let pairs = add(squares, _mm_shuffle_ps::<0b10_11_00_01>(squares, squares));
    let norms_squared = add(pairs, _mm_shuffle_ps::<0b01_00_11_10>(pairs, pairs));
    let factor = _mm_sub_ps(_mm_set1_ps(2.0), mul(norms_squared, _mm_set1_ps(0.5)));
    mul(product, factor)
}

/// `v + 2 (w u × v + u × (u × v))` for the rotation (u, w). The fourth lane keeps that of `v`.
#[inline]
#[target_feature(enable = "sse2")]
fn rotate(rotation: __m128, v: __m128) -> __m128 {
    let next = |v| _mm_shuffle_ps::<0b11_00_10_01>(v, v);
    let u_next = next(rotation);
    // The cross product, its components one place on.
    let cross = |v| next(_mm_sub_ps(_mm_mul_ps(rotation, next(v)), _mm_mul_ps(u_next, v)));
    let across = cross(v);
    let w = _mm_shuffle_ps::<0b11_11_11_11>(rotation, rotation);
    let moved = _mm_add_ps(_mm_mul_ps(w, across), cross(across));
    _mm_add_ps(v, _mm_add_ps(moved, moved))
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn store(child: Parts, world: &mut CombinedTrs<f32>) {
    let scalars = std::ptr::from_mut(world).cast::<f32>();
    for (offset, part) in [0, TRANSLATION, SCALE].into_iter().zip(child) {
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { _mm_store_ps(scalars.add(offset), part) };
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn fill(worlds: [&CombinedTrs<f32>; 4], matrices: &mut [WorldMatrix<f32>; 4]) {
    let part = |i: usize, offset: usize| -> __m128 {
        let scalars = std::ptr::from_ref(worlds[i]).cast::<f32>();
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { _mm_load_ps(scalars.add(offset)) }
    };
    let rotations = lanes::transposed([0, 1, 2, 3].map(|i| part(i, 0)));
    let [sx, sy, sz, _] = lanes::transposed([0, 1, 2, 3].map(|i| part(i, SCALE)));
    let columns = lanes::compose(rotations, [sx, sy, sz]);
    let axes = _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0));
    let [xs, ys, zs] = columns.map(|column| lanes::by_pose(column).map(|v| _mm_and_ps(v, axes)));
    for (i, matrix) in matrices.iter_mut().enumerate() {
        let translation = _mm_and_ps(part(i, TRANSLATION), axes);
        let origin = _mm_or_ps(translation, _mm_setr_ps(0.0, 0.0, 0.0, 1.0));
        put(matrix, [xs[i], ys[i], zs[i], origin]);
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn put(matrix: &mut WorldMatrix<f32>, columns: [__m128; 4]) {
    let scalars = std::ptr::from_mut(matrix).cast::<f32>();
    for (i, column) in columns.into_iter().enumerate() {
        // SAFETY: four of the sixteen scalars of a `WorldMatrix`, which is aligned to 64 bytes.
        unsafe { _mm_store_ps(scalars.add(4 * i), column) };
    }
}
