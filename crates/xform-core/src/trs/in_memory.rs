//! Checks of many poses at once: four scalars at a time if the processor has vectors.
//!
//! These checks are for poses that have been in memory for a while. A pose that was just made is checked with
//! [scalars](super::checked), because a vector load would have to wait until its parts have left the store buffer.

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod vectors;

use super::Trs;
use crate::Real;

impl<T: Real> Trs<T> {
    /// Returns whether every pose [is clearly valid](Self::is_clearly_valid).
    pub(crate) fn are_clearly_valid(poses: &[Self]) -> bool {
        #[cfg(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        if let Ok(poses) = T::try_as_f32::<vectors::Slice<'_>>(poses) {
            let (fours, rest) = poses.as_chunks();
            return vectors::are_clearly_valid(fours) && each_is_clearly_valid(rest);
        }
        each_is_clearly_valid(poses)
    }

    /// Returns whether any bit of two poses differs, with the same result as [`differs_from`](Self::differs_from).
    #[inline]
    pub(crate) fn differ(a: &Self, b: &Self) -> bool {
        #[cfg(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        if let Ok((a, b)) = T::try_as_f32::<vectors::Pair<'_>>((a, b)) {
            return vectors::differ(a, b);
        }
        a.differs_from(b)
    }

    /// Returns a bit for each pair of poses, the lowest first, which is set if any bit of the two differs. Takes at
    /// most 64 pairs.
    #[inline]
    pub(crate) fn differing(poses: &[Self], others: &[Self]) -> u64 {
        #[cfg(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        if let Ok((poses, others)) = T::try_as_f32::<vectors::Slices<'_>>((poses, others)) {
            let ((fours, rest), (other_fours, other_rest)) =
                (poses.as_chunks(), others.as_chunks());
            let pairs = fours.iter().zip(other_fours).enumerate();
            let bits = pairs.fold(0, |bits, (i, (four, others))| {
                bits | u64::from(vectors::differing(four, others)) << (4 * i)
            });
            let before = poses.len() - rest.len();
            return if rest.is_empty() {
                bits
            } else {
                bits | each_differing(rest, other_rest) << before
            };
        }
        each_differing(poses, others)
    }
}

/// The same as [`Trs::differing`], one pair at a time.
#[inline]
fn each_differing<T: Real>(poses: &[Trs<T>], others: &[Trs<T>]) -> u64 {
    let pairs = poses.iter().zip(others).enumerate();
    pairs.fold(0, |bits, (i, (pose, other))| bits | u64::from(Trs::differ(pose, other)) << i)
}

/// The same as [`Trs::are_clearly_valid`], one pose at a time but without a branch for each.
#[inline]
fn each_is_clearly_valid<T: Real>(poses: &[Trs<T>]) -> bool {
    poses.iter().fold(true, |are_valid, pose| are_valid & pose.is_clearly_valid())
}

#[cfg(test)]
mod tests {
    use nalgebra::{Quaternion, UnitQuaternion, Vector3};
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    /// Makes a pose from its ten scalars, in the order in which they lie in memory.
    fn pose([x, y, z, w, tx, ty, tz, sx, sy, sz]: [f32; 10]) -> Trs<f32> {
        Trs::from_parts(
            Vector3::new(tx, ty, tz),
            UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            Vector3::new(sx, sy, sz),
        )
    }

    const VALID: [f32; 10] = [0.5, -0.5, 0.5, 0.5, 1.0, -2.0, 3.0, 1.0, 0.0, -1.0];

    properties! {
        #[test]
        fn one_that_is_not_valid_is_found_wherever_it_stands(
            count in 1_usize..12,
            at in any::<prop::sample::Index>(),
            part in 0_usize..10,
            wrong in prop_oneof![
                Just(f32::NAN), Just(-f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY), -2.0_f32..2.0,
            ],
        ) {
            let mut poses = vec![pose(VALID); count];
            prop_assert!(Trs::are_clearly_valid(&poses));
            let mut scalars = VALID;
            scalars[part] = wrong;
            poses[at.index(count)] = pose(scalars);
            let one_by_one = poses.iter().all(Trs::is_clearly_valid);
            prop_assert_eq!(Trs::are_clearly_valid(&poses), one_by_one);
            let wide: Vec<Trs<f64>> = poses.iter().map(Trs::cast).collect();
            prop_assert_eq!(Trs::are_clearly_valid(&wide), wide.iter().all(Trs::is_clearly_valid));
        }

        #[test]
        fn any_bit_makes_a_difference(bits in any::<[u32; 10]>(), part in 0_usize..10, bit in 0_u32..32) {
            let a = pose(bits.map(f32::from_bits));
            prop_assert!(!Trs::differ(&a, &a) && !a.differs_from(&a));
            let mut other = bits;
            other[part] ^= 1 << bit;
            let b = pose(other.map(f32::from_bits));
            prop_assert!(Trs::differ(&a, &b) && a.differs_from(&b));
        }

        #[test]
        fn poses_that_differ_are_told_by_their_places(
            changed in proptest::collection::vec(
                proptest::option::of((0_usize..10, 0_u32..32)), 0..=64,
            ),
        ) {
            let poses = vec![pose(VALID); changed.len()];
            let others = changed.iter().map(|changed| {
                let mut bits = VALID.map(f32::to_bits);
                if let Some((part, bit)) = *changed {
                    bits[part] ^= 1 << bit;
                }
                pose(bits.map(f32::from_bits))
            });
            let others: Vec<_> = others.collect();
            let places = (0..changed.len()).filter(|&place| changed[place].is_some());
            let expected = places.fold(0, |bits, place| bits | 1 << place);
            prop_assert_eq!(Trs::differing(&poses, &others), expected);
            let [wide, other_wide]: [Vec<Trs<f64>>; 2] =
                [poses, others].map(|poses| poses.iter().map(Trs::cast).collect());
            prop_assert_eq!(Trs::differing(&wide, &other_wide), expected);
        }
    }

    #[test]
    fn infinities_do_not_cancel_out() {
        for other in 5..10 {
            let mut opposite = VALID;
            (opposite[4], opposite[other]) = (f32::INFINITY, f32::NEG_INFINITY);
            assert!(!Trs::are_clearly_valid(&[pose(opposite); 4]));
        }
    }
}
