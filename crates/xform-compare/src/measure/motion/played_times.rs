use xform_scene::Animation;

use super::sample_times::{jumps, keyframes};
use crate::audit::AnimationAudit;

/// The least interval between two played times, in seconds, unless something happens in between. Motion at
/// this rate looks smooth.
const STEP: f64 = 1.0 / 30.0;

/// Returns the times at which a scene is computed for playback, in ascending order, each with whether it has
/// a keyframe. They are `musts`, the animation's keyframes, and times that the audit sampled in between,
/// `at_most` in all.
pub(in crate::measure) fn played_times(
    animation: &Animation,
    audit: &AnimationAudit,
    musts: &[f64],
    at_most: usize,
) -> Vec<(f64, bool)> {
    let keys = keyframes(animation);
    let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else { return Vec::new() };
    let ends = [(first, true), (last, true)];
    let musts = musts
        .iter()
        .map(|&seconds| (seconds, keys.binary_search_by(|key| key.total_cmp(&seconds)).is_ok()));
    let mut times: Vec<_> = ends.into_iter().chain(musts).collect();
    let thinned = |all: Vec<f64>, room: usize| -> Vec<f64> {
        let count = all.len().min(room);
        (0..count).map(|i| all[i * all.len() / count]).collect()
    };
    let room = at_most.saturating_sub(times.len());
    times.extend(thinned(keys.clone(), room).into_iter().map(|key| (key, true)));
    let room = at_most.saturating_sub(times.len());
    let before = jumps(animation).into_iter().map(f64::next_down).collect();
    times.extend(thinned(before, room).into_iter().map(|before| (before, false)));
    sort(&mut times);
    let between: Vec<f64> = audit.timeline.iter().map(|point| point.seconds).collect();
    let mut last = f64::NEG_INFINITY;
    let is_apart = |seconds: &f64| {
        let place = times.partition_point(|(time, _)| time <= seconds);
        let before = place.checked_sub(1).map_or(f64::NEG_INFINITY, |place| times[place].0);
        let behind = times.get(place).map_or(f64::INFINITY, |(time, _)| *time);
        let is_apart = seconds - before.max(last) >= STEP && behind - seconds >= STEP / 2.0;
        if is_apart {
            last = *seconds;
        }
        is_apart
    };
    let between: Vec<_> = between.into_iter().filter(is_apart).collect();
    let room = at_most.saturating_sub(times.len());
    times.extend(thinned(between, room).into_iter().map(|seconds| (seconds, false)));
    sort(&mut times);
    times
}

/// Sorts the times in ascending order and removes duplicates.
fn sort(times: &mut Vec<(f64, bool)>) {
    times.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    times.dedup_by_key(|(seconds, _)| *seconds);
}
