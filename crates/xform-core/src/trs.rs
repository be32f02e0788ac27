use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};

use crate::{
    Change, PoseError, Real,
    rotation::{rotate, rotation_matrix},
};

/// An authored local pose: scale first, then rotation, then translation.
///
/// As a matrix it is `T · R · S`. It takes points from the node's own space to its parent's, so variables
/// that hold one are named `parent_from_child`. The fields may hold any value; [`check`](Self::check) says
/// whether a [`Hierarchy`](crate::Hierarchy) would accept the pose.
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
/// In memory: ten scalars without padding, in the order rotation x y z w, translation, scale.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Wide enough for an `f32` quaternion that was multiplied a thousand times without being normalised.
    /// Within it, the error that remains when the rotation is applied is below 5e-8.
    pub const UNIT_TOLERANCE: f64 = 1e-4;

    /// The identity pose, which changes nothing: translation 0, no rotation, scale 1.
    #[must_use]
    pub fn identity() -> Self {
        Self::from_parts(Vector3::zeros(), UnitQuaternion::identity(), Vector3::repeat(T::one()))
    }

    /// A pose from its translation, rotation and scale.
    ///
    /// The arguments stand in the order of the product `T · R · S`, in which the scale is applied first.
    #[inline]
    #[must_use]
    pub fn from_parts(
        translation: Vector3<T>,
        rotation: UnitQuaternion<T>,
        scale: Vector3<T>,
    ) -> Self {
        Self { translation, rotation, scale }
    }

    /// A pose that only translates.
    #[must_use]
    pub fn from_translation(translation: Vector3<T>) -> Self {
        Self::identity().with_translation(translation)
    }

    /// A pose that only rotates.
    #[must_use]
    pub fn from_rotation(rotation: UnitQuaternion<T>) -> Self {
        Self::identity().with_rotation(rotation)
    }

    /// A pose that only scales.
    #[must_use]
    pub fn from_scale(scale: Vector3<T>) -> Self {
        Self::identity().with_scale(scale)
    }

    /// This pose with another translation.
    #[must_use]
    pub fn with_translation(self, translation: Vector3<T>) -> Self {
        Self { translation, ..self }
    }

    /// This pose with another rotation.
    #[must_use]
    pub fn with_rotation(self, rotation: UnitQuaternion<T>) -> Self {
        Self { rotation, ..self }
    }

    /// This pose with another scale.
    #[must_use]
    pub fn with_scale(self, scale: Vector3<T>) -> Self {
        Self { scale, ..self }
    }

    /// The 3×3 linear part `R · S`: the columns are the node's axes in its parent's space.
    #[inline]
    #[must_use]
    pub fn to_linear(&self) -> Matrix3<T> {
        let rotation = rotation_matrix(&self.rotation);
        let column = |i: usize| rotation.column(i) * self.scale[i];
        Matrix3::from_columns(&[column(0), column(1), column(2)])
    }

    /// The 4×4 matrix `T · R · S`, for column vectors.
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<T> {
        let mut matrix = self.to_linear().to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.translation);
        matrix
    }

    /// Takes a point from the node's space to its parent's.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        Point3::from(self.translation + self.transform_vector(&point.coords))
    }

    /// Takes a vector from the node's space to its parent's; the translation has no effect.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        rotate(&self.rotation, &self.scale.component_mul(vector))
    }

    /// Takes a point from the parent's space to the node's. `None` if a scale is zero or the result would
    /// not be finite.
    #[inline]
    #[must_use]
    pub fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        let vector = self.inverse_transform_vector(&(point.coords - self.translation))?;
        Some(Point3::from(vector))
    }

    /// Takes a vector from the parent's space to the node's; the translation has no effect. `None` if a
    /// scale is zero or the result would not be finite.
    #[inline]
    #[must_use]
    pub fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        let turned = rotate(&self.rotation.conjugate(), vector);
        let own = turned.component_div(&self.scale);
        own.iter().all(ComplexField::is_finite).then_some(own)
    }

    /// This pose in another precision, with each component rounded to nearest.
    ///
    /// The rotation is not normalised again, so its length is off by at most the rounding.
    /// A component out of range for `f32` becomes infinite.
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

    /// Checks that every component is finite and that the rotation has unit length.
    ///
    /// Zero and negative scales are accepted.
    ///
    /// # Errors
    ///
    /// The first part that is not finite, or else a rotation whose length is further than
    /// [`UNIT_TOLERANCE`](Self::UNIT_TOLERANCE) from 1.
    #[inline]
    pub fn check(&self) -> Result<(), PoseError> {
        if self.is_clearly_valid() { Ok(()) } else { self.check_each_part() }
    }

    /// Whether all is finite and the rotation well within the tolerance: true of nearly all poses, and found without a
    /// branch for each component.
    #[inline]
    fn is_clearly_valid(&self) -> bool {
        // Neither NaN nor infinity times 0 is 0.
        let zero = |v: &Vector3<T>| (v.x * T::zero() + v.y * T::zero()) + v.z * T::zero();
        let is_finite = zero(&self.translation) + zero(&self.scale) == T::zero();
        let [x, y, z, w]: [T; 4] = self.rotation.coords.into();
        let square = (x * x + y * y) + (z * z + w * w);
        // A length within 0.9e-4 of 1.
        is_finite & ((square - T::one()).abs() < T::rounded(1.8 * Self::UNIT_TOLERANCE))
    }

    #[cold]
    fn check_each_part(&self) -> Result<(), PoseError> {
        let finite = |values: &[T]| values.iter().all(ComplexField::is_finite);
        if !finite(self.translation.as_slice()) {
            return Err(PoseError::TranslationNotFinite);
        }
        if !finite(self.rotation.coords.as_slice()) {
            return Err(PoseError::RotationNotFinite);
        }
        if !finite(self.scale.as_slice()) {
            return Err(PoseError::ScaleNotFinite);
        }
        let length: f64 = self.rotation.coords.norm().into();
        if (length - 1.0).abs() > Self::UNIT_TOLERANCE {
            return Err(PoseError::RotationNotUnit { length });
        }
        Ok(())
    }

    /// The parts in which this pose and another one differ, compared bit by bit: unlike `==`, it tells −0
    /// from 0.
    #[inline]
    #[must_use]
    pub fn change_to(&self, other: &Self) -> Change {
        // Without a branch for each component.
        let is_other = |a: &[T], b: &[T]| {
            a.iter().zip(b).fold(false, |is_other, (&a, &b)| is_other | (a.bits() != b.bits()))
        };
        let slice = Vector3::as_slice;
        Change::POSITION.when(is_other(slice(&self.translation), slice(&other.translation)))
            | Change::ROTATION
                .when(is_other(self.rotation.coords.as_slice(), other.rotation.coords.as_slice()))
            | Change::SCALE.when(is_other(slice(&self.scale), slice(&other.scale)))
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
    fn scale_acts_before_rotation_and_rotation_before_translation() {
        // A third of a turn about (1, 1, 1) takes x to y, exactly.
        let cycle = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
        let pose =
            Trs::from_parts(Vector3::new(10.0, 20.0, 30.0), cycle, Vector3::new(2.0, 3.0, 5.0));
        let expected = Point3::new(10.0, 22.0, 30.0);
        assert_eq!(pose.transform_point(&Point3::new(1.0, 0.0, 0.0)), expected);
        assert_eq!(pose.to_homogeneous().transform_point(&Point3::new(1.0, 0.0, 0.0)), expected);
    }

    #[test]
    fn check_names_the_part_that_is_wrong() {
        let pose = Trs::<f64>::identity();
        let nan = Vector3::new(0.0, f64::NAN, 0.0);
        let long = UnitQuaternion::new_unchecked(Quaternion::new(2.0, 0.0, 0.0, 0.0));
        let infinite = UnitQuaternion::new_unchecked(Quaternion::new(f64::INFINITY, 0., 0., 0.));
        assert_eq!(pose.check(), Ok(()));
        assert_eq!(pose.with_scale(Vector3::new(0.0, -1.0, 1e-300)).check(), Ok(()));
        assert_eq!(pose.with_translation(nan).check(), Err(PoseError::TranslationNotFinite));
        assert_eq!(pose.with_scale(nan).check(), Err(PoseError::ScaleNotFinite));
        assert_eq!(pose.with_rotation(infinite).check(), Err(PoseError::RotationNotFinite));
        assert_eq!(
            pose.with_rotation(long).check(),
            Err(PoseError::RotationNotUnit { length: 2.0 })
        );
    }

    #[test]
    fn a_length_within_the_tolerance_is_accepted_and_one_beyond_it_is_not() {
        let of_length = |length: f64| {
            let rotation = Quaternion::new(0.0, length, 0.0, 0.0);
            Trs::from_rotation(UnitQuaternion::new_unchecked(rotation)).check()
        };
        assert!(of_length(1.00009).is_ok() && of_length(0.99991).is_ok());
        assert!(of_length(1.00011).is_err() && of_length(0.99989).is_err());
    }

    #[test]
    fn the_sign_of_zero_is_a_difference_in_bits() {
        let pose = Trs::<f32>::identity();
        let negative = pose.with_translation(Vector3::new(0.0, -0.0, 0.0));
        assert_eq!(pose, negative);
        assert_eq!(pose.change_to(&negative), Change::POSITION);
        assert_eq!(pose.change_to(&pose.cast::<f64>().cast()), Change::NONE);
    }
}
