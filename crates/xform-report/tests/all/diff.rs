//! What became better or worse from one audit to the next.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    Grade, SceneAudit, compare, diff,
    judge::{DiffChange, NodeFigures, SceneDiff},
};
use xform_core::Trs;
use xform_report::diff::{write_diff_json, write_diff_markdown, write_diff_text};
use xform_scene::{Bounds, Node, Scene};

/// A root that stretches x, a turned child of this name, and a child that nothing happens to.
fn stretched(by: f64, name: &str) -> Vec<Node> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5);
    vec![
        Node::new(None, Trs::from_scale(Vector3::new(by, 1.0, 1.0))).with_name("Arm"),
        Node::new(Some(0), Trs::from_rotation(turn)).with_name(name),
        Node::new(None, Trs::from_translation(Vector3::new(50.0, 0.0, 0.0))).with_name("Rest"),
    ]
}

fn audit(nodes: Vec<Node>) -> SceneAudit {
    compare(&Scene::new("scene", nodes)).unwrap()
}

fn changes(diff: &SceneDiff) -> Vec<(DiffChange, &str)> {
    diff.nodes.iter().map(|node| (node.change, node.path.as_str())).collect()
}

#[test]
fn a_repair_is_better_and_its_opposite_is_worse() {
    let [non_uniform, uniform] = [3.0, 1.0].map(|by| audit(stretched(by, "Hand")));
    let repaired = diff(&non_uniform, &uniform);
    assert_eq!(changes(&repaired), [(DiffChange::Better, "Arm/Hand")]);
    assert_eq!((repaired.before.grade, repaired.after.grade), (Grade::Visible, Grade::Identical));
    assert!(!repaired.is_worse());
    let broken = diff(&uniform, &non_uniform);
    assert_eq!(changes(&broken), [(DiffChange::Worse, "Arm/Hand")]);
    assert!(broken.is_worse());
    assert_eq!(changes(&diff(&non_uniform, &non_uniform)), []);
}

#[test]
fn within_a_grade_the_displacement_decides_beyond_rounding() {
    let of = |by: f64| audit(stretched(by, "Hand"));
    let percent = |audit: &SceneAudit| audit.nodes[1].displacement_percent.unwrap();
    let (a, larger, hardly) = (of(2.0), of(2.001), of(2.000_000_1));
    assert!(percent(&larger) - percent(&a) > 1e-4 && percent(&hardly) - percent(&a) < 1e-4);
    assert_eq!(changes(&diff(&a, &larger)), [(DiffChange::Worse, "Arm/Hand")]);
    assert_eq!(changes(&diff(&larger, &a)), [(DiffChange::Better, "Arm/Hand")]);
    assert_eq!(changes(&diff(&a, &hardly)), []);
}

#[test]
fn nodes_are_matched_by_path_and_then_by_index() {
    let before = audit(stretched(3.0, "Hand"));
    // Another order, the same paths.
    let mut nodes = stretched(3.0, "Hand");
    nodes.rotate_right(1);
    nodes[2].parent = Some(1);
    let moved = diff(&before, &audit(nodes));
    assert_eq!(changes(&moved), [], "{moved:?}");
    // Renamed: the index is what is left.
    let renamed = diff(&before, &audit(stretched(1.0, "Palm")));
    assert_eq!(changes(&renamed), [(DiffChange::Better, "Arm/Palm")]);
    assert_eq!(renamed.nodes[0].before.unwrap().index, 1);
    // Siblings of one name are told apart by their order.
    let twice = |second: f64| {
        let mut nodes = stretched(3.0, "Hand");
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), second);
        nodes.push(Node::new(Some(0), Trs::from_rotation(turn)).with_name("Hand"));
        audit(nodes)
    };
    let second = diff(&twice(0.0), &twice(0.7));
    assert_eq!(changes(&second)[0], (DiffChange::Worse, "Arm/Hand"));
    assert_eq!(second.nodes[0].after.unwrap().index, 3);
}

#[test]
fn what_is_new_is_compared_with_nothing() {
    let alone = audit(stretched(3.0, "Hand").drain(..1).collect());
    let with_hand = audit(stretched(3.0, "Hand"));
    let added = diff(&alone, &with_hand);
    assert_eq!(changes(&added), [(DiffChange::Worse, "Arm/Hand")]);
    assert_eq!(added.nodes[0].before, None);
    let removed = diff(&with_hand, &alone);
    assert_eq!(changes(&removed), [(DiffChange::Better, "Arm/Hand")]);
    assert_eq!(removed.nodes[0].after, None);
}

#[test]
fn a_difference_that_comes_to_be_drawn_is_worse() {
    // Combined TRS puts the tip elsewhere, drawn or not. Drawn, it makes the scene larger, and so its percentage less.
    let with_tip = |bounds| {
        let mut nodes = stretched(9.0, "Hand");
        nodes[1].bounds = Bounds::Origin;
        let tip = Trs::from_translation(Vector3::new(500.0, 0.0, 0.0));
        nodes.push(Node::new(Some(1), tip).with_name("Tip").with_bounds(bounds));
        audit(nodes)
    };
    let (empty, drawn) = (with_tip(Bounds::Origin), with_tip(Bounds::unit_cube()));
    assert_eq!([&empty, &drawn].map(|audit| audit.nodes[3].grade()), [Grade::Severe; 2]);
    assert_eq!([&empty, &drawn].map(|audit| audit.nodes[3].counts), [false, true]);
    let worse = diff(&empty, &drawn);
    assert_eq!(changes(&worse), [(DiffChange::Worse, "Arm/Hand/Tip")]);
    assert!(worse.is_worse() && !diff(&drawn, &empty).is_worse());
}

#[test]
fn every_format_says_it() {
    let worse = diff(&audit(stretched(1.0, "a|b")), &audit(stretched(3.0, "a|b")));
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        String::from_utf8(bytes).unwrap()
    };
    let text = written(&|out| write_diff_text(&worse, out).unwrap());
    assert!(text.contains("The grade was identical and is visible. 1 node is worse."), "{text}");
    assert!(text.contains("worse: Arm/a|b: identical (0 %) → visible ("), "{text}");
    let markdown = written(&|out| write_diff_markdown(&worse, out).unwrap());
    assert!(markdown.contains("| worse | Arm/a\\|b | identical (0 %) | visible ("), "{markdown}");
    let json = written(&|out| write_diff_json(&worse, out).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["schema"], &json["is_worse"]), (&"xform-diff/1".into(), &true.into()));
    let schema = include_str!("../../../../docs/diff.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    assert!(!validator.is_valid(&serde_json::json!({ "schema": "xform-diff/1" })));
}

properties! {
    #[test]
    fn what_is_worse_one_way_is_better_the_other(a in 0.5..4.0_f64, b in 0.5..4.0_f64) {
        let [a, b] = [a, b].map(|by| audit(stretched(by, "Hand")));
        let (there, back) = (diff(&a, &b), diff(&b, &a));
        prop_assert_eq!(there.nodes.len(), back.nodes.len());
        for (there, back) in there.nodes.iter().zip(&back.nodes) {
            prop_assert_ne!(there.change, back.change);
            prop_assert_eq!((there.before, there.after), (back.after, back.before));
        }
    }
}

#[test]
fn siblings_of_one_name_are_told_apart_by_their_order() {
    let turn = |by: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), by);
    let parts = |first: f64| {
        let mut nodes = stretched(3.0, "Part");
        nodes[1].local = Trs::from_rotation(turn(first)).into();
        nodes.push(Node::new(Some(0), Trs::from_rotation(turn(0.5))).with_name("Part"));
        audit(nodes)
    };
    let change = diff(&parts(0.01), &parts(0.8));
    assert_eq!(change.nodes[0].change, DiffChange::Worse);
    let index = |side: &Option<NodeFigures>| side.as_ref().map(|side| side.index);
    let pairs = change.nodes.iter().map(|node| (index(&node.before), index(&node.after)));
    assert!(pairs.clone().all(|(before, after)| before.is_some() && before == after));
    assert_eq!(pairs.count(), 2);
}

#[test]
fn what_draws_nothing_makes_nothing_worse() {
    let of = |by: f64| {
        let mut nodes = stretched(by, "Empty");
        nodes[1].bounds = Bounds::Origin;
        audit(nodes)
    };
    let change = diff(&of(1.0), &of(3.0));
    assert!(!change.is_worse(), "{change:?}");
}
