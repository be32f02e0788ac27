//! Applies quaternions so that a small error of their length does no harm.
//!
//! The usual formulas assume |q|² = 1 and pass any error of it on: a scale creeps in, and even a quarter turn, whose
//! √½ is irrational, gives 1.0000000000000002 for 1. Here the factor 2 in the formulas is 2/|q|² to first order,
//! which is 2·(1 + e) with e = 1 − |q|². This needs no division, is orthonormal to the square of the error, and is
//! exact for quarter turns about the axes in both precisions.
//!
//! Hidden. The comparison of animations uses the same formulas with one time in each lane of a vector, which is why
//! they are generic.

// Before quaternions were renormalised to first order where they are applied, the piston at k = 3 put B at x =
// 6.000000000000001. Now every quarter turn is exact in both precisions, and a chain of rotations whose lengths are
// off does not grow a scale. The price is one multiply-add for each entry. A division would be exact to all orders
// but is slower.
use nalgebra::{Matrix3, Quaternion, SimdRealField, UnitQuaternion, Vector3};

use crate::Real;

/// Returns by how much the squared length of a quaternion falls short of 1: 1 − |q|².
#[inline]
fn length_error<T: SimdRealField + Copy>(q: &Quaternion<T>) -> T {
    T::one() - q.coords.norm_squared()
}

/// Returns the product of two rotations, of which `b` acts first, with the bits of nalgebra's product.
#[inline]
#[must_use]
pub fn product<T: Real>(a: &UnitQuaternion<T>, b: &UnitQuaternion<T>) -> UnitQuaternion<T> {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
    {
        let mut product = UnitQuaternion::identity();
        if T::try_as_f32::<lanes::Factors<'_>>((a, b, &mut product)).map(lanes::multiply).is_ok() {
            return product;
        }
    }
    a * b
}

/// Returns the rotation matrix of a quaternion of about unit length.
#[inline]
#[must_use]
pub fn rotation_matrix<T: SimdRealField + Copy>(q: &Quaternion<T>) -> Matrix3<T> {
    let (x, y, z, w) = (q.i, q.j, q.k, q.w);
    let length_error = length_error(q);
    // The correction is added, because multiplying by 1 + length_error would round that sum first.
    let twice = |value: T| (value + value) + (value + value) * length_error;
    let one = T::one();
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    Matrix3::new(
        one - twice(yy + zz),
        twice(xy - wz),
        twice(xz + wy),
        twice(xy + wz),
        one - twice(xx + zz),
        twice(yz - wx),
        twice(xz - wy),
        twice(yz + wx),
        one - twice(xx + yy),
    )
}

/// Returns the vector rotated by a quaternion of about unit length.
#[inline]
#[must_use]
pub fn rotate<T: SimdRealField + Copy>(q: &Quaternion<T>, vector: &Vector3<T>) -> Vector3<T> {
    let axis = q.coords.xyz();
    let across = axis.cross(vector);
    let moved = across * q.w + axis.cross(&across);
    let twice = moved + moved;
    vector + (twice + twice * length_error(q))
}

/// Returns σ·R·σ for a diagonal σ of signs: the rotation seen in the mirror. The axis of a rotation is normal to the
/// plane in which it rotates, so each component takes the signs of the two other axes.
#[inline]
pub(crate) fn mirrored<T: Real>(
    rotation: &UnitQuaternion<T>,
    signs: &Vector3<T>,
) -> UnitQuaternion<T> {
    let [x, y, z] = (*signs).into();
    let planes = Vector3::new(y * z, x * z, x * y);
    let (w, axis) = (rotation.w, rotation.imag());
    UnitQuaternion::new_unchecked(Quaternion::from_parts(w, axis.component_mul(&planes)))
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    use std::marker::PhantomData;

    use nalgebra::UnitQuaternion;

    use crate::{
        Real,
        lanes::f32x4::{add, mul, of, scalars, shuffle, splat, xor},
        real::OverScalar,
    };

    /// Two rotations and the place for their product, over the scalar.
    pub(super) struct Factors<'a>(PhantomData<&'a ()>);

    impl<'a> OverScalar for Factors<'a> {
        type Of<T: Real> =
            (&'a UnitQuaternion<T>, &'a UnitQuaternion<T>, &'a mut UnitQuaternion<T>);
    }

    /// Multiplies two rotations with a component in each lane. nalgebra adds the terms in the same order.
    #[inline]
    pub(super) fn multiply((a, b, product): <Factors<'_> as OverScalar>::Of<f32>) {
        let b = of(b.i, b.j, b.k, b.w);
        let by_i = xor(shuffle::<0b00_01_10_11>(b, b), of(0.0, -0.0, 0.0, -0.0)); // w −k j −i
        let by_j = xor(shuffle::<0b01_00_11_10>(b, b), of(0.0, 0.0, -0.0, -0.0)); // k w −i −j
        let by_k = xor(shuffle::<0b10_11_00_01>(b, b), of(-0.0, 0.0, 0.0, -0.0)); // −j i w −k
        let two = add(mul(splat(a.w), b), mul(splat(a.i), by_i));
        let sum = add(add(two, mul(splat(a.j), by_j)), mul(splat(a.k), by_k));
        product.as_mut_unchecked().coords = scalars(sum).into();
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    fn quarter_turns_are_exact<T: Real>() {
        let nearest = T::rounded(std::f64::consts::FRAC_1_SQRT_2);
        let epsilon = T::default_epsilon();
        for half in [nearest, nearest - epsilon, nearest + epsilon] {
            for axis in 0..3 {
                let q = Quaternion::from_parts(half, Vector3::ith(axis, half));
                let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
                let along = |i: usize| Vector3::ith(i, T::one());
                let turned = along(last);
                assert_eq!(rotation_matrix(&q) * along(next), turned);
                assert_eq!(rotate(&q, &along(next)), turned);
                assert_eq!(rotate(&q, &along(axis)), along(axis));
            }
        }
    }

    #[test]
    fn quarter_turns_about_the_axes_are_exact() {
        quarter_turns_are_exact::<f32>();
        quarter_turns_are_exact::<f64>();
    }

    properties! {
        #[test]
        fn a_product_has_the_bits_of_nalgebra(
            a in proptest::array::uniform4(-1.0_f32..1.0),
            b in proptest::array::uniform4(-1.0_f32..1.0),
        ) {
            let rotation = |[x, y, z, w]: [f32; 4]| {
                UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
            };
            let (a, b) = (rotation(a), rotation(b));
            let bits = |q: &UnitQuaternion<f32>| q.coords.map(f32::to_bits);
            prop_assert_eq!(bits(&product(&a, &b)), bits(&(a * b)));
            let (wide, other): (UnitQuaternion<f64>, UnitQuaternion<f64>) = (a.cast(), b.cast());
            prop_assert_eq!(product(&wide, &other), wide * other);
        }

        #[test]
        fn both_do_as_nalgebra_does_and_forgive_a_length_off_by_little(
            axis in proptest::array::uniform3(-3.0..3.0),
            vector in proptest::array::uniform3(-9.0..9.0),
            error in -1e-6..1e-6,
        ) {
            let exact = UnitQuaternion::from_scaled_axis(Vector3::from(axis));
            let vector = Vector3::from(vector);
            let q = exact.into_inner() * (1.0 + error);
            assert_relative_eq!(rotate(&q, &vector), exact * vector, epsilon = 1e-10);
            let matrix = exact.to_rotation_matrix().into_inner();
            assert_relative_eq!(rotation_matrix(&q), matrix, epsilon = 1e-11);
        }
    }
}
