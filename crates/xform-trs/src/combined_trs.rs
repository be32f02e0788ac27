use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{Real, Transform, Trs};

/// A world transform as translation, rotation and scale, each combined apart: the world's space
/// from the node's own, scale first, then rotation, then translation.
///
/// It has no product and no inverse of its own type: combining is not associative under
/// non-uniform scale, and the inverse of such a transform is no TRS. Points and vectors can still
/// be taken back, by [`inverse_transform_point`](Transform::inverse_transform_point).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CombinedTrs<T: Real> {
    /// Where the node's origin lies in the world.
    pub translation: Vector3<T>,
    /// How the node is turned in the world; of unit length to rounding at any depth.
    pub rotation: UnitQuaternion<T>,
    /// The product of all scales from the root down, along the node's own axes.
    pub scale: Vector3<T>,
}

impl<T: Real> CombinedTrs<T> {
    /// The same transform as a pose, as if the node were a root.
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
        Self { translation: local.translation, rotation: local.rotation, scale: local.scale }
    }
}

impl<T: Real> Transform for CombinedTrs<T> {
    type Scalar = T;

    fn identity() -> Self {
        Trs::identity().into()
    }

    /// Multiplies scales and rotations; the child's translation is scaled, then turned, then added.
    ///
    /// The rotation is normalised again to first order, or else errors of length would multiply.
    #[inline]
    fn concat(&self, local: &Trs<T>) -> Self {
        let mut rotation = self.rotation * local.rotation;
        rotation.renormalize_fast();
        Self {
            translation: self.transform_point(&local.translation.into()).coords,
            rotation,
            scale: self.scale.component_mul(&local.scale),
        }
    }

    #[inline]
    fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        self.to_trs().transform_point(point)
    }

    #[inline]
    fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.to_trs().transform_vector(vector)
    }

    /// `None` where a scale is zero or the result would not be finite.
    fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        self.to_trs().inverse_transform_point(point)
    }

    /// `None` where a scale is zero or the result would not be finite.
    fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        self.to_trs().inverse_transform_vector(vector)
    }

    fn to_homogeneous(&self) -> Matrix4<T> {
        self.to_trs().to_homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flattened_world_has_no_inverse_not_even_for_the_origin() {
        let flat = CombinedTrs::from(Trs::from_scale(Vector3::new(1.0, 0.0, 1.0)));
        assert!(flat.inverse_transform_point(&Point3::origin()).is_none());
        assert!(flat.inverse_transform_vector(&Vector3::y()).is_none());
    }
}
