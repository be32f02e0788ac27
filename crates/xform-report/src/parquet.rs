//! Two tables for statistics, with one row per asset and one row per node.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    sync::Arc,
};

use arrow_array::{
    ArrayRef, RecordBatch,
    builder::{Float64Builder, Int64Builder, StringBuilder},
};
use arrow_schema::{DataType, Field, Schema};
use parquet::{
    arrow::ArrowWriter, basic::Compression, errors::ParquetError,
    file::properties::WriterProperties,
};
use serde_json::Value;
use xform_compare::{
    SceneAudit,
    audit::Problem,
    judge::{cause_names, different_in, verdict},
};

use super::{
    scene_figures::SceneFigures,
    table::{Cell, Column, Kind, NODE_COLUMNS, node_rows},
};
use crate::NodeSelection;

const ASSET_COLUMNS: [Column; 29] = [
    ("source", Kind::Text),
    ("error", Kind::Text),
    ("ignored", Kind::Text),
    ("grade", Kind::Text),
    ("nodes", Kind::Count),
    ("max_depth", Kind::Count),
    ("skewed_nodes", Kind::Count),
    ("differing_nodes", Kind::Count),
    ("diagonal", Kind::Figure),
    ("max_skew_degrees", Kind::Figure),
    ("max_skew_difference_degrees", Kind::Figure),
    ("max_displacement", Kind::Figure),
    ("max_displacement_percent", Kind::Figure),
    ("warnings", Kind::Count),
    ("exceeded", Kind::Count),
    ("motion_animations", Kind::Count),
    ("motion_not_sampled", Kind::Count),
    ("motion_differing_nodes", Kind::Count),
    ("motion_max_skew_difference_degrees", Kind::Figure),
    ("motion_max_displacement", Kind::Figure),
    ("motion_max_displacement_percent", Kind::Figure),
    ("collider_grade", Kind::Text),
    ("colliders", Kind::Count),
    ("differing_colliders", Kind::Count),
    ("verdict", Kind::Text),
    ("different_in", Kind::Text),
    ("unknown_in", Kind::Text),
    ("causes", Kind::Text),
    ("exceeded_limits", Kind::Text),
];

/// The number of rows that are kept before they are written, so that memory does not grow with the number of rows.
const ROWS_AT_A_TIME: usize = 8192;
const ROWS_A_GROUP: usize = 128 * 1024;

/// Writes audits as two Parquet files, compressed with Snappy.
///
/// `assets` has one row per file, including failed and ignored ones, and `nodes` one row per node. Values that are
/// undefined or do not apply are null. docs/report-format.md lists the columns.
#[derive(Debug)]
pub struct ParquetTables<W: Write + Send> {
    assets: Table<W>,
    nodes: Table<W>,
}

impl<W: Write + Send> ParquetTables<W> {
    /// Begins both files.
    ///
    /// # Errors
    ///
    /// If one of the outputs fails.
    pub fn new(assets: W, nodes: W) -> io::Result<Self> {
        let (assets, nodes) =
            (Table::new(&ASSET_COLUMNS, assets)?, Table::new(&NODE_COLUMNS, nodes)?);
        Ok(Self { assets, nodes })
    }

    /// Adds the rows of a scene that [`write_parquet_rows`] has written.
    ///
    /// # Errors
    ///
    /// Those of the outputs, and of the reader.
    pub fn add(&mut self, written: &mut dyn Read) -> io::Result<()> {
        let mut rows = BufReader::new(written).lines();
        if let Some(asset) = rows.next() {
            self.assets.row(serde_json::from_str(&asset?)?)?;
        }
        rows.try_for_each(|node| self.nodes.row(serde_json::from_str(&node?)?))
    }

    /// Adds a scene with the exceeded limits in words, and its nodes.
    ///
    /// # Errors
    ///
    /// Those of the outputs.
    pub fn scene(
        &mut self,
        scene: &SceneAudit,
        exceeded: &[String],
        nodes: NodeSelection,
    ) -> io::Result<()> {
        self.assets.row(asset_cells(scene, exceeded).into())?;
        node_rows(scene, nodes).try_for_each(|cells| self.nodes.row(cells.into()))
    }

    /// Adds a file that could not be audited, with the reasons, one per line.
    ///
    /// # Errors
    ///
    /// Those of the outputs.
    pub fn failed(&mut self, problem: &Problem) -> io::Result<()> {
        self.assets.row(failed_cells(problem))
    }

    /// Adds a file that was ignored, with the reason.
    ///
    /// # Errors
    ///
    /// Those of the outputs.
    pub fn ignored(&mut self, source: &str, reason: &str) -> io::Result<()> {
        self.assets.row(unaudited_cells(source, None, Some(reason)))
    }

    /// Ends both files. Unfinished files cannot be read.
    ///
    /// # Errors
    ///
    /// Those of the outputs.
    pub fn finish(self) -> io::Result<[W; 2]> {
        Ok([self.assets.finish()?, self.nodes.finish()?])
    }
}

/// Writes the row of a scene with the exceeded limits in words, and the rows of these nodes, for
/// [`ParquetTables::add`].
///
/// # Errors
///
/// Those of the output.
pub fn write_parquet_rows(
    scene: &SceneAudit,
    exceeded: &[String],
    nodes: Option<NodeSelection>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_row(&asset_cells(scene, exceeded), out)?;
    let Some(nodes) = nodes else { return Ok(()) };
    node_rows(scene, nodes).try_for_each(|cells| write_row(&cells, out))
}

/// Returns the row of a scene with the exceeded limits in words, as a JSON object with the names of the columns. A
/// value that is not a JSON number becomes null.
#[must_use]
pub fn asset_row(scene: &SceneAudit, exceeded: &[String]) -> String {
    named(asset_cells(scene, exceeded))
}

/// Returns the row of a file that could not be audited, as a JSON object with the names of the columns.
#[must_use]
pub fn failed_row(problem: &Problem) -> String {
    named(failed_cells(problem))
}

fn named(cells: impl IntoIterator<Item = Cell>) -> String {
    let values = cells.into_iter().map(|cell| match cell {
        Cell::Text(text) => Value::from(text),
        Cell::Count(count) => count.into(),
        Cell::Figure(figure) => figure.into(),
    });
    let members = ASSET_COLUMNS.iter().zip(values);
    let members = members.map(|((name, _), value)| format!("\"{name}\": {value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn write_row(cells: &[Cell], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, cells)?;
    out.write_all(b"\n")
}

fn asset_cells(scene: &SceneAudit, exceeded: &[String]) -> [Cell; 29] {
    let summary = &scene.summary;
    let motion = summary.motion.as_ref();
    let colliders = SceneFigures::of(scene).colliders;
    let count = |count: usize| Cell::Count(Some(count));
    let figure = |figure: f64| Cell::Figure(Some(figure));
    [
        Cell::Text(Some(scene.source.clone())),
        Cell::Text(None),
        Cell::Text(None),
        Cell::Text(Some(summary.grade.name().to_owned())),
        count(summary.nodes),
        count(summary.max_depth),
        count(summary.skewed_nodes),
        count(summary.differing_nodes),
        figure(summary.diagonal),
        figure(summary.max_skew_degrees),
        figure(summary.max_skew_difference_degrees),
        figure(summary.max_displacement),
        Cell::Figure(summary.max_displacement_percent),
        count(scene.warnings.len()),
        count(exceeded.len()),
        Cell::Count(motion.map(|motion| motion.animations)),
        Cell::Count(motion.map(|motion| motion.not_sampled)),
        Cell::Count(motion.map(|motion| motion.differing_nodes)),
        Cell::Figure(motion.map(|motion| motion.max_skew_difference_degrees)),
        Cell::Figure(motion.map(|motion| motion.max_displacement)),
        Cell::Figure(motion.and_then(|motion| motion.max_displacement_percent)),
        Cell::Text(colliders.map(|colliders| colliders.grade.name().to_owned())),
        Cell::Count(colliders.map(|colliders| colliders.all)),
        Cell::Count(colliders.map(|colliders| colliders.seen)),
        Cell::Text(Some(verdict(scene))),
        listed(different_in(scene).iter().map(|engine| engine.id)),
        listed(scene.engines.unknown.iter().map(|unknown| unknown.engine.id)),
        listed(cause_names(scene).iter().map(|cause| cause.name())),
        Cell::Text(Some(exceeded.join("\n"))),
    ]
}

/// Joins names: `unreal, ogre`. Empty without names.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> Cell {
    Cell::Text(Some(names.collect::<Vec<_>>().join(", ")))
}

fn failed_cells(problem: &Problem) -> Vec<Cell> {
    let lines: Vec<_> = problem.lines().collect();
    unaudited_cells(&problem.source, Some(&lines.join("\n")), None)
}

fn unaudited_cells(source: &str, error: Option<&str>, ignored: Option<&str>) -> Vec<Cell> {
    let mut texts = [Some(source), error, ignored].into_iter();
    let cells = ASSET_COLUMNS.iter().map(|(_, kind)| match kind {
        Kind::Text => Cell::Text(texts.next().flatten().map(str::to_owned)),
        Kind::Count => Cell::Count(None),
        Kind::Figure => Cell::Figure(None),
    });
    cells.collect()
}

/// A file and the rows that have not been written to it yet.
#[derive(Debug)]
struct Table<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    columns: Vec<Builder>,
    rows: usize,
}

#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Count(Int64Builder),
    Figure(Float64Builder),
}

impl<W: Write + Send> Table<W> {
    fn new(columns: &[Column], out: W) -> io::Result<Self> {
        let field = |&(name, kind): &Column| {
            let kind = match kind {
                Kind::Text => DataType::Utf8,
                Kind::Count => DataType::Int64,
                Kind::Figure => DataType::Float64,
            };
            Field::new(name, kind, name != "source")
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROWS_A_GROUP))
            .build();
        let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties));
        let columns = columns.iter().map(|&(_, kind)| Builder::new(kind)).collect();
        Ok(Self { writer: writer.map_err(output_error)?, schema, columns, rows: 0 })
    }

    fn row(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.append(cell).ok_or(io::ErrorKind::InvalidData)?;
        }
        self.rows += 1;
        if self.rows == ROWS_AT_A_TIME { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        self.rows = 0;
        let batch = batch.map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(output_error)
    }

    fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        self.writer.into_inner().map_err(output_error)
    }
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Count => Self::Count(Int64Builder::new()),
            Kind::Figure => Self::Figure(Float64Builder::new()),
        }
    }

    /// Returns `None` if a cell has the type of another column.
    fn append(&mut self, cell: Cell) -> Option<()> {
        match (self, cell) {
            (Self::Text(column), Cell::Text(text)) => column.append_option(text),
            (Self::Count(column), Cell::Count(count)) => {
                column.append_option(count.and_then(|count| i64::try_from(count).ok()));
            }
            (Self::Figure(column), Cell::Figure(figure)) => column.append_option(figure),
            _ => return None,
        }
        Some(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(column) => Arc::new(column.finish()),
            Self::Count(column) => Arc::new(column.finish()),
            Self::Figure(column) => Arc::new(column.finish()),
        }
    }
}

/// Extracts the error of the output itself, so that a full disk is still recognised.
fn output_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        other => io::Error::other(other),
    }
}
