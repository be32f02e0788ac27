//! Explanations: which sentence is said of which cause, and with which digits.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_compare::{SceneAudit, compare, explain};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{LocalPose, Scene};

use crate::{ablation::without, cause::scene};

fn stretched(x: f64) -> LocalPose {
    LocalPose::Trs(Trs::from_scale(Vector3::new(x, 1.0, 1.0)))
}

fn turned(rotation: UnitQuaternion<f64>) -> LocalPose {
    LocalPose::Trs(Trs::from_rotation(rotation))
}

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// What is said of a node that is turned below a stretch along X.
fn said_of(stretch: f64, rotation: UnitQuaternion<f64>) -> String {
    let scene = scene([(None, stretched(stretch)), (Some(0), turned(rotation))]);
    explain(&compare(&scene).unwrap(), 1).unwrap()
}

/// Stretches along X, each below the one before, and a turn below them.
fn turned_below(stretches: &[f64]) -> Scene {
    let locals = stretches.iter().map(|&stretch| stretched(stretch)).chain([turned(about_z(30.0))]);
    scene(locals.enumerate().map(|(node, local)| (node.checked_sub(1), local)))
}

/// What is said of the last node if this were all that its cause removes, as a fraction.
fn said_if_removed(audit: &SceneAudit, fraction: f64) -> String {
    let (mut audit, last) = (audit.clone(), audit.nodes.len() - 1);
    audit.nodes[last].cause.as_mut().unwrap().removes_fraction = fraction;
    explain(&audit, last).unwrap()
}

const SEVERAL: &str = "Several scales contribute; no one or two of them cause half of the shift.";

#[test]
fn of_many_equal_scales_the_nearest_is_named_with_what_it_removes() {
    // 1.1⁵ in all; without two of them still more than half of it.
    let scene = turned_below(&[1.1; 5]);
    let audit = compare(&scene).unwrap();
    let words = explain(&audit, 5).unwrap();
    let told = words.strip_prefix(SEVERAL).and_then(|rest| {
        rest.strip_prefix(" `#4` contributes most: a uniform scale there removes ")
    });
    let percent = told.and_then(|told| told.strip_suffix(" % of the shift."));
    let percent: f64 = percent.unwrap_or_else(|| panic!("{words}")).parse().unwrap();
    let left = compare(&without(&scene, &[4])).unwrap().nodes[5].displacement.unwrap();
    let removed = 1.0 - left / audit.nodes[5].displacement.unwrap();
    assert!((percent - removed * 100.0).abs() <= 0.05, "{words}, {removed}");
    assert_eq!(audit.nodes[5].cause.as_ref().unwrap().partner, None);
}

#[test]
fn of_many_scales_none_is_named_that_removes_next_to_nothing() {
    let audit = compare(&turned_below(&[1.1; 5])).unwrap();
    let named = said_if_removed(&audit, 0.01);
    assert!(named.ends_with("removes 1 % of the shift."), "{named}");
    assert_eq!(said_if_removed(&audit, 0.009), SEVERAL);
}

#[test]
fn an_only_scale_is_named_however_little_it_removes() {
    let mut audit = compare(&turned_below(&[2.0])).unwrap();
    for (fraction, removes) in [
        (0.3, "removes 30 % of the shift"),
        (0.01, "removes 1 % of the shift"),
        (0.009, "removes none of the shift"),
    ] {
        let words = said_if_removed(&audit, fraction);
        assert!(
            words.starts_with("`#0` scales X by 2; below it, `#1` is rotated by 30° about Z"),
            "{words}"
        );
        assert!(words.contains(&format!("; a uniform scale of `#0` {removes}")), "{words}");
    }
    // There may be others, which were not tried.
    audit.nodes[1].cause.as_mut().unwrap().is_cut = true;
    let words = said_if_removed(&audit, 0.3);
    let several = "Several scales contribute; no one or two of the nearest cause half";
    assert!(words.starts_with(several), "{words}");
}

#[test]
fn of_a_matrix_that_is_no_pose_the_scale_is_made_even() {
    let mut shear = Matrix4::identity();
    shear[(0, 1)] = 1.0;
    let shear = LocalPose::Matrix(AccumulatedMatrix::from_matrix(shear).unwrap());
    let audit = compare(&scene([(None, shear)])).unwrap();
    assert_eq!(
        explain(&audit, 0).unwrap(),
        "`#0` has a sheared matrix, which engines read in different ways; a uniform scale in its place removes all of the \
         shift and all of the skew."
    );
}

#[test]
fn a_factor_has_as_many_digits_as_tell_it_from_one() {
    for (stretch, told) in [
        (1.000_02, "`#0` scales X by 1.00002;"),
        (1.002_004, "`#0` scales X by 1.002;"),
        (0.999_97, "`#0` scales X by 0.99997;"),
    ] {
        let words = said_of(stretch, about_z(45.0));
        assert!(words.starts_with(told), "{words}");
    }
}

#[test]
fn an_axis_is_told_where_it_is_that_of_a_coordinate_or_it_is_half_a_turn() {
    let close = 4e-4_f64;
    for (axis, degrees, told) in [
        ([0.0, 0.0, 3.0], 40.0, "40° about Z"),
        ([0.0, -2.0, 0.0], 40.0, "-40° about Y"),
        // As near as what does not show in three digits.
        ([close, 0.0, 1.0], 180.0, "180° about Z"),
        ([6e-4, 0.0, 1.0], 180.0, "180° about (0.0006, 0, 1)"),
        ([1.0, 1.0, 0.0], 180.0, "180° about (0.71, 0.71, 0)"),
        ([1.0, 2.0, 3.0], 40.0, "40°"),
    ] {
        let words = said_of(2.0, turned_about(axis, degrees));
        assert!(words.contains(&format!("; below it, `#1` is rotated by {told};")), "{words}");
    }
}

#[test]
fn a_turn_of_less_than_a_degree_is_told_of_the_node_itself_alone() {
    let chain = |small: f64| {
        let locals = [stretched(2.0), turned(about_z(small)), turned(about_z(60.0))];
        let scene =
            scene(locals.into_iter().enumerate().map(|(i, local)| (i.checked_sub(1), local)));
        explain(&compare(&scene).unwrap(), 2).unwrap()
    };
    assert!(chain(0.99).starts_with("`#0` scales X by 2; a uniform scale"), "{}", chain(0.99));
    assert!(
        chain(1.01).starts_with("`#0` scales X by 2; below it, `#1` is rotated by 1.01° about Z")
    );
    assert!(said_of(2.0, about_z(0.5)).contains("; below it, `#1` is rotated by 0.5° about Z;"));
}

fn turned_about(axis: [f64; 3], degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(Vector3::from(axis).normalize() * degrees.to_radians())
}

#[test]
fn what_becomes_of_the_skew_is_told_where_it_is_more_than_rounding() {
    let mut audit = compare(&turned_below(&[2.0])).unwrap();
    audit.nodes[1].skew_difference_degrees = Some(20.0);
    for (removed, told) in [
        (None, "."),
        (Some(0.01), "."),
        (Some(-0.01), "."),
        (Some(20.0), " and all of the skew."),
        (Some(19.991), " and all of the skew."),
        (Some(0.9995 * 20.0), " and 19.99° of the skew of 20°."),
        (Some(12.3), " and 12.3° of the skew of 20°."),
        (Some(-3.5), ", but adds 3.5° of skew."),
    ] {
        audit.nodes[1].cause.as_mut().unwrap().removes_skew_degrees = removed;
        let words = explain(&audit, 1).unwrap();
        let told = format!("; a uniform scale of `#0` removes all of the shift{told}");
        assert!(words.ends_with(&told), "{removed:?}: {words}");
    }
}
