//! The pass over many nodes in `f32`, once for each instruction set.
//!
//! All of them take the step for one node at a time, with a quaternion or a vector in each register, and
//! fill matrices for several nodes at a time. The plain step normalises the product of two rotations. These
//! take the factor for that from the two rotations themselves, so that it does not wait for the product:
//! with |p|² = 1 + e and |q|² = 1 + f it is 1 − e/2 − f/2, which is the same to first order. They multiply half the
//! product by twice that, 4 − |p|² − |q|², which is a sum over lanes with nothing to be done after it.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod four;

use std::{
    marker::PhantomData,
    mem::{offset_of, size_of},
};

use xform_core::{
    InstructionSet, Real, Trs,
    strategy::{OverScalar, Sweep},
};

use crate::CombinedTrs;

/// The offsets of the parts in a local pose and in a world transform, in scalars from the start.
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

/// A pass, by the kernel of its instruction set where it is in `f32`.
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

/// A pass over either scalar.
struct SweepOver<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for SweepOver<'a> {
    type Of<T: Real> = Sweep<'a, CombinedTrs<T>>;
}
