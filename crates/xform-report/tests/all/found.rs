//! The formats of systems that show what was found beside the files: each by an independent reader, all of them alike, and none a flood.

use std::collections::{BTreeMap, HashSet};

use roxmltree::{Document, Node};
use serde_json::Value;
use xform_compare::{
    Finding, SceneAudit,
    audit::{Defect, Problem},
    compare, findings,
    judge::{Limits, Severity},
};
use xform_report::{
    DocumentFormat, FindingsFormat,
    FindingsFormat::{Github, Gitlab, Junit, Sarif},
    write_findings,
};
use xform_scene::read_gltf;

use crate::formats::{golden, moving, written};

/// What GitHub takes of a level from a step.
const TEN: usize = 10;

/// A stretch and so many turned nodes below it, called so.
fn skewed(source: &str, nodes: usize, name: &str) -> SceneAudit {
    let turned = format!(
        r#"{{ "name": {}, "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] }}"#,
        Value::from(name)
    );
    let children: Vec<_> = (1..=nodes).map(|child| child.to_string()).collect();
    let file = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": [2, 1, 1], "children": [{}] }}, {}] }}"#,
        children.join(","),
        vec![&*turned; nodes].join(",")
    );
    compare(&read_gltf(file.as_bytes(), source).unwrap()).unwrap()
}

type Found = Vec<(String, Vec<Finding>)>;

/// What is found in several scenes beyond a limit and within it, some of it ignored.
fn found() -> Found {
    let mut limits = Limits::default();
    limits.max_skew_degrees = Some(36.0);
    let mut scenes = golden().scenes;
    scenes.extend(moving().scenes);
    scenes.push(skewed("assets/many.gltf", 40, "part"));
    let scenes = scenes.iter().map(|scene| (scene.source.clone(), findings(scene, &limits)));
    let mut scenes: Found = scenes.collect();
    let of_many = &mut scenes.last_mut().unwrap().1;
    of_many.iter_mut().step_by(4).for_each(|one| one.ignored = Some("it is meant".to_owned()));
    scenes
}

fn problems() -> Vec<Problem> {
    let bad = Problem::new("bad.glb", "json", "", "bad.glb: it is \"bad\"");
    let second = Defect::new("cycle", "/nodes/1", "bad.glb: node 1 is its own parent");
    vec![bad.with_others(vec![second], 0)]
}

fn document(
    format: FindingsFormat,
    max_per_rule: usize,
    found: &Found,
    problems: &[Problem],
) -> String {
    let scenes = found.iter().map(|(source, found)| Ok((source, found)));
    let scenes = scenes.chain(problems.iter().cloned().map(Err));
    written(|out| write_findings(format, max_per_rule, scenes, out))
}

/// How many more a text says that there are: "… (and 312 more in this file)".
fn more(text: &str) -> usize {
    let counted = text.rsplit_once("(and ").map(|(_, rest)| rest.split_once(" more").unwrap().0);
    counted.map_or(0, |count| count.parse().unwrap())
}

/// By file and rule, how many findings are told and how many are only counted.
type Counts = BTreeMap<(String, String), (usize, usize)>;

fn add(counts: &mut Counts, file: &str, rule: &str, text: &str) {
    let count = counts.entry((file.to_owned(), rule.to_owned())).or_default();
    *count = (count.0 + 1, count.1 + more(text));
}

fn in_sarif(text: &str) -> Counts {
    let log: Value = serde_json::from_str(text).unwrap();
    let mut counts = Counts::new();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        if result.get("suppressions").is_some() {
            continue;
        }
        let file = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let (rule, text) = (&result["ruleId"], &result["message"]["text"]);
        let [file, rule, text] = [file, rule, text].map(|value| value.as_str().unwrap());
        add(&mut counts, file, rule, text);
    }
    counts
}

fn in_gitlab(text: &str) -> Counts {
    let issues: Value = serde_json::from_str(text).unwrap();
    let (mut counts, mut known) = (Counts::new(), HashSet::new());
    for issue in issues.as_array().unwrap() {
        // What GitLab's own schema asks for (app/validators/json_schemas/codeclimate.json), and by its documentation the severities.
        let member = |name: &str| issue[name].as_str().unwrap().to_owned();
        assert!(issue["location"]["lines"]["begin"].is_u64());
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&&*member("severity")));
        assert!(known.insert(member("fingerprint")), "GitLab shows one of each: {issue}");
        if member("severity") != "blocker" {
            let file = issue["location"]["path"].as_str().unwrap();
            add(&mut counts, file, &member("check_name"), &member("description"));
        }
    }
    counts
}

fn in_junit(text: &str) -> Counts {
    let document = Document::parse(text).unwrap();
    let mut counts = Counts::new();
    for suite in document.root_element().children().filter(Node::is_element) {
        let cases: Vec<_> = suite.children().filter(Node::is_element).collect();
        let with = |tag: &str| {
            let cases = cases.iter();
            cases.filter(|case| case.children().any(|child| child.has_tag_name(tag))).count()
        };
        let said = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(said("tests"), cases.len());
        assert_eq!(said("failures"), with("failure"));
        assert_eq!(said("errors"), with("error"));
        assert_eq!(said("skipped"), with("skipped"));
        for case in &cases {
            let (file, rule) = (suite.attribute("name").unwrap(), case.attribute("name").unwrap());
            assert_eq!(case.attribute("classname"), Some(&*file.replace('.', "_")));
            let told = case
                .children()
                .filter(|child| child.has_tag_name("failure") || child.has_tag_name("system-out"));
            let lines = told.flat_map(|told| told.text().unwrap().lines());
            for line in lines.filter(|line| !line.starts_with("ignored (it is meant): ")) {
                add(&mut counts, file, rule, line);
            }
        }
    }
    counts
}

/// A workflow command as the runner reads it (actions/runner, src/Runner.Common/ActionCommand.cs: `TryParseV2`): its name, its properties,
/// its message.
fn command(line: &str) -> (String, BTreeMap<String, String>, String) {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (name, properties) = head.split_once(' ').unwrap();
    let plain = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    };
    let properties = properties.split(',').map(|property| {
        let (key, value) = property.split_once('=').unwrap();
        (key.to_owned(), plain(value))
    });
    (name.to_owned(), properties.collect(), plain(message))
}

#[test]
fn every_format_tells_the_same_findings() {
    let found = found();
    let mut expected = Counts::new();
    for (source, found) in &found {
        for finding in found.iter().filter(|finding| finding.ignored.is_none()) {
            add(&mut expected, source, finding.rule, "");
        }
    }
    assert!(expected.values().any(|&(all, _)| all > 2 * TEN));
    for most in [1, 3, TEN, usize::MAX] {
        let read = |format: FindingsFormat, read: fn(&str) -> Counts| {
            read(&document(format, most, &found, &problems()))
        };
        let all = read(Sarif, in_sarif);
        assert_eq!(read(Gitlab, in_gitlab), all);
        assert_eq!(read(Junit, in_junit), {
            // Every scene has a case that says nothing.
            all.clone()
        });
        for (place, (told, counted)) in all {
            assert!(told <= most, "{place:?}");
            assert_eq!((told + counted, 0), expected[&place], "{place:?}");
        }
    }
}

#[test]
fn github_gets_no_more_than_it_shows_and_is_told_how_many_are_left() {
    let (found, problems) = (found(), problems());
    let levels =
        [("error", Severity::Error), ("warning", Severity::Warning), ("notice", Severity::Note)];
    for most in [1, TEN, usize::MAX] {
        let text = document(Github, most, &found, &problems);
        let commands: Vec<_> = text.lines().map(command).collect();
        for (level, severity) in levels {
            let of_level: Vec<_> = commands.iter().filter(|(name, ..)| name == level).collect();
            assert!(of_level.len() <= TEN);
            let told = of_level.iter().map(|(_, properties, message)| {
                let rest =
                    message.strip_prefix("and ").filter(|_| !properties.contains_key("file"));
                let rest = rest.map(|rest| rest.split_once(" more: ").unwrap().0);
                rest.map_or(1, |rest| rest.parse().unwrap())
            });
            let counted = found
                .iter()
                .flat_map(|(_, found)| found)
                .filter(|finding| finding.severity == severity && finding.ignored.is_none());
            let failed = if severity == Severity::Error { 2 } else { 0 };
            assert_eq!(told.sum::<usize>(), counted.count() + failed, "{level}");
        }
        // The worst of each file comes before the second of any.
        let files = commands.iter().filter(|(name, ..)| name == "error");
        let files: Vec<_> = files.filter_map(|(_, properties, _)| properties.get("file")).collect();
        let apart: HashSet<_> = files.iter().take(4).collect();
        assert_eq!(apart.len(), 4, "{files:?}");
        assert!(commands.iter().all(|(_, properties, _)| {
            properties.get("file").is_none() || properties["line"] == "1"
        }));
    }
}

#[test]
fn the_worst_of_a_rule_are_told_and_what_fails_before_the_rest() {
    let mut of_many = found().pop().unwrap();
    of_many.1.retain(|finding| finding.rule == "skewed");
    of_many.1.iter_mut().for_each(|finding| {
        (finding.severity, finding.fails, finding.ignored) = (Severity::Note, false, None);
    });
    let last = of_many.1.last_mut().unwrap();
    (last.severity, last.fails) = (Severity::Error, true);
    let message = last.message.clone();
    let junit = document(Junit, 2, &vec![of_many], &[]);
    let document = Document::parse(&junit).unwrap();
    let told = |tag: &str| {
        document.descendants().find(|node| node.has_tag_name(tag)).unwrap().text().unwrap()
    };
    assert_eq!(told("failure"), format!("{message} (and 38 more in this file)"));
    assert_eq!(told("system-out").lines().count(), 1);
}

#[test]
fn no_name_of_a_file_or_node_is_markup_or_a_command() {
    let name = "a\n::error::b %0A,c: ]]> <x> & \" ' \u{fffe}\u{1b}[31m";
    let source = "a,b:c%.gltf";
    let audit = skewed(source, 2, name);
    let found: Found = vec![(source.to_owned(), findings(&audit, &Limits::default()))];
    let problems = [Problem::new(source, "json", "", format!("{source}: {name}"))];
    let github = document(Github, TEN, &found, &problems);
    for line in github.lines() {
        let (_, properties, message) = command(line);
        assert_eq!(properties["file"], source);
        assert_eq!(properties.len(), 3);
        assert!(
            !message.contains(char::is_control) && message.contains("%0A,c: ]]> <x>"),
            "{message}"
        );
    }
    let junit = document(Junit, TEN, &found, &problems);
    let parsed = Document::parse(&junit).unwrap();
    let suites = parsed.root_element().children().filter(Node::is_element);
    assert!(suites.clone().all(|suite| suite.attribute("name") == Some(source)));
    let error = parsed.descendants().find(|node| node.has_tag_name("error")).unwrap();
    assert!(error.text().unwrap().contains("]]> <x> & \" ' \u{fffd}"));
    let gitlab: Value = serde_json::from_str(&document(Gitlab, TEN, &found, &problems)).unwrap();
    assert!(gitlab.as_array().unwrap().iter().all(|issue| issue["location"]["path"] == source));
}

#[test]
fn nothing_found_is_a_document_all_the_same() {
    let none: Found = vec![("./flat.glb".to_owned(), Vec::new())];
    assert_eq!(document(Gitlab, TEN, &none, &[]), "[]\n");
    assert_eq!(document(Github, TEN, &none, &[]), "");
    let junit = document(Junit, TEN, &none, &[]);
    let parsed = Document::parse(&junit).unwrap();
    let suite = parsed.root_element().first_element_child().unwrap();
    assert_eq!((suite.attribute("name"), suite.attribute("tests")), (Some("flat.glb"), Some("1")));
    let junit = written(|out| {
        let format = DocumentFormat::Findings(Junit, TEN);
        let mut document = xform_report::Document::new(format, out)?;
        document.add_ignored("vendor/a.glb", "replaced soon")?;
        document.finish()
    });
    let parsed = Document::parse(&junit).unwrap();
    let skipped = parsed.descendants().find(|node| node.has_tag_name("skipped")).unwrap();
    assert_eq!(skipped.attribute("message"), Some("replaced soon"));
}

#[test]
fn github_is_told_of_the_worst_scenes_whatever_they_are_called() {
    let scenes: Vec<_> = (0..30)
        .map(|number| {
            let file = format!(
                r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "scale": [{}, 1, 1], "children": [1] }},
                    {{ "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0], "children": [2] }},
                    {{ "translation": [0, 1, 0] }}] }}"#,
                2.0 + f64::from(number) / 10.0
            );
            let source = format!("{number:02}.gltf");
            compare(&read_gltf(file.as_bytes(), &source).unwrap()).unwrap()
        })
        .collect();
    let text = written(|out| {
        let mut document = xform_report::Document::new(DocumentFormat::Findings(Github, TEN), out)?;
        for scene in &scenes {
            document.add_audited(scene, &findings(scene, &Limits::default()), &[])?;
        }
        document.finish()
    });
    let errors = text.lines().map(command).filter(|(level, ..)| level == "error");
    let files: Vec<_> = errors.filter_map(|(_, mut at, _)| at.remove("file")).collect();
    let mut worst: Vec<_> = scenes.iter().collect();
    worst.sort_by(|a, b| {
        let percent = |scene: &SceneAudit| scene.summary.max_displacement_percent.unwrap();
        percent(b).total_cmp(&percent(a))
    });
    let worst: Vec<_> = worst[..9].iter().map(|scene| scene.source.clone()).collect();
    assert_eq!(files, worst);
}

#[test]
fn github_is_told_first_of_what_could_not_be_audited() {
    let scene = skewed("many.gltf", 1, "part");
    let text = written(|out| {
        let mut document = xform_report::Document::new(DocumentFormat::Findings(Github, TEN), out)?;
        for _ in 0..30 {
            document.add_audited(&scene, &findings(&scene, &Limits::default()), &[])?;
        }
        problems().into_iter().try_for_each(|problem| document.add_failed(problem))?;
        document.finish()
    });
    let (level, properties, _) = command(text.lines().next().unwrap());
    assert_eq!((&*level, &*properties["file"]), ("error", "bad.glb"));
}
