//! A scene in motion: its animations, sampled in two shows.

// An animation is sampled first, and then examined more closely. A straight line is at its worst at its ends,
// but a turn need not be. So a stretch between keyframes gets four parts, eight for splines, and as many as
// keep each turn within 5°; then the steps around the worst times are halved five times. mannequiny.glb
// (Godot demo projects) has 9.17° of skew at keyframes alone, 10.82° on four parts, and 10.85° after the
// closer look, like an independent computation on 1024 parts.
//
// Only the nodes that an animation moves are propagated again, below the world transforms at rest: a subtree
// is one range of the order. The number of samples is bounded by the size of the file, because a thousand
// keyframes above a million nodes are a small file.

mod at_most;
mod at_worst;
mod flips;
mod moved;
mod non_uniformity;
mod played_times;
mod sample_times;
mod scales;

pub(super) use at_worst::at_worst;
pub(super) use flips::flips;
pub(super) use played_times::played_times;
pub(super) use scales::scales;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_engines::CannotSay;
use xform_scene::{
    Animation, Scene,
    animation::{NotSampled, NotSampledCode},
};

use super::{metrics::percent, shows::ShowPair, subtrees::Subtrees, worlds::Worlds};
use crate::audit::{
    AnimationAudit, CompareError, Grade, GradeCounts, MotionSummary, NodeAudit, NodeMotion, Peak,
};
use moved::{Moved, Stopped};
use non_uniformity::NonUniformity;
use sample_times::{SampleTimes, keyframes};

/// The number of measurements of nodes that all animations of a scene may take: a fixed number, plus a number
/// for each node and for each keyframe of a channel.
///
/// The size of the file thus bounds the time, even if many keyframes move many nodes. Such animations get
/// fewer samples.
const SAMPLES: usize = 2_000_000;
const SAMPLES_PER_NODE: usize = 8;
const SAMPLES_PER_KEYFRAME: usize = 16;

/// How often all animations of a scene may place a vertex of a skinned mesh. Most scenes need less.
const VERTICES: usize = 200_000_000;

/// The smallest number of samples of an animation that is sampled at all.
const FEWEST: usize = 2;

/// The number of peaks of each figure around which an animation is sampled again, and how often the step is
/// halved there.
const PEAKS: usize = 8;
const ROUNDS: i32 = 5;
const CLOSER_SAMPLES: usize = 2 * 3 * PEAKS * ROUNDS as usize;

/// The show that is unknown at some time, the reference (0) or the other (1), and the reason.
pub(super) type Unknown = (usize, CannotSay);

/// Returns the times at which an animation is sampled: every keyframe and times in between, `at_most` in all.
pub(super) fn times(animation: &Animation, at_most: usize) -> Vec<f64> {
    SampleTimes::of(animation, at_most).times
}

/// Samples every animation in two shows. `nodes` determine which nodes count.
pub(super) fn sampled(
    scene: &Scene,
    worlds: &Worlds,
    pair: ShowPair<'_>,
    nodes: &[NodeAudit],
    diagonal: f64,
) -> Result<Result<Vec<AnimationAudit>, Unknown>, CompareError> {
    if scene.animations.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let (subtrees, non_uniformity) =
        (Subtrees::of(scene, worlds), NonUniformity::of(scene, worlds));
    let share = (SAMPLES + SAMPLES_PER_NODE * scene.nodes.len()) / scene.animations.len();
    let audit = |animation: &Animation| {
        let keys = animation.channels.iter().map(|channel| channel.track.times().len());
        let allowed = share + SAMPLES_PER_KEYFRAME * keys.sum::<usize>();
        let moved = Moved::new(scene, worlds, pair, &subtrees, animation, allowed / FEWEST)?;
        Ok(match moved {
            Ok(moved) => {
                let vertices = VERTICES / scene.animations.len() / moved.vertices().max(1);
                if vertices < FEWEST {
                    let why = format!(
                        "it moves {} vertices, too many for so many animations",
                        moved.vertices()
                    );
                    return Ok(Ok(refused(animation, NotSampledCode::TooManyNodes, why)));
                }
                let at_most = (allowed / moved.len().max(1)).min(vertices);
                let audit = if moved.is_alike(&non_uniformity, diagonal) {
                    audit_of_ends(animation, moved, diagonal)
                } else {
                    audit_of(animation, moved, diagonal, at_most)
                };
                audit.map(|audit| graded(audit, nodes))
            }
            Err(count) => {
                let why = format!("it moves {count} nodes, too many for so few keyframes");
                Ok(refused(animation, NotSampledCode::TooManyNodes, why))
            }
        })
    };
    let audits: Vec<_> = scene.animations.par_iter().map(audit).collect();
    // Of several errors the first in order is returned, regardless of which thread finishes first.
    let audits = audits.into_iter().collect::<Result<Vec<_>, CompareError>>()?;
    Ok(audits.into_iter().collect())
}

/// Returns an animation with the worst grade of its nodes that count.
pub(super) fn graded(audit: AnimationAudit, nodes: &[NodeAudit]) -> AnimationAudit {
    let counting = audit.nodes.iter().filter(|moved| nodes[moved.index].counts);
    let grade = counting.map(NodeMotion::grade).max().unwrap_or_default();
    AnimationAudit { grade: (audit.samples > 0).then_some(grade), ..audit }
}

fn audit_of(
    animation: &Animation,
    mut moved: Moved<'_>,
    diagonal: f64,
    at_most: usize,
) -> Result<AnimationAudit, Unknown> {
    let SampleTimes { times, keyframes } = SampleTimes::of(animation, at_most);
    let closer = times.len() + CLOSER_SAMPLES <= at_most;
    let mut sampled = moved.sample(&times);
    if closer {
        sampled = sampled.and_then(|()| look_closer(&mut moved, &times, diagonal));
    }
    match sampled {
        Ok(()) => Ok(finished(animation, moved, diagonal, &times, keyframes)),
        Err(stopped) => stopped_at(animation, &stopped),
    }
}

/// Audits an animation in which no node can look different. Its ends show the effect of rounding.
fn audit_of_ends(
    animation: &Animation,
    mut moved: Moved<'_>,
    diagonal: f64,
) -> Result<AnimationAudit, Unknown> {
    let times = keyframes(animation);
    let ends: Vec<f64> = times.first().into_iter().chain(times.last()).copied().collect();
    if let Err(stopped) = moved.sample(&ends) {
        return stopped_at(animation, &stopped);
    }
    let audit = finished(animation, moved, diagonal, &times, times.len());
    Ok(AnimationAudit { is_uniform: audit.samples > 0, ..audit })
}

/// Returns the figures that were measured at these times, or at some of them.
fn finished(
    animation: &Animation,
    moved: Moved<'_>,
    diagonal: f64,
    times: &[f64],
    keyframes: usize,
) -> AnimationAudit {
    let (nodes, timeline) = moved.finish(diagonal);
    AnimationAudit {
        start_seconds: times.first().copied(),
        end_seconds: times.last().copied(),
        keyframes,
        samples: timeline.len(),
        nodes,
        timeline,
        ..unsampled(animation)
    }
}

fn stopped_at(animation: &Animation, stopped: &Stopped) -> Result<AnimationAudit, Unknown> {
    match *stopped {
        Stopped::Overflow { node } => {
            let why = format!("values overflow at node {node}");
            Ok(refused(animation, NotSampledCode::ValuesOverflow, why))
        }
        Stopped::Unknown { side, unknown } => Err((side, unknown)),
    }
}

/// Samples again on both sides of the times at which nodes are at their worst, closer each time. A peak is
/// rarely exactly at a sample.
fn look_closer(moved: &mut Moved<'_>, times: &[f64], diagonal: f64) -> Result<(), Stopped> {
    for round in 1..=ROUNDS {
        let mut closer = Vec::new();
        for seconds in moved.worst_times(diagonal, PEAKS) {
            let before = times.partition_point(|&time| time < seconds).checked_sub(1);
            let after = times.partition_point(|&time| time <= seconds);
            let neighbours = [before.map(|before| times[before]), times.get(after).copied()];
            let halved = |neighbour: f64| seconds + (neighbour - seconds) / 2_f64.powi(round);
            closer.extend(neighbours.into_iter().flatten().map(halved));
        }
        moved.sample(&closer)?;
    }
    Ok(())
}

/// Returns an animation that was not sampled.
fn refused(animation: &Animation, code: NotSampledCode, why: String) -> AnimationAudit {
    let pointer = format!("/animations/{}", animation.index);
    let mut audit = unsampled(animation);
    audit.not_sampled.push(NotSampled::new(pointer, code, why));
    audit
}

fn unsampled(animation: &Animation) -> AnimationAudit {
    AnimationAudit {
        index: animation.index,
        name: animation.name.clone(),
        takes_first_channels: animation.takes_first_channels,
        not_sampled: animation.not_sampled.clone(),
        ..AnimationAudit::default()
    }
}

/// Summarises all animations of a scene; `None` if it has none. `rest` are the nodes at rest.
pub(super) fn summary(
    rest: &[NodeAudit],
    animations: &[AnimationAudit],
    diagonal: f64,
) -> Option<MotionSummary> {
    let moved = || animations.iter().flat_map(|animation| &animation.nodes);
    let largest = |figure: fn(&NodeMotion) -> Option<Peak>| {
        let counting = moved().filter(|node| rest[node.index].counts);
        counting.filter_map(|node| figure(node).map(|peak| peak.max)).fold(0.0, f64::max)
    };
    let count = |counts: fn(&NodeMotion) -> bool| {
        let mut is_counted = vec![false; rest.len()];
        moved().filter(|node| counts(node)).for_each(|node| is_counted[node.index] = true);
        is_counted.into_iter().filter(|&is_counted| is_counted).count()
    };
    let mut worst: Vec<Option<Grade>> = vec![None; rest.len()];
    for node in moved() {
        worst[node.index] = worst[node.index].max(Some(node.grade()));
    }
    let grades = |counts: bool| -> GradeCounts {
        let wanted = rest.iter().zip(&worst).filter(|(node, _)| node.counts == counts);
        wanted.filter_map(|(_, grade)| *grade).collect()
    };
    let [grades, undrawn] = [true, false].map(grades);
    let max_displacement = largest(|node| node.displacement);
    (!animations.is_empty()).then(|| MotionSummary {
        animations: animations.iter().filter(|animation| animation.samples > 0).count(),
        not_sampled: animations.iter().filter(|one| !one.not_sampled.is_empty()).count(),
        differing_nodes: count(NodeMotion::is_differing),
        grades,
        undrawn,
        max_skew_difference_degrees: largest(|node| node.skew_difference_degrees),
        max_displacement,
        max_displacement_percent: percent(max_displacement, diagonal),
    })
}
