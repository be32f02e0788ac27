//! Scenes in motion: every sampled figure against brute force, and against closed forms.

use nalgebra::Vector3;
use proptest::{collection::vec, prelude::*};
use xform_cases::properties;
use xform_compare::{
    Grade, SceneAudit,
    audit::{AnimationPeak, NodeMotion, Peak, SKEWED_DEGREES},
    compare, findings,
    judge::Limits,
};
use xform_core::Trs;
use xform_scene::{Inherit, LocalPose, WarningCode};

use crate::support::moving::{Figures, Moving, moving};

/// Rounding, in degrees or in units of scenes no larger than a thousand.
const ROUNDING: f64 = 1e-8;

fn peaks(node: &NodeMotion) -> [Option<Peak>; 3] {
    [node.skew_difference_degrees, node.linear_difference, node.displacement]
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * (1.0 + b.abs())
}

fn is_same_pose(a: &Trs<f64>, b: &Trs<f64>) -> bool {
    let is_near = |a: Vector3<f64>, b: Vector3<f64>| (a - b).amax() < 1e-12;
    is_near(a.translation, b.translation)
        && is_near(a.scale, b.scale)
        && a.rotation.angle_to(&b.rotation) < 1e-7
        && (a.rotation.to_rotation_matrix().matrix() - b.rotation.to_rotation_matrix().matrix())
            .amax()
            < 1e-12
}

fn codes(audit: &SceneAudit) -> Vec<WarningCode> {
    audit.warnings.iter().map(|warning| warning.code).collect()
}

/// The same times again and those between, before the first and after the last.
fn around(times: &[f64]) -> Vec<f64> {
    let between = times.windows(2).map(|pair| 0.7 * pair[0] + 0.3 * pair[1]);
    let [first, last] = [times[0], times[times.len() - 1]];
    times.iter().copied().chain(between).chain([first - 1.5, last + 1.5]).collect()
}

fn every_moved(
    moving: &Moving,
    audit: &SceneAudit,
    mut check: impl FnMut(usize, &NodeMotion, [Option<Peak>; 3]),
) {
    for animation in 0..moving.animations.len() {
        for node in &audit.animations[animation].nodes {
            check(animation, node, peaks(node));
        }
    }
}

fn figures_at(moving: &Moving, animation: usize, time: f64, node: usize) -> Figures {
    moving.figures(&moving.poses(Some((animation, time))), node)
}

/// Of two peaks that are equally high the first counts.
fn largest(found: impl Iterator<Item = AnimationPeak>) -> Option<AnimationPeak> {
    found.reduce(|a, b| if b.peak.max > a.peak.max { b } else { a })
}

properties! {
    #[test]
    fn a_track_has_the_value_of_its_definition(moving in moving(), random in -2.0..5.0) {
        for (node, property) in moving.animations.iter().flatten() {
            let rest = moving.nodes[*node].pose;
            for time in around(property.times()).into_iter().chain([random]) {
                let mut expected = rest;
                property.set(&mut expected, time);
                let found = property.track().pose(&rest, time);
                prop_assert!(is_same_pose(&found, &expected), "{time}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn a_scene_is_posed_as_its_keyframes_say(moving in moving(), random in -2.0..5.0) {
        let scene = moving.scene();
        for animation in 0..moving.animations.len() {
            for time in around(&moving.times(animation)).into_iter().chain([random]) {
                let posed = scene.posed(animation, time);
                prop_assert_eq!(&posed.animations, &[]);
                let audit = compare(&posed).unwrap();
                let poses = moving.poses(Some((animation, time)));
                for (node, pose) in poses.iter().enumerate() {
                    let LocalPose::Trs(local) = posed.nodes[node].local else { unreachable!() };
                    prop_assert!(is_same_pose(&local, pose), "{node} at {time}");
                    let world = *audit.nodes[node].by_matrix.matrix();
                    let off = (world - moving.matrix(&poses, node)).amax();
                    prop_assert!(off < ROUNDING, "{node} at {time}: {off}");
                }
            }
        }
    }

    #[test]
    fn what_is_animated_and_what_is_below_it_is_listed_and_nothing_else(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        prop_assert_eq!(audit.animations.len(), moving.animations.len());
        for (animation, found) in audit.animations.iter().enumerate() {
            let nodes: Vec<_> = found.nodes.iter().map(|node| node.index).collect();
            prop_assert_eq!(nodes, moving.moved(animation));
            let times = moving.times(animation);
            prop_assert_eq!(found.keyframes, times.len());
            prop_assert_eq!(found.start_seconds, Some(times[0]));
            prop_assert_eq!(found.end_seconds, times.last().copied());
            let seconds: Vec<_> = found.timeline.iter().map(|point| point.seconds).collect();
            prop_assert_eq!(found.samples, seconds.len());
            prop_assert!(seconds.is_sorted_by(|a, b| a < b));
            prop_assert!(found.is_uniform || times.iter().all(|time| seconds.contains(time)));
        }
        prop_assert!(!codes(&audit).contains(&WarningCode::AnimationThinned));
    }

    #[test]
    fn a_peak_is_what_brute_force_finds_when_it_is_and_no_less_at_any_sample(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        every_moved(&moving, &audit, |animation, node, peaks| {
            for (figure, peak) in peaks.into_iter().enumerate() {
                let figure_at = |time| figures_at(&moving, animation, time, node.index)[figure];
                let Some(Peak { max, seconds }) = peak else {
                    assert_eq!(figure_at(0.0), None);
                    continue;
                };
                let exact = figure_at(seconds).unwrap();
                assert!(is_near(max, exact), "{figure} at {seconds}: {max} {exact}");
                let sampled = audit.animations[animation].timeline.iter();
                for time in sampled.map(|point| point.seconds).chain(moving.times(animation)) {
                    let other = figure_at(time).unwrap();
                    assert!(max > other - ROUNDING * (1.0 + other), "{time}: {other} > {max}");
                }
            }
        });
    }

    #[test]
    fn whatever_is_inherited_a_peak_is_what_the_scene_posed_like_that_has(
        moving in moving(), inherits in vec(0..5_usize, 8),
    ) {
        let mut scene = moving.scene();
        for (node, inherit) in scene.nodes.iter_mut().zip(inherits) {
            node.inherit = Inherit::EACH[inherit];
        }
        let audit = compare(&scene).unwrap();
        every_moved(&moving, &audit, |animation, node, peaks| {
            for (figure, peak) in peaks.into_iter().enumerate() {
                let Some(Peak { max, seconds }) = peak else { continue };
                let posed = &compare(&scene.posed(animation, seconds)).unwrap().nodes[node.index];
                let figures = [posed.skew_degrees, posed.linear_difference, posed.displacement];
                assert!(is_near(max, figures[figure].unwrap()), "{figure} at {seconds}");
            }
        });
    }

    #[test]
    fn no_time_is_much_worse_than_the_peak(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        every_moved(&moving, &audit, |animation, node, peaks| {
            let times = moving.times(animation);
            let (start, end) = (times[0], times[times.len() - 1]);
            for time in (0..=300).map(|i| start + (end - start) * f64::from(i) / 300.0) {
                let found = figures_at(&moving, animation, time, node.index);
                for (figure, peak) in found.into_iter().zip(peaks) {
                    let (Some(figure), Some(peak)) = (figure, peak) else { continue };
                    let most = 1.05 * peak.max + 1e-3;
                    assert!(figure < most, "{}: {figure} at {time}, {peak:?}", node.index);
                }
            }
        });
    }

    #[test]
    fn a_point_of_the_timeline_has_the_largest_figures_of_all_that_moves(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        for (animation, found) in audit.animations.iter().enumerate() {
            for point in &found.timeline {
                let poses = moving.poses(Some((animation, point.seconds)));
                let moved = moving.moved(animation);
                let all = moved.iter().map(|&node| moving.figures(&poses, node));
                let [skew, _, displacement] = all.fold([0.0_f64; 3], |most, one| {
                    std::array::from_fn(|i| most[i].max(one[i].unwrap_or(0.0)))
                });
                prop_assert!(is_near(point.skew_difference_degrees, skew));
                prop_assert!(is_near(point.displacement, displacement));
            }
        }
    }

    #[test]
    fn a_limit_of_grades_fires_exactly_where_the_scene_has_that_grade(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        for limit in [Grade::Negligible, Grade::Visible, Grade::Severe] {
            let mut limits = Limits::default();
            limits.fail_on = Some(limit);
            let fails = findings(&audit, &limits).iter().any(|finding| finding.fails);
            prop_assert_eq!(fails, audit.summary.grade >= limit, "{:?}: {:?}", limit, audit.summary);
        }
    }

    #[test]
    fn the_summary_and_the_worst_agree_with_the_nodes(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        let mut differing = 0;
        let mut most = [0.0_f64; 3];
        let diagonal = moving.diagonal();
        for (node, worst) in audit.worst_in_motion().into_iter().enumerate() {
            let found: [Vec<AnimationPeak>; 3] = std::array::from_fn(|figure| {
                let mut found = Vec::new();
                every_moved(&moving, &audit, |animation, motion, peaks| {
                    let peak = peaks[figure].filter(|_| motion.index == node);
                    let group = motion.group;
                    found.extend(peak.map(|peak| AnimationPeak { peak, animation, group }));
                });
                found
            });
            let [skew, linear, displacement] = found.map(|found| largest(found.into_iter()));
            prop_assert_eq!(worst.is_some(), skew.is_some());
            let Some(worst) = worst else { continue };
            prop_assert_eq!(worst.skew_difference_degrees, skew);
            prop_assert_eq!(worst.linear_difference, linear);
            prop_assert_eq!(worst.displacement, displacement);
            let max = [skew, linear, displacement].map(|worst| worst.map_or(0.0, |w| w.peak.max));
            // Of what counts.
            if audit.nodes[node].counts {
                most = std::array::from_fn(|i| most[i].max(max[i]));
            }
            let is_apart =
                max[2] > moving.least_displacement() || max[0] > SKEWED_DEGREES;
            differing += usize::from(is_apart);
            if let (Some(percent), true) = (worst.displacement_percent, diagonal > 0.0) {
                prop_assert!(is_near(percent, max[2] / diagonal * 100.0));
            }
        }
        let motion = audit.summary.motion.unwrap();
        prop_assert_eq!(motion.animations, moving.animations.len());
        prop_assert_eq!(motion.not_sampled, 0);
        prop_assert_eq!(motion.differing_nodes, differing);
        prop_assert_eq!([motion.max_skew_difference_degrees, motion.max_displacement], [most[0], most[2]]);
    }

    #[test]
    fn a_node_at_its_worst_stands_as_it_is_posed_then(moving in moving()) {
        let audit = compare(&moving.scene()).unwrap();
        let least = moving.least_displacement();
        every_moved(&moving, &audit, |animation, motion, [_, linear, displacement]| {
            let Some(worst) = audit.at_worst_of(animation, motion.index) else { return };
            let is_by_axes = audit.nodes[motion.index].role.is_by_axes();
            let apart = displacement.filter(|peak| peak.max > least && !is_by_axes);
            let peak = apart.or(linear).unwrap();
            assert_eq!(worst.seconds, peak.seconds);
            let poses = moving.poses(Some((animation, worst.seconds)));
            let world = *worst.node.by_matrix.matrix();
            assert!((world - moving.matrix(&poses, motion.index)).amax() < ROUNDING);
            let combined = moving.combined(&poses, motion.index).to_homogeneous();
            let world = worst.node.by_trs.to_trs().to_homogeneous();
            assert!((world - combined).amax() < ROUNDING);
            let figure = if apart.is_some() { worst.node.displacement } else {
                worst.node.linear_difference
            };
            assert!(is_near(figure.unwrap(), peak.max));
            let posed = compare(&moving.scene().posed(animation, worst.seconds)).unwrap();
            let distance = posed.nodes[motion.index].nearest_trs_distance;
            assert_eq!(worst.node.nearest_trs_distance, distance);
        });
        // There is one wherever something is worse than at rest. In a scene without a diagonal any displacement at
        // rest is as bad as can be.
        let (rest, motion) = (audit.summary.max_displacement, audit.summary.motion.unwrap());
        let is_worse = motion.max_displacement > rest * 1.01
            && motion.max_displacement > 1e-3 * (1.0 + moving.diagonal())
            && (rest == 0.0 || moving.diagonal() > 0.0);
        prop_assert!(!is_worse || !audit.at_worst.is_empty());
    }
}
