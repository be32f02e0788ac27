//! What is another from one scene to the next, as it is written.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use scraper::{Html, Selector};
use xform_cases::properties;
use xform_compare::{
    Grade, compare, diff,
    judge::{DiffChange, DiffOptions, DiffReport, SceneDiff},
};
use xform_core::Trs;
use xform_report::{
    diff::{write_diff_json, write_diff_markdown, write_diff_text},
    write_diff_html,
};
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

fn compared_with(before: Vec<Node>, after: Vec<Node>, options: &DiffOptions) -> SceneDiff {
    let scenes = [before, after].map(|nodes| Scene::new("scene", nodes));
    let audits = scenes.each_ref().map(|scene| compare(scene).unwrap());
    diff([(&scenes[0], &audits[0]), (&scenes[1], &audits[1])], options).unwrap()
}

fn compared(before: Vec<Node>, after: Vec<Node>) -> SceneDiff {
    compared_with(before, after, &DiffOptions::default())
}

fn changes(diff: &SceneDiff) -> Vec<(DiffChange, &str)> {
    let nodes = &diff.engines.as_ref().unwrap().nodes;
    nodes.iter().map(|node| (node.change, node.path.as_str())).collect()
}

#[test]
fn a_repair_is_better_and_moves_something() {
    let [non_uniform, uniform] = [3.0, 1.0].map(|by| stretched(by, "Hand"));
    let repaired = compared(non_uniform.clone(), uniform.clone());
    assert_eq!(changes(&repaired), [(DiffChange::Better, "Arm/Hand")]);
    assert_eq!((repaired.before.grade, repaired.after.grade), (Grade::Visible, Grade::Identical));
    assert!(repaired.is_elsewhere() && !repaired.engines.as_ref().unwrap().is_worse());
    let broken = compared(uniform, non_uniform.clone());
    assert_eq!(changes(&broken), [(DiffChange::Worse, "Arm/Hand")]);
    assert!(broken.is_worse());
    let same = compared(non_uniform.clone(), non_uniform);
    assert!(changes(&same).is_empty() && !same.is_worse() && !same.is_elsewhere());
}

#[test]
fn only_what_is_asked_for_is_compared() {
    let [non_uniform, uniform] = [3.0, 1.0].map(|by| stretched(by, "Hand"));
    let mut options = DiffOptions::default();
    options.has_shape = false;
    let engines = compared_with(non_uniform.clone(), uniform.clone(), &options);
    assert!(engines.shape.is_none() && !engines.is_worse());
    options = DiffOptions::default();
    options.has_engines = false;
    let shape = compared_with(non_uniform.clone(), uniform.clone(), &options);
    assert!(shape.engines.is_none() && shape.is_worse());
    // The corners of the cube move by about 1, which is 2 % of the scene.
    options.tolerance_percent = 50.0;
    assert!(!compared_with(non_uniform, uniform, &options).is_worse());
}

#[test]
fn a_grade_that_changes_by_a_hair_is_no_change() {
    let of = |by: f64| stretched(by, "Hand");
    let grade = |by: f64| compare(&Scene::new("scene", of(by))).unwrap().nodes[1].grade();
    // The bound between two grades that a person sees apart, found by halving.
    let (mut low, mut high) = (1.0, 3.0);
    assert!(!grade(low).is_seen() && grade(high).is_seen());
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if grade(middle).is_seen() { high = middle } else { low = middle }
    }
    assert_ne!(grade(low), grade(high));
    assert_eq!(changes(&compared(of(low), of(high))), []);
    assert_eq!(changes(&compared(of(low), of(high + 0.2))), [(DiffChange::Worse, "Arm/Hand")]);
}

#[test]
fn what_left_or_entered_the_default_scene_is_told_in_every_format() {
    let mut other = stretched(1.0, "Hand");
    other[2].is_in_default_scene = false;
    let same = stretched(1.0, "Hand");
    for (nodes, change, from) in [
        ([same.clone(), other.clone()], "left", "still in it"),
        ([other, same], "entered", "in it before"),
    ] {
        let [before, after] = nodes;
        let diff = compared(before, after);
        assert!(diff.is_worse());
        let written = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        let text = written(&|out| write_diff_text(&diff, out).unwrap());
        let markdown = written(&|out| write_diff_markdown(&diff, out).unwrap());
        for text in [&text, &markdown] {
            let sentence = format!(
                "The shape changed: nothing moved visibly. 1 node {change} the default scene."
            );
            assert!(text.contains(&sentence), "{text}");
            assert!(text.contains(&format!("from anything {from}")), "{text}");
        }
        let json = written(&|out| write_diff_json(&diff, out).unwrap());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let things = json["shape"]["things"].as_array().unwrap();
        assert_eq!((things.len(), &things[0]["default_scene"]), (1, &change.into()));
    }
}

#[test]
fn what_is_new_is_compared_with_nothing() {
    let alone: Vec<_> = stretched(3.0, "Hand").drain(..1).collect();
    let added = compared(alone.clone(), stretched(3.0, "Hand"));
    assert_eq!(changes(&added), [(DiffChange::Worse, "Arm/Hand")]);
    assert_eq!(added.engines.as_ref().unwrap().nodes[0].before, None);
    let removed = compared(stretched(3.0, "Hand"), alone);
    assert_eq!(changes(&removed), [(DiffChange::Better, "Arm/Hand")]);
    assert_eq!(removed.engines.as_ref().unwrap().nodes[0].after, None);
}

#[test]
fn what_draws_nothing_counts_where_that_is_asked_for() {
    let of = |by: f64| {
        let mut nodes = stretched(by, "Empty");
        nodes[1].bounds = Bounds::Origin;
        let tip = Trs::from_translation(Vector3::new(500.0, 0.0, 0.0));
        nodes.push(Node::new(Some(1), tip).with_name("Tip").with_bounds(Bounds::Origin));
        nodes
    };
    let mut options = DiffOptions::default();
    options.has_shape = false;
    let change = compared_with(of(1.0), of(3.0), &options);
    assert!(!change.is_worse() && changes(&change).is_empty(), "{change:?}");
    options.counts_undrawn = true;
    assert!(compared_with(of(1.0), of(3.0), &options).is_worse());
}

#[test]
fn every_format_says_it() {
    let worse = compared(stretched(1.0, "a|b"), stretched(3.0, "a|b"));
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        String::from_utf8(bytes).unwrap()
    };
    let text = written(&|out| write_diff_text(&worse, out).unwrap());
    assert!(text.contains("The shape changed: 2 nodes of 3 moved, by up to "), "{text}");
    assert!(text.contains("Engines: combined TRS was identical and is visible."), "{text}");
    assert!(text.contains("worse: Arm/a|b: identical (0 %) → visible ("), "{text}");
    let markdown = written(&|out| write_diff_markdown(&worse, out).unwrap());
    assert!(markdown.contains("| worse | Arm/a\\|b | identical (0 %) → visible ("), "{markdown}");
    let json = written(&|out| write_diff_json(&worse, out).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["schema"], &json["is_worse"]), (&"xform-diff/2".into(), &true.into()));
    let schema = include_str!("../../../../docs/diff.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    assert!(!validator.is_valid(&serde_json::json!({ "schema": "xform-diff/2" })));
}

/// The page says what the text says, line for line, and links what is drawn.
#[test]
fn the_page_says_it_too() {
    let both = [1.0, 3.0].map(|by| {
        let scene = Scene::new("scene", stretched(by, "Hand"));
        let audit = compare(&scene).unwrap();
        (scene, audit)
    });
    let report = DiffReport::new(both, &DiffOptions::default()).unwrap();
    let mut page = Vec::new();
    write_diff_html(&report, &mut page).unwrap();
    let page = Html::parse_document(&String::from_utf8(page).unwrap());
    let texts = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).map(|found| found.text().collect::<String>()).collect::<Vec<_>>()
    };
    let mut text = Vec::new();
    write_diff_text(&report.diff, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<_> = text.lines().skip(1).map(str::trim).collect();
    let sentences = texts("header .verdict");
    assert!(sentences.len() == 2 && sentences.iter().eq(&lines[..2]), "{sentences:?} {lines:?}");
    let cells = texts("tbody td");
    let rows = cells.chunks(3).map(|row| format!("{}: {}: {}", row[1], row[0], row[2]));
    assert!(rows.eq(lines[2..].iter().map(|line| (*line).to_owned())), "{cells:?} {lines:?}");
    let moved = report.diff.shape.as_ref().unwrap().things.len();
    assert!(moved > 0 && texts("a[data-node]").len() == moved);
}

/// A page lists a hundred of a kind, and links none of another kind to the rest.
#[test]
fn the_page_links_what_moved_and_nothing_else() {
    let both = [1.0, 3.0].map(|by| {
        let mut nodes = stretched(by, "Hand");
        let hand = nodes[1].clone();
        nodes.extend((0..150).map(|i| hand.clone().with_name(format!("Finger {i}"))));
        let scene = Scene::new("scene", nodes);
        let audit = compare(&scene).unwrap();
        (scene, audit)
    });
    let written = |options: &DiffOptions| {
        let mut page = Vec::new();
        write_diff_html(&DiffReport::new(both.clone(), options).unwrap(), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    };
    let page = Html::parse_document(&written(&DiffOptions::default()));
    let count = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!(count("a[data-node]"), 100);
    assert_eq!(count("section:not(#look) tbody tr"), 200);
    let mut options = DiffOptions::default();
    options.has_shape = false;
    let page = written(&options);
    assert!(!page.contains("data-node=") && !page.contains("<canvas"), "engines alone");
}

properties! {
    #[test]
    fn what_is_worse_one_way_is_better_the_other(a in 0.5..4.0_f64, b in 0.5..4.0_f64) {
        let [a, b] = [a, b].map(|by| stretched(by, "Hand"));
        let (there, back) = (compared(a.clone(), b.clone()), compared(b, a));
        let nodes = |diff: &SceneDiff| diff.engines.as_ref().unwrap().nodes.clone();
        prop_assert_eq!(nodes(&there).len(), nodes(&back).len());
        for (there, back) in nodes(&there).iter().zip(&nodes(&back)) {
            prop_assert_ne!(there.change, back.change);
            prop_assert_eq!((there.before, there.after), (back.after, back.before));
        }
        let moved = |diff: &SceneDiff| diff.shape.as_ref().unwrap().things.iter().map(|thing| thing.moved).collect::<Vec<_>>();
        for (there, back) in moved(&there).into_iter().zip(moved(&back)) {
            prop_assert!((there - back).abs() < 1e-9);
        }
    }
}
