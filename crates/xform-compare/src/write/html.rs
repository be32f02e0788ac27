mod chart;
mod charts;
mod data;
mod engine_rows;
mod index;
mod picture;
mod words;

use std::{
    collections::HashMap,
    io::{self, Write},
};

use askama::Template;

use super::warning_counts::WarningCount;
use crate::{
    audit::{AtWorst, EngineAudit, Grade, NodeAudit, NodeMotion, Peak, SceneAudit, node_path},
    judge::{
        Advice, Advised, MotionAdvice, Report, Slider, explain, explain_at_worst,
        has_unread_vertices, is_at_rest_alone, verdict,
    },
    text::{shortest, significant},
};
use charts::Figure;
use data::PageData;
use engine_rows::{EngineRow, asked};
pub use index::{IndexEntry, write_index};
use picture::picture;
use words::{Words, effect, motion_tip, tip};

/// How many animations have charts over time.
const CHARTED: usize = 4;

/// How many nodes the table in the markup lists; scripts add the others on demand.
const LISTED: usize = 100;

const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = concat!(
    include_str!("../../templates/viewer.js"),
    include_str!("../../templates/look.js"),
    include_str!("../../templates/page.js"),
);
/// The one script that the page's policy lets run, whatever a name in a scene may smuggle in. A test says what it is to be
/// where the script changes.
const SCRIPT_HASH: &str = "sha256-BGu3rqLtaKR8aNExtAj084ncZQKKtW/bvML7xkt/gIc=";

/// Writes a report as one self-contained page, which asks nothing of the network and can be read
/// without scripts: the verdict, the scene to turn around, the nodes that differ with pictures and
/// causes, the tree, the warnings.
///
/// # Errors
///
/// Those of the output.
pub fn write_html(report: &Report, mut out: impl Write) -> io::Result<()> {
    let scene = &report.audit;
    let ranked = scene.apart_at_rest();
    let data = PageData::new(report);
    let drawn = data.view.nodes.len();
    let page = Page {
        source: &scene.source,
        title: title(&scene.source),
        style: STYLE,
        verdict: verdict(scene),
        grade: scene.engines.as_ref().map_or(scene.summary.grade, EngineAudit::grade),
        asked: asked(scene),
        engines: EngineRow::all(scene),
        is_empty: scene.nodes.is_empty(),
        is_at_rest_alone: is_at_rest_alone(scene),
        is_alike_at_rest: !scene.summary.grades.worst().is_seen(),
        has_unread_vertices: has_unread_vertices(scene),
        has_view: drawn > 0,
        drawn,
        undrawn: ranked.len().saturating_sub(drawn),
        sliders: report.sliders.iter().map(SliderRow::new).collect(),
        cards: report.advice.iter().map(|advised| Card::new(scene, advised)).collect(),
        motion: MotionCard::all(report),
        over_time: over_time(scene),
        figures: figures(scene, ranked.is_empty()),
        rows: ranked.iter().take(LISTED).map(|node| Row::new(scene, node)).collect(),
        more_rows: ranked.len().saturating_sub(LISTED),
        chart: charts::of_scene(&scene.nodes).filter(|_| !ranked.is_empty()),
        background: report.background.iter().flat_map(charts::in_general).collect(),
        warnings: WarningCount::of(&scene.warnings).iter().map(WarningRow::new).collect(),
        data: data.to_json(),
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
    };
    page.write_into(&mut out)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    source: &'a str,
    title: &'a str,
    style: &'static str,
    verdict: String,
    grade: Grade,
    asked: String,
    engines: Vec<EngineRow>,
    is_empty: bool,
    is_at_rest_alone: bool,
    is_alike_at_rest: bool,
    has_unread_vertices: bool,
    has_view: bool,
    drawn: usize,
    /// How many differ and are not drawn.
    undrawn: usize,
    sliders: Vec<SliderRow>,
    cards: Vec<Card>,
    motion: Vec<MotionCard>,
    over_time: Vec<Figure>,
    figures: Vec<(&'static str, String)>,
    rows: Vec<Row>,
    more_rows: usize,
    chart: Option<Figure>,
    background: Vec<Figure>,
    warnings: Vec<WarningRow<'a>>,
    data: String,
    script_hash: &'static str,
    script: &'static str,
}

/// The file without the folders it is in.
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

/// The worst nodes with one cause.
struct Card {
    /// The worst of them.
    index: usize,
    path: String,
    /// The others.
    others: Vec<Other>,
    more_others: usize,
    effect: String,
    /// SVG of our own making, which contains no text from the scene; none where its own axes show nowhere.
    picture: Option<String>,
    cause: Words,
    tips: Vec<Tip>,
}

/// How many nodes beside the worst a card names.
const OTHERS: usize = 20;

/// A node with the cause of another.
struct Other {
    index: usize,
    path: String,
    grade: &'static str,
    moves: String,
}

impl Other {
    /// Of a node of the scene, at rest or at its worst.
    fn new(scene: &SceneAudit, node: &NodeAudit) -> Self {
        let moved = node.displacement_percent.filter(|&percent| percent > Grade::IDENTICAL_PERCENT);
        let moves = moved.map(|percent| significant(percent, 3));
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            grade: node.grade().name(),
            moves: moves.map_or_else(String::new, |percent| format!(", {percent} % of the scene")),
        }
    }
}

impl Card {
    fn new(scene: &SceneAudit, Advised { group, advice }: &Advised) -> Self {
        let nodes = &group.nodes;
        let node = &scene.nodes[nodes[0]];
        let others = nodes[1..].iter().take(OTHERS);
        let others = others.map(|&node| Other::new(scene, &scene.nodes[node]));
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            others: others.collect(),
            more_others: (nodes.len() - 1).saturating_sub(OTHERS),
            effect: effect(node),
            picture: (!node.is_skinned).then(|| picture(node)),
            cause: Words::of(&group.explain(scene).unwrap_or_default()),
            tips: advice.iter().map(|advice| Tip::new(scene, nodes, advice)).collect(),
        }
    }
}

/// The worst of the nodes with one cause that are worse in motion than at rest, when it is at its worst.
struct MotionCard {
    index: usize,
    path: String,
    others: Vec<Other>,
    when: String,
    effect: String,
    picture: Option<String>,
    cause: Words,
    tip: Option<Words>,
}

impl MotionCard {
    fn all(report: &Report) -> Vec<Self> {
        let scene = &report.audit;
        let mut cards: Vec<Self> = Vec::new();
        let mut known = HashMap::new();
        for (at_worst, advice) in scene.at_worst.iter().zip(&report.advice_in_motion) {
            let animation = &scene.animations[at_worst.animation];
            let index = at_worst.node.index;
            let moving = animation.nodes.iter().find(|moving| moving.index == index);
            // What is identical is rounding.
            let Some(moving) = moving.filter(|moving| moving.grade() > Grade::Identical) else {
                continue;
            };
            let cause = at_worst.node.cause.as_ref().filter(|cause| !cause.is_shared());
            let own = cards.len();
            let place = cause.map_or(own, |cause| {
                let key = (at_worst.animation, cause.scaler, cause.partner);
                *known.entry(key).or_insert(own)
            });
            match cards.get_mut(place) {
                Some(card) => card.others.push(Other::new(scene, &at_worst.node)),
                None => cards.push(Self::new(scene, at_worst, moving, advice.as_ref())),
            }
        }
        cards
    }

    fn new(
        scene: &SceneAudit,
        at_worst: &AtWorst,
        moving: &NodeMotion,
        advice: Option<&MotionAdvice>,
    ) -> Self {
        let AtWorst { seconds, node, .. } = at_worst;
        let skew = moving.skew_degrees.filter(|_| moving.is_skewed());
        let skew = skew.map_or_else(String::new, |Peak { max, seconds }| {
            let (max, seconds) = (significant(max, 4), significant(seconds, 4));
            format!(" Its skew is largest {seconds} s into the animation, {max}°.")
        });
        let name = scene.animations[at_worst.animation].label();
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            others: Vec::new(),
            when: format!("At its worst, {} s into {name}:", significant(*seconds, 4)),
            effect: format!("{}{skew}", effect(node)),
            picture: (!node.is_skinned).then(|| picture(node)),
            cause: Words::of(&explain_at_worst(scene, at_worst).unwrap_or_default()),
            tip: advice.map(|advice| Words::of(&motion_tip(scene, node, advice))),
        }
    }
}

/// Charts of the animations that the worst nodes are at their worst in.
fn over_time(scene: &SceneAudit) -> Vec<Figure> {
    let mut charted = Vec::new();
    for worst in scene.apart_in_motion() {
        if !charted.contains(&worst.animation) && charted.len() < CHARTED {
            charted.push(worst.animation);
        }
    }
    let charts = |animation: usize| charts::over_time(scene, &scene.animations[animation]);
    charted.into_iter().flat_map(charts).collect()
}

/// What to do, and what would remain.
struct Tip {
    is_possible: bool,
    words: Words,
}

impl Tip {
    fn new(scene: &SceneAudit, nodes: &[usize], advice: &Advice) -> Self {
        Self { is_possible: advice.outcome.is_ok(), words: Words::of(&tip(scene, nodes, advice)) }
    }
}

struct Row {
    index: usize,
    path: String,
    grade: &'static str,
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
            displacement: figure(node.displacement),
            percent: figure(node.displacement_percent),
            skew: figure(node.skew_degrees),
            linear: figure(node.linear_difference),
            cause: Words::of(&explain(scene, node.index).unwrap_or_default()),
        }
    }
}

/// The first warning of a kind.
struct WarningRow<'a> {
    code: String,
    pointer: &'a str,
    message: &'a str,
}

impl<'a> WarningRow<'a> {
    fn new(kind: &WarningCount<'a>) -> Self {
        let (pointer, message) = (&kind.first.pointer, &kind.first.message);
        Self { code: kind.label(), pointer, message }
    }
}

fn figures(scene: &SceneAudit, is_safe: bool) -> Vec<(&'static str, String)> {
    let summary = &scene.summary;
    // Where all nodes agree, a figure of 1e-17 would be taken for a difference.
    let unless_safe = |figure: String| if is_safe { "0, to rounding".to_owned() } else { figure };
    let mut figures = vec![
        ("nodes", summary.nodes.to_string()),
        ("grade", summary.grade.name().to_owned()),
        ("nodes that look different", summary.grades.seen().to_string()),
        ("differing nodes", summary.differing_nodes.to_string()),
        ("skewed nodes", summary.skewed_nodes.to_string()),
        ("deepest level", summary.max_depth.to_string()),
        ("largest displacement", unless_safe(significant(summary.max_displacement, 6))),
        ("the same in % of the scene", unless_safe(figure(summary.max_displacement_percent))),
        ("largest skew in degrees", unless_safe(significant(summary.max_skew_degrees, 6))),
        ("diagonal of the scene", significant(summary.diagonal, 6)),
    ];
    if let Some(motion) = &summary.motion {
        let percent = figure(motion.max_displacement_percent);
        figures.extend([
            ("animations sampled", motion.animations.to_string()),
            ("nodes that look different in motion", motion.grades.seen().to_string()),
            ("differing nodes in motion", motion.differing_nodes.to_string()),
            ("skewed nodes in motion", motion.skewed_nodes.to_string()),
            ("largest displacement in motion, %", percent),
            ("largest skew in motion, degrees", significant(motion.max_skew_degrees, 6)),
        ]);
    }
    figures
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| significant(value, 6))
}
