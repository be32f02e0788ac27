//! Two things measured in turns, so that whatever else the machine does meets both alike.

use std::time::{Duration, Instant};

/// How often each side has its turn; what counts is the median.
const TURNS: usize = 15;

/// How long a turn is about; short enough that both sides see the same weather.
const TURN: Duration = Duration::from_millis(4);

/// Nanoseconds that a call of each takes, as each measures it itself.
pub fn in_turns(
    mut ours: impl FnMut() -> Duration,
    mut theirs: impl FnMut() -> Duration,
) -> (f64, f64) {
    let (our_calls, their_calls) = (calls_a_turn(&mut ours), calls_a_turn(&mut theirs));
    let (mut our_turns, mut their_turns) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        our_turns.push(nanoseconds_a_call(&mut ours, our_calls));
        their_turns.push(nanoseconds_a_call(&mut theirs, their_calls));
    }
    (median(our_turns), median(their_turns))
}

/// Nanoseconds that a call takes, as it measures it itself.
pub fn alone(call: impl FnMut() -> Duration) -> f64 {
    in_turns(call, || TURN).0
}

/// How long a call takes.
pub fn timed(call: impl FnOnce()) -> Duration {
    let start = Instant::now();
    call();
    start.elapsed()
}

/// How long one of many calls takes that are too short for the clock.
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

/// The middle one, or the lower of the two in the middle.
///
/// # Panics
///
/// If there are none.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}
