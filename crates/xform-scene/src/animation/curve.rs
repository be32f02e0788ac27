use std::sync::Arc;

use thiserror::Error;

use super::turn::KnownTurn;

/// Values at keyframes with an interpolation between them: a glTF animation sampler.
///
/// Before the first keyframe it has the first value, and after the last keyframe the last. Source: glTF 2.0, 3.11 and
/// appendix C.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<const N: usize> {
    times: Arc<[f64]>,
    values: Vec<[f64; N]>,
    interpolation: Interpolation,
}

/// How values between two keyframes are interpolated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Interpolation {
    /// The value of the first keyframe, until the second.
    Step,
    /// A straight line. For rotations a turn at a constant rate, the shorter way (slerp).
    Linear,
    /// A cubic Hermite spline. A keyframe has three values: the tangent before it, its value, and the tangent after
    /// it. Tangents are in units per second.
    CubicSpline,
}

/// The reason why a [`Curve`] was refused.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// No keyframe at all.
    #[error("it has no keyframes")]
    Empty,
    /// A time before the previous one, or not finite.
    #[error("the time of keyframe {keyframe} is not finite, or is before the previous keyframe")]
    Time {
        /// Its position.
        keyframe: usize,
    },
    /// More or fewer values than the keyframes need.
    #[error("{found} values instead of {expected}")]
    Count {
        /// The number of values that the keyframes need.
        expected: usize,
        /// The number of values that there are.
        found: usize,
    },
    /// A value that is not finite.
    #[error("value {value} is not finite")]
    NotFinite {
        /// Its position.
        value: usize,
    },
}

impl Interpolation {
    /// Returns the number of values of a keyframe.
    #[must_use]
    pub fn values_per_keyframe(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline => 3,
        }
    }
}

/// The largest difference between a component and a value, as a fraction of the value's largest component, that the
/// rounding of files explains.
const SAME: f64 = 1e-6;

/// The position of a time on a curve.
#[derive(Clone, Copy)]
enum Place {
    /// The value is that of this keyframe.
    At(usize),
    /// Between this keyframe and the next: `step` seconds apart, after the fraction `part` of them.
    Behind { keyframe: usize, step: f64, part: f64 },
}

impl<const N: usize> Curve<N> {
    /// Whether the curve stays at these values, which are equivalent to each other, up to the rounding of files.
    pub(crate) fn stays_at(&self, values: &[[f64; N]]) -> bool {
        let is_near = |found: &[f64; N], value: &[f64; N]| {
            let largest = value.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
            found.iter().zip(value).all(|(a, b)| (a - b).abs() <= SAME * largest)
        };
        if self.interpolation != Interpolation::CubicSpline {
            return self
                .values
                .iter()
                .all(|found| values.iter().any(|value| is_near(found, value)));
        }
        // A tangent is a rate. Over the whole curve it must change the value by no more than rounding.
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let added = |value: &[f64; N], tangent: &[f64; N]| {
            std::array::from_fn(|i| value[i] + (last - first) * tangent[i])
        };
        values.iter().any(|value| {
            self.values.chunks_exact(3).all(|keyframe| {
                let [before, behind] =
                    [&keyframe[0], &keyframe[2]].map(|tangent| added(value, tangent));
                [&before, &keyframe[1], &behind].into_iter().all(|found| is_near(found, value))
            })
        })
    }

    /// Creates a curve through values at times in seconds, in ascending order. If two keyframes have the same time,
    /// the value jumps there.
    ///
    /// # Errors
    ///
    /// If there are no keyframes, the times are not in order, the number of values does not match the keyframes, or a
    /// time or value is not finite.
    pub fn new(
        times: impl Into<Arc<[f64]>>,
        values: Vec<[f64; N]>,
        interpolation: Interpolation,
    ) -> Result<Self, CurveError> {
        let times = times.into();
        if times.is_empty() {
            return Err(CurveError::Empty);
        }
        let is_bad = |&i: &usize| !times[i].is_finite() || i > 0 && times[i] < times[i - 1];
        if let Some(keyframe) = (0..times.len()).find(is_bad) {
            return Err(CurveError::Time { keyframe });
        }
        let expected = times.len() * interpolation.values_per_keyframe();
        if values.len() != expected {
            return Err(CurveError::Count { expected, found: values.len() });
        }
        let is_infinite = |value: &[f64; N]| !value.iter().all(|component| component.is_finite());
        if let Some(value) = values.iter().position(is_infinite) {
            return Err(CurveError::NotFinite { value });
        }
        Ok(Self { times, values, interpolation })
    }

    /// Returns the times of the keyframes, in seconds, in ascending order.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns how values between two keyframes are interpolated.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the value at a time, in seconds, interpolated component by component.
    #[must_use]
    pub fn at(&self, time: f64) -> [f64; N] {
        let line = |from: &[f64; N], to: &[f64; N], part: f64| {
            std::array::from_fn(|i| (1.0 - part) * from[i] + part * to[i])
        };
        match self.place(time) {
            Place::At(keyframe) => *self.value(keyframe),
            Place::Behind { keyframe, step, part } => match self.interpolation {
                Interpolation::CubicSpline => self.spline(keyframe, step, part),
                _ => line(self.value(keyframe), self.value(keyframe + 1), part),
            },
        }
    }

    /// The position on the curve of a time in seconds.
    fn place(&self, time: f64) -> Place {
        let after = self.times.partition_point(|&keyframe| keyframe <= time);
        let keyframe = after.saturating_sub(1);
        let is_outside = after == 0 || after == self.times.len();
        if is_outside || self.interpolation == Interpolation::Step {
            return Place::At(keyframe);
        }
        let step = self.times[after] - self.times[keyframe];
        Place::Behind { keyframe, step, part: (time - self.times[keyframe]) / step }
    }

    /// Returns the value at a keyframe.
    ///
    /// # Panics
    ///
    /// If there is no such keyframe.
    #[must_use]
    pub fn value(&self, keyframe: usize) -> &[f64; N] {
        match self.interpolation {
            Interpolation::Step | Interpolation::Linear => &self.values[keyframe],
            Interpolation::CubicSpline => &self.values[3 * keyframe + 1],
        }
    }

    /// Returns all numbers of the curve: the values at its keyframes. In a spline each value is between its tangents,
    /// which are rates.
    #[must_use]
    pub fn values(&self) -> &[[f64; N]] {
        &self.values
    }

    /// Returns this curve with another value at a keyframe. A spline passes it at a rate that is the same for each
    /// component, so equal components stay equal next to it.
    #[must_use]
    pub fn with_value(&self, keyframe: usize, value: [f64; N]) -> Self {
        let mut values = self.values.clone();
        match self.interpolation {
            Interpolation::Step | Interpolation::Linear => values[keyframe] = value,
            Interpolation::CubicSpline => {
                values[3 * keyframe + 1] = value;
                for tangent in [3 * keyframe, 3 * keyframe + 2] {
                    values[tangent] = [values[tangent].iter().sum::<f64>() / N as f64; N];
                }
            }
        }
        Self { values, ..self.clone() }
    }

    /// A cubic Hermite spline between a keyframe and the next, after the fraction `part` of the step.
    fn spline(&self, before: usize, step: f64, part: f64) -> [f64; N] {
        let (square, cube) = (part * part, part * part * part);
        let (from, to) = (self.value(before), self.value(before + 1));
        let (behind, in_front) = (&self.values[3 * before + 2], &self.values[3 * before + 3]);
        std::array::from_fn(|i| {
            (2.0 * cube - 3.0 * square + 1.0) * from[i]
                + step * (cube - 2.0 * square + part) * behind[i]
                + (3.0 * square - 2.0 * cube) * to[i]
                + step * (cube - square) * in_front[i]
        })
    }
}

impl Curve<3> {
    /// An upper bound for the length of all values on the curve. Infinite for a spline, for which it is not computed.
    pub fn largest(&self) -> f64 {
        match self.interpolation {
            Interpolation::CubicSpline => f64::INFINITY,
            Interpolation::Step | Interpolation::Linear => {
                let length = |[x, y, z]: &[f64; 3]| x.hypot(*y).hypot(*z);
                self.values.iter().map(length).fold(0.0, f64::max)
            }
        }
    }

    /// A lower bound for all components on the curve. Minus infinity for a spline, for which it is not computed.
    pub fn least(&self) -> f64 {
        match self.interpolation {
            Interpolation::CubicSpline => f64::NEG_INFINITY,
            Interpolation::Step | Interpolation::Linear => {
                self.values.iter().flatten().copied().fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The largest non-uniformity of the curve as a scale: the distance between two components, as a fraction of the
    /// largest component. Infinite if it is not known: for a non-uniform spline, and for a non-uniform curve that
    /// passes zero.
    pub fn non_uniformity(&self) -> f64 {
        let largest = self.values.iter().map(non_uniformity).fold(0.0, f64::max);
        // Between two uniform values all values are uniform. Between others a straight line is at most as non-uniform
        // as its ends, unless it passes zero.
        let passes_zero =
            |pair: &[[f64; 3]]| pair[0].iter().zip(pair[1]).any(|(from, to)| from * to <= 0.0);
        let is_known = match self.interpolation {
            Interpolation::Step => true,
            Interpolation::Linear => !self.values.windows(2).any(passes_zero),
            Interpolation::CubicSpline => false,
        };
        if largest == 0.0 || is_known { largest } else { f64::INFINITY }
    }
}

/// Returns how non-uniform a scale is: the largest distance between two components, as a fraction of the largest.
#[must_use]
pub fn non_uniformity(scale: &[f64; 3]) -> f64 {
    let [x, y, z] = *scale;
    let spread = x.max(y).max(z) - x.min(y).min(z);
    if spread == 0.0 { 0.0 } else { spread / x.abs().max(y.abs()).max(z.abs()) }
}

impl Curve<4> {
    /// Returns the value at a time, in seconds, as a quaternion x y z w of some length. Linear interpolation is
    /// spherical: a turn at a constant rate, the shorter way.
    #[must_use]
    pub fn rotation_at(&self, time: f64) -> [f64; 4] {
        let [rotation] = self.rotations_at(&[time], &mut KnownTurn::default());
        rotation
    }

    /// The same at several times. A turn is prepared once for all successive times within it.
    pub(crate) fn rotations_at<'a, const TIMES: usize>(
        &'a self,
        times: &[f64; TIMES],
        known: &mut KnownTurn<'a>,
    ) -> [[f64; 4]; TIMES] {
        times.map(|time| match self.place(time) {
            Place::At(keyframe) => *self.value(keyframe),
            Place::Behind { keyframe, step, part } => match self.interpolation {
                Interpolation::CubicSpline => self.spline(keyframe, step, part),
                _ => known.between(self.value(keyframe), self.value(keyframe + 1)).after(part),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_holds_before_its_first_and_after_its_last_keyframe() {
        for interpolation in [Interpolation::Step, Interpolation::Linear] {
            let curve = Curve::new([1.0, 2.0], vec![[3.0], [5.0]], interpolation).unwrap();
            assert_eq!([0.0, 1.0, 2.0, 9.0].map(|time| curve.at(time)[0]), [3.0, 3.0, 5.0, 5.0]);
        }
    }

    #[test]
    fn a_spline_has_its_values_and_tangents_at_its_keyframes() {
        // u³ from 1 to 3: tangents 3u².
        let keyframe = |u: f64| [[3.0 * u * u], [u * u * u], [3.0 * u * u]];
        let values = [keyframe(1.0), keyframe(3.0)].concat();
        let cube = Curve::new([1.0, 3.0], values, Interpolation::CubicSpline).unwrap();
        for u in [1.0, 1.25, 2.0, 2.875, 3.0] {
            assert!((cube.at(u)[0] - u * u * u).abs() < 1e-13, "{u}");
        }
    }

    #[test]
    fn a_turn_goes_the_shorter_way_round_at_an_even_rate() {
        let about_z = |degrees: f64| {
            let half = degrees.to_radians() / 2.0;
            [0.0, 0.0, half.sin(), half.cos()]
        };
        for sign in [1.0, -1.0] {
            let end = about_z(100.0).map(|component| 7.0 * sign * component);
            let turn = Curve::new([0.0, 4.0], vec![about_z(20.0), end], Interpolation::Linear);
            let quarter = turn.unwrap().rotation_at(1.0);
            for (found, expected) in quarter.iter().zip(about_z(40.0)) {
                assert!((found - expected).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn no_turn_at_all_is_none_between_its_keyframes_either() {
        let half = [0.5, -0.5, 0.5, 0.5];
        let rest = Curve::new([0.0, 1.0], vec![half; 2], Interpolation::Linear).unwrap();
        assert_eq!(rest.rotation_at(0.25), half);
    }

    #[test]
    fn a_turn_from_quaternions_of_any_length_is_a_unit_quaternion() {
        let turn = Curve::new(
            [0.0, 1.0],
            vec![[3e200, 3e200, 0.0, 0.0], [0.0, 0.0, 0.0, 2e-200]],
            Interpolation::Linear,
        );
        // Halfway between two perpendicular quaternions: their sum, normalised.
        let found = turn.unwrap().rotation_at(0.5);
        for (found, expected) in found.iter().zip([0.5, 0.5, 0.0, 0.5_f64.sqrt()]) {
            assert!((found - expected).abs() < 1e-15, "{found} instead of {expected}");
        }
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let linear = |times: &[f64], values: &[[f64; 1]]| {
            Curve::new(times, values.to_vec(), Interpolation::Linear).unwrap_err()
        };
        assert_eq!(linear(&[], &[]), CurveError::Empty);
        assert_eq!(linear(&[1.0, 0.5], &[[0.0]; 2]), CurveError::Time { keyframe: 1 });
        assert_eq!(linear(&[f64::NAN], &[[0.0]]), CurveError::Time { keyframe: 0 });
        assert_eq!(linear(&[1.0], &[]), CurveError::Count { expected: 1, found: 0 });
        assert_eq!(
            linear(&[0.0, 1.0], &[[0.0], [f64::INFINITY]]),
            CurveError::NotFinite { value: 1 }
        );
        let spline = Curve::new([0.0], vec![[0.0]], Interpolation::CubicSpline);
        assert_eq!(spline.unwrap_err(), CurveError::Count { expected: 3, found: 1 });
    }
}
