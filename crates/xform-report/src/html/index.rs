use std::io::{self, Write};

use askama::Template;
use serde::{Deserialize, Serialize};
use xform_compare::{
    Grade, SceneAudit,
    audit::{EngineAudit, GradeCounts, Problem},
    judge::{is_unknown, names},
};
use xform_engines::Engine;
use xform_scene::text::relative_reference;

use super::STYLE;
use crate::{scene_figures::SceneFigures, warning_counts::WarningCount};

/// A scene on the index of many: what its row says, so that its audit need not be kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct IndexEntry {
    source: String,
    page: String,
    /// Those that its page compares.
    #[serde(with = "ids")]
    engines: Vec<&'static Engine>,
    figures: SceneFigures,
    /// Whether no difference is seen, and not all could be judged.
    is_unknown: bool,
    nodes: usize,
    seen: usize,
    warnings: String,
}

impl IndexEntry {
    /// Of a scene, and the path of its page from the folder of the index on.
    #[must_use]
    pub fn new(scene: &SceneAudit, page: &str) -> Self {
        let warnings = WarningCount::of(&scene.warnings);
        let warnings: Vec<_> = warnings.iter().map(WarningCount::label).collect();
        Self {
            source: scene.source.clone(),
            is_unknown: is_unknown(scene),
            page: relative_reference(page),
            engines: compared(&scene.engines),
            figures: SceneFigures::of(scene),
            nodes: scene.summary.nodes,
            seen: scene.seen().len(),
            warnings: warnings.join("; "),
        }
    }

    /// The same with its page at another path.
    #[must_use]
    pub fn with_page(self, page: &str) -> Self {
        Self { page: relative_reference(page), ..self }
    }
}

/// Engines by their ids.
mod ids {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use xform_engines::Engine;

    pub(super) fn serialize<S: Serializer>(
        engines: &[&'static Engine],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        engines.iter().map(|engine| engine.id).collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Vec<&'static Engine>, D::Error> {
        let ids = Vec::<String>::deserialize(deserializer)?;
        Ok(ids.iter().filter_map(|id| Engine::named(id)).collect())
    }
}

/// The engines that a scene is compared in, those last of which nothing is known.
fn compared(engines: &EngineAudit) -> Vec<&'static Engine> {
    let mut all = engines.shown();
    all.extend(engines.unknown.iter().map(|unknown| unknown.engine));
    all
}

/// Writes a page that lists many scenes, worst first, each with a link to its own page, and those that could not be
/// audited. It asks nothing of the network and has no scripts.
///
/// # Errors
///
/// Those of the output.
pub fn write_index(
    entries: &[IndexEntry],
    errors: &[Problem],
    mut out: impl Write,
) -> io::Result<()> {
    let grades: GradeCounts = entries.iter().map(|entry| entry.figures.grade).collect();
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by(|a, b| a.figures.worst_first(&b.figures));
    // Of one run, so that what is compared is the same.
    let engines = entries.first().map(|entry| &entry.engines[..]).unwrap_or_default();
    let unknown = entries.iter().filter(|entry| entry.is_unknown).count();
    let colliders = colliders(&entries);
    let (question, answer) = (question(engines), answer(&grades, unknown, errors.len()));
    let folder = common_folder(
        entries.iter().map(|entry| &*entry.source).chain(errors.iter().map(|error| &*error.source)),
    );
    let rows = entries.into_iter().map(|entry| Row { entry, name: within(&entry.source, &folder) });
    let lines = errors.iter().flat_map(Problem::lines);
    let errors = lines.map(|line| within(&line, &folder)).collect();
    let (style, rows, grade) = (STYLE, rows.collect(), grades.worst());
    Index { style, grade, is_unknown: unknown > 0, question, answer, colliders, rows, errors }
        .write_into(&mut out)
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index<'a> {
    style: &'static str,
    grade: Grade,
    is_unknown: bool,
    question: String,
    answer: String,
    /// How bad the worst collider is, and in how many scenes colliders differ; none where nobody asked for physics engines.
    colliders: Option<(Grade, String)>,
    rows: Vec<Row<'a>>,
    errors: Vec<String>,
}

/// Of all scenes.
fn colliders(entries: &[&IndexEntry]) -> Option<(Grade, String)> {
    let grades = entries.iter().filter_map(|entry| Some(entry.figures.colliders?.grade));
    let worst = grades.max()?;
    let apart = entries.iter().filter(|entry| entry.figures.has_colliders_apart()).count();
    let all = entries.len();
    let scenes = if all == 1 { "scene" } else { "scenes" };
    Some((worst, format!("Colliders differ from what is drawn in {apart} of {all} {scenes}.")))
}

/// A scene by its name within the folder that all of them are in.
struct Row<'a> {
    entry: &'a IndexEntry,
    name: String,
}

/// The folder that files are in, all of them, with a slash at its end: what a page that is sent on need not tell.
fn common_folder<'a>(mut files: impl Iterator<Item = &'a str>) -> String {
    let folder = |file: &str| file.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let Some(first) = files.next() else { return String::new() };
    let mut common = &first[..folder(first)];
    for file in files {
        let same = common.char_indices().zip(file.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
        common = &common[..folder(&common[..end])];
    }
    common.to_owned()
}

/// A text in which files are named, without the folder that all of them are in.
fn within(text: &str, folder: &str) -> String {
    if folder.is_empty() { text.to_owned() } else { text.replace(folder, "") }
}

/// What the index answers, of these engines.
fn question(engines: &[&Engine]) -> String {
    match engines {
        [] => "Do these scenes look the same in every engine?".to_owned(),
        [one] => format!("Do these scenes look in {} as their files say?", one.name),
        all => format!("Do these scenes look the same in {}?", names(all)),
    }
}

/// How many scenes look different, and how severely.
fn answer(grades: &GradeCounts, unknown: usize, failed: usize) -> String {
    let (all, seen) = (grades.all(), grades.seen());
    let scenes = if all == 1 { "scene" } else { "scenes" };
    let look = if seen == 1 || all == 1 { "looks" } else { "look" };
    let failed = if failed > 0 { format!("; {failed} not audited") } else { String::new() };
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!(" Not all is known of {unknown} of these."),
    };
    format!("{seen} of {all} {scenes} {look} different: {grades}{failed}.{unknown}")
}
