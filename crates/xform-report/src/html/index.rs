use std::io::{self, Write};

use askama::Template;
use serde::{Deserialize, Serialize};
use xform_compare::{
    Grade, SceneAudit,
    audit::{EngineAudit, GradeCounts, Problem},
    judge::{
        CauseName, Repairable, Report, cause_names, different_in, has_unjudged, names, repairable,
    },
};
use xform_engines::Engine;
use xform_scene::text::relative_reference;

use super::{STYLE, panel::thumbnail};
use crate::{scene_figures::SceneFigures, warning_counts::WarningCount};

const OWN_STYLE: &str = include_str!("../../templates/index.css");

const SCRIPT: &str = include_str!("../../templates/index.js");

/// The hash of the only script that the policy of an index allows. If the script changes, a test reports the new hash.
const SCRIPT_HASH: &str = "sha256-J+uMchOF2MK8alY/eOlKL+V1xMrp5pmu07RbVxMf7Oc=";

/// The entry of a scene in an index. It has all that its row shows, so that the audit need not be kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct IndexEntry {
    source: String,
    /// The page of the scene as a relative reference, or empty.
    page: String,
    /// A picture of the worst moment, as markup generated here.
    picture: Option<String>,
    owner: Option<String>,
    /// The engines that its page compares.
    #[serde(with = "ids")]
    engines: Vec<&'static Engine>,
    figures: SceneFigures,
    /// Whether something could not be judged, regardless of visible differences.
    has_unjudged: bool,
    nodes: usize,
    seen: usize,
    /// The engines in which it looks different.
    #[serde(with = "ids")]
    different_in: Vec<&'static Engine>,
    causes: Vec<CauseName>,
    repairable: Option<Repairable>,
    warnings: String,
}

impl IndexEntry {
    /// Creates the entry of a scene without a page.
    #[must_use]
    pub fn new(scene: &SceneAudit) -> Self {
        let warnings = WarningCount::of(&scene.warnings);
        let warnings: Vec<_> = warnings.iter().map(WarningCount::label).collect();
        Self {
            source: scene.source.clone(),
            page: String::new(),
            picture: None,
            owner: None,
            has_unjudged: has_unjudged(scene),
            engines: compared(&scene.engines),
            figures: SceneFigures::of(scene),
            nodes: scene.summary.nodes,
            seen: scene.seen().len(),
            different_in: different_in(scene),
            causes: cause_names(scene),
            repairable: repairable(scene),
            warnings: warnings.join("; "),
        }
    }

    /// Creates the entry of a scene with a page. If something looks different, it has a picture of the worst moment.
    #[must_use]
    pub fn of_report(report: &Report) -> Self {
        let picture = Some(report).filter(|report| report.audit.summary.grade.is_seen());
        Self { picture: picture.and_then(thumbnail), ..Self::new(&report.audit) }
    }

    /// Sets the path of its page, relative to the folder of the index.
    #[must_use]
    pub fn with_page(self, page: &str) -> Self {
        Self { page: relative_reference(page), ..self }
    }

    /// Sets the owner of the scene.
    #[must_use]
    pub fn with_owner(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    /// Whether no difference is visible, but not all could be judged.
    fn is_unknown(&self) -> bool {
        self.has_unjudged && !self.figures.grade.is_seen()
    }

    /// Returns the engine ids that scripts filter by, one per line.
    fn different_ids(&self) -> String {
        self.different_in.iter().map(|engine| engine.id).collect::<Vec<_>>().join("\n")
    }

    fn cause_ids(&self) -> String {
        self.causes.iter().map(|cause| cause.name()).collect::<Vec<_>>().join("\n")
    }

    fn repair(&self) -> &'static str {
        self.repairable.map_or("", Repairable::name)
    }
}

/// Serialises engines as their ids.
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

/// Returns the engines that a scene is compared in, those without a known result last.
fn compared(engines: &EngineAudit) -> Vec<&'static Engine> {
    let mut all = engines.shown();
    all.extend(engines.unknown.iter().map(|unknown| unknown.engine));
    all
}

/// Writes a page that lists many scenes, worst first, each with a link to its own page, followed by those that could
/// not be audited.
///
/// It makes no network requests and can be read without scripts. Scripts add search, filters and sorting.
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
    // All entries are of one run, so they compare the same engines.
    let engines = entries.first().map(|entry| &entry.engines[..]).unwrap_or_default();
    let unknown = entries.iter().filter(|entry| entry.is_unknown()).count();
    let colliders = colliders(&entries);
    let (question, answer) = (question(engines), answer(&grades, unknown, errors.len()));
    let folder = common_folder(
        entries.iter().map(|entry| &*entry.source).chain(errors.iter().map(|error| &*error.source)),
    );
    let filters = Filter::all(&entries);
    let has_owners = entries.iter().any(|entry| entry.owner.is_some());
    let has_rows_without_page = entries.iter().any(|entry| entry.page.is_empty());
    let rows = entries.into_iter().map(|entry| Row {
        entry,
        name: within(&entry.source, &folder),
        engines: listed(entry.different_in.iter().map(|engine| engine.name)),
        causes: listed(entry.causes.iter().map(|cause| cause.words())),
    });
    let lines = errors.iter().flat_map(Problem::lines);
    let errors = lines.map(|line| within(&line, &folder)).collect();
    let index = Index {
        style: STYLE,
        own_style: OWN_STYLE,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
        grade: grades.worst(),
        is_unknown: unknown > 0,
        question,
        answer,
        colliders,
        filters,
        has_owners,
        has_rows_without_page,
        rows: rows.collect(),
        errors,
    };
    index.write_into(&mut out)
}

/// Writes a placeholder for an index while the pages of this many scenes are written. It stays if that is interrupted.
///
/// # Errors
///
/// Those of the output.
pub fn write_unfinished_index(scenes: usize, mut out: impl Write) -> io::Result<()> {
    Unfinished { style: STYLE, scenes }.write_into(&mut out)
}

#[derive(Template)]
#[template(path = "unfinished.html")]
struct Unfinished {
    style: &'static str,
    scenes: usize,
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index<'a> {
    style: &'static str,
    own_style: &'static str,
    script: &'static str,
    script_hash: &'static str,
    grade: Grade,
    is_unknown: bool,
    question: String,
    answer: String,
    /// The worst grade of colliders, and in how many scenes they differ. `None` if no physics engine was requested.
    colliders: Option<(Grade, String)>,
    filters: Vec<Filter>,
    has_owners: bool,
    has_rows_without_page: bool,
    rows: Vec<Row<'a>>,
    errors: Vec<String>,
}

/// Summarises the colliders of all scenes.
fn colliders(entries: &[&IndexEntry]) -> Option<(Grade, String)> {
    let grades = entries.iter().filter_map(|entry| Some(entry.figures.colliders?.grade));
    let worst = grades.max()?;
    let apart = entries.iter().filter(|entry| entry.figures.has_colliders_apart()).count();
    let all = entries.len();
    let scenes = if all == 1 { "scene" } else { "scenes" };
    Some((worst, format!("Colliders differ from the drawn shapes in {apart} of {all} {scenes}.")))
}

/// A row: a scene with its path relative to the common folder.
struct Row<'a> {
    entry: &'a IndexEntry,
    name: String,
    engines: String,
    causes: String,
}

/// A filter for rows.
struct Filter {
    key: &'static str,
    legend: &'static str,
    /// Each value with its label and the number of rows that have it.
    chips: Vec<(String, String, usize)>,
}

impl Filter {
    fn all(entries: &[&IndexEntry]) -> Vec<Self> {
        let grade = |entry: &IndexEntry| {
            let name = entry.figures.grade.name();
            let unknown = entry.is_unknown().then_some("unknown");
            [name].into_iter().chain(unknown).map(own).collect()
        };
        let engine = |entry: &IndexEntry| {
            entry.different_in.iter().map(|engine| (engine.id.into(), engine.name.into())).collect()
        };
        let cause = |entry: &IndexEntry| {
            entry.causes.iter().map(|cause| (cause.name().into(), cause.words().into())).collect()
        };
        let judged = |entry: &IndexEntry| {
            let unread = ("unread".to_owned(), "partly".to_owned());
            entry.has_unjudged.then_some(unread).into_iter().collect()
        };
        let repair = |entry: &IndexEntry| {
            entry.repairable.iter().map(|repairable| own(repairable.name())).collect()
        };
        let owner = |entry: &IndexEntry| entry.owner.iter().map(|owner| own(owner)).collect();
        let filters = [
            Self::of("grade", "grade", entries, grade),
            Self::of("engine", "different in", entries, engine),
            Self::of("cause", "cause", entries, cause),
            Self::of("repair", "repairable", entries, repair),
            Self::of("judged", "judged", entries, judged),
            Self::of("owner", "owner", entries, owner),
        ];
        filters.into_iter().filter(|filter| !filter.chips.is_empty()).collect()
    }

    /// Creates a filter from the values of each entry and their labels. They keep the order of the rows, so that the
    /// worst grade comes first.
    fn of(
        key: &'static str,
        legend: &'static str,
        entries: &[&IndexEntry],
        values: impl Fn(&IndexEntry) -> Vec<(String, String)>,
    ) -> Self {
        let mut chips: Vec<(String, String, usize)> = Vec::new();
        for (value, label) in entries.iter().flat_map(|entry| values(entry)) {
            match chips.iter_mut().find(|(known, ..)| *known == value) {
                Some((.., count)) => *count += 1,
                None => chips.push((value, label, 1)),
            }
        }
        Self { key, legend, chips }
    }
}

/// Labels a value with itself.
fn own(value: &str) -> (String, String) {
    (value.to_owned(), value.to_owned())
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the common folder of all files, with a trailing slash. It is left out, because a page that is passed on
/// should not reveal it.
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

/// Removes the common folder from a text that begins with a file.
fn within(text: &str, folder: &str) -> String {
    text.strip_prefix(folder).unwrap_or(text).to_owned()
}

/// Returns the question that the index answers for these engines.
fn question(engines: &[&Engine]) -> String {
    match engines {
        [] => "Do these scenes look the same in every engine?".to_owned(),
        [one] => format!("Do these scenes look in {} as their files define them?", one.name),
        all => format!("Do these scenes look the same in {}?", names(all)),
    }
}

/// States how many scenes look different, and how severely.
fn answer(grades: &GradeCounts, unknown: usize, failed: usize) -> String {
    let (all, seen) = (grades.all(), grades.seen());
    let scenes = if all == 1 { "scene" } else { "scenes" };
    let look = if seen == 1 || all == 1 { "looks" } else { "look" };
    let failed = if failed > 0 { format!("; {failed} not audited") } else { String::new() };
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!(" {unknown} of these could not be fully judged."),
    };
    format!("{seen} of {all} {scenes} {look} different: {grades}{failed}.{unknown}")
}
