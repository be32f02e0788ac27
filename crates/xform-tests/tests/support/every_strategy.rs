//! One check over both strategies in both precisions, or over all kernels.

use xform_core::InstructionSet;

/// Calls a check for both strategies in both precisions.
macro_rules! for_every_strategy {
    ($check:ident($($argument:expr),*)) => {
        $check::<xform_matrix::AccumulatedMatrix<f64>>($($argument),*);
        $check::<xform_trs::CombinedTrs<f64>>($($argument),*);
        $check::<xform_matrix::AccumulatedMatrix<f32>>($($argument),*);
        $check::<xform_trs::CombinedTrs<f32>>($($argument),*);
    };
}
pub(crate) use for_every_strategy;

/// Those that this processor has.
pub(crate) fn instruction_sets() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL.into_iter().filter(|set| set.is_available())
}
