//! Every format on built-in scenes: as it was when somebody looked at it, and valid by an
//! independent reader.

use std::{env, fs, path::PathBuf};

use insta::assert_snapshot;
use nalgebra::{UnitQuaternion, Vector3};
use serde_sarif::sarif::{ResultLevel, Sarif};
use xform_compare::{
    Audit, NodeAudit,
    audit::{Defect, Problem},
    compare, findings,
    judge::{DiffOptions, DiffReport, Limits, Report, Severity},
    measure::{measure_drift, measure_sweep},
};
use xform_core::Trs;
use xform_report::{
    Colour, DocumentFormat, FindingsFormat, NodeSelection, TextStyle,
    series::{write_drift_csv, write_drift_json, write_sweep_csv, write_sweep_json},
    write_csv, write_diff_html, write_findings, write_html, write_json, write_markdown, write_text,
};
use xform_scene::{BuiltIn, Node, Scene, read_gltf};

use crate::colliders::colliding;

pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// As on a terminal with 80 columns.
fn wrapped(colour: Colour) -> TextStyle {
    TextStyle { colour, width: Some(80) }
}

fn built_in(names: &[&str]) -> Audit {
    let scenes = names.iter().map(|name| BuiltIn::named(name).unwrap().scene(&[]).unwrap());
    Audit::new(scenes.map(|scene| compare(&scene).unwrap()).collect())
}

pub(crate) fn golden() -> Audit {
    built_in(&["piston", "skewed-child", "levels"])
}

/// A file with something of everything: names that are no markup, warnings, undefined figures.
const ODD: &str = include_str!("../scenes/odd.gltf");

/// A child that turns by 90° in 2 s below a stretch by 2, and an animation whose buffer is not there.
const MOVING: &str = include_str!("../scenes/moving.gltf");

pub(crate) fn moving() -> Audit {
    Audit::new(vec![compare(&read_gltf(MOVING.as_bytes(), "moving.gltf").unwrap()).unwrap()])
}

fn odd() -> Audit {
    Audit::new(vec![compare(&read_gltf(ODD.as_bytes(), "odd.gltf").unwrap()).unwrap()])
}

#[test]
fn text_is_as_it_was() {
    assert_snapshot!("text", written(|out| write_text(&golden(), wrapped(Colour::None), out)));
    assert_snapshot!(
        "text_moving",
        written(|out| write_text(&moving(), wrapped(Colour::None), out))
    );
    assert_snapshot!("text_odd", written(|out| write_text(&odd(), wrapped(Colour::None), out)));
}

#[test]
fn text_fits_80_columns_and_colours_change_nothing_else() {
    for audit in [golden(), odd(), moving(), built_in(&["chain", "humanoids"])] {
        let plain = written(|out| write_text(&audit, wrapped(Colour::None), out));
        assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
        assert!(!plain.contains('\u{1b}'));
        let mut stripped = written(|out| write_text(&audit, wrapped(Colour::Ansi), out));
        assert!(stripped.contains("\u{1b}[1m"));
        for code in ["1", "31", "32", "33", "0"] {
            stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(stripped, plain);
    }
}

#[test]
fn without_a_width_every_name_is_whole() {
    let mut nodes = vec![Node::new(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))];
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    let path: Vec<_> = (0..6).map(|i| format!("a rather long name of a bone {i}")).collect();
    for (i, name) in path.iter().enumerate() {
        nodes.push(Node::new(Some(i), Trs::from_rotation(turn)).with_name(name));
    }
    let audit = Audit::new(vec![compare(&Scene::new("long.glb", nodes)).unwrap()]);
    let text = written(|out| write_text(&audit, TextStyle::default(), out));
    let whole = path.join("/");
    assert!(text.lines().any(|line| line.contains(&whole)), "{text}");
    let text = written(|out| write_text(&audit, wrapped(Colour::None), out));
    assert!(!text.contains(&whole) && text.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn json_is_as_it_was() {
    assert_snapshot!("json", written(|out| write_json(&golden(), NodeSelection::All, out)));
    assert_snapshot!(
        "json_moving",
        written(|out| write_json(&moving(), NodeSelection::Differing, out))
    );
    assert_snapshot!("json_odd", written(|out| write_json(&odd(), NodeSelection::Differing, out)));
}

#[test]
fn json_is_valid_by_its_schema() {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let schema = fs::read_to_string(docs.join("report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let many = built_in(&["chain", "fan", "tree", "humanoids", "random"]);
    let bad = Problem::new("a", "empty", "", "a: it is empty");
    let worse = bad.clone().with_others(vec![Defect::new("cycle", "/nodes/1", "b")], 3);
    let bad = Audit::new(vec![]).with_errors(vec![bad, worse]);
    for audit in [golden(), odd(), moving(), many, bad, colliding(), Audit::new(vec![])] {
        for nodes in [NodeSelection::All, NodeSelection::Differing] {
            let json = written(|out| write_json(&audit, nodes, out));
            let value = serde_json::from_str(&json).unwrap();
            let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
            assert_eq!(errors, [""; 0]);
        }
    }
    // The schema does bite.
    let json = written(|out| write_json(&golden(), NodeSelection::All, out));
    for (from, to) in
        [("\"depth\": 1", "\"depth\": -1"), ("\"cause\"", "\"clause\""), ("audit/3", "audit/2")]
    {
        assert!(!validator.is_valid(&serde_json::from_str(&json.replace(from, to)).unwrap()));
    }
}

#[test]
fn json_of_differing_nodes_leaves_out_the_others_alone() {
    let audit = golden();
    let nodes = |nodes| {
        let json: serde_json::Value =
            serde_json::from_str(&written(|out| write_json(&audit, nodes, out))).unwrap();
        json["scenes"][0]["nodes"].as_array().unwrap().clone()
    };
    let (all, differing) = (nodes(NodeSelection::All), nodes(NodeSelection::Differing));
    assert_eq!(all.len(), 3);
    assert_eq!(differing, all[1..]);
}

#[test]
fn csv_is_as_it_was_and_reads_back() {
    assert_snapshot!("csv", written(|out| write_csv(&golden(), NodeSelection::All, out)));
    let text = written(|out| write_csv(&odd(), NodeSelection::All, out));
    assert_snapshot!("csv_odd", text);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 10);
    assert_eq!(&rows[3][3], "a,b\"c");
    for cell in rows.iter().flat_map(|row| [&row[2], &row[3]]) {
        assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell} is a formula");
    }
}

#[test]
fn markdown_is_as_it_was() {
    assert_snapshot!("markdown", written(|out| write_markdown(&golden(), out)));
    assert_snapshot!("markdown_odd", written(|out| write_markdown(&odd(), out)));
    assert_snapshot!("markdown_moving", written(|out| write_markdown(&moving(), out)));
}

#[test]
fn in_a_page_names_are_names() {
    let odd = Report::of_scene(&read_gltf(ODD.as_bytes(), "odd.gltf").unwrap()).unwrap();
    let page = written(|out| write_html(&odd, out));
    // The data, its bytes and the script, and none that a name has begun.
    assert_eq!(page.matches("<script").count(), 3);
    assert!(page.contains("&#60;script&#62;") && page.contains(r"\u003cscript>"));
    let safe = read_gltf(br#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#, "one.gltf");
    let safe = Report::of_scene(&safe.unwrap()).unwrap();
    let page = written(|out| write_html(&safe, out));
    assert!(
        page.contains("looks the same in")
            && page.contains("nothing to do")
            && !page.contains("<svg ")
    );
    let unread = br#"{ "asset": { "version": "2.0" }, "nodes": [{}], "animations": [
        { "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }] }] }"#;
    let unread = Report::of_scene(&read_gltf(unread, "unread.gltf").unwrap()).unwrap();
    let page = written(|out| write_html(&unread, out));
    assert!(
        page.contains("TRS at rest, but not all of the file") && !page.contains("nothing to do")
    );
    let moving = Report::of_scene(&read_gltf(MOVING.as_bytes(), "moving.gltf").unwrap()).unwrap();
    let page = written(|out| write_html(&moving, out));
    for part in [
        "<strong>Severe.</strong>",
        "different in motion",
        "<h2>In motion</h2>",
        "Difference of skew in \"turn\"",
        "36.87°",
    ] {
        let part = part.replace('"', "&#34;");
        assert!(page.contains(&part), "{part}");
    }
}

#[test]
fn a_shift_is_told_beside_a_huge_scene_too() {
    let mut scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
    scene.nodes.push(Node::new(None, Trs::from_translation(Vector3::x() * 1e9)));
    let audit = Audit::new(vec![compare(&scene).unwrap()]);
    let all = DocumentFormat::Text(TextStyle::default(), NodeSelection::Differing);
    let text = written(|out| all.write_audited(&audit.scenes[0], &[], &[], out).map(drop));
    assert!(
        text.contains(
            "negligible in combined TRS: moves 0.4353 units (0.00000004353 % of the scene)"
        ),
        "{text}"
    );
}

#[test]
fn sarif_is_read_by_an_independent_parser() {
    let mut limits = Limits::default();
    limits.max_skew_degrees = Some(36.0);
    let mut audit = golden();
    audit.scenes.extend(odd().scenes);
    audit.scenes.extend(moving().scenes);
    let judged: Vec<_> = audit.scenes.iter().map(|scene| findings(scene, &limits)).collect();
    let sources = audit.scenes.iter().map(|scene| scene.source.as_str());
    let scenes = sources.zip(judged.iter().map(Vec::as_slice)).map(Ok);
    let written = written(|out| write_findings(FindingsFormat::Sarif, usize::MAX, scenes, out));
    let log: Sarif = serde_json::from_str(&written).unwrap();
    let run = &log.runs[0];
    let rules = run.tool.driver.rules.as_ref().unwrap();
    for rule in rules {
        let end = format!("/xform_compare/constant.RULES.html#{}", rule.id);
        assert!(rule.help_uri.as_ref().unwrap().ends_with(&end));
    }
    let results = run.results.as_ref().unwrap();
    for result in results {
        let rule = usize::try_from(result.rule_index.unwrap()).unwrap();
        assert_eq!(result.rule_id.as_ref(), Some(&rules[rule].id));
    }
    let of = |rule: &str| {
        results.iter().filter(|result| result.rule_id.as_deref() == Some(rule)).collect::<Vec<_>>()
    };
    let affected = |pick: fn(&NodeAudit) -> bool| {
        audit.scenes.iter().flat_map(|scene| &scene.nodes).filter(|node| pick(node)).count()
    };
    // Two nodes are skewed and displaced in motion, by 36.87°.
    assert_eq!(of("skewed").len(), affected(NodeAudit::is_skewed) + 2);
    assert_eq!(of("displaced").len(), affected(NodeAudit::is_displaced) + 2);
    let levels = [
        (ResultLevel::Error, Severity::Error),
        (ResultLevel::Warning, Severity::Warning),
        (ResultLevel::Note, Severity::Note),
    ];
    for (level, severity) in levels {
        let found = results.iter().filter(|result| result.level.as_ref() == Some(&level)).count();
        let judged = judged.iter().flatten().filter(|finding| finding.severity == severity).count();
        assert_eq!(found, judged, "{severity:?}");
    }
    let place = &of("skewed")[0].locations.as_ref().unwrap()[0];
    let file = place.physical_location.as_ref().unwrap().artifact_location.as_ref().unwrap();
    assert!(["skewed-child", "levels"].contains(&file.uri.as_deref().unwrap()));
}

#[test]
fn series_have_the_same_figures_in_both_formats() {
    let sweep = measure_sweep();
    let json: serde_json::Value =
        serde_json::from_str(&written(|out| write_sweep_json(&sweep, out))).unwrap();
    let csv = written(|out| write_sweep_csv(&sweep, out));
    assert_same_figures(&json, &csv);
    let drift = measure_drift().unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&written(|out| write_drift_json(&drift, out))).unwrap();
    let csv = written(|out| write_drift_csv(&drift, out));
    assert_same_figures(&json, &csv);
}

fn assert_same_figures(json: &serde_json::Value, csv: &str) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let samples = json["samples"].as_array().unwrap();
    assert_eq!(rows.len(), samples.len());
    for (row, sample) in rows.iter().zip(samples) {
        assert_eq!(header.len(), sample.as_object().unwrap().len());
        for (name, cell) in header.iter().zip(row) {
            match &sample[name] {
                serde_json::Value::String(text) => assert_eq!(text, cell),
                number => assert_eq!(number.as_f64(), cell.parse().ok()),
            }
        }
    }
}

/// Set `XFORM_UPDATE_SAMPLE` to write it anew.
#[test]
fn the_sample_report_in_docs_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/sample-report.md");
    let current = written(|out| write_markdown(&golden(), out));
    if env::var_os("XFORM_UPDATE_SAMPLE").is_some() {
        fs::write(&path, &current).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), current);
}

/// The page's policy names its one script by its hash, so that no other runs.
#[test]
fn each_page_allows_its_own_script_alone() {
    use base64::Engine;
    use sha2::{Digest, Sha256};

    let scene = read_gltf(ODD.as_bytes(), "odd.gltf").unwrap();
    let audit = compare(&scene).unwrap();
    let of_diff = DiffReport::new(
        [(scene.clone(), audit.clone()), (scene.clone(), audit)],
        &DiffOptions::default(),
    )
    .unwrap();
    for page in [
        written(|out| write_html(&Report::of_scene(&scene).unwrap(), out)),
        written(|out| {
            write_html(&Report::of_built_in(BuiltIn::named("piston").unwrap(), &[]).unwrap(), out)
        }),
        written(|out| write_diff_html(&of_diff, out)),
    ] {
        let scripts: Vec<_> = page.split("<script>").skip(1).collect();
        let [script] = scripts[..] else { panic!("{} scripts", scripts.len()) };
        let script = script.split_once("</script>").unwrap().0;
        let hash = Sha256::digest(script);
        let hash = base64::engine::general_purpose::STANDARD.encode(hash);
        let policy = page.split_once("script-src ").unwrap().1.split_once(';').unwrap().0;
        assert_eq!(
            policy,
            format!("'sha256-{hash}'"),
            "SCRIPT_HASH or DIFF_SCRIPT_HASH in html.rs"
        );
    }
}

/// A stretch, and so many turned nodes below it.
fn skewed(nodes: usize) -> Audit {
    let turned = r#"{ "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] }"#;
    let children: Vec<_> = (1..=nodes).map(|child| child.to_string()).collect();
    let file = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": [2, 1, 1], "children": [{}] }}, {}] }}"#,
        children.join(","),
        vec![turned; nodes].join(",")
    );
    Audit::new(vec![compare(&read_gltf(file.as_bytes(), "many.gltf").unwrap()).unwrap()])
}

#[test]
fn lists_for_people_end_and_say_how_many_are_left() {
    let text = |nodes| written(|out| write_text(&skewed(nodes), TextStyle::default(), out));
    let markdown = |nodes| written(|out| write_markdown(&skewed(nodes), out));
    assert!(!text(20).contains("more") && !markdown(100).contains("more nodes"));
    assert!(text(21).contains("1 more") && markdown(101).contains("… and 1 more nodes"));
    assert!(text(25).contains("5 more") && markdown(105).contains("… and 5 more nodes"));
}

#[test]
fn warnings_of_a_kind_are_counted() {
    let nodes = [r#"{ "rotation": [0, 0, 0, 2] }"#; 3].join(",");
    let file = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    let audit = Audit::new(vec![compare(&read_gltf(file.as_bytes(), "x").unwrap()).unwrap()]);
    let text = written(|out| write_text(&audit, TextStyle::default(), out));
    assert!(text.contains("unit-quaternion, 3 times"), "{text}");
}

#[test]
fn a_notification_names_its_file_where_there_is_one() {
    let problems = ["a.gltf", ""].map(|source| Problem::new(source, "empty", "", "it is empty"));
    let scenes = problems.map(Err::<(&str, [xform_compare::Finding; 0]), _>);
    let log: serde_json::Value = serde_json::from_str(&written(|out| {
        write_findings(FindingsFormat::Sarif, usize::MAX, scenes, out)
    }))
    .unwrap();
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let uri = &told[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!((uri, &told[1]["locations"]), (&"a.gltf".into(), &serde_json::Value::Null));
}

#[test]
fn a_message_says_what_is_skewed_by_what() {
    let scenes = golden().scenes;
    let messages: Vec<_> = scenes
        .iter()
        .flat_map(|scene| findings(scene, &Limits::default()))
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect();
    assert_snapshot!("messages", messages.join("\n"));
}
