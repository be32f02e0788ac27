//! One check over both strategies in both precisions.

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
