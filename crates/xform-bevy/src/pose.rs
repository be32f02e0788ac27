use bevy_transform::components::Transform;
use xform_core::Trs;

/// Converts a pose without checking it.
#[inline]
pub(crate) fn to_trs(pose: &Transform) -> Trs<f32> {
    (pose.translation, pose.rotation, pose.scale).into()
}
