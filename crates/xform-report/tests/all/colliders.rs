//! All outputs say the same of what collides.

use serde_json::{Value, json};
use xform_compare::{
    Audit, Grade, SceneAudit,
    audit::{PhysicsChoice, PhysicsRoad},
    compare,
    judge::{ColliderText, Report, colliders_cause, colliders_line},
    measure::collide,
};
use xform_report::{
    DocumentFormat, IndexEntry, NodeSelection, TextStyle, write_csv, write_index, write_json,
    write_markdown, write_text,
};
use xform_scene::{Scene, read_gltf};

use crate::{formats::written, support::read_page::ReadPage};

/// Shapes that differ, are flat, cannot be read, are refused, are on one node, and are where they are drawn.
const COLLIDING: &str = r#"{ "asset": { "version": "2.0" }, "nodes": [
    { "name": "Arm", "scale": [2, 1, 1], "children": [1, 2, 3, 4, 6] },
    { "name": "Hand", "rotation": [0, 0, 0.6, 0.8],
      "extensions": { "OMI_physics_body": { "collider": { "shape": 0 } } } },
    { "scale": [1, 1, 0], "extensions": { "OMI_physics_body": { "collider": { "shape": 1 } } } },
    { "extensions": { "OMI_physics_body": { "collider": { "shape": 9 } } } },
    { "scale": [-1, 1, 1], "extensions": { "OMI_physics_body": { "collider": { "shape": 2 } } } },
    { "translation": [3, 0, 0], "extensions": { "OMI_physics_body": { "collider": { "shape": 1 } } } },
    { "name": "Both", "rotation": [0, 0, 0.6, 0.8], "extensions": {
      "OMI_physics_body": { "collider": { "shape": 0 }, "trigger": { "shape": 1 } } } } ],
  "extensions": { "OMI_physics_shape": { "shapes":
    [{ "type": "sphere" }, { "type": "box" }, { "type": "cylinder" }] } } }"#;

fn scene() -> Scene {
    read_gltf(COLLIDING.as_bytes(), "colliding.gltf").unwrap()
}

fn audited(scene: &Scene, engines: &[&str]) -> SceneAudit {
    let mut audit = compare(scene).unwrap();
    let engines = engines.iter().map(|id| PhysicsRoad::named(id).unwrap()).collect();
    audit.physics = collide(scene, &PhysicsChoice::named(engines, None), audit.summary.diagonal);
    audit
}

pub(crate) fn colliding() -> Audit {
    Audit::new(vec![audited(&scene(), &["godot-jolt", "physx", "rapier-r3/component"])])
}

fn row(audit: &SceneAudit, nodes: Option<NodeSelection>) -> Vec<Value> {
    let format = DocumentFormat::JsonLines(nodes);
    let lines = written(|out| format.write_audited(audit, &[], &[], out).map(drop));
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn rows_count_what_json_lists() {
    let audit = colliding();
    let json = written(|out| write_json(&audit, NodeSelection::All, out));
    let json: Value = serde_json::from_str(&json).unwrap();
    let physics = &json["scenes"][0]["physics"];
    let colliders = physics["colliders"].as_array().unwrap();
    let count = |is: &dyn Fn(&Value) -> bool| colliders.iter().filter(|one| is(one)).count();
    let is_seen = |one: &Value| one["grade"] == "visible" || one["grade"] == "severe";
    let is_unknown = |one: &Value| {
        let engines = one["engines"].as_array().unwrap();
        one["not_judged"].is_string() || engines.iter().any(|engine| engine["unknown"].is_string())
    };
    let rows = row(&audit.scenes[0], Some(NodeSelection::All));
    let counted = &rows[0]["physics"];
    assert_eq!(
        *counted,
        json!({
            "grade": physics["grade"], "engines": physics["engines"], "judged_as": null,
            "colliders": colliders.len(), "differing": count(&is_seen), "unknown": count(&is_unknown),
        })
    );
    assert!(count(&is_seen) > 2 && count(&is_unknown) > 1 && count(&is_seen) < colliders.len());
    let listed: Vec<_> = rows.iter().filter(|row| row["row"] == "collider").collect();
    assert_eq!(listed.len(), colliders.len());
    assert!(listed.iter().zip(colliders).all(|(row, one)| row["collider"] == *one));
    // In a row of the file alone, and where nobody asked.
    assert_eq!(row(&audit.scenes[0], None).len(), 1);
    let unasked = compare(&scene()).unwrap();
    let rows = row(&unasked, Some(NodeSelection::All));
    assert!(rows.iter().all(|row| row.get("physics").is_none() && row["row"] != "collider"));
}

#[test]
fn a_table_has_the_worst_of_each_node() {
    let audit = colliding();
    let csv = written(|out| write_csv(&audit, NodeSelection::All, out));
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let at = |name: &str| names.iter().position(|other| other == name).unwrap();
    let [grade, distance, engines] =
        ["collider_grade", "collider_distance", "collider_engines"].map(at);
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let physics = &audit.scenes[0].physics;
    for (node, row) in rows.iter().enumerate() {
        let own: Vec<_> = physics.colliders.iter().filter(|one| one.node == node).collect();
        let worst = own.iter().map(|one| one.grade()).max();
        assert_eq!(&row[grade], worst.map_or("", |worst| worst.name()), "{node}");
        let most = own.iter().map(|one| one.distance()).reduce(f64::max);
        assert_eq!(row[distance].parse().ok(), most, "{node}");
    }
    let said = |node: usize| &rows[node][engines];
    assert_eq!(said(0), "");
    assert!(said(1).contains("in godot-jolt (run); severe in physx (run)"), "{}", said(1));
    assert!(said(2).contains("unknown in godot-jolt"), "{}", said(2));
    assert_eq!(said(5), "");
    // A sphere and a box.
    assert_eq!(physics.colliders.iter().filter(|one| one.node == 6).count(), 2);
}

/// The text, the Markdown and the page have the same answer, the same list in the same order, and the same words.
#[test]
fn what_people_read_is_the_same_everywhere() {
    let audit = colliding();
    let scene = &audit.scenes[0];
    let (line, cause) = (colliders_line(scene).unwrap(), colliders_cause(scene).unwrap());
    let texts = ColliderText::all(scene);
    let text = written(|out| write_text(&audit, TextStyle::default(), out));
    let markdown = written(|out| write_markdown(&audit, out)).replace(['\\', '`'], "");
    let page = ReadPage::of(&Report::of_audit(&self::scene(), scene.clone()));
    let html = page.html.replace("&#39;", "'").replace("&#34;", "\"");
    let outputs = [&text, &markdown, &html];
    for output in outputs {
        let mut rest = &output[output.find(&line).expect("the answer")..];
        rest = &rest[rest.find(&cause).expect("the cause of several")..];
        for text in &texts {
            for words in std::iter::once(&text.title).chain(&text.lines) {
                let at = rest.find(words).unwrap_or_else(|| panic!("{words}\n{rest}"));
                rest = &rest[at + words.len()..];
            }
        }
    }
    assert_eq!(html.matches(" data-engine=\"").count(), texts.len());
    assert!(!html.contains("There is nothing to do."));
}

/// The page has the lines of all colliders that are known, in each engine, as many as their wireframes have.
#[test]
fn the_page_has_the_lines_of_what_is_known() {
    let audit = colliding();
    let physics = &audit.scenes[0].physics;
    let page = ReadPage::of(&Report::of_audit(&scene(), audit.scenes[0].clone()));
    let wires = &page.view["wires"];
    let names: Vec<_> = physics.engines.iter().map(PhysicsRoad::name).collect();
    assert_eq!(wires["engines"], json!(names));
    let mut expected = 0;
    for (engine, _) in names.iter().enumerate() {
        for collider in &physics.colliders {
            let Some(found) = collider.in_engines.get(engine).and_then(|one| one.at_rest.as_ref())
            else {
                continue;
            };
            expected += 1;
            let shown = wires["shown"].as_array().unwrap();
            let of_both = |wire: &&Value| {
                let [own, drawn] = ["collider", "drawn"].map(|part| {
                    &wires["lists"][usize::try_from(wire[part].as_u64().unwrap()).unwrap()]
                });
                wire["engine"] == engine
                    && wire["node"] == collider.node
                    && own[1] == found.collider.wireframe().len()
                    && drawn[1] == found.drawn.wireframe().len()
            };
            let wire = shown.iter().find(of_both).expect("lines of it");
            let list =
                &wires["lists"][usize::try_from(wire["collider"].as_u64().unwrap()).unwrap()];
            let count = usize::try_from(list[1].as_u64().unwrap()).unwrap();
            assert!(page.floats(&list[0], 6 * count).iter().all(|number| number.is_finite()));
        }
    }
    assert_eq!(wires["shown"].as_array().unwrap().len(), expected);
    assert!(expected > 6, "{expected}");
    // Those of one engine that are as they are drawn, and those that are not.
    let apart = |is: bool| {
        let at_rest = physics.colliders.iter().flat_map(|one| &one.in_engines);
        at_rest
            .filter_map(|one| one.at_rest.as_ref())
            .filter(|one| (one.distance > 1e-6) == is)
            .count()
    };
    for is in [true, false] {
        let shown = wires["shown"].as_array().unwrap();
        let marked = shown.iter().filter(|wire| wire["is_apart"] == is).count();
        assert!(marked == apart(is) && marked > 0, "{is}: {marked}, not {}", apart(is));
    }
    // Where nobody asked there are none, and one line says what to ask.
    let unasked = ReadPage::of(&Report::of_scene(&scene()).unwrap());
    assert!(unasked.view.get("wires").is_none());
    assert!(unasked.html.contains(": --physics ") && !unasked.html.contains("id=\"colliders\""));
}

#[test]
fn an_index_says_where_colliders_differ_and_has_these_first() {
    let good = COLLIDING.replace("[2, 1, 1]", "[1, 1, 1]").replace("[1, 1, 0]", "[1, 1, 1]");
    let good = good.replace("\"shape\": 9", "\"shape\": 1");
    let good = read_gltf(good.as_bytes(), "good.gltf").unwrap();
    let audits = [audited(&good, &["godot-jolt"]), audited(&scene(), &["godot-jolt"])];
    let entry = |audit: &SceneAudit| IndexEntry::new(audit).with_page("page.html");
    let index = written(|out| write_index(&audits.each_ref().map(entry), &[], out));
    let seen = audits[1].physics.seen();
    assert!(index.contains("Colliders differ from the drawn shapes in 1 of 2 scenes."), "{index}");
    assert!(index.contains(&format!("severe, {seen} of 7</td>")), "{index}");
    assert!(index.contains("identical, 0 of 7</td>"), "{index}");
    assert!(index.find("colliding.gltf") < index.find("good.gltf"));
    // What looks the same and collides otherwise comes before what is negligible.
    let ball = COLLIDING.replace("0.6, 0.8", "0, 1");
    let ball = audited(&read_gltf(ball.as_bytes(), "ball.gltf").unwrap(), &["godot-jolt"]);
    assert_eq!(ball.summary.grade, Grade::Identical);
    let both = [entry(&audits[0]), entry(&ball)];
    let index = written(|out| write_index(&both, &[], out));
    assert!(index.find("ball.gltf") < index.find("good.gltf"), "{index}");
    let text = written(|out| write_text(&Audit::new(audits.to_vec()), TextStyle::default(), out));
    assert!(text.contains("; colliders differ in 1\n"), "{text}");
    assert!(text.contains(&format!("colliding.gltf  (colliders: severe, {seen} of 7)")), "{text}");
    assert!(text.find("colliding.gltf") < text.find("good.gltf"));
    // Where nobody asked there is no column.
    let unasked = compare(&scene()).unwrap();
    let index = written(|out| write_index(&[entry(&unasked)], &[], out));
    assert!(!index.contains("ollider"), "{index}");
}
