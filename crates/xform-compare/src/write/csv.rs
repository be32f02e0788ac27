use std::io::{self, Write};

use csv::{ErrorKind, Writer};

use super::{Nodes, number::shortest};
use crate::{Audit, NodeAudit, SceneAudit, Worst, WorstInMotion, node_path};

const HEADER: [&str; 25] = [
    "source",
    "index",
    "path",
    "name",
    "parent",
    "depth",
    "skew_degrees",
    "skew_xy_degrees",
    "skew_xz_degrees",
    "skew_yz_degrees",
    "orthogonality",
    "linear_difference",
    "nearest_trs_distance",
    "displacement",
    "displacement_percent",
    "local_residual",
    "scaler",
    "rotator",
    "removes_skew_degrees",
    "removes_difference",
    "candidates",
    "motion_skew_degrees",
    "motion_linear_difference",
    "motion_displacement",
    "motion_displacement_percent",
];

/// Writes an audit as CSV (RFC 4180): one row a node with the figures of the JSON but for poses and
/// matrices. What is undefined, or does not apply, is empty.
///
/// A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-` or `@`,
/// gets a `'` in front, and control characters are replaced.
///
/// # Errors
///
/// Those of the output.
pub fn write_csv(audit: &Audit, nodes: Nodes, out: &mut impl Write) -> io::Result<()> {
    let rows = audit.scenes.iter().flat_map(|scene| {
        let all = scene.nodes.iter().zip(scene.worst_in_motion());
        let shown = all.filter(|(node, _)| nodes.shows(node));
        shown.map(|(node, motion)| row(scene, node, motion.unwrap_or_default()))
    });
    write_rows(HEADER, rows, out)
}

/// A header and rows of as many cells.
pub(super) fn write_rows<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(header).map_err(output_error)?;
    for row in rows {
        writer.write_record(row).map_err(output_error)?;
    }
    writer.flush()
}

/// The error of the output itself, so that a closed pipe is still known as one.
fn output_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn row(scene: &SceneAudit, node: &NodeAudit, motion: WorstInMotion) -> [String; 25] {
    let [xy, xz, yz] = node.skew_pairs_degrees;
    let cause = node.cause.as_ref();
    [
        text(&scene.source),
        node.index.to_string(),
        text(&node_path(scene, node.index)),
        text(node.name.as_deref().unwrap_or_default()),
        index(node.parent),
        node.depth.to_string(),
        figure(node.skew_degrees),
        figure(xy),
        figure(xz),
        figure(yz),
        figure(node.orthogonality),
        figure(node.linear_difference),
        shortest(node.nearest_trs_distance),
        figure(node.displacement),
        figure(node.displacement_percent),
        figure(node.local_residual),
        index(cause.map(|cause| cause.scaler)),
        index(cause.and_then(|cause| cause.rotator)),
        figure(cause.and_then(|cause| cause.removes_skew_degrees)),
        figure(cause.map(|cause| cause.removes_difference)),
        index(cause.map(|cause| cause.candidates)),
        peak(motion.skew_degrees),
        peak(motion.linear_difference),
        peak(motion.displacement),
        figure(motion.displacement_percent),
    ]
}

fn text(value: &str) -> String {
    let formula = if value.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("{formula}{}", value.replace(|c: char| c.is_control(), "\u{FFFD}"))
}

fn figure(value: Option<f64>) -> String {
    value.map(shortest).unwrap_or_default()
}

fn peak(worst: Option<Worst>) -> String {
    figure(worst.map(|worst| worst.peak.max))
}

fn index(value: Option<usize>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
