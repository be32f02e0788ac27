//! Findings: which there are, at rest and in motion, and by which limit they fail.

use xform_compare::{
    Grade, findings,
    judge::{Limits, Severity},
};

use crate::support::set_figures::{Set, hand};

fn at_most(skew_degrees: Option<f64>, percent: Option<f64>, fail_on: Option<Grade>) -> Limits {
    let mut limits = Limits::default();
    (limits.max_skew_degrees, limits.max_displacement_percent) = (skew_degrees, percent);
    limits.fail_on = fail_on;
    limits
}

fn skew_at_most(degrees: f64) -> Limits {
    at_most(Some(degrees), None, None)
}

fn moved_at_most(percent: f64) -> Limits {
    at_most(None, Some(percent), None)
}

fn fail_on(grade: Grade) -> Limits {
    at_most(None, None, Some(grade))
}

const ANIMATION: Option<&str> = Some("animation 0");

/// The rule, the animation, and whether it fails, of each finding; all are about the hand.
#[track_caller]
fn assert_found(
    limits: &Limits,
    at_rest: Set,
    in_motion: Set,
    expected: &[(&str, Option<&str>, bool)],
) {
    let found = findings(&hand(at_rest, in_motion), limits);
    assert!(found.iter().all(|finding| finding.node == Some((1, "Arm/Hand".to_owned()))));
    let found: Vec<_> = found
        .iter()
        .map(|finding| (finding.rule, finding.animation.as_deref(), finding.fails))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_fails_by_its_grade_at_rest_does_not_fail_again_in_motion() {
    let expected = [("displaced", None, true), ("displaced", ANIMATION, false)];
    assert_found(&fail_on(Grade::Visible), [0.0, 0.0, 5.0], [0.0, 0.0, 10.0], &expected);
}

#[test]
fn what_has_a_bad_grade_in_motion_alone_fails_there() {
    let expected = [("displaced", None, false), ("displaced", ANIMATION, true)];
    assert_found(&fail_on(Grade::Visible), [0.0, 0.0, 0.01], [0.0, 0.0, 1.0], &expected);
    // By less than rounding, but across the bound of the grade.
    assert_found(&fail_on(Grade::Severe), [0.0, 0.0, 1.99996], [0.0, 0.0, 2.00001], &expected);
    let expected = [("skewed", ANIMATION, true)];
    assert_found(&fail_on(Grade::Negligible), [0.009, 0.0, 0.0], [0.015, 0.0, 0.0], &expected);
}

#[test]
fn what_is_beyond_a_limit_in_motion_alone_is_found_by_however_little_it_is_worse() {
    let expected = [("displaced", None, false), ("displaced", ANIMATION, true)];
    assert_found(&moved_at_most(5.0), [0.0, 0.0, 4.99999], [0.0, 0.0, 5.00001], &expected);
    let expected = [("skewed", None, false), ("skewed", ANIMATION, true)];
    assert_found(&skew_at_most(30.0), [29.998, 0.0, 0.0], [30.004, 0.0, 0.0], &expected);
}

#[test]
fn what_is_as_far_beyond_a_limit_at_rest_is_not_found_again() {
    assert_found(
        &moved_at_most(5.0),
        [0.0, 0.0, 6.0],
        [0.0, 0.0, 6.0],
        &[("displaced", None, true)],
    );
    assert_found(
        &skew_at_most(30.0),
        [40.0, 0.0, 0.0],
        [40.0, 0.0, 0.0],
        &[("skewed", None, true)],
    );
}

#[test]
fn what_is_worse_in_motion_by_rounding_alone_is_not_found_again() {
    let none = Limits::default();
    assert_found(&none, [0.0, 0.0, 4.0], [0.0, 0.0, 4.00005], &[("displaced", None, false)]);
    assert_found(&none, [40.0, 0.0, 0.0], [40.005, 0.0, 0.0], &[("skewed", None, false)]);
}

#[test]
fn what_is_far_worse_in_motion_is_found_there_by_what_is_worse() {
    let none = Limits::default();
    assert_found(&none, [0.0; 3], [5.0, 0.0, 0.0], &[("skewed", ANIMATION, false)]);
    assert_found(&none, [0.0; 3], [0.0, 0.0, 0.5], &[("displaced", ANIMATION, false)]);
    // Other axes, where nothing moves, are not seen.
    let expected = [("skewed", None, false)];
    assert_found(&none, [5.0, 0.0, 0.0], [5.0, 0.5, 0.0], &expected);
}

#[test]
fn what_exceeds_a_limit_is_an_error_whatever_its_grade() {
    let audit = hand([40.0, 0.0, 0.0], [40.0, 0.0, 0.0]);
    let severities = |limits| -> Vec<_> {
        findings(&audit, &limits).iter().map(|finding| finding.severity).collect()
    };
    assert_eq!(severities(Limits::default()), [Severity::Note]);
    assert_eq!(severities(skew_at_most(30.0)), [Severity::Error]);
}

#[test]
fn a_figure_is_told_with_as_many_digits_as_tell_it_from_its_limit() {
    for (skew, told) in [
        (30.0, None),
        (30.000_01, Some("skew 30.00001° > 30°")),
        (30.000_012_345, Some("skew 30.00001° > 30°")),
        (30.123_456, Some("skew 30.12° > 30°")),
        (41.0, Some("skew 41° > 30°")),
    ] {
        let found = findings(&hand([skew, 0.0, 0.0], [skew, 0.0, 0.0]), &skew_at_most(30.0));
        let [finding] = &found[..] else { panic!("{found:?}") };
        let words = finding.excess.as_ref().map(|excess| excess.words.as_str());
        let told = told.map(|told| format!("{told} in combined TRS"));
        assert_eq!((words, finding.fails), (told.as_deref(), told.is_some()));
    }
}
