mod bytes;
mod cards;
mod chart;
mod charts;
mod colliders;
mod data;
mod diff_page;
mod engine_rows;
mod first;
mod frame;
mod index;
mod meshes;
mod opening;
mod panel;
mod picture;
mod played;
mod portrait;
mod raster;
mod shows;
mod stage;
mod steps;
mod verification;
mod view;
mod wires;
mod words;

use std::{
    cmp::Ordering,
    io::{self, Write},
};

use askama::Template;
use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{AnimationAudit, node_path},
    explain,
    judge::{
        Report, Slider, definition, footnotes, has_unread_vertices, headline, is_at_rest_alone,
        is_unknown, verdict,
    },
};
use xform_scene::{
    Bounds,
    text::{capitalised, shortest, significant},
};

use super::warning_counts::WarningCount;
use cards::{Card, MotionCard};
use charts::Figure;
use colliders::Colliders;
use data::PageData;
pub use diff_page::write_diff_html;
use engine_rows::EngineRow;
use first::{First, alike};
pub use index::{IndexEntry, write_index, write_unfinished_index};
use meshes::why_boxes;
use panel::Panel;
use shows::{ShowChoice, group_names, short_label, show_label};
pub use verification::write_verification_html;
use words::Words;

/// The number of animations with charts over time.
const CHARTED: usize = 12;

/// The number of nodes in the table of the markup. Scripts add the others on demand.
const LISTED: usize = 100;

/// The address of the published documentation, or empty until it is published.
const DOCUMENTATION: &str = env!("CARGO_PKG_HOMEPAGE");

const STYLE: &str = include_str!("../templates/report.css");

/// The scripts of every page with a 3D view.
macro_rules! view_script {
    () => {
        concat!(
            include_str!("../templates/matrices.js"),
            include_str!("../templates/stage.js"),
            include_str!("../templates/shapes.js"),
            include_str!("../templates/renderer.js"),
            include_str!("../templates/camera.js"),
            include_str!("../templates/look.js"),
            include_str!("../templates/address.js"),
            include_str!("../templates/names.js"),
        )
    };
}

const SCRIPT: &str = concat!(
    view_script!(),
    include_str!("../templates/tree.js"),
    include_str!("../templates/timeline.js"),
    include_str!("../templates/page.js"),
);
/// The hash of the only script that the page's policy allows, so that a name in a scene cannot smuggle in another. If
/// the script changes, a test reports the new hash.
const SCRIPT_HASH: &str = "sha256-I/ibPmX7H/+9jaGuParrQj1TGnfBkwZ2vMg38q0Ag/M=";

/// The script and hash of the page about two scenes.
const DIFF_SCRIPT: &str = concat!(view_script!(), include_str!("../templates/diff.js"));
const DIFF_SCRIPT_HASH: &str = "sha256-pnNqXILhMSgzgIhdVXkWa5XqOVQ9YMdPVkl8cPEeJFk=";

/// Writes a report as one self-contained page.
///
/// It contains the verdict, the scene in 3D, the nodes that differ with pictures and causes, the tree and the warnings.
/// It makes no network requests and can be read without scripts.
///
/// # Errors
///
/// Those of the output.
pub fn write_html(report: &Report, mut out: impl Write) -> io::Result<()> {
    let scene = &report.audit;
    let mut ranked = scene.apart_at_rest();
    ranked.retain(|node| node.counts_at_rest());
    let (data, bytes, too_large) = PageData::new(report);
    let drawn = data.view.nodes.len();
    let (grade, headline) = headline(scene);
    let places = 0..report.playback.shows.len();
    let (shows, short): (Vec<_>, Vec<_>) =
        places.map(|place| (show_label(report, place), short_label(report, place))).unzip();
    let cards: Vec<_> = report.advice.iter().map(|advised| Card::new(report, advised)).collect();
    let motion = MotionCard::all(report);
    let charted = animations_apart(scene);
    let left_out = data.view.wires.as_ref().map_or(0, |wires| wires.left_out);
    let page = Page {
        title: title(&scene.source),
        style: STYLE,
        verdict: verdict(scene),
        footnotes: footnotes(scene),
        grade,
        word: capitalised(word(scene)),
        headline,
        first: First::of(report, &data.view.opening).filter(|_| grade.is_seen()),
        alike: alike(scene).filter(|_| grade.is_seen()),
        portrait: Panel::of_opening(
            report,
            &data.view.opening,
            cards
                .iter()
                .flat_map(|card| &card.panels)
                .chain(motion.iter().flat_map(|card| &card.panels)),
        ),
        from: short[data.view.opening.shows[0]].clone(),
        to: short[data.view.opening.shows[1]].clone(),
        choices: ShowChoice::both(&shows, data.view.opening.shows),
        engines: EngineRow::all(scene),
        more_cards: (cards.iter().filter(|card| card.is_seen).count()
            + motion.iter().filter(|card| card.is_seen).count())
        .saturating_sub(1),
        is_compared: shows.len() > 1,
        reference: reference(scene),
        is_unknown: is_unknown(scene),
        is_empty: scene.nodes.is_empty(),
        is_at_rest_alone: is_at_rest_alone(scene),
        has_unread_vertices: has_unread_vertices(scene),
        has_view: is_drawn(report),
        colliders: Colliders::of(scene, left_out),
        undrawn: scene.summary.nodes.saturating_sub(drawn),
        animations: report
            .playback
            .animations
            .iter()
            .map(|played| scene.animations[played.animation].label())
            .collect(),
        not_played: report.playback.not_played,
        as_boxes: why_boxes(&report.drawing, too_large, report.mesh_budget),
        sliders: report.sliders.iter().map(SliderRow::new).collect(),
        cards,
        motion,
        over_time: charts::over_time(scene, &charted[..charted.len().min(CHARTED)]),
        not_charted: charted.len().saturating_sub(CHARTED),
        figures: figures(scene, ranked.is_empty()),
        rows: ranked.iter().take(LISTED).map(|node| Row::new(scene, node)).collect(),
        more_rows: ranked.len().saturating_sub(LISTED),
        chart: charts::of_scene(scene.nodes_of_the_file()).filter(|_| !ranked.is_empty()),
        background: report.background.iter().flat_map(charts::in_general).collect(),
        warnings: WarningCount::of(&scene.warnings)
            .iter()
            .map(|kind| WarningRow::new(scene, kind))
            .collect(),
        data: data.to_json(),
        bytes: bytes.to_base64(),
        documentation: DOCUMENTATION,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
    };
    page.write_into(&mut out)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: &'a str,
    style: &'static str,
    verdict: String,
    footnotes: Vec<String>,
    grade: Grade,
    /// The grade as the beginning of a sentence, or "Unknown" if no difference is seen and not all could be judged.
    word: String,
    headline: String,
    first: Option<First>,
    /// How much is the same, in one line.
    alike: Option<String>,
    portrait: Option<Panel>,
    /// The shows that are solid and a ghost at first.
    from: String,
    to: String,
    /// The choices, if there are more than two shows.
    choices: Vec<ShowChoice>,
    engines: Vec<EngineRow>,
    /// The number of cards about visible differences, besides the first.
    more_cards: usize,
    /// Whether there is more than one show.
    is_compared: bool,
    /// The reference of the comparison, in words.
    reference: String,
    is_unknown: bool,
    is_empty: bool,
    is_at_rest_alone: bool,
    has_unread_vertices: bool,
    has_view: bool,
    colliders: Option<Colliders>,
    /// The number of nodes that are not drawn.
    undrawn: usize,
    /// The names of the animations that can be played.
    animations: Vec<String>,
    not_played: usize,
    /// Why some meshes are shown as boxes, one sentence per reason.
    as_boxes: Vec<String>,
    sliders: Vec<SliderRow>,
    cards: Vec<Card>,
    motion: Vec<MotionCard>,
    over_time: Vec<Figure>,
    /// The number of animations that differ and have no chart.
    not_charted: usize,
    figures: Vec<(&'static str, String)>,
    rows: Vec<Row>,
    more_rows: usize,
    chart: Option<Figure>,
    background: Vec<Figure>,
    warnings: Vec<WarningRow<'a>>,
    data: String,
    /// The bytes that the data refer to, as base64.
    bytes: String,
    script_hash: &'static str,
    script: &'static str,
    documentation: &'static str,
}

/// Names what the engines are compared with.
fn reference(scene: &SceneAudit) -> String {
    let engine = scene.engines.reference.map(|engine| format!("what {} shows", engine.name));
    engine.unwrap_or_else(|| definition(scene).to_owned())
}

/// Whether there is anything to draw.
fn is_drawn(report: &Report) -> bool {
    let has_bounds = |node: &NodeAudit| node.bounds != Bounds::Nothing;
    let physics = &report.audit.physics;
    let has_colliders = physics.is_asked && !physics.colliders.is_empty();
    has_colliders || !report.drawing.shown.is_empty() || report.audit.nodes.iter().any(has_bounds)
}

/// Returns the file name without its folders.
fn title(source: &str) -> &str {
    source.rsplit(['/', '\\']).next().unwrap_or(source)
}

struct SliderRow {
    name: &'static str,
    meaning: &'static str,
    position: usize,
    last: usize,
    value: String,
}

impl SliderRow {
    fn new(slider: &Slider) -> Self {
        let Slider { parameter, values, position } = slider;
        let (name, meaning) = (parameter.name, parameter.meaning);
        let value = shortest(values[*position]);
        Self { name, meaning, position: *position, last: values.len() - 1, value }
    }
}

/// Returns the animations in which something differs, the worst first.
fn animations_apart(scene: &SceneAudit) -> Vec<usize> {
    let most = |animation: &AnimationAudit| {
        animation.timeline.iter().map(|point| point.displacement).fold(0.0, f64::max)
    };
    let animations = scene.animations.iter().enumerate();
    let is_apart = |one: &AnimationAudit| one.nodes.iter().any(|n| n.grade() > Grade::Identical);
    let apart = animations.filter(|(_, one)| is_apart(one));
    let mut apart: Vec<_> = apart.map(|(place, one)| (one.grade, most(one), place)).collect();
    apart.sort_by(|a, b| (b.0, b.1).partial_cmp(&(a.0, a.1)).unwrap_or(Ordering::Equal));
    apart.into_iter().map(|(.., place)| place).collect()
}

struct Row {
    index: usize,
    path: String,
    grade: &'static str,
    engines: String,
    displacement: String,
    percent: String,
    skew: String,
    linear: String,
    cause: Words,
}

impl Row {
    fn new(scene: &SceneAudit, node: &NodeAudit) -> Self {
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            grade: node.grade().name(),
            engines: group_names(scene, node.group),
            displacement: figure(node.displacement),
            percent: figure(node.displacement_percent),
            skew: figure(node.skew_difference_degrees),
            linear: figure(node.linear_difference),
            cause: Words::of(&explain(scene, node.index).unwrap_or_default()),
        }
    }
}

/// The first warning of a kind.
struct WarningRow<'a> {
    code: String,
    place: String,
    message: &'a str,
}

impl<'a> WarningRow<'a> {
    fn new(scene: &SceneAudit, kind: &WarningCount<'a>) -> Self {
        Self { code: kind.label(), place: kind.place(scene), message: &kind.first.message }
    }
}

impl Page<'_> {
    /// Whether there are two answers: about drawing and about colliding.
    fn has_colliders_line(&self) -> bool {
        self.colliders.as_ref().is_some_and(|colliders| colliders.grade.is_some())
    }

    /// Whether a collider differs visibly.
    fn has_colliders_apart(&self) -> bool {
        let grade = self.colliders.as_ref().and_then(|colliders| colliders.grade);
        grade.is_some_and(Grade::is_seen)
    }
}

/// Returns the grade, or "unknown" if not all could be judged.
fn word(scene: &SceneAudit) -> &'static str {
    if is_unknown(scene) { "unknown" } else { scene.summary.grade.name() }
}

fn figures(scene: &SceneAudit, is_safe: bool) -> Vec<(&'static str, String)> {
    let summary = &scene.summary;
    // If all nodes agree, a figure of 1e-17 would look like a difference.
    let unless_safe = |figure: String| if is_safe { "0 up to rounding".to_owned() } else { figure };
    let mut figures = vec![
        ("nodes", summary.nodes.to_string()),
        ("grade, at rest and in motion", word(scene).to_owned()),
        ("nodes that look different at rest", summary.grades.seen().to_string()),
        (
            "nodes that differ at rest, including joints and hidden nodes",
            summary.differing_nodes.to_string(),
        ),
        ("sheared nodes at rest, as defined by the file", summary.skewed_nodes.to_string()),
        ("deepest level", summary.max_depth.to_string()),
        (
            "largest displacement at rest, of anything drawn, in units",
            unless_safe(significant(summary.max_displacement, 6)),
        ),
        ("the same in % of the scene", unless_safe(figure(summary.max_displacement_percent))),
        ("largest skew at rest, as defined by the file", significant(summary.max_skew_degrees, 6)),
        (
            "largest difference of skew at rest, of anything drawn",
            unless_safe(significant(summary.max_skew_difference_degrees, 6)),
        ),
        ("diagonal of the scene, in units", significant(summary.diagonal, 6)),
    ];
    if let Some(motion) = &summary.motion {
        let percent = figure(motion.max_displacement_percent);
        figures.extend([
            ("animations sampled", motion.animations.to_string()),
            ("nodes that look different in motion", motion.grades.seen().to_string()),
            (
                "nodes that differ in motion, including joints and hidden nodes",
                motion.differing_nodes.to_string(),
            ),
            ("largest displacement in motion, of anything drawn, %", percent),
            (
                "largest difference of skew in motion, of anything drawn",
                significant(motion.max_skew_difference_degrees, 6),
            ),
        ]);
    }
    figures
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| significant(value, 6))
}
