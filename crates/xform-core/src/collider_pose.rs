use nalgebra::{ComplexField, Matrix4, UnitQuaternion, Vector3};

use crate::{Real, Trs, linear::worst_corner};

/// A position, a rotation and a scale in the world, for a collider on a node.
/// [`Hierarchy::collider_pose`](crate::Hierarchy::collider_pose) computes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderPose<T: Real> {
    /// The position of the node's origin.
    pub position: Vector3<T>,
    /// The rotation, of unit length.
    pub rotation: UnitQuaternion<T>,
    /// The scale, which acts before the rotation, by the requested definition.
    pub scale: Vector3<T>,
    /// The distance, in world units, between where the worst corner of the node's unit cube [−½, ½]³ is drawn and
    /// where this pose puts it. It is zero, except for rounding, if the world transform is such a pose, and NaN if
    /// the world transform is not finite.
    pub lost: T,
}

impl<T: Real> ColliderPose<T> {
    /// Takes the position from a world transform, and measures what the pose loses of it.
    pub(crate) fn comparing(
        rotation: UnitQuaternion<T>,
        scale: Vector3<T>,
        world: &Matrix4<T>,
    ) -> Self {
        let position = world.fixed_view::<3, 1>(0, 3).into_owned();
        let pose = Trs::from_parts(position, rotation, scale);
        let difference = world - pose.to_homogeneous();
        let is_finite = difference.iter().all(ComplexField::is_finite);
        let lost = if is_finite { worst_corner(&difference) } else { T::rounded(f64::NAN) };
        Self { position, rotation, scale, lost }
    }
}
