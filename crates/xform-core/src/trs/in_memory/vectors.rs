use std::marker::PhantomData;

use super::super::{Trs, checked::CLEARLY_UNIT};
use crate::{
    Real,
    lanes::f32x4::{
        F32x4, add, and, any, high, inhabited, less, low, mul, of, or, shuffle, splat, sub, xor,
    },
    real::OverScalar,
};

/// A slice of poses over either scalar.
pub(super) struct Slice<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for Slice<'a> {
    type Of<T: Real> = &'a [Trs<T>];
}

/// Two poses over either scalar.
pub(super) struct Pair<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for Pair<'a> {
    type Of<T: Real> = (&'a Trs<T>, &'a Trs<T>);
}

/// Two slices of poses over either scalar, to be compared.
pub(super) struct Slices<'a>(PhantomData<&'a ()>);

impl<'a> OverScalar for Slices<'a> {
    type Of<T: Real> = (&'a [Trs<T>], &'a [Trs<T>]);
}

/// Returns the ten scalars of a pose in three vectors, in their order. The last vector is padded with 0.
#[inline]
fn vectors(pose: &Trs<f32>) -> [F32x4; 3] {
    let (q, t, s) = (&pose.rotation.coords, &pose.translation, &pose.scale);
    [of(q.x, q.y, q.z, q.w), of(t.x, t.y, t.z, s.x), of(s.y, s.z, 0.0, 0.0)]
}

/// Returns whether any bit of two poses differs.
#[inline]
pub(super) fn differ(a: &Trs<f32>, b: &Trs<f32>) -> bool {
    any(difference(a, b))
}

/// Returns a bit for each of four pairs of poses, the lowest first, which is set if any bit of the two differs.
#[inline]
pub(super) fn differing(four: &[Trs<f32>; 4], others: &[Trs<f32>; 4]) -> u32 {
    let [a, b, c, d] = std::array::from_fn(|i| difference(&four[i], &others[i]));
    let (ab, cd) = (or(low(a, b), high(a, b)), or(low(c, d), high(c, d)));
    let lower_half = shuffle::<0b01_00_01_00>(ab, cd);
    let upper_half = shuffle::<0b11_10_11_10>(ab, cd);
    inhabited(or(lower_half, upper_half))
}

/// Returns the bits in which two poses differ, with the ten scalars combined into four.
#[inline]
fn difference(a: &Trs<f32>, b: &Trs<f32>) -> F32x4 {
    let ([a, b, c], [other_a, other_b, other_c]) = (vectors(a), vectors(b));
    or(xor(a, other_a), or(xor(b, other_b), xor(c, other_c)))
}

/// Returns whether every pose [is clearly valid](Trs::is_clearly_valid): the squared length of its rotation is
/// within the tolerance of 1, and everything is finite.
///
/// May return false for a pose whose translation and scale are finite but whose sums overflow.
#[inline]
pub(super) fn are_clearly_valid(poses: &[[Trs<f32>; 4]]) -> bool {
    let (one, sign) = (splat(1.0), splat(-0.0));
    let tolerance = splat(f32::rounded(CLEARLY_UNIT));
    let all = less(sign, one); // all bits set in every lane
    let are_valid = poses.iter().fold(all, |are_valid, four| {
        let [a, b, c, d] = four.each_ref().map(|pose| {
            let [rotation, rest, end] = vectors(pose);
            let sum = add(rest, end);
            add(mul(rotation, rotation), sub(sum, sum)) // NaN if the sum is not finite
        });
        let (ab, cd) = (add(low(a, b), high(a, b)), add(low(c, d), high(c, d)));
        let lower_half = shuffle::<0b01_00_01_00>(ab, cd);
        let upper_half = shuffle::<0b11_10_11_10>(ab, cd);
        let off = sub(add(lower_half, upper_half), one);
        let off = xor(or(off, sign), sign);
        and(are_valid, less(off, tolerance))
    });
    !any(xor(are_valid, all))
}
