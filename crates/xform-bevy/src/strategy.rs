use bevy_transform::components::GlobalTransform;
use glam::Affine3A;
use xform_core::Transform;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::BevyMatrix;

/// A strategy for propagating transforms: `AccumulatedMatrix<f32>` or `CombinedTrs<f32>`.
pub trait Strategy: Send + Sync + 'static + sealed::Sealed {
    /// The world transforms in the [hierarchy](crate::XformHierarchy::hierarchy).
    type World: Transform<Scalar = f32>;

    /// Converts a world transform to Bevy's type.
    #[doc(hidden)]
    fn to_global(world: &Self::World) -> GlobalTransform;
}

impl Strategy for AccumulatedMatrix<f32> {
    type World = BevyMatrix;

    #[inline]
    fn to_global(world: &BevyMatrix) -> GlobalTransform {
        (*world).into()
    }
}

impl Strategy for CombinedTrs<f32> {
    type World = Self;

    /// Converts like Bevy does for a pose, to the bit: see [`BevyMatrix`].
    #[inline]
    fn to_global(world: &Self) -> GlobalTransform {
        Affine3A::from(world.to_trs()).into()
    }
}

mod sealed {
    /// Sealed because both strategies can leave out any inherited part, which not every strategy can.
    pub trait Sealed {}

    impl Sealed for xform_matrix::AccumulatedMatrix<f32> {}
    impl Sealed for xform_trs::CombinedTrs<f32> {}
}
