//! One answer: what a headline, a list, a table, an index, each format and the limits say of random scenes is the same.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::{Matrix4, Point3};
use proptest::prelude::*;
use serde_json::Value;
use xform_cases::for_all;
use xform_compare::{
    Engine, Grade, SceneAudit,
    audit::{EngineChoice, EngineGroup, Problem},
    compare_engines, findings,
    judge::{Limits, Report, cause_names, different_in, verdict},
};
use xform_matrix::AccumulatedMatrix;
use xform_report::{
    Document, DocumentFormat, FindingsFormat, IndexEntry, NodeSelection, TextStyle, write_csv,
    write_findings, write_html, write_index, write_json, write_markdown, write_text,
};
use xform_scene::{
    Bounds, LocalPose, Node, Scene,
    fbx::{FbxHierarchy, FbxNode, InheritType},
};

use crate::{
    formats::written,
    support::{
        engine_choices::{all, named},
        moving::{Moving, moving},
    },
};

/// What is done to each node of a scene that moves.
#[derive(Clone, Copy, Debug)]
enum Oddity {
    None,
    /// Its pose is a matrix, with that of another node.
    Sheared,
}

/// Scenes that move, some with sheared matrices; and one in four as from FBX.
fn scenes() -> impl Strategy<Value = Scene> {
    let oddity = prop_oneof![5 => Just(Oddity::None), 1 => Just(Oddity::Sheared)];
    let types = prop_oneof![Just(InheritType::Matrix), Just(InheritType::WithoutParent)];
    let oddities = prop::collection::vec((oddity, types), 8);
    (moving(), oddities, 0..4).prop_map(|(moving, oddities, kind)| {
        let mut scene = if kind == 0 {
            from_fbx(&moving, &oddities.iter().map(|&(_, inherit)| inherit).collect::<Vec<_>>())
        } else {
            with_matrices(&moving, &oddities.iter().map(|&(odd, _)| odd).collect::<Vec<_>>())
        };
        for (index, node) in scene.nodes.iter_mut().enumerate() {
            node.name = Some(format!("n{index}"));
        }
        scene
    })
}

fn with_matrices(moving: &Moving, oddities: &[Oddity]) -> Scene {
    let mut scene = moving.scene();
    let is_animated =
        |node| moving.animations.iter().flatten().any(|&(animated, _)| animated == node);
    for (index, odd) in oddities.iter().enumerate().take(scene.nodes.len()) {
        if matches!(odd, Oddity::Sheared) && !is_animated(index) {
            let next = &moving.nodes[(index + 1) % moving.nodes.len()].pose;
            let matrix = moving.nodes[index].pose.to_homogeneous() * next.to_homogeneous();
            scene.nodes[index].local =
                LocalPose::Matrix(AccumulatedMatrix::from_matrix(matrix).unwrap());
        }
    }
    scene
}

/// The nodes at rest as the reader of FBX makes them: of each one without its scale, and behind all below it one with it.
fn from_fbx(moving: &Moving, types: &[InheritType]) -> Scene {
    let mut scene = Scene::new("random.fbx", Vec::new());
    let (mut hierarchy, mut helpers) = (FbxHierarchy::default(), Vec::new());
    for (index, still) in moving.nodes.iter().enumerate() {
        let scaled = moving.nodes.len() + index;
        let inherit = if still.parent.is_none() { InheritType::Matrix } else { types[index] };
        let below_scale = if inherit == InheritType::Matrix { moving.nodes.len() } else { 0 };
        let parent = still.parent.map(|parent| below_scale + parent);
        let pose = still.pose.with_scale(nalgebra::Vector3::repeat(1.0));
        scene.nodes.push(Node::new(parent, pose).with_bounds(Bounds::Nothing));
        let scale = xform_core::Trs::from_scale(still.pose.scale);
        let mut with_scale = Node::new(Some(index), scale).with_bounds(still.bounds);
        with_scale.is_helper = true;
        helpers.push(with_scale);
        let (parent, local) = (still.parent, still.pose);
        hierarchy.nodes.push(FbxNode { parent, inherit, local, scaled, fixture: None });
    }
    scene.nodes.extend(helpers);
    scene.fbx = Some(hierarchy);
    scene
}

fn choices() -> impl Strategy<Value = EngineChoice> {
    let some: &[(&[&str], Option<&str>)] = &[
        (&["unreal"], None),
        (&["unity", "unreal"], None),
        (&["ogre", "godot", "three"], None),
        (&["trs", "blender"], None),
        (&["three", "unreal", "ogre", "blender"], Some("babylon")),
        (&["trs"], Some("matrices")),
    ];
    let some = some.iter().map(|&(engines, reference)| named(engines, reference));
    let choices: Vec<_> = some.chain([EngineChoice::usual(), all()]).collect();
    prop::sample::select(choices)
}

/// How far an engine is from what glTF defines at rest, in percent of the scene, by its rule alone; `None` where that is not known.
fn moved_at_rest(scene: &Scene, audit: &SceneAudit, engine: &Engine) -> Option<f64> {
    let node = |node: &Node| xform_engines::SourceNode { parent: node.parent, local: node.local };
    let nodes: Vec<_> = scene.nodes.iter().map(node).collect();
    let worlds = engine.worlds(&nodes).unwrap();
    let mut defined: Vec<Matrix4<f64>> = Vec::new();
    let mut moved = 0.0_f64;
    // Parents may come after their children.
    let world = |index: usize| {
        let up = std::iter::successors(Some(index), |&node| scene.nodes[node].parent);
        let locals = up.map(|node| match scene.nodes[node].local {
            LocalPose::Trs(trs) => trs.to_homogeneous(),
            LocalPose::Matrix(matrix) => *matrix.matrix(),
        });
        locals.fold(Matrix4::identity(), |below, local| local * below)
    };
    defined.extend((0..nodes.len()).map(world));
    for (index, world) in worlds.into_iter().enumerate() {
        let world = world.ok()?.to_homogeneous();
        if !audit.nodes[index].counts_at_rest() {
            continue;
        }
        let corners = scene.nodes[index].bounds.corners();
        let apart = |corner: Point3<f64>| {
            (world.transform_point(&corner) - defined[index].transform_point(&corner)).norm()
        };
        moved = moved.max(corners.map(apart).fold(0.0, f64::max));
    }
    Some(moved / audit.summary.diagonal * 100.0)
}

fn listed(group: &EngineGroup) -> String {
    let names: Vec<_> = group.engines.iter().map(|engine| engine.name).collect();
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

fn capitalised(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn text(audits: &[&SceneAudit]) -> String {
    let all = audits.iter().map(|&audit| Ok::<_, Problem>(audit));
    written(|out| write_text(all, TextStyle::default(), out))
}

/// The rows of lists that are first in them: the node, its grade, and the engines.
fn first_rows(text: &str) -> Vec<(usize, Grade, String)> {
    let lines: Vec<_> = text.lines().map(str::trim_start).collect();
    let rows = lines.windows(2).filter(|pair| pair[0].starts_with("1. "));
    let row = |pair: &[&str]| {
        let index = pair[0].rsplit_once('[')?.1.strip_suffix(']')?.parse().ok()?;
        let (grade, rest) = pair[1].split_once(" in ")?;
        let engines = rest.split_once(", at its worst").map_or(rest, |(engines, _)| engines);
        let engines = engines.split_once(": ").map_or(engines, |(engines, _)| engines);
        let grade = Grade::ALL.into_iter().find(|one| one.name() == grade)?;
        Some((index, grade, engines.to_owned()))
    };
    rows.map(|pair| row(pair).unwrap_or_else(|| panic!("{pair:?}"))).collect()
}

fn headline_agrees(audit: &SceneAudit) -> Result<(), TestCaseError> {
    let said = verdict(audit).replace(['*', '†'], "");
    let engines = &audit.engines;
    let worst = engines.groups.iter().map(|group| group.grade).max().unwrap_or_default();
    prop_assert_eq!(audit.summary.grade, worst);
    for group in engines.others() {
        prop_assert!(group.grade > Grade::Identical);
        let different = format!("{} in {}", capitalised(group.grade.name()), listed(group));
        let told = said.contains(&format!("{different}: "))
            || said.contains(&format!("{different} compared with "));
        prop_assert!(told, "{different}: {said}");
    }
    let first = engines.others().iter().max_by_key(|group| group.grade);
    if let Some(first) = first {
        prop_assert!(said.starts_with(&capitalised(first.grade.name())), "{said}");
    }
    let same = listed(&engines.groups[0]);
    if engines.groups[0].engines.len() > 1 {
        prop_assert!(said.contains(&format!("in {same}.")), "{same}: {said}");
    }
    for unknown in &engines.unknown {
        let (_, after) = said.split_once("xform does not know what ").unwrap_or_default();
        prop_assert!(after.contains(unknown.engine.name), "{said}");
    }
    Ok(())
}

fn list_agrees(audit: &SceneAudit, text: &str) -> Result<(), TestCaseError> {
    let rows = first_rows(text);
    let grade = rows.iter().map(|&(_, grade, _)| grade).max();
    let seen = Some(audit.summary.grade).filter(|grade| grade.is_seen());
    prop_assert_eq!(grade, seen, "{}", text);
    for (index, grade, engines) in rows {
        let of = audit.engines.others().iter().find(|group| listed(group) == engines);
        let node = of.and_then(|of| of.nodes.iter().find(|node| node.index == index));
        prop_assert!(node.is_some_and(|node| node.grade >= grade), "{engines}: {text}");
    }
    Ok(())
}

fn worst_of<'a>(grades: impl Iterator<Item = &'a Value>) -> String {
    let of = |grade: &Value| Grade::ALL.into_iter().find(|one| grade == one.name());
    grades.filter_map(of).max().unwrap_or_default().name().to_owned()
}

fn formats_agree(scene: &Scene, audit: &SceneAudit) -> Result<(), TestCaseError> {
    let grade = audit.summary.grade;
    let json: Value = serde_json::from_str(&written(|out| {
        write_json([Ok::<_, Problem>(audit)], NodeSelection::All, out)
    }))
    .unwrap();
    let of = &json["scenes"][0];
    prop_assert_eq!(&of["summary"]["grade"], grade.name());
    let groups = of["engines"]["groups"].as_array().unwrap();
    prop_assert_eq!(worst_of(groups.iter().map(|group| &group["grade"])), grade.name());
    let nodes = of["nodes"].as_array().unwrap();
    let counts = |node: &Value| node["counts"] == true;
    let at_rest = nodes.iter().filter(|node| counts(node)).map(|node| &node["grade"]);
    let in_motion = of["motion"].as_array().into_iter().flatten();
    let in_motion = in_motion
        .filter(|row| counts(&nodes[usize::try_from(row["node"].as_u64().unwrap()).unwrap()]))
        .map(|row| &row["grade"]);
    prop_assert_eq!(worst_of(at_rest.chain(in_motion)), grade.name());

    let lines = written(|out| {
        let mut rows = Document::new(DocumentFormat::JsonLines(None), out)?;
        rows.add_audited(audit, &[], &[])?;
        rows.finish()
    });
    let row: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    prop_assert_eq!(&row["summary"]["grade"], grade.name());

    let table = written(|out| write_csv([Ok::<_, Problem>(audit)], NodeSelection::All, out));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let mut grades = Vec::new();
    for row in reader.records().map(Result::unwrap) {
        let index: usize = row[column("index")].parse().unwrap();
        for group in audit.engines.others() {
            let Some(node) = group.nodes.iter().find(|node| node.index == index) else { continue };
            for engine in &group.engines {
                let told = format!("{} in ", node.grade.name());
                let cell = &row[column("engines")];
                let told = cell
                    .split("; ")
                    .any(|part| part.starts_with(&told) && part.contains(engine.id));
                prop_assert!(told, "{}: {}", engine.id, cell);
            }
        }
        if &row[column("counts")] == "true" {
            grades.extend(["grade", "motion_grade"].map(|name| Value::from(&row[column(name)])));
        }
    }
    prop_assert_eq!(worst_of(grades.iter()), grade.name());

    let markdown = written(|out| write_markdown([Ok::<_, Problem>(audit)], out));
    let first = markdown.lines().filter(|line| line.starts_with("| n"));
    let first: Vec<_> = first.filter_map(|row| row.split(" | ").nth(1)).collect();
    let seen = |grade: &str| first.iter().any(|cell| cell.starts_with(grade));
    prop_assert_eq!(seen("severe"), grade == Grade::Severe, "{}", markdown);
    prop_assert!(grade != Grade::Visible || seen("visible"), "{}", markdown);

    let found = findings(audit, &Limits::default());
    let sarif: Value = serde_json::from_str(&written(|out| {
        write_findings(
            FindingsFormat::Sarif,
            usize::MAX,
            [Ok::<_, Problem>(("random", &found[..]))],
            out,
        )
    }))
    .unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of_nodes = results
        .iter()
        .filter(|result| ["displaced", "skewed"].iter().any(|rule| result["ruleId"] == *rule));
    let levels: Vec<_> = of_nodes.map(|result| result["level"].as_str().unwrap()).collect();
    prop_assert_eq!(levels.contains(&"error"), grade == Grade::Severe);
    prop_assert_eq!(levels.iter().any(|&level| level != "note"), grade.is_seen());

    let several = text(&[audit, audit]);
    let row = several.lines().skip_while(|line| !line.starts_with("grade")).nth(1).unwrap();
    prop_assert!(row.starts_with(grade.name()), "{}", several);
    prop_assert_eq!(different_in(audit).is_empty(), !grade.is_seen());
    prop_assert_eq!(cause_names(audit).is_empty(), !grade.is_seen());
    let entries = [IndexEntry::new(audit), IndexEntry::new(audit).with_page("b.html")];
    let index = written(|out| write_index(&entries, &[], out));
    prop_assert!(index.contains(&format!("2 {}", grade.name())), "{}", index);

    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Visible);
    let fails = findings(audit, &limits).iter().any(|finding| finding.fails);
    let expected = grade.is_seen() || !audit.engines.unknown.is_empty();
    prop_assert_eq!(fails, expected, "{}", verdict(audit));

    // A page takes as long as all others together.
    if scene.nodes.len() == 3 {
        let report = Report::of_audit(scene, audit.clone());
        let page = written(|out| write_html(&report, out));
        let shown = page.contains(&format!("class=\"verdict {}\"", grade.name()));
        prop_assert!(shown || page.contains("class=\"verdict unknown\""));
        let is_safe = page.contains("class=\"verdict identical\"");
        prop_assert!(!is_safe || audit.engines.unknown.is_empty());
    }
    Ok(())
}

#[test]
fn everything_that_is_said_of_a_scene_is_the_same_answer() {
    let (cases, differing) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_all("scene, choice", 150, (scenes(), choices()), |(scene, choice)| {
        let Ok(audit) = compare_engines(&scene, &choice) else { return Ok(()) };
        cases.fetch_add(1, Ordering::Relaxed);
        // By rules of its own, an engine that is told to show the same does; of those that a reader of FBX stands before, others know.
        if choice.reference.is_none() && scene.fbx.is_none() && audit.summary.diagonal > 0.0 {
            let mut moved = Vec::new();
            for engine in &audit.engines.groups[0].engines {
                let moved = moved_at_rest(&scene, &audit, engine).unwrap_or(0.0);
                prop_assert!(moved < 1e-3, "{} moves {moved} %: {}", engine.name, verdict(&audit));
            }
            for group in audit.engines.others() {
                moved.extend(moved_at_rest(&scene, &audit, group.engines[0]));
            }
            let is_differing = moved.iter().any(|&percent| percent >= Grade::VISIBLE_PERCENT);
            differing.fetch_add(usize::from(is_differing), Ordering::Relaxed);
            prop_assert!(!is_differing || audit.summary.grade.is_seen(), "{}", verdict(&audit));
        }
        headline_agrees(&audit)?;
        list_agrees(&audit, &text(&[&audit]))?;
        formats_agree(&scene, &audit)
    });
    let (cases, differing) = (cases.into_inner(), differing.into_inner());
    assert!(3 * differing >= cases, "{differing} of {cases}");
}
