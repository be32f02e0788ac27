//! Measures two functions in turns, so that other load on the machine affects both equally.

use std::time::{Duration, Instant};

/// The number of turns of each side. The result is the median.
const TURNS: usize = 15;

/// The approximate duration of a turn, short enough that both sides run under the same conditions.
const TURN: Duration = Duration::from_millis(4);

/// Nanoseconds for a call of each side, turn by turn.
#[derive(Clone, Debug)]
pub struct Turns {
    /// The times of ours.
    pub ours: Vec<f64>,
    /// The times of theirs, in the turn after.
    pub theirs: Vec<f64>,
}

impl Turns {
    /// Returns the ratios of ours to theirs, turn by turn.
    #[must_use]
    pub fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours / theirs).collect()
    }

    /// Compares ours with an allowed maximum.
    #[must_use]
    pub fn against(ours: Vec<f64>, nanoseconds: f64) -> Self {
        Self { theirs: vec![nanoseconds; ours.len()], ours }
    }
}

/// Measures calls of the two sides in turns. Each call returns its own duration.
pub fn in_turns(mut ours: impl FnMut() -> Duration, mut theirs: impl FnMut() -> Duration) -> Turns {
    let (our_calls, their_calls) = (calls_a_turn(&mut ours), calls_a_turn(&mut theirs));
    let mut turns = Turns { ours: Vec::new(), theirs: Vec::new() };
    for _ in 0..TURNS {
        turns.ours.push(nanoseconds_a_call(&mut ours, our_calls));
        turns.theirs.push(nanoseconds_a_call(&mut theirs, their_calls));
    }
    turns
}

/// Returns the nanoseconds for a call, turn by turn. The call returns its own duration.
pub fn alone(call: impl FnMut() -> Duration) -> Vec<f64> {
    in_turns(call, || TURN).ours
}

/// Returns the one of two measurements in which theirs was faster.
#[must_use]
pub fn against_the_faster([one, other]: [Turns; 2]) -> Turns {
    if median(&other.theirs) < median(&one.theirs) { other } else { one }
}

/// Returns the duration of a call.
pub fn timed(call: impl FnOnce()) -> Duration {
    let start = Instant::now();
    call();
    start.elapsed()
}

/// Returns the duration of one of many calls that are too short for the clock.
pub fn timed_many(mut call: impl FnMut()) -> Duration {
    const CALLS: u32 = 256;
    timed(|| (0..CALLS).for_each(|_| call())) / CALLS
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to what a u32 holds")]
#[expect(clippy::cast_sign_loss, reason = "clamped to what a u32 holds")]
fn calls_a_turn(call: &mut impl FnMut() -> Duration) -> u32 {
    call(); // caches and branch predictors warm up
    let nanoseconds = nanoseconds_a_call(call, 3).max(1.0);
    (TURN.as_nanos() as f64 / nanoseconds).clamp(1.0, 1e4) as u32
}

fn nanoseconds_a_call(call: &mut impl FnMut() -> Duration, calls: u32) -> f64 {
    let total: Duration = (0..calls).map(|_| call()).sum();
    total.as_nanos() as f64 / f64::from(calls)
}

/// Returns the median, or the lower of the two middle values.
///
/// # Panics
///
/// If there are none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 50)
}

/// Returns the least value that this percentage of the values does not exceed.
///
/// # Panics
///
/// If there are none, or for more than 100.
#[must_use]
pub fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent).div_ceil(100).max(1) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members() {
        let fifteen: Vec<f64> = (1..=15).rev().map(f64::from).collect();
        assert_eq!([0, 10, 50, 90, 100].map(|p| percentile(&fifteen, p)), [1., 2., 8., 14., 15.]);
        assert_eq!(median(&[2.0, 1.0]), 1.0);
    }
}
