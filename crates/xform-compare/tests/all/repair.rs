//! Repairs: which is the best, what each leaves and what it changes, against closed forms and scenes compared anew.

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_compare::{
    advise, compare,
    judge::{Repair, RepairOutcome},
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, LocalPose, Node, Scene};

use crate::{
    ablation::without,
    advice::{assert_near, built_in, most_moved, outcome},
};

fn stretch_of(x: f64, y: f64) -> Trs<f64> {
    Trs::from_scale(Vector3::new(x, y, 1.0))
}

fn turned(degrees: f64) -> Trs<f64> {
    Trs::from_rotation(UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians()))
}

/// The first three repairs of the last node of a scene made larger or smaller, with what they leave and what they
/// change, as fractions of the size.
fn ranked(mut scene: Scene, size: f64) -> Vec<(Repair, [f64; 2])> {
    for node in &mut scene.nodes {
        let LocalPose::Trs(local) = node.local else { unreachable!("the scenes are of poses") };
        node.local = LocalPose::Trs(local.with_translation(local.translation * size));
        let Bounds::Box(min, max) = node.bounds else { unreachable!("each node has a box") };
        node.bounds = Bounds::Box(min * size, max * size);
    }
    let advice = advise(&scene, &compare(&scene).unwrap(), scene.nodes.len() - 1);
    let figures = |outcome: RepairOutcome| {
        [outcome.displacement, outcome.changes.first().copied()]
            .map(|figure| figure.unwrap() / size)
    };
    let ranked =
        advice[..3].iter().map(|advice| (advice.repair, figures(advice.outcome.clone().unwrap())));
    ranked.collect()
}

#[test]
fn the_best_repair_leaves_least_and_then_changes_least_whatever_the_size_of_the_scene() {
    let leaving = || {
        Scene::new(
            "two scales",
            vec![
                Node::new(None, stretch_of(2.0, 1.0)),
                Node::new(Some(0), turned(30.0).with_scale(Vector3::new(1.0, 0.5, 1.0))),
                Node::new(Some(1), turned(70.0).with_translation(Vector3::y())),
            ],
        )
    };
    for size in [1e-12, 1.0, 1e12] {
        let by_left = ranked(leaving(), size);
        let left: Vec<_> = by_left.iter().map(|(_, [left, _])| *left).collect();
        assert!(left.is_sorted() && left[1] > 0.01 && left[2] > left[1] + 0.01, "{by_left:?}");
        let by_change = ranked(built_in("piston").0, size);
        assert!(by_change.iter().all(|(_, [left, _])| *left < 1e-12), "{by_change:?}");
        let change: Vec<_> = by_change.iter().map(|(_, [_, change])| *change).collect();
        assert!(
            change.is_sorted() && change[1] > 0.1 && change[2] > change[1] + 0.1,
            "{by_change:?}"
        );
        for ranked in [by_left, by_change] {
            assert!(matches!(ranked[1].0, Repair::MoveToLeaf { .. }), "{ranked:?}");
            assert!(matches!(ranked[2].0, Repair::MakeUniform { .. }), "{ranked:?}");
        }
    }
}

#[test]
fn what_a_repair_leaves_is_told_of_the_node_that_was_asked_for_alone() {
    // Beside the hand something is stretched once more, of which something stays.
    let scene = Scene::new(
        "two",
        vec![
            Node::new(None, stretch_of(2.0, 1.0)),
            Node::new(Some(0), turned(30.0)),
            Node::new(Some(0), stretch_of(1.0, 3.0)),
            Node::new(Some(2), turned(30.0)),
        ],
    );
    let audit = compare(&scene).unwrap();
    let advice = advise(&scene, &audit, 1);
    let uniform = outcome(&advice, |repair| matches!(repair, Repair::MakeUniform { .. }));
    let uniform = uniform.unwrap();
    assert_near(uniform.displacement, 0.0);
    assert_near(uniform.skew_degrees, 0.0);
    assert!(compare(&without(&scene, &[0])).unwrap().nodes[3].displacement > Some(0.1));
}

#[test]
fn on_a_leaf_of_its_own_a_mesh_keeps_its_place_and_what_was_below_it_loses_the_stretch() {
    let large = Bounds::Box(Point3::new(-9.0, -9.0, -9.0), Point3::new(9.0, 9.0, 9.0));
    let scene = Scene::new(
        "leaf",
        vec![
            Node::new(None, stretch_of(2.0, 1.0)).with_bounds(large),
            Node::new(Some(0), turned(30.0).with_translation(Vector3::y())),
        ],
    );
    let advice = advise(&scene, &compare(&scene).unwrap(), 1);
    let leaf = outcome(&advice, |repair| matches!(repair, Repair::MoveToLeaf { .. })).unwrap();
    // Half a unit each way along both axes, turned: what it reaches along X, once more.
    let (sine, cosine) = 30_f64.to_radians().sin_cos();
    assert_near(leaf.changes.first().copied(), 0.5 * (sine + cosine));
    assert_near(leaf.displacement, 0.0);
}

#[test]
fn a_flat_scale_is_made_one() {
    let flat = Node::new(None, stretch_of(2.0, 0.0));
    let scene = Scene::new("flat", vec![flat, Node::new(Some(0), turned(30.0))]);
    let advice = advise(&scene, &compare(&scene).unwrap(), 1);
    let one = Repair::MakeUniform { scaler: 0, scale: 1.0, half_turn: None };
    assert!(advice.iter().any(|advice| advice.repair == one), "{advice:?}");
}

#[test]
fn a_matrix_below_a_scale_that_is_made_uniform_stays_the_matrix_it_is() {
    let mut shear = Matrix4::identity();
    shear[(0, 1)] = 0.2;
    let shear = AccumulatedMatrix::from_matrix(shear).unwrap();
    let scene = Scene::new(
        "shear",
        vec![
            Node::new(None, stretch_of(5.0, 1.0)),
            Node::new(Some(0), shear),
            Node::new(Some(1), turned(30.0)),
        ],
    );
    let audit = compare(&scene).unwrap();
    assert_eq!(audit.nodes[2].cause.as_ref().unwrap().scaler, 0);
    let advice = advise(&scene, &audit, 2);
    let uniform = outcome(&advice, |repair| matches!(repair, Repair::MakeUniform { .. }));
    let after = compare(&without(&scene, &[0])).unwrap();
    assert!(after.nodes[2].displacement > Some(0.01));
    let uniform = uniform.unwrap();
    assert_near(uniform.displacement, after.nodes[2].displacement.unwrap());
    assert_near(uniform.changes.first().copied(), most_moved(&audit, &after));
}
