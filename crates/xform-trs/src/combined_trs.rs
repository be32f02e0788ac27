use std::fmt;

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::{Real, Trs};

/// A world transform as translation, rotation and scale, each combined separately. Takes points from the node's own
/// space to the world: scale first, then rotation, then translation.
///
/// The type has no product and no inverse: combining is not associative under non-uniform scale, and the inverse of
/// such a transform is not a TRS. Points and vectors can still be converted back with
/// [`inverse_transform_point`](xform_core::Transform::inverse_transform_point).
///
/// In memory: twelve scalars. These are the rotation x y z w, then translation and scale with one scalar of
/// padding after each, so that each part is a vector register. In `f32` that is 48 bytes on a 16-byte
/// boundary.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct CombinedTrs<T: Real> {
    /// The rotation of the node in the world. If propagation computed it, its length is 1 to within rounding and 2e-8,
    /// at any depth. In a world transform [made from a pose](Self::from) it is the pose's own rotation.
    pub rotation: UnitQuaternion<T>,
    /// The position of the node's origin in the world.
    pub translation: Vector3<T>,
    padding_after_translation: T,
    /// The product of all scales from the root down, along the node's own axes.
    pub scale: Vector3<T>,
    padding_after_scale: T,
}

impl<T: Real> CombinedTrs<T> {
    /// Creates a world transform from its translation, rotation and scale.
    ///
    /// The arguments are in the order of the product `T · R · S`, in which the scale applies first.
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

    /// Converts this world transform to another precision, rounding each component to nearest. A component that is out
    /// of range for `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> CombinedTrs<U> {
        self.to_trs().cast().into()
    }

    /// Returns the local pose of a root with this world transform.
    #[inline]
    #[must_use]
    pub fn to_trs(&self) -> Trs<T> {
        Trs::from_parts(self.translation, self.rotation, self.scale)
    }
}

impl<T: Real> From<Trs<T>> for CombinedTrs<T> {
    /// Converts a root's pose to its world transform.
    #[inline]
    fn from(local: Trs<T>) -> Self {
        Self::from_parts(local.translation, local.rotation, local.scale)
    }
}

impl<T: Real> PartialEq for CombinedTrs<T> {
    /// Compares the three parts and ignores the padding.
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
