use std::collections::HashSet;

use xform_scene::{
    Animation,
    animation::{Interpolation, Track},
};

/// The largest turn of a rotation between two samples, in radians.
const TURN: f64 = 5.0 / 180.0 * std::f64::consts::PI;

/// The number of parts between two keyframes: the fewest for a spline, the fewest otherwise, and the most,
/// which is half a turn in steps of [`TURN`].
const PARTS: [usize; 3] = [8, 4, 36];

/// The times at which an animation is sampled.
pub(super) struct SampleTimes {
    /// The times in seconds, in ascending order.
    pub(super) times: Vec<f64>,
    /// The number of times that have a keyframe.
    pub(super) keyframes: usize,
}

impl SampleTimes {
    /// Returns every keyframe and times between them, limited to `at_most` times.
    ///
    /// A node that moves in a straight line between two keyframes is at its worst at one of them. A node that
    /// turns need not be, so there are more samples the more it turns.
    pub(super) fn of(animation: &Animation, at_most: usize) -> Self {
        let times = keyframes(animation);
        let keyframes = times.len();
        let times = if keyframes > at_most {
            (0..at_most).map(|i| times[i * (keyframes - 1) / (at_most - 1).max(1)]).collect()
        } else {
            let parts = parts(animation, &times);
            with_jumps(divided(&times, &parts, at_most), animation, at_most)
        };
        Self { times, keyframes }
    }
}

/// Returns the times of all keyframes, each once.
pub(super) fn keyframes(animation: &Animation) -> Vec<f64> {
    let mut seen = HashSet::new();
    let tracks = animation.channels.iter().map(|channel| channel.track.times());
    // Most channels share their times, which are read once.
    let distinct = tracks.filter(|times| seen.insert(times.as_ptr()));
    let mut times: Vec<_> = distinct.flatten().copied().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Returns the number of parts into which the stretch after each keyframe is divided.
fn parts(animation: &Animation, times: &[f64]) -> Vec<usize> {
    let is_spline = |track: &Track| track.interpolation() == Interpolation::CubicSpline;
    let tracks = || animation.channels.iter().map(|channel| &channel.track);
    let [with_spline, without, most] = PARTS;
    let fewest = if tracks().any(is_spline) { with_spline } else { without };
    let mut parts = vec![fewest; times.len().saturating_sub(1)];
    for track in tracks() {
        let Track::Rotation(curve) = track else { continue };
        let rotations: Vec<_> = times.iter().map(|&time| curve.rotation_at(time)).collect();
        for (parts, pair) in parts.iter_mut().zip(rotations.windows(2)) {
            let turn = turn(&pair[0], &pair[1]);
            *parts = (*parts..most).find(|&parts| parts as f64 * TURN >= turn).unwrap_or(most);
        }
    }
    parts
}

/// Adds the last moment before each time at which a value jumps: the greatest number below that time.
fn with_jumps(mut times: Vec<f64>, animation: &Animation, at_most: usize) -> Vec<f64> {
    // A value that grows until it jumps is at its worst right before. A random test found 5 % more at such a
    // moment than in any sample.
    let room = at_most.saturating_sub(times.len());
    let before = jumps(animation).into_iter().map(f64::next_down).take(room);
    times.extend(before);
    times.sort_by(f64::total_cmp);
    times
}

/// Returns the times at which a value jumps, each once: every keyframe of a stepped track except the first,
/// or two keyframes at the same time.
pub(super) fn jumps(animation: &Animation) -> Vec<f64> {
    let of_track = |track: &Track| -> Vec<f64> {
        let is_stepped = track.interpolation() == Interpolation::Step;
        let pairs = track.times().windows(2).filter(|pair| is_stepped || pair[0] == pair[1]);
        pairs.map(|pair| pair[1]).collect()
    };
    let first = keyframes(animation).first().copied();
    let all = animation.channels.iter().flat_map(|channel| of_track(&channel.track));
    let mut all: Vec<_> = all.filter(|&time| Some(time) != first).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Returns the angle between two rotations, in radians.
pub(super) fn turn(from: &[f64; 4], to: &[f64; 4]) -> f64 {
    let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(from, from) * dot(to, to)).sqrt();
    if lengths > 0.0 { 2.0 * libm::acos((dot(from, to).abs() / lengths).min(1.0)) } else { 0.0 }
}

/// Returns the times and those between them. Each stretch has fewer parts if there would be more than
/// `at_most` times.
fn divided(times: &[f64], parts: &[usize], at_most: usize) -> Vec<f64> {
    let wanted: usize = parts.iter().sum::<usize>() + 1;
    let allowed =
        |parts: usize| if wanted > at_most { (parts * at_most / wanted).max(1) } else { parts };
    let stretches = times.windows(2).zip(parts).flat_map(|(pair, &parts)| {
        let parts = allowed(parts);
        (0..parts).map(move |i| {
            let part = i as f64 / parts as f64;
            (1.0 - part) * pair[0] + part * pair[1]
        })
    });
    stretches.chain(times.last().copied()).collect()
}
