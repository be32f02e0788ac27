//! The pass over many nodes in `f32`, once for each instruction set, and a single step in four lanes.
//!
//! All kernels step through one node at a time, with a quaternion or a vector in each register, and
//! fill matrices for several nodes at a time. The plain step normalises the product of two rotations. The kernels
//! compute the normalising factor from the two rotations instead, so that it does not wait for the product and is not
//! part of the chain from parent to child. With |p|² = 1 + e and |q|² = 1 + f the factor is 1 − e/2 − f/2, which is
//! equal to first order. Half the product is multiplied by twice that factor, 4 − |p|² − |q|², because this is ready as
//! soon as the lanes are summed.
//!
//! The plain step, `Transform::concat`, is the definition: every kernel stays within 8 units of `f32::EPSILON` of it,
//! times the sum of the absolute terms, step by step (`xform-tests/tests/strategies/kernels.rs`).

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
};

use crate::CombinedTrs;

/// The offsets of translation and scale in a local pose and in a world transform, in scalars from the start.
const LOCAL_TRANSLATION: usize = 4;
const LOCAL_SCALE: usize = 7;
const TRANSLATION: usize = 4;
const SCALE: usize = 8;

const SCALAR: usize = size_of::<f32>();
const _: () = {
    assert!(size_of::<Trs<f32>>() == 10 * SCALAR);
    assert!(offset_of!(Trs<f32>, rotation) == 0);
    assert!(offset_of!(Trs<f32>, translation) == LOCAL_TRANSLATION * SCALAR);
    assert!(offset_of!(Trs<f32>, scale) == LOCAL_SCALE * SCALAR);
    assert!(size_of::<CombinedTrs<f32>>() == 12 * SCALAR);
    assert!(offset_of!(CombinedTrs<f32>, rotation) == 0);
    assert!(offset_of!(CombinedTrs<f32>, translation) == TRANSLATION * SCALAR);
    assert!(offset_of!(CombinedTrs<f32>, scale) == SCALE * SCALAR);
};

/// Runs a pass: in `f32` with the kernel of its instruction set, otherwise with the plain step.
// `try_as_f32` reaches the `f32` kernels from an `impl` for every `T: Real`. It needs neither specialisation nor `Any`
// nor a transmute.
pub(crate) fn sweep<T: Real>(sweep: Sweep<'_, CombinedTrs<T>>) {
    match T::try_as_f32::<SweepOver>(sweep) {
        Ok(sweep) => sweep_f32(sweep),
        Err(sweep) => sweep.run_plain(),
    }
}

fn sweep_f32(sweep: Sweep<'_, CombinedTrs<f32>>) {
    match sweep.instruction_set() {
        InstructionSet::Simd128 | InstructionSet::Sse2 => four::sweep(sweep),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => avx2::sweep(sweep),
        _ => sweep.run_plain(),
    }
}

/// Takes a single step in four lanes, with the bits of the plain step. `None` in `f64`.
#[inline]
pub(crate) fn concat<T: Real>(parent: &CombinedTrs<T>, local: &Trs<T>) -> Option<CombinedTrs<T>> {
    let mut child = CombinedTrs::identity();
    T::try_as_f32::<StepOver>(Step { parent, local, child: &mut child }).ok().map(four::concat)?;
    Some(child)
}

/// A single step, and the place for its result.
struct Step<'a, T: Real> {
    parent: &'a CombinedTrs<T>,
    local: &'a Trs<T>,
    child: &'a mut CombinedTrs<T>,
}

/// The type constructor of a step, over the scalar.
struct StepOver<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for StepOver<'a> {
    type Of<T: Real> = Step<'a, T>;
}

/// The type constructor of a pass, over the scalar.
struct SweepOver<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for SweepOver<'a> {
    type Of<T: Real> = Sweep<'a, CombinedTrs<T>>;
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
            let scalars = |world: CombinedTrs<f32>| {
                let CombinedTrs { rotation, translation, scale, .. } = world;
                let vectors = translation.iter().chain(&scale).copied().collect::<Vec<f32>>();
                rotation.coords.iter().copied().chain(vectors).collect::<Vec<f32>>()
            };
            let (mut found, mut expected) = (CombinedTrs::identity(), CombinedTrs::identity());
            for pose in poses {
                (found, expected) = (found.concat(&pose), expected.concat_plainly(&pose));
                for (found, expected) in scalars(found).into_iter().zip(scalars(expected)) {
                    let are_same = found.to_bits() == expected.to_bits();
                    prop_assert!(are_same || found.is_nan() && expected.is_nan());
                }
            }
        }
    }
}
