#![expect(unsafe_code, reason = "instructions that not every processor has")]

use std::arch::x86_64::{__m256, _mm256_add_ps, _mm256_fmadd_ps, _mm256_mul_ps};

use xform_core::{
    InstructionSet,
    crowd::{
        CrowdError, GroupSweep, Skinning,
        avx2::{MatrixPair, TrsPair},
    },
};

use crate::AccumulatedMatrix;

pub(super) fn sweep(sweep: GroupSweep<'_, AccumulatedMatrix<f32>>) -> Result<(), CrowdError> {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run_sweep` is compiled for, as just checked.
    unsafe { run_sweep(sweep) }
}

pub(super) fn skin(skinning: Skinning<'_, AccumulatedMatrix<f32>>) {
    assert!(InstructionSet::Avx2.is_available(), "AVX2 and FMA");
    // SAFETY: the processor has what `run_skin` is compiled for, as just checked.
    unsafe { run_skin(skinning) }
}

#[target_feature(enable = "avx2,fma")]
// The closures are inlined into this function, so they are compiled with its target features.
fn run_sweep(sweep: GroupSweep<'_, AccumulatedMatrix<f32>>) -> Result<(), CrowdError> {
    sweep.run_avx2(
        |worlds| MatrixPair::load(worlds),
        |parent, local| concat(parent, local),
        |child, worlds| child.store(worlds),
    )
}

#[target_feature(enable = "avx2,fma")]
fn run_skin(skinning: Skinning<'_, AccumulatedMatrix<f32>>) {
    skinning.run_avx2(|worlds| MatrixPair::load(worlds));
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn concat(MatrixPair([x, y, z, origin]): MatrixPair, local: TrsPair) -> MatrixPair {
    let axes = [x, y, z];
    let [local_x, local_y, local_z, translation] = local.matrices().0;
    let [moved_x, moved_y, moved_z] = turned(axes, translation);
    let [origin_x, origin_y, origin_z] = origin;
    MatrixPair([
        turned(axes, local_x),
        turned(axes, local_y),
        turned(axes, local_z),
        [
            _mm256_add_ps(origin_x, moved_x),
            _mm256_add_ps(origin_y, moved_y),
            _mm256_add_ps(origin_z, moved_z),
        ],
    ])
}

/// Returns `x a + y b + z c`.
// Closures that are called several times may stay calls. With functions the step is one block of instructions, and
// takes half the time.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn turned([x, y, z]: [[__m256; 3]; 3], [a, b, c]: [__m256; 3]) -> [__m256; 3] {
    [
        _mm256_fmadd_ps(z[0], c, _mm256_fmadd_ps(y[0], b, _mm256_mul_ps(x[0], a))),
        _mm256_fmadd_ps(z[1], c, _mm256_fmadd_ps(y[1], b, _mm256_mul_ps(x[1], a))),
        _mm256_fmadd_ps(z[2], c, _mm256_fmadd_ps(y[2], b, _mm256_mul_ps(x[2], a))),
    ]
}
