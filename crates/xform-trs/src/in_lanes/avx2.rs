#![expect(unsafe_code, reason = "instructions that not every processor has")]

use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps, _mm256_mul_ps,
    _mm256_set1_ps,
};

use xform_core::{
    InstructionSet,
    crowd::{CrowdError, GroupSweep, Skinning, avx2::TrsPair},
    lanes::avx2::norm_squared,
};

use crate::CombinedTrs;

pub(super) fn sweep(sweep: GroupSweep<'_, CombinedTrs<f32>>) -> Result<(), CrowdError> {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run_sweep` is compiled for, as just checked.
    unsafe { run_sweep(sweep) }
}

pub(super) fn skin(skinning: Skinning<'_, CombinedTrs<f32>>) {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run_skin` is compiled for, as just checked.
    unsafe { run_skin(skinning) }
}

#[target_feature(enable = "avx2,fma")]
// The closures are inlined into this function, so they are compiled with its target features.
fn run_sweep(sweep: GroupSweep<'_, CombinedTrs<f32>>) -> Result<(), CrowdError> {
    sweep.run_avx2(
        |worlds| TrsPair::load(worlds),
        |parent, local| concat(parent, local),
        |child, worlds| child.store(worlds),
    )
}

#[target_feature(enable = "avx2,fma")]
fn run_skin(skinning: Skinning<'_, CombinedTrs<f32>>) {
    skinning.run_avx2(|worlds| TrsPair::load(worlds).matrices());
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn concat(parent: TrsPair, local: TrsPair) -> TrsPair {
    let scaled = |[x, y, z]: [__m256; 3]| {
        let by = |i: usize, v| _mm256_mul_ps(parent.scale[i], v);
        [by(0, x), by(1, y), by(2, z)]
    };
    let offset = rotate(parent.rotation, scaled(local.translation));
    let moved = |i: usize| _mm256_add_ps(parent.translation[i], offset[i]);
    TrsPair {
        rotation: normalized_product(parent.rotation, local.rotation),
        translation: [moved(0), moved(1), moved(2)],
        scale: scaled(local.scale),
    }
}

/// Returns the product of two rotations of nearly unit length, normalised to first order.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn normalized_product([px, py, pz, pw]: [__m256; 4], [qx, qy, qz, qw]: [__m256; 4]) -> [__m256; 4] {
    let (mul, add, sub) = (
        |a, b| _mm256_mul_ps(a, b),
        |a, b, c| _mm256_fmadd_ps(a, b, c),
        |a, b, c| _mm256_fnmadd_ps(a, b, c),
    );
    let [x, y, z, w] = [
        sub(pz, qy, add(py, qz, add(px, qw, mul(pw, qx)))),
        add(pz, qx, add(py, qw, sub(px, qz, mul(pw, qy)))),
        add(pz, qw, sub(py, qx, add(px, qy, mul(pw, qz)))),
        sub(pz, qz, sub(py, qy, sub(px, qx, mul(pw, qw)))),
    ];
    let half = _mm256_set1_ps(0.5);
    let factor = _mm256_fnmadd_ps(half, norm_squared([x, y, z, w]), _mm256_set1_ps(1.5));
    [mul(x, factor), mul(y, factor), mul(z, factor), mul(w, factor)]
}

/// Returns `v + 2 u × (w v + u × v)` for the rotation (u, w).
#[inline]
#[target_feature(enable = "avx2,fma")]
fn rotate([x, y, z, w]: [__m256; 4], [vx, vy, vz]: [__m256; 3]) -> [__m256; 3] {
    let cross = |[a, b, c]: [__m256; 3]| {
        [
            _mm256_fmsub_ps(y, c, _mm256_mul_ps(z, b)),
            _mm256_fmsub_ps(z, a, _mm256_mul_ps(x, c)),
            _mm256_fmsub_ps(x, b, _mm256_mul_ps(y, a)),
        ]
    };
    let [cx, cy, cz] = cross([vx, vy, vz]);
    let [mx, my, mz] =
        cross([_mm256_fmadd_ps(w, vx, cx), _mm256_fmadd_ps(w, vy, cy), _mm256_fmadd_ps(w, vz, cz)]);
    let two = _mm256_set1_ps(2.0);
    [_mm256_fmadd_ps(two, mx, vx), _mm256_fmadd_ps(two, my, vy), _mm256_fmadd_ps(two, mz, vz)]
}
