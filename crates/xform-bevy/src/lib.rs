#![doc = include_str!("../README.md")]

mod convert;
mod helper;
mod hierarchy;
mod inherit;
mod plugin;
mod since;

pub use helper::{ComputeGlobalTransformError, XformHelper};
pub use hierarchy::{XformHierarchy, propagate_transforms};
pub use inherit::Inherit;
pub use plugin::XformPlugin;

use xform_core::Transform;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// A strategy whose world transforms Bevy can hold: `AccumulatedMatrix<f32>` or `CombinedTrs<f32>`.
pub trait Strategy: Transform<Scalar = f32> + sealed::Sealed {}

impl Strategy for AccumulatedMatrix<f32> {}
impl Strategy for CombinedTrs<f32> {}

mod sealed {
    /// Both can leave out any part that is inherited, which not every strategy can.
    pub trait Sealed {}

    impl Sealed for xform_matrix::AccumulatedMatrix<f32> {}
    impl Sealed for xform_trs::CombinedTrs<f32> {}
}
