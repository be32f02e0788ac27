//! What is said of several nodes with one cause, against a recomputation without that cause.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{NodeAudit, compare, judge::Report};
use xform_core::Trs;
use xform_scene::{LocalPose, Node, Scene};

use crate::ablation::{any_scene, figure, without};

fn turned(degrees: f64) -> Trs<f64> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), f64::to_radians(degrees));
    Trs::from_rotation(turn).with_translation(Vector3::new(1.0, 0.0, 2.0))
}

fn named(name: &str, parent: Option<usize>, local: Trs<f64>) -> Node {
    Node::new(parent, local).with_name(name)
}

/// A stretched head with parts turned below it.
fn head(scale: [f64; 3], parts: usize) -> Scene {
    let head = named("Head", None, Trs::from_scale(scale.into()));
    let part = |i: usize| named(&format!("Part {i}"), Some(0), turned(20.0 + i as f64));
    Scene::new("head", std::iter::once(head).chain((0..parts).map(part)).collect())
}

#[test]
fn one_card_says_what_one_scale_does_to_all_below_it() {
    let report = Report::of_scene(&head([1.0, 1.0, 1.5], 3)).unwrap();
    let [card] = &report.advice[..] else { panic!("one cause: {:?}", report.advice) };
    assert_eq!(card.group.nodes.len(), 3);
    assert_eq!(
        card.group.explain(&report.audit).unwrap(),
        "`Head` stretches 3 nodes below it: it scales Z by 1.5; a uniform scale of `Head` removes all of the shift \
         of each."
    );
}

#[test]
fn other_causes_are_told_as_what_they_are() {
    let words = |scene: &Scene| {
        let report = Report::of_scene(scene).unwrap();
        report.advice[0].group.explain(&report.audit).unwrap()
    };
    let mirror = words(&head([-1.0, 1.0, 1.0], 2));
    assert!(mirror.starts_with("`Head` changes 2 nodes below it: it mirrors X; "), "{mirror}");
    let one = words(&head([1.0, 1.0, 1.5], 1));
    assert!(
        one.starts_with("`Head` scales Z by 1.5; below it, `Part 0` is rotated by 20° about Y"),
        "{one}"
    );
    // Two scales that almost undo each other, above two nodes.
    let mut pair = head([4.0, 1.0, 1.0], 0);
    pair.nodes.push(named("Neck", Some(0), Trs::from_scale(Vector3::new(0.26, 1.0, 1.0))));
    pair.nodes.extend((0..2).map(|i| named("Part", Some(1), turned(30.0 + f64::from(i)))));
    let pair = words(&pair);
    let start = "`Head` and `Neck` together change 2 nodes below both: `Head` scales X by 4, and `Neck` scales X by 0.26; ";
    assert!(pair.starts_with(start), "{pair}");
    assert!(pair.ends_with("; uniform scales of both remove all of the shift of each."), "{pair}");
}

#[test]
fn advice_for_a_group_is_measured_at_the_node_that_it_leaves_worst() {
    let scene = head([1.0, 1.0, 1.5], 3);
    let report = Report::of_scene(&scene).unwrap();
    for advice in &report.advice[0].advice {
        if let Ok(outcome) = &advice.outcome {
            assert!(outcome.displacement.unwrap() < 1e-12, "{advice:?}");
        }
    }
}

/// Whether a node is below another.
fn is_below(nodes: &[NodeAudit], node: usize, above: usize) -> bool {
    std::iter::successors(nodes[node].parent, |&node| nodes[node].parent).any(|at| at == above)
}

properties! {
    #![cases(64)]

    #[test]
    fn what_is_said_of_a_group_is_true_of_every_node_in_it(scene in any_scene()) {
        let report = Report::of_scene(&scene).unwrap();
        for card in &report.advice {
            let nodes = &card.group.nodes;
            let words = card.group.explain(&report.audit);
            let Some(words) = words.filter(|_| nodes.len() > 1) else { continue };
            let cause = report.audit.nodes[nodes[0]].cause.as_ref().unwrap();
            let scalers: Vec<_> = [cause.scaler].into_iter().chain(cause.partner).collect();
            let repaired = compare(&without(&scene, &scalers)).unwrap();
            let least = match words.split_once(" at least ") {
                Some((_, rest)) => rest.split_once(" %").unwrap().0.parse::<f64>().unwrap() / 100.0,
                None => {
                    prop_assert!(words.contains("all of the"), "{words}");
                    0.9995
                }
            };
            prop_assert!(least >= 0.5, "{words}");
            for &node in nodes {
                let found = &report.audit.nodes[node];
                prop_assert_eq!(words.contains("of the shift of each"), nodes.iter().all(|&node| report.audit.nodes[node].is_displaced()));
                let whole = figure(found, found).unwrap();
                let left = figure(found, &repaired.nodes[node]).unwrap();
                prop_assert!(whole - left >= least * whole - 1e-8 * (1.0 + whole), "{words}: {node}, {left} of {whole}");
                for &scaler in &scalers {
                    let is_itself = node == scaler && matches!(scene.nodes[node].local, LocalPose::Matrix(_));
                    prop_assert!(is_itself || is_below(&report.audit.nodes, node, scaler), "{words}: {node}");
                }
            }
        }
    }
}
