use std::io::{self, Write};

use askama::Template;

use super::{number::significant, picture::picture, verdict::verdict};
use crate::{
    NodeAudit, SceneAudit, Warning, explain, node_path,
    ranking::ranked,
    warning::{by_code, code_and_count},
};

/// How many nodes the page lists.
const LISTED: usize = 100;

/// Writes what was found on a scene as one self-contained page: the verdict, a picture of the
/// worst node under both strategies, the ranked nodes, the warnings.
///
/// # Errors
///
/// Those of the output.
pub fn write_html(scene: &SceneAudit, out: &mut impl Write) -> io::Result<()> {
    let ranked = ranked(&scene.nodes);
    let page = Page {
        source: &scene.source,
        verdict: verdict(scene),
        is_safe: ranked.is_empty(),
        worst: ranked
            .first()
            .map(|node| Worst { path: node_path(scene, node.index), picture: picture(node) }),
        figures: figures(scene),
        rows: ranked.iter().take(LISTED).map(|node| Row::new(scene, node)).collect(),
        more_rows: ranked.len().saturating_sub(LISTED),
        warnings: by_code(&scene.warnings).into_iter().map(WarningRow::new).collect(),
    };
    page.write_into(out)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    source: &'a str,
    verdict: String,
    is_safe: bool,
    worst: Option<Worst>,
    figures: Vec<(&'static str, String)>,
    rows: Vec<Row>,
    more_rows: usize,
    warnings: Vec<WarningRow<'a>>,
}

/// The node that the picture shows.
struct Worst {
    path: String,
    /// SVG of our own making, which contains no text from the scene.
    picture: String,
}

struct Row {
    index: usize,
    path: String,
    displacement: String,
    percent: String,
    skew: String,
    linear: String,
    cause: String,
}

impl Row {
    fn new(scene: &SceneAudit, node: &NodeAudit) -> Self {
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            displacement: figure(node.displacement),
            percent: figure(node.displacement_percent),
            skew: figure(node.skew_degrees),
            linear: figure(node.linear_difference),
            cause: explain(scene, node.index).unwrap_or_default(),
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
    fn new((first, count): (&'a Warning, usize)) -> Self {
        Self {
            code: code_and_count(first, count),
            pointer: &first.pointer,
            message: &first.message,
        }
    }
}

fn figures(scene: &SceneAudit) -> Vec<(&'static str, String)> {
    let summary = &scene.summary;
    vec![
        ("nodes", summary.nodes.to_string()),
        ("differing nodes", summary.differing_nodes.to_string()),
        ("skewed nodes", summary.skewed_nodes.to_string()),
        ("deepest level", summary.max_depth.to_string()),
        ("largest displacement", significant(summary.max_displacement, 6)),
        ("the same in % of the scene", figure(summary.max_displacement_percent)),
        ("largest skew in degrees", significant(summary.max_skew_degrees, 6)),
        ("diagonal of the scene", significant(summary.diagonal, 6)),
    ]
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| significant(value, 6))
}
