use bevy_transform::components::Transform;
use nalgebra::{Quaternion, UnitQuaternion};
use xform_core::Trs;

/// The same pose, unchecked.
#[inline]
pub(crate) fn to_trs(pose: &Transform) -> Trs<f32> {
    Trs::from_parts(
        pose.translation.to_array().into(),
        UnitQuaternion::new_unchecked(Quaternion::from(pose.rotation.to_array())),
        pose.scale.to_array().into(),
    )
}
