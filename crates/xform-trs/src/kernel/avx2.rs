#![expect(unsafe_code, reason = "instructions that not every processor has, and vector loads")]

use std::arch::x86_64::{
    __m128, __m256, _mm_add_ps, _mm_blend_ps, _mm_fmadd_ps, _mm_fmsub_ps, _mm_fnmadd_ps,
    _mm_load_ps, _mm_loadu_ps, _mm_mul_ps, _mm_permute_ps, _mm_set1_ps, _mm_setr_ps, _mm256_and_ps,
    _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_fmaddsub_ps, _mm256_fmsubadd_ps, _mm256_insertf128_ps, _mm256_mul_ps,
    _mm256_permute_ps, _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setr_ps,
    _mm256_store_ps,
};

use xform_core::{
    InstructionSet, Trs, lanes::avx2 as lanes, strategy::Sweep, world_matrix::WorldMatrix,
};

use super::{
    LOCAL_SCALE, LOCAL_TRANSLATION, SCALE, TRANSLATION,
    four::{self, Parts},
};
use crate::CombinedTrs;

pub(super) fn sweep(sweep: Sweep<'_, CombinedTrs<f32>>) {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run` is compiled for, as just checked.
    unsafe { run(sweep) }
}

#[target_feature(enable = "avx2,fma")]
// The closures are inlined into this function, so they are compiled with its target features.
fn run(sweep: Sweep<'_, CombinedTrs<f32>>) {
    sweep.run::<8, (), _, _>(
        |_, _| (),
        |world| load(world),
        |parent, (), local| step(parent, local),
        four::store,
        |worlds, matrices| fill(worlds, matrices),
    );
}

/// A parent's parts, and each component of its rotation repeated in all lanes.
#[derive(Clone, Copy)]
struct Parent {
    parts: Parts,
    rotation: [__m256; 4],
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(world: &CombinedTrs<f32>) -> Parent {
    let all = |i: usize| _mm256_set1_ps(world.rotation.coords[i]);
    Parent { parts: four::load(world), rotation: [all(0), all(1), all(2), all(3)] }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn step(parent: Parent, local: &Trs<f32>) -> Parts {
    let scalars = std::ptr::from_ref(local).cast::<f32>();
    // SAFETY: four of the ten scalars of a `Trs<f32>`, at 0, 4 and 6.
    let part = |offset: usize| unsafe { _mm_loadu_ps(scalars.add(offset)) };
    let local_rotation = part(0);
    let local_translation = part(LOCAL_TRANSLATION);
    let local_scale = part(LOCAL_SCALE - 1); // a vector that begins at the scale would reach beyond the pose
    let local_scale = _mm_permute_ps::<0b00_11_10_01>(local_scale);
    let [rotation, translation, scale] = parent.parts;

    // One instruction sequence computes two products: of the two rotations (halved), and of the parent's (u, w) with
    // the scaled translation v. The vector part of the second is w v + u × v, and v rotated is v + 2 u × (w v + u ×
    // v).
    let v = _mm_mul_ps(scale, local_translation);
    let half_rotation = _mm_mul_ps(local_rotation, _mm_set1_ps(0.5));
    let both = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(half_rotation), v);
    let products = hamilton(parent.rotation, both);
    let across = cross(rotation, _mm256_extractf128_ps::<1>(products));
    let unturned = _mm_add_ps(translation, v);
    [
        _mm_mul_ps(_mm256_castps256_ps128(products), normalizing(rotation, local_rotation)),
        _mm_fmadd_ps(across, _mm_setr_ps(2.0, 2.0, 2.0, 0.0), unturned),
        _mm_mul_ps(scale, local_scale),
    ]
}

/// Returns the products of one quaternion, whose components are each repeated in all lanes, with the two in `q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn hamilton([px, py, pz, pw]: [__m256; 4], q: __m256) -> __m256 {
    let q_x = _mm256_permute_ps::<0b00_01_10_11>(q);
    let q_y = _mm256_permute_ps::<0b01_00_11_10>(q);
    let q_z = _mm256_permute_ps::<0b10_11_00_01>(q);
    // The signs are + - + -, + + - - and - + + -. The third pattern is the second times - + - +.
    let w_x = _mm256_fmsubadd_ps(pw, q, _mm256_mul_ps(px, q_x));
    let y_z = _mm256_fmaddsub_ps(py, q_y, _mm256_mul_ps(pz, q_z));
    let signs = _mm256_setr_ps(1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0);
    _mm256_fmadd_ps(y_z, signs, w_x)
}

/// Returns the factor that normalises half the product of two rotations, to first order: 4 − |p|² − |q|².
#[inline]
#[target_feature(enable = "avx2,fma")]
fn normalizing(p: __m128, q: __m128) -> __m128 {
    let lanes = _mm_fnmadd_ps(p, p, _mm_fnmadd_ps(q, q, _mm_set1_ps(1.0)));
    let pairs = _mm_add_ps(lanes, _mm_permute_ps::<0b10_11_00_01>(lanes));
    _mm_add_ps(pairs, _mm_permute_ps::<0b01_00_11_10>(pairs))
}

/// Returns the cross product of the first three lanes. The fourth lane may hold any finite value.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn cross(u: __m128, v: __m128) -> __m128 {
    let next = |v| _mm_permute_ps::<0b11_00_10_01>(v);
    // The components before `next` are rotated by one place.
    next(_mm_fmsub_ps(u, next(v), _mm_mul_ps(next(u), v)))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn fill(worlds: [&CombinedTrs<f32>; 8], matrices: &mut [WorldMatrix<f32>; 8]) {
    let part = |i: usize, offset: usize| -> __m128 {
        let scalars = std::ptr::from_ref(worlds[i]).cast::<f32>();
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { _mm_load_ps(scalars.add(offset)) }
    };
    // Nodes 0 to 3 in the lower half of each vector, nodes 4 to 7 in the upper half.
    let pair = |i, offset| {
        let lower = _mm256_castps128_ps256(part(i, offset));
        _mm256_insertf128_ps::<1>(lower, part(i + 4, offset))
    };
    // One by one here and below: `map` of an array stays a call that knows nothing of AVX2, and vectors go through
    // memory. It made a full update with matrices take three times as long.
    let all = |offset| {
        lanes::transposed([pair(0, offset), pair(1, offset), pair(2, offset), pair(3, offset)])
    };
    let [sx, sy, sz, _] = all(SCALE);
    let columns = lanes::compose(all(0), [sx, sy, sz]);
    let axes = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, 0, -1, -1, -1, 0));
    let masked = |column| {
        let [a, b, c, d] = lanes::by_pose(column);
        let axis = |v| _mm256_and_ps(v, axes);
        [axis(a), axis(b), axis(c), axis(d)]
    };
    let (xs, ys, zs) = (masked(columns[0]), masked(columns[1]), masked(columns[2]));
    let one = _mm_setr_ps(0.0, 0.0, 0.0, 1.0);
    for i in 0..4 {
        let origin = |i| _mm_blend_ps::<0b1000>(part(i, TRANSLATION), one);
        put(
            &mut matrices[i],
            _mm256_permute2f128_ps::<0x20>(xs[i], ys[i]),
            _mm256_insertf128_ps::<1>(zs[i], origin(i)),
        );
        put(
            &mut matrices[i + 4],
            _mm256_permute2f128_ps::<0x31>(xs[i], ys[i]),
            _mm256_permute2f128_ps::<0x21>(zs[i], _mm256_castps128_ps256(origin(i + 4))),
        );
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn put(matrix: &mut WorldMatrix<f32>, columns01: __m256, columns23: __m256) {
    let scalars = std::ptr::from_mut(matrix).cast::<f32>();
    // SAFETY: the sixteen scalars of a `WorldMatrix`, which is aligned to 64 bytes.
    unsafe {
        _mm256_store_ps(scalars, columns01);
        _mm256_store_ps(scalars.add(8), columns23);
    }
}
