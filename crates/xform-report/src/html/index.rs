use std::io::{self, Write};

use askama::Template;
use serde::{Deserialize, Serialize};
use xform_compare::{
    Grade, SceneAudit,
    audit::{EngineAudit, GradeCounts, Problem},
    judge::{BY_MATRICES, BY_TRS, names},
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
    /// Those that its page compares, if it is about engines.
    #[serde(with = "ids")]
    engines: Option<Vec<&'static Engine>>,
    figures: SceneFigures,
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
            page: relative_reference(page),
            engines: scene.engines.as_ref().map(compared),
            figures: SceneFigures::of_page(scene),
            nodes: scene.nodes.len(),
            seen: seen(scene),
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
        engines: &Option<Vec<&'static Engine>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let ids = engines.as_ref().map(|all| all.iter().map(|engine| engine.id).collect());
        Option::<Vec<_>>::serialize(&ids, serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Option<Vec<&'static Engine>>, D::Error> {
        let ids = Option::<Vec<String>>::deserialize(deserializer)?;
        Ok(ids.map(|ids| ids.iter().filter_map(|id| Engine::named(id)).collect()))
    }
}

/// How many nodes look different on the page of a scene.
fn seen(scene: &SceneAudit) -> usize {
    let mut seen = vec![false; scene.nodes.len()];
    match &scene.engines {
        Some(engines) => {
            let nodes = engines.beside_reference().flat_map(|pair| &pair.nodes);
            nodes.filter(|node| node.grade.is_seen()).for_each(|node| seen[node.index] = true);
        }
        None => {
            for (node, motion) in scene.nodes.iter().zip(scene.worst_in_motion()) {
                let at_rest = node.counts_at_rest() && node.grade().is_seen();
                let in_motion = motion.is_some_and(|motion| motion.grade.is_seen());
                seen[node.index] = at_rest || node.counts && in_motion;
            }
        }
    }
    seen.into_iter().filter(|&is_seen| is_seen).count()
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
    let engines = entries.iter().find_map(|entry| entry.engines.as_deref());
    let (question, answer) = (question(engines), answer(&grades, errors.len(), engines.is_some()));
    let folder = common_folder(
        entries.iter().map(|entry| &*entry.source).chain(errors.iter().map(|error| &*error.source)),
    );
    let rows = entries.into_iter().map(|entry| Row { entry, name: within(&entry.source, &folder) });
    let lines = errors.iter().flat_map(Problem::lines);
    let errors = lines.map(|line| within(&line, &folder)).collect();
    let (style, rows, grade) = (STYLE, rows.collect(), grades.worst());
    Index { style, grade, question, answer, rows, errors }.write_into(&mut out)
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index<'a> {
    style: &'static str,
    grade: Grade,
    question: String,
    answer: String,
    rows: Vec<Row<'a>>,
    errors: Vec<String>,
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
fn question(engines: Option<&[&Engine]>) -> String {
    match engines {
        None => "Do these scenes look the same in Unity and in Unreal?".to_owned(),
        Some([one]) => format!("Do these scenes look in {} as their files say?", one.name),
        Some(all) => format!("Do these scenes look the same in {}?", names(all)),
    }
}

/// How many scenes look different, and how severely.
fn answer(grades: &GradeCounts, failed: usize, is_of_engines: bool) -> String {
    let (all, seen) = (grades.all(), grades.seen());
    let scenes = if all == 1 { "scene" } else { "scenes" };
    let look = if seen == 1 || all == 1 { "looks" } else { "look" };
    let failed = if failed > 0 { format!("; {failed} not audited") } else { String::new() };
    let whom =
        if is_of_engines { String::new() } else { format!(" in {BY_TRS} than in {BY_MATRICES}") };
    format!("{seen} of {all} {scenes} {look} different{whom}: {grades}{failed}.")
}
