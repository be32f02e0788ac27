//! The page about engines and the scenes in which their rules hold.

use std::io::{self, Write};

use askama::Template;
use xform_scene::text::without_controls;
use xform_verify::{Asked, Verdict, Verification, VerifiedRun, VerifiedScene};

use super::{STYLE, words::Words};
use crate::verification::Row;

/// Writes a page with a table of runs and scenes, green where the rule of the engine holds. Each cell has its residual,
/// and each row the version and the date. The page makes no network requests and has no scripts.
///
/// # Errors
///
/// Those of the output.
pub fn write_verification_html(found: &Verification, mut out: impl Write) -> io::Result<()> {
    let tables = TABLES.iter().filter_map(|(title, about, asked)| {
        let runs = found.runs.iter().filter(|run| asked.contains(&run.asked));
        Table::new(title, about, runs.collect())
    });
    let runs = found.runs.iter().map(|run| {
        (run, run.details.iter().map(|line| Words::of(&without_controls(line))).collect())
    });
    Page {
        style: STYLE,
        headline: found.headline(),
        is_held: found.holds(false),
        bound: xform_verify::residual(Some(found.bound)),
        tables: tables.collect(),
        runs: runs.collect(),
    }
    .write_into(&mut out)
}

/// The tables: heading, sentence, and the kinds of queries in them.
const TABLES: [(&str, &str, &[Asked]); 5] = [
    ("glTF files, imported", "The world transforms that each importer computes.", &[Asked::Gltf]),
    (
        "FBX files, imported",
        "The same nodes in FBX files, all of one inherit type (i0, i1, i2) or of several (mix).",
        &[Asked::Fbx],
    ),
    (
        "Nodes made by calls",
        "Nodes created by a program, and joints of skeletons.",
        &[Asked::Api, Asked::Trs, Asked::Skin],
    ),
    (
        "Moved below another parent, and switches",
        "Nodes moved by the call that keeps their world transform, and nodes with a setting that changes what they inherit.",
        &[Asked::KeepWorld, Asked::Inherit, Asked::Flatten, Asked::Setter],
    ),
    ("Exported and imported again", "The scene after export and import.", &[Asked::Roundtrip]),
];

#[derive(Template)]
#[template(path = "verification.html")]
struct Page<'a> {
    style: &'static str,
    headline: String,
    is_held: bool,
    bound: String,
    tables: Vec<Table<'a>>,
    /// The runs with their descriptions.
    runs: Vec<(&'a VerifiedRun, Vec<Words>)>,
}

/// The runs with one kind of query, by scenes.
struct Table<'a> {
    title: &'static str,
    about: &'static str,
    scenes: Vec<&'a str>,
    rows: Vec<(&'a VerifiedRun, Vec<Cell>)>,
}

/// A scene of a run.
struct Cell {
    class: &'static str,
    text: String,
    /// The number of right answers, if not all are right.
    count: String,
    /// The tooltip.
    title: String,
}

impl<'a> Table<'a> {
    fn new(title: &'static str, about: &'static str, runs: Vec<&'a VerifiedRun>) -> Option<Self> {
        let mut scenes: Vec<&str> = Vec::new();
        for scene in runs.iter().flat_map(|run| &run.scenes) {
            if !scenes.contains(&&*scene.scene) {
                scenes.push(&scene.scene);
            }
        }
        if scenes.is_empty() {
            return None;
        }
        let cells = |run: &VerifiedRun| {
            let cell = |name: &&str| {
                let scene = run.scenes.iter().find(|scene| scene.scene == *name);
                Cell::new(run, name, scene)
            };
            scenes.iter().map(cell).collect()
        };
        let rows = runs.into_iter().map(|run| (run, cells(run))).collect();
        Some(Self { title, about, scenes, rows })
    }
}

impl Cell {
    fn new(run: &VerifiedRun, name: &str, scene: Option<&VerifiedScene>) -> Self {
        let asked = format!("{}, {}: {name}", run.title(), run.date);
        let Some(scene) = scene else {
            let failed = run.failed.iter().find(|failed| failed.scene == name);
            let why = failed.map_or("not queried", |failed| &failed.why);
            let (text, count) = ("–".to_owned(), String::new());
            let title = without_controls(&format!("{asked}: {why}"));
            return Self { class: "none", text, count, title };
        };
        let Row { right, residual, note } = Row::new(scene);
        let class = match scene.verdict {
            Verdict::Follows => "good",
            Verdict::PartlyKnown | Verdict::OtherAxes | Verdict::Nearly => "fair",
            Verdict::Wrong => "bad",
            _ => "none",
        };
        let text = if residual.is_empty() { "–".to_owned() } else { residual.clone() };
        let is_whole = matches!(scene.verdict, Verdict::Follows | Verdict::Nothing);
        let count = if is_whole { String::new() } else { right.clone() };
        let parts = [right, residual, note];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let title = without_controls(&format!("{asked}: {}", parts.join(", ")));
        Self { class, text, count, title }
    }
}
