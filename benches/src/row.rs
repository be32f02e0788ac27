//! The table of ratios.

use std::{fmt, fmt::Write, io};

use xform_core::InstructionSet;

use crate::{
    measure::{Turns, median, percentile},
    ours::Input,
};

/// A bar on an input.
#[derive(Clone, Debug)]
pub struct Row {
    /// The operation.
    pub case: &'static str,
    /// The strategy.
    pub strategy: &'static str,
    /// The shape of the hierarchy.
    pub shape: &'static str,
    /// The number of nodes.
    pub nodes: usize,
    /// The kernel.
    pub isa: &'static str,
    /// The peer that ours is compared with.
    pub peer: &'static str,
    /// The times of both, or `None` if this machine cannot run ours.
    pub turns: Option<Turns>,
    /// The greatest allowed ratio.
    pub bar: f64,
}

impl Row {
    /// Creates a case for the fastest kernel, with its bar left to be set.
    #[must_use]
    pub fn of(case: &'static str, strategy: &'static str, input: &Input) -> Self {
        Self {
            case,
            strategy,
            shape: input.shape,
            nodes: input.nodes(),
            isa: InstructionSet::best().name(),
            peer: "the bar",
            turns: None,
            bar: 1.0,
        }
    }

    /// Returns the ratio of ours to theirs, from their medians.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.turns.as_ref().map(|turns| median(&turns.ours) / median(&turns.theirs))
    }

    fn met(&self) -> &'static str {
        match self.ratio() {
            Some(ratio) if ratio <= self.bar => "yes",
            Some(_) => "no",
            None => "not measured",
        }
    }
}

/// A figure with three digits, or empty.
struct Figure(Option<f64>);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) if value >= 100.0 => write!(f, "{value:.0}"),
            Some(value) if value >= 10.0 => write!(f, "{value:.1}"),
            Some(value) => write!(f, "{value:.3}"),
            None => Ok(()),
        }
    }
}

/// Times are medians over the turns, with the 10th percentile beside them. The ratio is that of the
/// medians; `ratio_p10` and `ratio_p90` are percentiles of the ratios of single turns.
const COLUMNS: [&str; 15] = [
    "case",
    "strategy",
    "shape",
    "nodes",
    "isa",
    "ours_ns",
    "ours_p10_ns",
    "peer",
    "peer_ns",
    "peer_p10_ns",
    "ratio",
    "ratio_p10",
    "ratio_p90",
    "bar",
    "met",
];

fn cells(row: &Row) -> [String; 15] {
    let figure = |of: &dyn Fn(&Turns) -> f64| Figure(row.turns.as_ref().map(of)).to_string();
    [
        row.case.to_owned(),
        row.strategy.to_owned(),
        row.shape.to_owned(),
        row.nodes.to_string(),
        row.isa.to_owned(),
        figure(&|turns| median(&turns.ours)),
        figure(&|turns| percentile(&turns.ours, 10)),
        row.peer.to_owned(),
        figure(&|turns| median(&turns.theirs)),
        figure(&|turns| percentile(&turns.theirs, 10)),
        Figure(row.ratio()).to_string(),
        figure(&|turns| percentile(&turns.ratios(), 10)),
        figure(&|turns| percentile(&turns.ratios(), 90)),
        Figure(Some(row.bar)).to_string(),
        row.met().to_owned(),
    ]
}

/// Writes the rows as comma-separated values (RFC 4180).
///
/// # Errors
///
/// Those of the output.
pub fn write_csv(rows: &[Row], out: impl io::Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    rows.iter().try_for_each(|row| writer.write_record(cells(row)))?;
    Ok(writer.flush()?)
}

/// Formats the rows as a Markdown table.
#[must_use]
pub fn markdown(rows: &[Row]) -> String {
    let mut text = format!("| {} |\n|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for row in rows {
        writeln!(text, "| {} |", cells(row).join(" | ")).expect("a string takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_the_name_of_a_peer_ends_no_cell() {
        let row = Row {
            case: "full",
            strategy: "matrix",
            shape: "tree",
            nodes: 10,
            isa: "AVX2",
            peer: "glam, dirty \"bytes\"",
            turns: Some(Turns { ours: vec![1.0, 2.0, 3.0], theirs: vec![4.0; 3] }),
            bar: 1.0,
        };
        let mut written = Vec::new();
        write_csv(&[row], &mut written).expect("a vector takes whatever is written");
        let mut reader = csv::Reader::from_reader(&written[..]);
        let rows: Vec<_> = reader.records().map(|row| row.expect("as many cells")).collect();
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0][7], &rows[0][10]), ("glam, dirty \"bytes\"", "0.500"));
    }
}
