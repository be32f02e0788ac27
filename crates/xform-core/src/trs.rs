mod arithmetic;
pub(crate) mod checked;
mod in_memory;

use std::fmt;

use nalgebra::{
    ArrayStorage, ComplexField, Matrix3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3,
    Vector4,
};

use crate::{
    Real,
    rotation::{rotate, rotation_matrix},
};

/// An authored local pose: scale first, then rotation, then translation.
///
/// As a matrix it is `T · R · S`. It takes points from the node's own space to its parent's, so variables that hold
/// one are named `parent_from_child`. The fields may hold any value. [`normalized`](Self::normalized) returns the
/// pose that a [`Hierarchy`](crate::Hierarchy) stores for it, or the reason why a hierarchy refuses it.
///
/// # Examples
///
/// ```
/// use nalgebra::{Point3, Vector3};
/// use xform_core::Trs;
///
/// let parent_from_child = Trs::from_translation(Vector3::new(1.0, 0.0, 0.0))
///     .with_scale(Vector3::new(2.0, 2.0, 2.0));
/// let point = parent_from_child.transform_point(&Point3::new(1.0, 1.0, 1.0));
/// assert_eq!(point, Point3::new(3.0, 2.0, 2.0));
/// ```
///
/// In memory: ten scalars without padding, in the order rotation (x, y, z, w), translation, scale.
// Poses are structs, 40 bytes in `f32`, and not blocks of 8 lanes. Blocks would save the kernels a transposition.
// That gained nothing measurable: two kernels that differed in nothing else took 7.1–9.5 and 7.5–8.4 ns a node, in
// one noisy run with 10 000 and 100 000 nodes. Structs are also what callers write and update one by one.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Trs<T: Real> {
    /// The rotation of the node in its parent's space.
    pub rotation: UnitQuaternion<T>,
    /// The position of the node's origin in its parent's space.
    pub translation: Vector3<T>,
    /// The scale factors along the node's own axes. A negative factor mirrors, a zero factor flattens.
    pub scale: Vector3<T>,
}

impl<T: Real> Trs<T> {
    /// How far the length of a rotation may deviate from 1 before [`check`](Self::check) refuses it.
    ///
    /// It accepts an `f32` quaternion that was multiplied a thousand times without being normalised. Within this
    /// tolerance, the error that remains when the rotation is applied is below 5e-8.
    pub const UNIT_TOLERANCE: f64 = 1e-4;

    /// How far the length of a rotation may deviate from 1 before [`normalized`](Self::normalized) refuses it: 1 %.
    ///
    /// Up to this deviation `normalized`, and so every insertion and setter of a [`Hierarchy`](crate::Hierarchy),
    /// makes the rotation unit length.
    ///
    /// This is more than products in `f32` drift in an hour of frames, and more than quaternions lose when they are
    /// written with three digits. It is less than a mistake produces, such as adding two quaternions.
    pub const NEAR_UNIT: f64 = 1e-2;

    /// The identity pose, which changes nothing: translation 0, no rotation, scale 1.
    #[must_use]
    pub fn identity() -> Self {
        Self::from_parts(Vector3::zeros(), UnitQuaternion::identity(), Vector3::repeat(T::one()))
    }

    /// Creates a pose from its translation, rotation and scale.
    ///
    /// The arguments are in the order of the product `T · R · S`. The scale is applied first.
    #[inline]
    #[must_use]
    pub fn from_parts(
        translation: Vector3<T>,
        rotation: UnitQuaternion<T>,
        scale: Vector3<T>,
    ) -> Self {
        Self { translation, rotation, scale }
    }

    /// Creates a pose from arrays, in a `const` context if needed. The rotation is the quaternion x, y, z, w, taken
    /// as it is.
    ///
    /// [`check`](Self::check) reports whether that quaternion has unit length. A hierarchy or a crowd makes it unit
    /// length.
    ///
    /// # Examples
    ///
    /// ```
    /// use xform_core::Trs;
    ///
    /// const UPRIGHT: Trs<f32> = Trs::from_arrays([0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    /// assert_eq!(UPRIGHT.translation.y, 1.0);
    /// ```
    #[must_use]
    pub const fn from_arrays(translation: [T; 3], rotation: [T; 4], scale: [T; 3]) -> Self {
        let coords = Vector4::from_array_storage(ArrayStorage([rotation]));
        Self {
            rotation: UnitQuaternion::new_unchecked(Quaternion { coords }),
            translation: Vector3::from_array_storage(ArrayStorage([translation])),
            scale: Vector3::from_array_storage(ArrayStorage([scale])),
        }
    }

    /// Creates a pose that only translates.
    #[must_use]
    pub fn from_translation(translation: Vector3<T>) -> Self {
        Self::identity().with_translation(translation)
    }

    /// Creates a pose that only rotates.
    #[must_use]
    pub fn from_rotation(rotation: UnitQuaternion<T>) -> Self {
        Self::identity().with_rotation(rotation)
    }

    /// Creates a pose that only scales.
    #[must_use]
    pub fn from_scale(scale: Vector3<T>) -> Self {
        Self::identity().with_scale(scale)
    }

    /// Returns this pose with another translation.
    #[must_use]
    pub fn with_translation(self, translation: Vector3<T>) -> Self {
        Self { translation, ..self }
    }

    /// Returns this pose with another rotation.
    #[must_use]
    pub fn with_rotation(self, rotation: UnitQuaternion<T>) -> Self {
        Self { rotation, ..self }
    }

    /// Returns this pose with another scale.
    #[must_use]
    pub fn with_scale(self, scale: Vector3<T>) -> Self {
        Self { scale, ..self }
    }

    /// Returns the 3×3 linear part `R · S`. Its columns are the node's axes in its parent's space.
    #[inline]
    #[must_use]
    pub fn to_linear(&self) -> Matrix3<T> {
        let rotation = rotation_matrix(&self.rotation);
        let column = |i: usize| rotation.column(i) * self.scale[i];
        Matrix3::from_columns(&[column(0), column(1), column(2)])
    }

    /// Returns the 4×4 matrix `T · R · S`, for column vectors.
    #[inline]
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<T> {
        let mut matrix = self.to_linear().to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.translation);
        matrix
    }

    /// Converts a point from the node's space to its parent's.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        Point3::from(self.translation + self.transform_vector(&point.coords))
    }

    /// Converts a vector from the node's space to its parent's. The translation has no effect.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        rotate(&self.rotation, &self.scale.component_mul(vector))
    }

    /// Converts a point from the parent's space to the node's. Returns `None` if a scale is zero or the result would
    /// not be finite.
    #[inline]
    #[must_use]
    pub fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        let vector = self.inverse_transform_vector(&(point.coords - self.translation))?;
        Some(Point3::from(vector))
    }

    /// Converts a vector from the parent's space to the node's. The translation has no effect. Returns `None` if a
    /// scale is zero or the result would not be finite.
    #[inline]
    #[must_use]
    pub fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        let turned = rotate(&self.rotation.conjugate(), vector);
        let own = turned.component_div(&self.scale);
        own.iter().all(ComplexField::is_finite).then_some(own)
    }

    /// Converts this pose to another precision, with each component rounded to nearest.
    ///
    /// The rotation is not normalised again, so its length is off by at most the rounding. A component that is out
    /// of range for `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> Trs<U> {
        let vector = |v: &Vector3<T>| v.map(|x| U::rounded(x.into()));
        let rotation: Quaternion<U> = self.rotation.coords.map(|x| U::rounded(x.into())).into();
        Trs::from_parts(
            vector(&self.translation),
            UnitQuaternion::new_unchecked(rotation),
            vector(&self.scale),
        )
    }
}

/// Formats the components as arrays: `Trs { translation: [1.0, 2.0, 3.0], rotation: [x, y, z, w], scale: […] }`.
impl<T: Real> fmt::Debug for Trs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [translation, scale]: [[T; 3]; 2] = [self.translation.into(), self.scale.into()];
        f.debug_struct("Trs")
            .field("translation", &translation)
            .field("rotation", &<[T; 4]>::from(self.rotation.coords))
            .field("scale", &scale)
            .finish()
    }
}

impl<T: Real> Default for Trs<T> {
    /// The [`identity`](Self::identity).
    fn default() -> Self {
        Self::identity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_in_the_order_of_the_parts() {
        const POSE: Trs<f64> = Trs::from_arrays([1., 2., 3.], [0.1, 0.2, 0.3, 0.9], [4., 5., 6.]);
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(0.9, 0.1, 0.2, 0.3));
        let [translation, scale] = [Vector3::new(1., 2., 3.), Vector3::new(4., 5., 6.)];
        assert_eq!(POSE, Trs::from_parts(translation, rotation, scale));
    }

    #[test]
    fn a_pose_is_printed_as_people_write_it() {
        let pose = Trs::<f32>::from_translation(Vector3::new(1.0, -2.5, 0.0));
        let expected = "Trs { translation: [1.0, -2.5, 0.0], rotation: [0.0, 0.0, 0.0, 1.0], \
                        scale: [1.0, 1.0, 1.0] }";
        assert_eq!(format!("{pose:?}"), expected);
    }

    #[test]
    fn scale_acts_before_rotation_and_rotation_before_translation() {
        // A third of a turn about (1, 1, 1) takes x to y, exactly.
        let cycle = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
        let pose =
            Trs::from_parts(Vector3::new(10.0, 20.0, 30.0), cycle, Vector3::new(2.0, 3.0, 5.0));
        let expected = Point3::new(10.0, 22.0, 30.0);
        assert_eq!(pose.transform_point(&Point3::new(1.0, 0.0, 0.0)), expected);
        assert_eq!(pose.to_homogeneous().transform_point(&Point3::new(1.0, 0.0, 0.0)), expected);
    }
}
