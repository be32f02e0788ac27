//! Any names, in every format: an independent parser reads them back, and finds no more than there is with harmless
//! names.

#![no_main]

#[path = "../../../xform-report/tests/all/support/markdown.rs"]
mod markdown;

use std::io;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use markdown::on_a_code_host;
use scraper::Html;
use serde_json::{Value, json};
use xform_compare::{
    SceneAudit,
    audit::{Defect, Problem},
    compare, findings,
    judge::{Limits, Report},
};
use xform_report::{
    Document, DocumentFormat, FindingsFormat, NodeSelection, TextStyle, write_csv, write_findings,
    write_html, write_json, write_markdown, write_text,
};
use xform_scene::{Scene, read_gltf, text::without_controls};

#[derive(Arbitrary, Debug)]
struct Names {
    source: String,
    nodes: Vec<String>,
    animation: String,
    error: String,
}

impl Names {
    /// As many that mean nothing in any format.
    fn harmless(&self) -> Self {
        let nodes = (0..self.nodes.len()).map(|node| format!("n{node}n"));
        let plain = || "plain".to_owned();
        Self { source: plain(), nodes: nodes.collect(), animation: plain(), error: plain() }
    }

    /// A stretched node, and below it a turned one for each name, in an animation that turns one of them.
    fn scene(&self) -> Scene {
        let mut nodes = vec![json!({
            "scale": [2, 1, 1], "children": (1..=self.nodes.len()).collect::<Vec<_>>()
        })];
        nodes.extend(self.nodes.iter().map(
            |name| json!({ "name": name, "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] }),
        ));
        let channel = json!({ "sampler": 0, "target": { "node": 1, "path": "rotation" } });
        let file = json!({
            "asset": { "version": "2.0" }, "nodes": nodes,
            "animations": [{ "name": self.animation, "channels": [channel], "samplers": [{ "input": 0, "output": 0 }] }],
        });
        read_gltf(file.to_string().as_bytes(), &self.source).unwrap()
    }

    fn problem(&self) -> Problem {
        let defect = Defect::new("cycle", "/nodes/0", &self.error);
        Problem::new(&self.source, "empty", "", &self.error).with_others(vec![defect], 1)
    }
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// The elements of a page by their names and attributes, but code, as which some names are shown.
fn elements(html: &Html) -> Vec<(String, Vec<String>)> {
    let all = html.tree.values().filter_map(|node| node.as_element());
    let others = all.filter(|element| element.name() != "code");
    let named = others.map(|element| {
        let mut attributes: Vec<_> = element.attrs().map(|(name, _)| name.to_owned()).collect();
        attributes.sort();
        (element.name().to_owned(), attributes)
    });
    named.collect()
}

fn rendered(names: &Names, audit: &SceneAudit) -> Vec<(String, Vec<String>)> {
    let markdown = written(|out| write_markdown([Ok(audit), Err(names.problem())], out));
    elements(&on_a_code_host(&markdown))
}

fn page(scene: &Scene) -> Vec<(String, Vec<String>)> {
    let page = written(|out| write_html(&Report::of_scene(scene).unwrap(), out));
    elements(&Html::parse_document(&page))
}

fuzz_target!(|names: Names| {
    if names.nodes.len() > 8 {
        return;
    }
    let harmless = names.harmless();
    let (scene, plain) = (names.scene(), harmless.scene());
    let (audit, plain_audit) = (compare(&scene).unwrap(), compare(&plain).unwrap());

    let json = parsed(&written(|out| {
        write_json([Ok(&audit), Err(names.problem())], NodeSelection::All, out)
    }));
    assert_eq!(json["scenes"][0]["source"], names.source);
    let shown = json["scenes"][0]["nodes"].as_array().unwrap().iter().map(|node| &node["name"]);
    assert!(shown.skip(1).eq(&names.nodes));
    assert_eq!(json["errors"][0]["others"][0]["error"], names.error);

    let rows = written(|out| {
        let mut rows = Document::new(DocumentFormat::JsonLines(Some(NodeSelection::All)), out)?;
        rows.add_audited(&audit, &[], &[])?;
        rows.add_failed(names.problem())?;
        rows.finish()
    });
    let rows: Vec<_> = rows.lines().map(parsed).collect();
    assert!(rows.iter().all(|row| row["source"] == names.source));
    assert_eq!(rows.last().unwrap()["error"], names.error);

    let table = written(|out| write_csv([Ok(&audit)], NodeSelection::All, out));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let cells: Vec<_> = reader.records().map(|row| row.unwrap()[3].to_owned()).collect();
    assert_eq!(cells.len(), 1 + names.nodes.len());
    for (cell, name) in cells.iter().skip(1).zip(&names.nodes) {
        let name = without_controls(name);
        assert!(*cell == name || *cell == format!("'{name}"), "{cell:?}, {name:?}");
        assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell:?}");
    }

    let found = findings(&audit, &Limits::default());
    let count = found.len();
    let sarif = parsed(&written(|out| {
        write_findings(
            FindingsFormat::Sarif,
            usize::MAX,
            [Ok((&names.source, found)), Err(names.problem())],
            out,
        )
    }));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() <= count);
    let messages = results.iter().map(|result| result["message"]["text"].as_str().unwrap());
    for message in messages {
        assert!(!message.contains("](") && !message.contains(|c: char| c.is_control()));
    }

    let text =
        written(|out| write_text([Ok(&audit), Err(names.problem())], TextStyle::default(), out));
    let is_bad = |c: char| c.is_control() && c != '\n' || ('\u{202A}'..='\u{202E}').contains(&c);
    assert!(!text.contains(is_bad), "{text:?}");

    assert_eq!(rendered(&names, &audit), rendered(&harmless, &plain_audit));
    // A page takes as long as a hundred audits.
    if names.source.len() % 16 == 1 {
        assert_eq!(page(&scene), page(&plain));
    }
});
