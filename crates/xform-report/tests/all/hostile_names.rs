//! Names that mean something in a format: every format shows them as the names that they are, as an independent parser
//! reads it.

use std::collections::HashSet;

use scraper::{Html, Selector};
use serde_sarif::sarif::Sarif;
use xform_compare::{
    Audit, SceneAudit,
    audit::Problem,
    compare, diff, findings,
    judge::{DiffOptions, DiffReport, Limits, Report},
};
use xform_core::Trs;
use xform_report::{
    DocumentFormat, FindingsFormat, NodeSelection, TextStyle,
    diff::{write_diff_markdown, write_diff_text},
    write_csv, write_diff_html, write_findings, write_html, write_json, write_markdown, write_text,
};
use xform_scene::{Scene, read_gltf};

use crate::{formats::written, support::markdown::on_a_code_host};

/// Without control characters, which are shown as U+FFFD.
const NAMES: [&str; 50] = [
    "http://example.com",
    "https://a.b/c?d=e&f",
    "HTTPS://A.B",
    "ftp://x.y",
    "www.example.com",
    "WWW.Example.com",
    "(www.example.com)",
    "a@b.cd",
    "mailto:a@b.cd",
    "xmpp:a@b.cd/e",
    "javascript:alert(1)",
    "@user",
    "a @user b",
    "#123",
    "owner/repo#5",
    "GH-123 deadbeefcafe1234",
    ":tada:",
    "a|b",
    "a\\|b",
    "a@b.cd\\|c",
    "`tick`",
    "``@``",
    "`",
    "*x*",
    "_x_",
    "__x__",
    "[a](http://b.c)",
    "![a](b)",
    "[a]: b",
    "<http://a.b>",
    "<script>alert(1)</script>",
    "</script><script>alert(1)",
    "<img src=x onerror=y>",
    "&lt;",
    "&#64;user",
    "~~x~~",
    "$x$",
    "=1+1",
    "-1",
    "+1",
    "1. x",
    "- x",
    "# x",
    "</td></tr>",
    "--><b>",
    "]]>",
    "\\",
    "\"quoted\"",
    "a,b;c",
    "{{x}}",
];

/// Nodes of these names, each skewed by the one above, in an animation of such a name.
fn scene() -> Scene {
    let mut nodes = vec![serde_json::json!({
        "scale": [2, 1, 1], "children": (1..=NAMES.len()).collect::<Vec<_>>()
    })];
    nodes.extend(NAMES.map(|name| {
        serde_json::json!({ "name": name, "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0] })
    }));
    let file = serde_json::json!({ "asset": { "version": "2.0" }, "nodes": nodes });
    read_gltf(file.to_string().as_bytes(), NAMES[0]).unwrap()
}

fn audit() -> SceneAudit {
    compare(&scene()).unwrap()
}

/// The path of a node as reports show it.
fn path(name: &str) -> String {
    format!("#0/{name}")
}

#[track_caller]
fn assert_all_are_among(shown: &HashSet<String>, shows: impl Fn(&str) -> String) {
    for name in NAMES {
        assert!(shown.contains(&shows(name)), "{name}: not among {shown:#?}");
    }
}

fn selected<'a>(html: &'a Html, selector: &str) -> Vec<scraper::ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: scraper::ElementRef<'_>) -> String {
    element.text().collect()
}

/// What a code host makes of Markdown.
fn rendered(markdown: &str) -> Html {
    let html = on_a_code_host(markdown);
    for unwanted in ["a", "img", "script", "em", "strong", "del", "sup", "[data-math-style]"] {
        let found: Vec<_> = selected(&html, unwanted).into_iter().map(text).collect();
        assert!(found.is_empty(), "{unwanted}: {found:?}");
    }
    // What GitHub looks for in the text that is no code.
    let is_found = |text: &str| ["GH-1", "deadbeef"].iter().any(|found| text.contains(found));
    for element in selected(&html, ":not(code)") {
        for text in element.children().filter_map(|child| child.value().as_text()) {
            let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
            assert!(!text.contains('@') && !text.contains(":tada:"), "{text:?}");
            assert!(!is_found(text), "{text:?}");
            assert!(!text.split('#').skip(1).any(is_number), "{text:?}");
        }
    }
    html
}

#[test]
fn markdown_shows_them_and_links_nothing() {
    let html = rendered(&written(|out| write_markdown(&Audit::new(vec![audit()]), out)));
    let cells = selected(&html, "tr td:first-child").into_iter().map(text);
    let paths = cells.filter_map(|cell| Some(cell.rsplit_once(" (")?.0.to_owned()));
    assert_all_are_among(&paths.collect(), path);
    assert_eq!(selected(&html, "h2").into_iter().map(text).collect::<Vec<_>>(), [NAMES[0]]);
    // No cell was split by a bar.
    assert!(
        selected(&html, "tr")
            .into_iter()
            .all(|row| { [6, 7].contains(&row.child_elements().count()) })
    );
}

#[test]
fn markdown_of_a_change_shows_them_too() {
    let after = audit();
    let mut flat = scene();
    flat.nodes[0].local = Trs::identity().into();
    let before = compare(&flat).unwrap();
    let steep = scene();
    let both = [(&flat, &before), (&steep, &after)];
    let change = diff(both, &DiffOptions::default()).unwrap();
    let html = rendered(&written(|out| write_diff_markdown(&change, out)));
    let cells = selected(&html, "tr td:nth-child(2)").into_iter().map(text);
    assert_all_are_among(&cells.collect(), path);
    let lines = written(|out| write_diff_text(&change, out));
    assert!(NAMES.iter().all(|name| lines.contains(&path(name))));
    let owned = both.map(|(scene, audit)| (scene.clone(), audit.clone()));
    let report = DiffReport::new(owned, &DiffOptions::default()).unwrap();
    let html = Html::parse_document(&written(|out| write_diff_html(&report, out)));
    assert_eq!(selected(&html, "script").len(), 3);
    assert!(selected(&html, "img, [onerror], [onmouseover]").is_empty());
    let names = selected(&html, "tbody td:first-child").into_iter().map(text);
    assert_all_are_among(&names.collect(), path);
}

/// Markdown of the audit of a scene from such a file, its root named so.
fn markdown(source: &str, root: &str) -> String {
    let mut scene = scene();
    source.clone_into(&mut scene.source);
    scene.nodes[0].name = Some(root.to_owned());
    written(|out| write_markdown(&Audit::new(vec![compare(&scene).unwrap()]), out))
}

#[test]
fn a_backslash_stands_before_what_would_begin_a_list_and_before_no_other_point() {
    for (name, escaped) in [
        ("1. a", "1\\. a"),
        ("12) a", "12\\) a"),
        ("1.2.3 a", "1\\.2.3 a"),
        (".5 a", ".5 a"),
        (") a", ") a"),
        ("a.b c", "a.b c"),
        ("a 1. b", "a 1. b"),
    ] {
        let markdown = markdown(name, "Root");
        assert!(markdown.contains(&format!("\n## {escaped}\n")), "{name}");
        assert_eq!(text(selected(&rendered(&markdown), "h2")[0]), name);
    }
}

#[test]
fn code_keeps_its_spaces_and_backticks() {
    for root in [" a ", " a", "a ", "a b"] {
        let html = rendered(&markdown("file", root));
        let code = selected(&html, "td:last-child code").into_iter().map(text);
        assert!(code.collect::<HashSet<_>>().contains(root), "{root:?}");
    }
    for source in ["`@a", "@a`", "``@a", "@`a"] {
        let html = rendered(&markdown(source, "Root"));
        assert_eq!(text(selected(&html, "h2 code")[0]), source);
    }
}

#[test]
fn files_that_could_not_be_audited_are_named_as_they_are() {
    for name in ["a`b.gltf", "a`www.evil.com`b", " - x", "1. x"] {
        let problem = Problem::new(name, "empty", "", format!("{name}: the file is empty"));
        let audits = [Ok(audit()), Err(problem)];
        let html = rendered(&written(|out| write_markdown(audits, out)));
        let items: Vec<_> = selected(&html, "li").into_iter().map(text).collect();
        assert_eq!(items, [format!("{name}: the file is empty").trim()]);
    }
}

#[test]
fn a_page_shows_them_and_runs_nothing() {
    let page = written(|out| write_html(&Report::of_scene(&scene()).unwrap(), out));
    let html = Html::parse_document(&page);
    assert_eq!(selected(&html, "script").len(), 3);
    assert!(selected(&html, "img, [onerror], [onmouseover]").is_empty());
    let names = selected(&html, "#ranked tbody tr td a").into_iter().map(text);
    assert_all_are_among(&names.collect(), path);
    let data = text(selected(&html, "#xform-data")[0]);
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    let names = data["names"].as_array().unwrap().iter().filter_map(|name| name.as_str());
    assert_all_are_among(&names.map(str::to_owned).collect(), str::to_owned);
}

#[test]
fn data_has_them_to_the_letter() {
    let audit = audit();
    let json = written(|out| write_json([Ok(&audit)], NodeSelection::All, out));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let nodes = json["scenes"][0]["nodes"].as_array().unwrap();
    let names = nodes.iter().filter_map(|node| node["name"].as_str());
    assert_all_are_among(&names.map(str::to_owned).collect(), str::to_owned);

    let rows = DocumentFormat::JsonLines(Some(NodeSelection::All));
    let rows = written(|out| rows.write_audited(&audit, &[], &[], out).map(drop));
    let rows = rows.lines().map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap());
    let names = rows.filter_map(|row| row["node"]["name"].as_str().map(str::to_owned));
    assert_all_are_among(&names.collect(), str::to_owned);

    let table = written(|out| write_csv([Ok(&audit)], NodeSelection::All, out));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let names = reader.records().map(|row| row.unwrap()[3].to_owned());
    // A spreadsheet takes what begins so for a formula.
    let is_formula = |name: &str| name.starts_with(['=', '+', '-', '@']);
    let cell = |name: &str| format!("{}{name}", if is_formula(name) { "'" } else { "" });
    assert_all_are_among(&names.collect(), cell);

    let found = findings(&audit, &Limits::default());
    let sarif = written(|out| {
        write_findings(FindingsFormat::Sarif, usize::MAX, [Ok((&audit.source, found))], out)
    });
    let log: Sarif = serde_json::from_str(&sarif).unwrap();
    let results = log.runs[0].results.as_ref().unwrap();
    let messages: Vec<_> =
        results.iter().filter_map(|result| result.message.text.as_ref()).collect();
    // In a message `[text](address)` is a link (SARIF 2.1.0, 3.11.6).
    assert!(messages.iter().all(|message| !message.contains("](")));
    for name in NAMES {
        let begins = format!("{}: ", path(name).replace("](", "]\u{2060}("));
        assert!(messages.iter().any(|message| message.starts_with(&begins)), "{name}");
    }
}

#[test]
fn text_has_nothing_that_a_terminal_obeys() {
    let mut scene = scene();
    for (node, name) in
        scene.nodes.iter_mut().skip(1).zip(["\u{1b}[31m", "a\nb", "\u{202e}gpj.a", "\u{9b}2J"])
    {
        node.name = Some(name.to_owned());
    }
    let audits = Audit::new(vec![compare(&scene).unwrap()]);
    let text = written(|out| write_text(&audits, TextStyle::default(), out));
    let is_bad = |c: char| c.is_control() && c != '\n' || ('\u{202A}'..='\u{202E}').contains(&c);
    assert!(!text.contains(is_bad), "{text:?}");
    assert!(text.contains("a\u{FFFD}b") && text.contains("\u{FFFD}gpj.a"), "{text}");
}
