//! Conversions to and from glam's vectors and quaternions: translation, rotation and scale.

use glam::{DQuat, DVec3, Quat, Vec3};
use xform_core::Trs;

use crate::CombinedTrs;

impl From<CombinedTrs<f32>> for (Vec3, Quat, Vec3) {
    fn from(world: CombinedTrs<f32>) -> Self {
        world.to_trs().into()
    }
}

impl From<CombinedTrs<f64>> for (DVec3, DQuat, DVec3) {
    fn from(world: CombinedTrs<f64>) -> Self {
        world.to_trs().into()
    }
}

impl From<(Vec3, Quat, Vec3)> for CombinedTrs<f32> {
    /// Keeps the rotation as it is.
    fn from(parts: (Vec3, Quat, Vec3)) -> Self {
        Trs::from(parts).into()
    }
}

impl From<(DVec3, DQuat, DVec3)> for CombinedTrs<f64> {
    /// Keeps the rotation as it is.
    fn from(parts: (DVec3, DQuat, DVec3)) -> Self {
        Trs::from(parts).into()
    }
}
