use nalgebra::{ComplexField, Matrix4, UnitQuaternion, Vector3};

use crate::{Real, Trs, linear::worst_corner};

/// A position, a rotation and a scale in the world, as colliders take them of a node:
/// [`Hierarchy::collider_pose`](crate::Hierarchy::collider_pose).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderPose<T: Real> {
    /// The position of the node's origin.
    pub position: Vector3<T>,
    /// The rotation, of unit length.
    pub rotation: UnitQuaternion<T>,
    /// The scale, which acts before the rotation, by the definition that was asked for.
    pub scale: Vector3<T>,
    /// How far the worst corner of the unit cube [−½, ½]³ on the node is drawn from where this pose puts it, in the units of the world. Zero,
    /// but for rounding, where the world transform is such a pose. No number where a world transform is not finite.
    pub lost: T,
}

impl<T: Real> ColliderPose<T> {
    /// With the position of a world transform, and what is lost of it.
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
