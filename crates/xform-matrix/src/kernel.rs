//! The pass over many nodes in `f32`, once for each instruction set, and a single step in four lanes.
//!
//! All kernels prepare `R · S` and the translation of each local pose as four columns, then compute
//! `world_from_child = world_from_parent · columns`, like the plain step. The plain step, `Transform::concat`, is the
//! definition: every kernel stays within 8 units of `f32::EPSILON` of it, times the sum of the absolute terms, step by
//! step (`xform-tests/tests/strategies/kernels.rs`).

#[cfg(target_arch = "x86_64")]
mod avx2;
mod four;

use std::{
    marker::PhantomData,
    mem::{offset_of, size_of},
};

use xform_core::{
    InstructionSet, Real, Transform, Trs,
    strategy::{OverScalar, Sweep},
    world_matrix::WorldMatrix,
};

use crate::AccumulatedMatrix;

/// A local pose as a matrix: three columns `R · S` and the translation, four lanes each. The
/// fourth lane is not used and may hold anything.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Columns([f32; 16]);

/// The offsets of translation and scale in a local pose, in scalars from its start.
const TRANSLATION: usize = 4;
const SCALE: usize = 7;

const _: () = {
    assert!(size_of::<Trs<f32>>() == 10 * size_of::<f32>());
    assert!(offset_of!(Trs<f32>, rotation) == 0);
    assert!(offset_of!(Trs<f32>, translation) == TRANSLATION * size_of::<f32>());
    assert!(offset_of!(Trs<f32>, scale) == SCALE * size_of::<f32>());
    assert!(size_of::<AccumulatedMatrix<f32>>() == 16 * size_of::<f32>());
};

/// Runs a pass: in `f32` with the kernel of its instruction set, otherwise with the plain step.
// `try_as_f32` reaches the `f32` kernels from an `impl` for every `T: Real`. It needs neither specialisation nor `Any`
// nor a transmute.
pub(crate) fn sweep<T: Real>(sweep: Sweep<'_, AccumulatedMatrix<T>>) {
    match T::try_as_f32::<SweepOver>(sweep) {
        Ok(sweep) => sweep_f32(sweep),
        Err(sweep) => sweep.run_plain(),
    }
}

fn sweep_f32(sweep: Sweep<'_, AccumulatedMatrix<f32>>) {
    match sweep.instruction_set() {
        InstructionSet::Simd128 | InstructionSet::Sse2 => four::sweep(sweep),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => avx2::sweep(sweep),
        _ => sweep.run_plain(),
    }
}

/// Takes a single step in four lanes, with the bits of the plain step. `None` in `f64`.
#[inline]
pub(crate) fn concat<T: Real>(
    parent: &AccumulatedMatrix<T>,
    local: &Trs<T>,
) -> Option<AccumulatedMatrix<T>> {
    let mut child = AccumulatedMatrix::identity();
    T::try_as_f32::<StepOver>(Step { parent, local, child: &mut child }).ok().map(four::concat)?;
    Some(child)
}

/// A single step, and the place for its result.
struct Step<'a, T: Real> {
    parent: &'a AccumulatedMatrix<T>,
    local: &'a Trs<T>,
    child: &'a mut AccumulatedMatrix<T>,
}

/// The type constructor of a step, over the scalar.
struct StepOver<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for StepOver<'a> {
    type Of<T: Real> = Step<'a, T>;
}

/// The type constructor of a pass, over the scalar.
struct SweepOver<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for SweepOver<'a> {
    type Of<T: Real> = Sweep<'a, AccumulatedMatrix<T>>;
}

fn copy<const LANES: usize>(
    worlds: [&AccumulatedMatrix<f32>; LANES],
    matrices: &mut [WorldMatrix<f32>; LANES],
) {
    *matrices = worlds.map(|world| WorldMatrix(*world.matrix()));
}

#[cfg(test)]
mod tests {
    use nalgebra::{Quaternion, UnitQuaternion};
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    properties! {
        /// Includes products that overflow.
        #[test]
        fn a_step_in_lanes_has_the_bits_of_the_plain_step(
            scalars in proptest::collection::vec(prop_oneof![-2.0_f32..2.0, -1e30_f32..1e30], 30),
        ) {
            let poses = scalars.as_chunks::<10>().0.iter().map(|&[x, y, z, w, a, b, c, d, e, f]| {
                let turn = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
                Trs::from_parts([a, b, c].into(), turn, [d, e, f].into())
            });
            let plain = |parent: AccumulatedMatrix<f32>, local: &Trs<f32>| {
                parent.after(&local.to_linear(), &local.translation)
            };
            let (mut found, mut expected) = (AccumulatedMatrix::identity(), AccumulatedMatrix::identity());
            for pose in poses {
                (found, expected) = (found.concat(&pose), plain(expected, &pose));
                for (found, expected) in found.matrix().iter().zip(expected.matrix()) {
                    let are_same = found.to_bits() == expected.to_bits();
                    prop_assert!(are_same || found.is_nan() && expected.is_nan());
                }
            }
        }
    }
}
