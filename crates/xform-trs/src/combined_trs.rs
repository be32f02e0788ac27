use std::fmt;

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::{Real, Trs};

/// A world transform as translation, rotation and scale, each combined separately: the world's space from
/// the node's own, scale first, then rotation, then translation.
///
/// It has no product and no inverse of its own type: combining is not associative under non-uniform scale,
/// and the inverse of such a transform is not a TRS. Points and vectors can still be taken back, by
/// [`inverse_transform_point`](xform_core::Transform::inverse_transform_point).
///
/// In memory: twelve scalars. These are the rotation x y z w, then translation and scale with one scalar of
/// padding after each, so that each part is a vector register. In `f32` that is 48 bytes on a 16-byte
/// boundary.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct CombinedTrs<T: Real> {
    /// The rotation of the node in the world. Where a propagation made it, it is of unit length to within rounding and 2e-8, at
    /// any depth; that of a world transform [made of a pose](Self::from) is the pose's own.
    pub rotation: UnitQuaternion<T>,
    /// The position of the node's origin in the world.
    pub translation: Vector3<T>,
    padding_after_translation: T,
    /// The product of all scales from the root down, along the node's own axes.
    pub scale: Vector3<T>,
    padding_after_scale: T,
}

impl<T: Real> CombinedTrs<T> {
    /// A world transform from its translation, rotation and scale.
    ///
    /// The arguments stand in the order of the product `T · R · S`, in which the scale is applied first.
    #[inline]
    #[must_use]
    pub fn from_parts(
        translation: Vector3<T>,
        rotation: UnitQuaternion<T>,
        scale: Vector3<T>,
    ) -> Self {
        let padding = T::zero();
        Self {
            rotation,
            translation,
            padding_after_translation: padding,
            scale,
            padding_after_scale: padding,
        }
    }

    /// This world transform in the other precision, each component rounded to nearest; one that is out of range
    /// for `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> CombinedTrs<U> {
        self.to_trs().cast().into()
    }

    /// The local pose of a root with this world transform.
    #[inline]
    #[must_use]
    pub fn to_trs(&self) -> Trs<T> {
        Trs::from_parts(self.translation, self.rotation, self.scale)
    }
}

impl<T: Real> From<Trs<T>> for CombinedTrs<T> {
    /// The world transform of a root with this pose.
    #[inline]
    fn from(local: Trs<T>) -> Self {
        Self::from_parts(local.translation, local.rotation, local.scale)
    }
}

impl<T: Real> PartialEq for CombinedTrs<T> {
    /// Whether the three parts are equal.
    fn eq(&self, other: &Self) -> bool {
        self.to_trs() == other.to_trs()
    }
}

impl<T: Real> fmt::Debug for CombinedTrs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CombinedTrs")
            .field("translation", &self.translation)
            .field("rotation", &self.rotation)
            .field("scale", &self.scale)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_equal_in_all_parts_and_say_which_they_have() {
        let moved = CombinedTrs::from(Trs::from_translation(Vector3::new(1.0, 2.0, 3.5)));
        assert_eq!(moved, moved);
        assert_ne!(moved, CombinedTrs::from(Trs::identity()));
        let text = format!("{moved:?}");
        assert!(text.starts_with("CombinedTrs {") && text.contains("3.5"), "{text}");
        assert!(["translation:", "rotation:", "scale:"].iter().all(|part| text.contains(part)));
    }
}
