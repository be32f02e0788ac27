//! The table of ratios.

use std::{fmt, fmt::Write, io};

use xform_core::InstructionSet;

use crate::ours::Input;

/// One bar, on one input.
#[derive(Clone, Debug)]
pub struct Row {
    /// What is done.
    pub case: &'static str,
    /// By which strategy.
    pub strategy: &'static str,
    /// On nodes that hang together how.
    pub shape: &'static str,
    /// On how many.
    pub nodes: usize,
    /// By which kernel.
    pub isa: &'static str,
    /// What ours is compared with.
    pub peer: &'static str,
    /// Nanoseconds that ours and theirs take; `None` where this machine cannot run ours.
    pub nanoseconds: Option<(f64, f64)>,
    /// What the ratio may be at most.
    pub bar: f64,
}

impl Row {
    /// A case by the fastest kernel, still without figures, beside its bar.
    #[must_use]
    pub fn of(case: &'static str, strategy: &'static str, input: &Input) -> Self {
        Self {
            case,
            strategy,
            shape: input.shape,
            nodes: input.nodes(),
            isa: InstructionSet::best().name(),
            peer: "the bar",
            nanoseconds: None,
            bar: 1.0,
        }
    }

    /// Ours in terms of theirs.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.nanoseconds.map(|(ours, theirs)| ours / theirs)
    }

    fn met(&self) -> &'static str {
        match self.ratio() {
            Some(ratio) if ratio <= self.bar => "yes",
            Some(_) => "no",
            None => "not measured",
        }
    }
}

/// A figure with three digits, or nothing.
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

const COLUMNS: [&str; 11] = [
    "case", "strategy", "shape", "nodes", "isa", "ours_ns", "peer", "peer_ns", "ratio", "bar",
    "met",
];

fn cells(row: &Row) -> [String; 11] {
    let (ours, theirs) = row.nanoseconds.unzip();
    [
        row.case.to_owned(),
        row.strategy.to_owned(),
        row.shape.to_owned(),
        row.nodes.to_string(),
        row.isa.to_owned(),
        Figure(ours).to_string(),
        row.peer.to_owned(),
        Figure(theirs).to_string(),
        Figure(row.ratio()).to_string(),
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

/// The rows as a Markdown table.
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
            nanoseconds: Some((1.0, 2.0)),
            bar: 1.0,
        };
        let mut written = Vec::new();
        write_csv(&[row], &mut written).expect("a vector takes whatever is written");
        let mut reader = csv::Reader::from_reader(&written[..]);
        let rows: Vec<_> = reader.records().map(|row| row.expect("as many cells")).collect();
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0][6], &rows[0][8]), ("glam, dirty \"bytes\"", "0.500"));
    }
}
