//! The checks that decide which poses a hierarchy accepts, and setters that keep a valid pose valid.

use nalgebra::{ComplexField, UnitQuaternion, Vector3};

use super::Trs;
use crate::{PoseError, Real, change::Change};

impl<T: Real> Trs<T> {
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

    /// Returns this pose as a [`Hierarchy`](crate::Hierarchy) stores it.
    ///
    /// A pose that [`check`](Self::check) accepts is unchanged. If only the length of its rotation is off, by at
    /// most [`NEAR_UNIT`](Self::NEAR_UNIT), the rotation is made unit length.
    ///
    /// # Errors
    ///
    /// The first part that is not finite, or else a rotation whose length is further than
    /// [`NEAR_UNIT`](Self::NEAR_UNIT) from 1.
    #[inline]
    pub fn normalized(mut self) -> Result<Self, PoseError> {
        self.normalize()?;
        Ok(self)
    }

    /// Makes this pose [`normalized`](Self::normalized). After an error it is unchanged.
    #[inline]
    pub(crate) fn normalize(&mut self) -> Result<(), PoseError> {
        if self.is_clearly_valid() { Ok(()) } else { self.normalize_rotation() }
    }

    #[cold]
    fn normalize_rotation(&mut self) -> Result<(), PoseError> {
        match self.check_each_part() {
            Err(PoseError::RotationNotUnit { length })
                if (length - 1.0).abs() <= Self::NEAR_UNIT =>
            {
                self.rotation = UnitQuaternion::new_normalize(self.rotation.into_inner());
                Ok(())
            }
            checked => checked,
        }
    }

    /// Returns whether every component is finite and the rotation is well within the tolerance. This holds for
    /// nearly all poses.
    ///
    /// One comparison decides it: the squared length of the rotation plus 0 times everything else is about 1.
    #[inline]
    pub(crate) fn is_clearly_valid(&self) -> bool {
        let Self { rotation, translation, scale } = self;
        is_about_one(norm_squared(rotation) + zero_if_finite(translation) + zero_if_finite(scale))
    }

    #[cold]
    fn check_each_part(&self) -> Result<(), PoseError> {
        if zero_if_finite(&self.translation) != T::zero() {
            return Err(PoseError::TranslationNotFinite);
        }
        if !self.rotation.coords.iter().all(ComplexField::is_finite) {
            return Err(PoseError::RotationNotFinite);
        }
        if zero_if_finite(&self.scale) != T::zero() {
            return Err(PoseError::ScaleNotFinite);
        }
        let length: f64 = self.rotation.coords.norm().into();
        if (length - 1.0).abs() > Self::UNIT_TOLERANCE {
            return Err(PoseError::RotationNotUnit { length });
        }
        Ok(())
    }

    /// Returns the parts in which this pose and another one differ. They are compared bit by bit, so unlike with
    /// `==`, −0 differs from 0.
    #[inline]
    #[must_use]
    pub fn change_to(&self, other: &Self) -> Change {
        let Self { rotation, translation, scale } = self;
        Change::POSITION.when(differ(translation.as_slice(), other.translation.as_slice()))
            | Change::ROTATION
                .when(differ(rotation.coords.as_slice(), other.rotation.coords.as_slice()))
            | Change::SCALE.when(differ(scale.as_slice(), other.scale.as_slice()))
    }

    /// Returns whether any bit differs.
    #[inline]
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let Self { rotation, translation, scale } = self;
        differ(rotation.coords.as_slice(), other.rotation.coords.as_slice())
            || differ(translation.as_slice(), other.translation.as_slice())
            || differ(scale.as_slice(), other.scale.as_slice())
    }

    /// Sets the translation of a valid pose and returns which parts changed. After an error the pose is unchanged.
    #[inline]
    pub(crate) fn set_translation(&mut self, to: &Vector3<T>) -> Result<Change, PoseError> {
        if zero_if_finite(to) != T::zero() {
            return Err(PoseError::TranslationNotFinite);
        }
        Ok(Change::POSITION.when(replace(self.translation.as_mut_slice(), to.as_slice())))
    }

    /// Like [`set_translation`](Self::set_translation), for the rotation.
    #[inline]
    pub(crate) fn set_rotation(&mut self, to: &UnitQuaternion<T>) -> Result<Change, PoseError> {
        let mut to = *to;
        if !is_about_one(norm_squared(&to)) {
            to = self.with_rotation(to).normalized()?.rotation;
        }
        let coords = self.rotation.as_mut_unchecked().coords.as_mut_slice();
        Ok(Change::ROTATION.when(replace(coords, to.coords.as_slice())))
    }

    /// Like [`set_translation`](Self::set_translation), for the scale.
    #[inline]
    pub(crate) fn set_scale(&mut self, to: &Vector3<T>) -> Result<Change, PoseError> {
        if zero_if_finite(to) != T::zero() {
            return Err(PoseError::ScaleNotFinite);
        }
        Ok(Change::SCALE.when(replace(self.scale.as_mut_slice(), to.as_slice())))
    }
}

/// Returns zero, or NaN if a component is NaN or infinite.
#[inline]
fn zero_if_finite<T: Real>(v: &Vector3<T>) -> T {
    (v.x * T::zero() + v.y * T::zero()) + v.z * T::zero()
}

/// Returns the squared length, which is not finite if a component is not.
#[inline]
fn norm_squared<T: Real>(rotation: &UnitQuaternion<T>) -> T {
    let [x, y, z, w]: [T; 4] = rotation.coords.into();
    // The order of the sum matters. Added in order, the compiler loads y and z as one, across the halves of a pose
    // that was just stored. On Intel processors that load waits 10 ns for the store to leave the store buffer. Added
    // as here, each vector load covers one half of the pose.
    (x * x + z * z) + (y * y + w * w)
}

/// How far a squared length may be from 1 to be clearly within the tolerance.
pub(crate) const CLEARLY_UNIT: f64 = 1.8 * Trs::<f64>::UNIT_TOLERANCE;

/// Returns whether a squared length is that close to 1. The length itself is then well within the tolerance.
#[inline]
fn is_about_one<T: Real>(square: T) -> bool {
    (square - T::one()).abs() < T::rounded(CLEARLY_UNIT)
}

/// Overwrites a part, and returns whether any bit of it changed.
#[inline]
fn replace<T: Real>(part: &mut [T], to: &[T]) -> bool {
    let is_other = differ(part, to);
    if is_other {
        part.copy_from_slice(to);
    }
    is_other
}

/// Returns whether any bit differs, and stops at the first component that does.
//
// A comparison without branches would make every store wait for the old pose: setting all poses one by one took 6 ns
// a node instead of 4.2. It is no better for scattered nodes of which only some change, although no processor can
// predict which: half of the nodes at random took 2.1 to 3.9 of glam's time instead of 1.6 to 2.8.
#[inline]
fn differ<T: Real>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).any(|(&a, &b)| a.bits() != b.bits())
}

#[cfg(test)]
mod tests {
    use nalgebra::Quaternion;

    use super::*;

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
    fn a_length_that_is_at_most_a_hundredth_off_is_made_1_and_no_bit_changes_of_one_within_the_tolerance()
     {
        let of_length = |length: f64| {
            let rotation = Quaternion::new(0.6 * length, 0.0, 0.8 * length, 0.0);
            Trs::from_rotation(UnitQuaternion::new_unchecked(rotation))
        };
        for kept in [of_length(1.0), of_length(1.00009), of_length(0.99991)] {
            assert_eq!(kept.normalized(), Ok(kept));
        }
        for made_unit in [of_length(1.00011), of_length(1.0099), of_length(0.9901)] {
            let found = made_unit.normalized().unwrap();
            assert!((found.rotation.coords - of_length(1.0).rotation.coords).norm() < 1e-15);
            assert_eq!(found.with_rotation(made_unit.rotation), made_unit);
        }
        for refused in [1.0101, 0.9899, 0.0] {
            let error = of_length(refused).normalized().unwrap_err();
            let PoseError::RotationNotUnit { length } = error else { panic!("{error}") };
            assert!((length - refused).abs() < 1e-15);
        }
        let nan = of_length(1.005).with_scale(Vector3::new(1.0, f64::NAN, 1.0));
        assert_eq!(nan.normalized(), Err(PoseError::ScaleNotFinite));
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
