//! Products, inverses and interpolation of poses.

use nalgebra::{ComplexField, UnitQuaternion, Vector3};

use super::Trs;
use crate::{
    Real,
    rotation::{mirrored, rotation_matrix},
};

impl<T: Real> Trs<T> {
    /// Returns the product of two poses if it is a pose: `grandparent_from_parent.checked_mul(&parent_from_child)`.
    ///
    /// Returns `None` if the outer scale would skew the inner pose, or if the product is not finite. To within
    /// rounding, the product is a pose in these cases:
    ///
    /// - The outer scale is uniform, apart from its signs.
    /// - The inner rotation maps the axes onto one another.
    /// - The inner rotation turns about one axis, and the outer scale is equal along the two other axes.
    ///
    /// The product is the one that accumulated matrices give. Combined TRS gives the same if the outer scale is
    /// uniform and not negative, or if the turn is about such an axis.
    #[must_use]
    pub fn checked_mul(&self, inner: &Self) -> Option<Self> {
        let (rotation, scale) = exchanged(&self.scale, &inner.rotation)?;
        let translation = self.transform_point(&inner.translation.into()).coords;
        let rotation = UnitQuaternion::new_normalize(*self.rotation * *rotation);
        Self::from_parts(translation, rotation, scale.component_mul(&inner.scale)).if_finite()
    }

    /// Returns the inverse of this pose if it is a pose. Its product with this pose is the identity.
    ///
    /// Returns `None` if a scale is zero, if the inverse would be skewed (as below a stretch along slanted axes), or
    /// if it is not finite.
    #[must_use]
    pub fn try_inverse(&self) -> Option<Self> {
        let scale = self.scale.map(|factor| T::one() / factor);
        if !scale.iter().all(ComplexField::is_finite) {
            return None;
        }
        let turned_back = UnitQuaternion::new_normalize(*self.rotation.conjugate());
        let (rotation, scale) = exchanged(&scale, &turned_back)?;
        let linear = Self::from_parts(Vector3::zeros(), rotation, scale);
        linear.with_translation(linear.transform_vector(&-self.translation)).if_finite()
    }

    /// Interpolates between this pose, at `part` 0, and another one, at `part` 1.
    ///
    /// The translation and scale are interpolated linearly (lerp), and the rotation turns at an even rate along the
    /// shorter way (slerp). Below 0 and above 1 both extrapolate in the same way.
    #[must_use]
    pub fn interpolate(&self, to: &Self, part: T) -> Self {
        Self::from_parts(
            self.translation.lerp(&to.translation, part),
            slerp(&self.rotation, &to.rotation, part),
            self.scale.lerp(&to.scale, part),
        )
    }

    fn if_finite(self) -> Option<Self> {
        self.check().is_ok().then_some(self)
    }
}

/// Returns the rotation R′ and the scale S′ with S·R = R′·S′, for a scale S and a rotation R. `None` if they do not
/// exist.
fn exchanged<T: Real>(
    scale: &Vector3<T>,
    rotation: &UnitQuaternion<T>,
) -> Option<(UnitQuaternion<T>, Vector3<T>)> {
    let largest = scale.amax();
    if scale.iter().all(|factor| factor.abs() == largest) {
        let signs = scale.map(|factor| T::one().copysign(factor));
        return Some((mirrored(rotation, &signs), *scale));
    }
    let turn = rotation_matrix(&UnitQuaternion::new_normalize(**rotation));
    // Rᵀ·S·R, divided by the largest factor so that nothing overflows.
    let own = turn.tr_mul(&nalgebra::Matrix3::from_diagonal(&(scale / largest))) * turn;
    let within = T::rounded(16.0) * T::default_epsilon();
    // Compared with the shorter of the two axes, because that one would be turned farther.
    let is_nothing = |(i, j): (usize, usize)| {
        own[(i, j)].abs() <= within * own[(i, i)].abs().min(own[(j, j)].abs())
    };
    let is_diagonal = [(0, 1), (0, 2), (1, 2)].into_iter().all(is_nothing);
    is_diagonal.then(|| (*rotation, own.diagonal() * largest))
}

/// Returns the rotation after a part of an even turn from one rotation to another, along the shorter way.
fn slerp<T: Real>(from: &UnitQuaternion<T>, to: &UnitQuaternion<T>, part: T) -> UnitQuaternion<T> {
    let (from, to) = (from.coords, to.coords);
    let to = if from.dot(&to) < T::zero() { -to } else { to };
    // Computed from half the angle and half the chord, which is exact for small angles, where the cosine is not.
    let angle = T::rounded(2.0) * (to - from).norm().atan2((to + from).norm());
    // sin(p·α) / sin(α), which is p for an angle of zero.
    let weight = |part: T| {
        if angle > T::zero() { (part * angle).sin() / angle.sin() } else { part }
    };
    let between = from * weight(T::one() - part) + to * weight(part);
    UnitQuaternion::new_normalize(between.into())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use nalgebra::Point3;
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = Vector3<f64>> {
        proptest::array::uniform3(range).prop_map(Vector3::from)
    }

    fn turn(axis: Vector3<f64>) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(axis)
    }

    /// Compares with the product of the matrices.
    fn assert_is_product(product: &Trs<f64>, outer: &Trs<f64>, inner: &Trs<f64>) {
        let expected = outer.to_homogeneous() * inner.to_homogeneous();
        let off = (product.to_homogeneous() - expected).amax();
        assert!(off <= 1e-13 * (1.0 + expected.amax()), "{off}");
    }

    properties! {
        #[test]
        fn below_uniform_scales_and_mirrors_every_product_is_a_pose(
            t in [vector(-5.0..5.0), vector(-5.0..5.0)],
            r in [vector(-3.0..3.0), vector(-3.0..3.0)],
            size in -3.0..3.0_f64,
            mirrors in proptest::array::uniform3(any::<bool>()),
            scale in vector(-2.0..2.0),
        ) {
            let sizes = Vector3::from(mirrors.map(|mirrors| if mirrors { -size } else { size }));
            let outer = Trs::from_parts(t[0], turn(r[0]), sizes);
            let inner = Trs::from_parts(t[1], turn(r[1]), scale);
            assert_is_product(&outer.checked_mul(&inner).unwrap(), &outer, &inner);
        }

        #[test]
        fn a_turn_of_axes_into_axes_and_one_about_an_axis_of_symmetry_are_exact(
            quarters in proptest::array::uniform3(0_u8..4), about_z in -3.0..3.0,
            scale in vector(0.5..2.0), signs in proptest::array::uniform3(any::<bool>()),
            inner_scale in vector(-2.0..2.0), r in vector(-3.0..3.0),
        ) {
            let quarter =
                |axis| turn(Vector3::ith(axis, f64::from(quarters[axis]) * FRAC_PI_2));
            let signs = Vector3::from(signs.map(|is_negative| if is_negative { -1.0 } else { 1.0 }));
            let scale = scale.component_mul(&signs);
            let cube = quarter(0) * quarter(1) * quarter(2);
            let outer = Trs::from_parts(Vector3::x(), turn(r), scale);
            let inner = Trs::from_parts(Vector3::y(), cube, inner_scale);
            assert_is_product(&outer.checked_mul(&inner).unwrap(), &outer, &inner);
            let even = outer.with_scale(Vector3::new(scale.x, scale.x, scale.z));
            let inner = inner.with_rotation(turn(Vector3::z() * about_z));
            assert_is_product(&even.checked_mul(&inner).unwrap(), &even, &inner);
        }

        #[test]
        fn rotations_of_any_accepted_length_make_no_scale(
            scale in vector(0.5..2.0), about_z in -3.0..3.0, off in -9.9e-5..9.9e-5,
            quarter in 0_usize..3,
        ) {
            let of_length = |rotation: UnitQuaternion<f64>| {
                UnitQuaternion::new_unchecked(rotation.into_inner() * (1.0 + off))
            };
            let even = Trs::from_scale(Vector3::new(scale.x, scale.x, scale.z));
            let turned = Trs::from_rotation(of_length(turn(Vector3::z() * about_z)));
            let product = even.checked_mul(&turned).unwrap();
            prop_assert!((product.scale - even.scale).amax() < 1e-14);
            let outer = Trs::from_scale(scale);
            let turned = Trs::from_rotation(of_length(turn(Vector3::ith(quarter, FRAC_PI_2))));
            let found = outer.checked_mul(&turned).unwrap().to_homogeneous();
            let expected = outer.to_homogeneous() * turned.to_homogeneous();
            // The formulas square the error of the length: 2 (2 · 1e-4)².
            prop_assert!((found - expected).amax() < 8e-8 * scale.amax());
        }

        #[test]
        fn a_product_is_exact_or_refused(
            scale in vector(-2.0..2.0), r in [vector(-3.0..3.0), vector(-3.0..3.0)],
        ) {
            let outer = Trs::from_parts(Vector3::x(), turn(r[0]), scale);
            let inner = Trs::from_rotation(turn(r[1]));
            let skew = crate::linear::skew(&(outer.to_linear() * inner.to_linear()));
            match outer.checked_mul(&inner) {
                Some(product) => assert_is_product(&product, &outer, &inner),
                None => prop_assert!(skew.unwrap() > 0.0),
            }
            if skew.is_some_and(|skew| skew > 1e-6) {
                prop_assert!(outer.checked_mul(&inner).is_none());
            }
        }

        #[test]
        fn an_inverse_takes_back_what_the_pose_does(
            t in vector(-5.0..5.0), r in vector(-3.0..3.0), size in 0.1..3.0_f64,
            mirrors in proptest::array::uniform3(any::<bool>()), p in vector(-5.0..5.0),
        ) {
            let sizes = Vector3::from(mirrors.map(|mirrors| if mirrors { -size } else { size }));
            let pose = Trs::from_parts(t, turn(r), sizes);
            let back = pose.try_inverse().unwrap();
            let found = back.transform_point(&pose.transform_point(&p.into()));
            prop_assert!((found.coords - p).norm() < 1e-12 * (1.0 + t.norm() / size));
            let found = pose.checked_mul(&back).unwrap().to_homogeneous() - nalgebra::Matrix4::identity();
            prop_assert!(found.amax() < 1e-13 * (1.0 + t.norm()));
        }

        #[test]
        fn between_two_poses_everything_goes_evenly(
            t in [vector(-5.0..5.0), vector(-5.0..5.0)], axis in vector(-1.0..1.0),
            angle in 0.0..3.1, part in -0.5..1.5, start in vector(-3.0..3.0), sign in any::<bool>(),
        ) {
            prop_assume!(axis.norm() > 0.1);
            let by = |part: f64| turn(axis.normalize() * (angle * part));
            let from = Trs::from_parts(t[0], turn(start), t[1]);
            let end = by(1.0) * turn(start);
            let end = if sign { UnitQuaternion::new_unchecked(-end.into_inner()) } else { end };
            let found = from.interpolate(&Trs::from_parts(t[1], end, t[0]), part);
            prop_assert!((found.translation - (t[0] + (t[1] - t[0]) * part)).norm() < 1e-13);
            prop_assert!((found.scale - (t[1] + (t[0] - t[1]) * part)).norm() < 1e-13);
            let expected = by(part) * turn(start);
            let off = (found.rotation.coords - expected.coords).norm();
            let off = off.min((found.rotation.coords + expected.coords).norm());
            prop_assert!(off < 1e-13, "{off}");
        }
    }

    #[test]
    fn what_skews_thin_axes_alone_is_no_product() {
        let about_x = Trs::from_rotation(UnitQuaternion::from_scaled_axis(Vector3::x() * 0.7_f32));
        let thin = Vector3::new(1e-6, 1.0, 2.0);
        assert_eq!(about_x.with_scale(thin).try_inverse(), None);
        let long = Vector3::new(1e6, 2.0, 1.0);
        assert_eq!(Trs::from_scale(long).checked_mul(&about_x), None);
        assert!(Trs::from_scale(Vector3::new(1e6, 2.0, 2.0)).checked_mul(&about_x).is_some());
        assert!(Trs::from_scale(thin).checked_mul(&Trs::from_scale(long)).is_some());
    }

    #[test]
    fn what_is_flat_has_no_inverse_and_what_skews_no_product() {
        let slanted = Trs::from_rotation(turn(Vector3::z() * 0.5));
        let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
        assert_eq!(stretched.checked_mul(&slanted), None);
        assert_eq!(Trs::from_scale(Vector3::new(1.0, 0.0, 1.0)).try_inverse(), None);
        assert_eq!(slanted.with_scale(stretched.scale).try_inverse(), None);
        let huge = Trs::from_scale(Vector3::repeat(1e200));
        assert_eq!(huge.checked_mul(&huge), None);
        let flat = Trs::from_scale(Vector3::zeros());
        let moved = Trs::from_translation(Vector3::x());
        let found = flat.checked_mul(&moved).unwrap().transform_point(&Point3::new(1.0, 2.0, 3.0));
        assert_eq!(found, Point3::origin());
    }
}
