use std::io::{self, Write};

use csv::{ErrorKind, Writer};

use super::{
    NodeSelection,
    table::{Cell, NODE_COLUMNS, node_rows},
};
use crate::{
    audit::Audit,
    text::{shortest, without_controls},
};

/// Writes an audit as CSV (RFC 4180): one row a node with the figures of the JSON but for poses and
/// matrices. What is undefined, or does not apply, is empty.
///
/// A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-` or `@`,
/// gets a `'` in front, and control characters are replaced.
///
/// # Errors
///
/// Those of the output.
pub fn write_csv(audit: &Audit, nodes: NodeSelection, out: impl Write) -> io::Result<()> {
    let rows = audit.scenes.iter().flat_map(|scene| node_rows(scene, nodes));
    let rows = rows.map(|cells| cells.map(written));
    write_rows(NODE_COLUMNS.map(|(name, _)| name), rows, out)
}

/// A header and rows of as many cells.
pub(super) fn write_rows<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    out: impl Write,
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

fn written(cell: Cell) -> String {
    match cell {
        Cell::Text(value) => value.as_deref().map(text),
        Cell::Count(value) => value.map(|value| value.to_string()),
        Cell::Figure(value) => value.map(shortest),
    }
    .unwrap_or_default()
}

fn text(value: &str) -> String {
    let formula = if value.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("{formula}{}", without_controls(value))
}
