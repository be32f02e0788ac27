//! The table of ratios.

use std::{fmt, fmt::Write};

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

/// The rows as comma-separated values. No cell has a comma in it.
#[must_use]
pub fn csv(rows: &[Row]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for row in rows {
        writeln!(text, "{}", cells(row).join(",")).expect("a string takes whatever is written");
    }
    text
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
