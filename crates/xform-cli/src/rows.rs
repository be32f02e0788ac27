//! An audit as rows, which are written as it goes, for any number of scenes.

use std::io::{self, Write};

#[cfg(feature = "parquet")]
use xform_compare::ParquetTables;
use xform_compare::{write_error_row, write_file_row, write_ignored_row, write_node_rows};

#[cfg(feature = "parquet")]
use crate::arguments::NodeChoice;
use crate::{
    arguments::AuditArguments,
    files::Found,
    overwritten::Kept,
    scene_result::{Auditor, SceneResult},
    tally::{Tally, tallied},
};

/// Writes the rows of each scene as JSON Lines.
pub(crate) fn write(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    tally: &mut Tally,
    out: &mut dyn Write,
) -> io::Result<()> {
    let progress = auditor.progress();
    let rows = |result, lines: &[String]| rows(auditor.arguments, &result, lines);
    for rows in tallied(auditor, scenes, &progress, tally, rows) {
        // A row at a time, so that what is written is whole rows.
        let rows = rows.map_err(io::Error::other)?;
        rows.split_inclusive(|&byte| byte == b'\n').try_for_each(|row| out.write_all(row))?;
    }
    out.flush()
}

fn rows(arguments: &AuditArguments, result: &SceneResult, lines: &[String]) -> Vec<u8> {
    let mut rows = Vec::new();
    let written = match result {
        SceneResult::Audited(audited) => {
            let audit = &audited.audit;
            write_file_row(audit, lines, &mut rows).and_then(|()| match arguments.nodes {
                Some(nodes) => write_node_rows(audit, nodes.into(), &mut rows),
                None => Ok(()),
            })
        }
        SceneResult::Ignored { source, reason } => write_ignored_row(source, reason, &mut rows),
        SceneResult::Failed(problem) => write_error_row(problem, &mut rows),
    };
    written.expect("a vector takes whatever is written to it");
    rows
}

/// Writes the two tables, assets and nodes.
#[cfg(feature = "parquet")]
pub(crate) fn write_tables(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    tally: &mut Tally,
    [assets, nodes]: [&mut (dyn Write + Send); 2],
) -> io::Result<()> {
    let shown = auditor.arguments.nodes.unwrap_or(NodeChoice::All).into();
    let mut tables = ParquetTables::new(assets, nodes)?;
    let progress = auditor.progress();
    let count = |result, lines: &[String]| (result, lines.len());
    for output in tallied(auditor, scenes, &progress, tally, count) {
        match output.map_err(io::Error::other)? {
            (SceneResult::Audited(audited), exceeded) => {
                tables.scene(&audited.audit, exceeded, shown)?;
            }
            (SceneResult::Ignored { source, reason }, _) => tables.ignored(&source, &reason)?,
            (SceneResult::Failed(problem), _) => tables.failed(&problem)?,
        }
    }
    tables.finish()?.into_iter().try_for_each(Write::flush)
}
