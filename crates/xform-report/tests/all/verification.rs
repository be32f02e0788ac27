//! Which rules answers follow: the page has what the JSON has, and text and Markdown have its sentences.

use std::collections::HashMap;

use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use xform_report::{
    TextStyle, write_verification_html, write_verification_json, write_verification_markdown,
    write_verification_text,
};
use xform_verify::{Verification, recorded};

fn json(found: &Verification) -> Value {
    let mut json = Vec::new();
    write_verification_json(found, &mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn page(found: &Verification) -> Html {
    let mut page = Vec::new();
    write_verification_html(found, &mut page).unwrap();
    Html::parse_document(&String::from_utf8(page).unwrap())
}

#[test]
fn the_json_is_valid_by_its_schema() {
    let schema = include_str!("../../../../docs/verify.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let document = json(&recorded());
    let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(document["runs"].as_array().unwrap().len() >= 80);
    assert!(!validator.is_valid(&serde_json::json!({ "schema": "xform-verify/1", "runs": [] })));
}

fn texts<'a>(of: ElementRef<'a>, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    of.select(&selector).map(|found| found.text().collect::<String>()).collect()
}

/// Two digits, as people are told a residual.
fn two_digits(residual: &Value) -> String {
    match residual.as_f64() {
        Some(0.0) => "0".to_owned(),
        Some(residual) => format!("{residual:.1e}"),
        None => "not a number".to_owned(),
    }
}

#[test]
fn every_cell_of_the_page_is_what_the_json_says() {
    let found = recorded();
    let (document, page) = (json(&found), page(&found));
    let mut cells = HashMap::new();
    let select = |selector: &str| Selector::parse(selector).unwrap();
    for table in page.select(&select("table.matrix")) {
        let scenes = texts(table, "thead span");
        for row in table.select(&select("tbody tr")) {
            let about = texts(row, "th small").concat();
            let run = about.split(", ").next().unwrap().to_owned();
            let found: Vec<_> = row.select(&select("td")).collect();
            assert_eq!(found.len(), scenes.len());
            for (scene, cell) in scenes.iter().zip(found) {
                let known = cells.insert((run.clone(), scene.clone()), cell);
                assert!(known.is_none(), "{run} {scene}");
            }
        }
    }
    let mut compared = 0;
    for run in document["runs"].as_array().unwrap() {
        let name = run["run"].as_str().unwrap();
        for scene in run["scenes"].as_array().unwrap() {
            let scene_name = scene["scene"].as_str().unwrap().to_owned();
            let cell = cells.remove(&(name.to_owned(), scene_name)).unwrap();
            let text: String = cell.text().collect();
            let class = cell.value().attr("class").unwrap();
            let title = cell.value().attr("title").unwrap();
            let [known, right] = ["known", "right"].map(|of| scene[of].as_u64().unwrap());
            let residual = two_digits(&scene["residual"]);
            let (expected_class, expected) = match scene["verdict"].as_str().unwrap() {
                "follows" => ("good", residual),
                "nothing" => ("none", "–".to_owned()),
                "wrong" => ("bad", format!("{residual}{right} of {known}")),
                _ => ("fair", format!("{residual}{right} of {known}")),
            };
            assert_eq!((class, text), (expected_class, expected), "{name}");
            let date = run["date"].as_str().unwrap();
            assert!(title.contains(date) && title.contains(name), "{title}");
            let version = run["version"].as_str().unwrap();
            assert!(title.contains(version.rsplit(' ').next().unwrap()), "{title}");
            compared += 1;
        }
    }
    assert!(compared > 1500, "{compared}");
    // What is left was not asked, or failed.
    for ((run, scene), cell) in cells {
        assert_eq!(cell.value().attr("class"), Some("none"), "{run} {scene}");
    }
}

#[test]
fn all_formats_have_the_sentences_of_the_json() {
    let found = recorded();
    let document = json(&found);
    let mut text = Vec::new();
    write_verification_text(&found, TextStyle::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut markdown = Vec::new();
    write_verification_markdown(&found, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    let rendered = comrak::markdown_to_html(&markdown, &comrak_options());
    let plain = |html: &Html| html.root_element().text().collect::<String>();
    let (markdown, page) = (plain(&Html::parse_fragment(&rendered)), plain(&page(&found)));
    for run in document["runs"].as_array().unwrap() {
        let details = run["details"].as_array().unwrap().iter();
        for line in std::iter::once(&run["headline"]).chain(details) {
            let line = line.as_str().unwrap();
            assert!(text.contains(line), "{line}");
            let without_marks = line.replace('`', "");
            assert!(markdown.contains(&without_marks), "{line}");
            assert!(page.contains(&without_marks), "{line}");
        }
    }
}

fn comrak_options() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options
}
