use std::{
    io::{self, Write},
    iter,
};

use csv::{ErrorKind, Writer};
use xform_compare::SceneAudit;
use xform_scene::text::{shortest, without_controls};

use super::table::{Cell, NODE_COLUMNS, node_rows};
use crate::NodeSelection;

/// Writes the names of the columns.
pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    write_rows(NODE_COLUMNS.map(|(name, _)| name), iter::empty(), out)
}

/// Writes the rows of a scene's nodes.
pub(super) fn write_scene(
    scene: &SceneAudit,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    node_rows(scene, nodes).try_for_each(|cells| write_row(cells.map(written), &mut writer))?;
    writer.flush()
}

/// Writes a header, and rows with as many cells.
pub(super) fn write_rows<const N: usize>(
    header: [&str; N],
    mut rows: impl Iterator<Item = [String; N]>,
    out: impl Write,
) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    write_row(header, &mut writer)?;
    rows.try_for_each(|row| write_row(row, &mut writer))?;
    writer.flush()
}

fn write_row<const N: usize>(
    row: [impl AsRef<[u8]>; N],
    writer: &mut Writer<impl Write>,
) -> io::Result<()> {
    writer.write_record(row).map_err(output_error)
}

/// Extracts the error of the output itself, so that a closed pipe is still recognised.
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
