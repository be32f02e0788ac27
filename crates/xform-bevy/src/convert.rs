//! Poses and world transforms, from Bevy's types and to them.

use bevy_transform::components::{GlobalTransform, Transform};
use glam::{Affine3A, Mat3A, Vec3A};
use nalgebra::{Quaternion, UnitQuaternion};
use xform_core::Trs;

use crate::Strategy;

/// The same pose, unchecked.
#[inline]
pub(crate) fn to_trs(pose: &Transform) -> Trs<f32> {
    Trs::from_parts(
        pose.translation.to_array().into(),
        UnitQuaternion::new_unchecked(Quaternion::from(pose.rotation.to_array())),
        pose.scale.to_array().into(),
    )
}

/// The same world transform, as Bevy has it: three columns and the translation.
#[inline]
pub(crate) fn to_global<X: Strategy>(world: &X) -> GlobalTransform {
    let matrix = world.to_homogeneous();
    let [x, y, z, translation] = [0, 1, 2, 3].map(|column| {
        let column = matrix.column(column);
        Vec3A::new(column[0], column[1], column[2])
    });
    Affine3A { matrix3: Mat3A::from_cols(x, y, z), translation }.into()
}
