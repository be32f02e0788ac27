//! Sweep and drift, as JSON and as CSV.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::audit::{Drift, ParameterSweep};
use xform_scene::text::shortest;

use super::{csv::write_rows, json::write_value};

/// A series with the name of its schema.
#[derive(Serialize)]
struct SeriesView<'a, T> {
    schema: &'a str,
    samples: &'a [T],
}

/// Writes a sweep as JSON.
///
/// # Errors
///
/// Those of the output.
pub fn write_sweep_json(sweep: &ParameterSweep, out: impl Write) -> io::Result<()> {
    let view = SeriesView { schema: ParameterSweep::SCHEMA, samples: &sweep.samples };
    write_value(&view, 2, out)
}

/// Writes a drift as JSON.
///
/// # Errors
///
/// Those of the output.
pub fn write_drift_json(drift: &Drift, out: impl Write) -> io::Result<()> {
    write_value(&SeriesView { schema: Drift::SCHEMA, samples: &drift.samples }, 2, out)
}

/// Writes a sweep as CSV, one row per sample. The columns have the names of the JSON members.
///
/// # Errors
///
/// Those of the output.
pub fn write_sweep_csv(sweep: &ParameterSweep, out: impl Write) -> io::Result<()> {
    let header = [
        "s",
        "theta_degrees",
        "skew_degrees",
        "skew_closed_form_degrees",
        "displacement",
        "displacement_closed_form",
        "linear_difference",
        "linear_difference_closed_form",
    ];
    let rows = sweep.samples.iter().map(|sample| {
        let figures = [
            sample.s,
            sample.theta_degrees,
            sample.skew_degrees,
            sample.skew_closed_form_degrees,
            sample.displacement,
            sample.displacement_closed_form,
            sample.linear_difference,
            sample.linear_difference_closed_form,
        ];
        figures.map(shortest)
    });
    write_rows(header, rows, out)
}

/// Writes a drift as CSV, one row per sample. The columns have the names of the JSON members.
///
/// # Errors
///
/// Those of the output.
pub fn write_drift_csv(drift: &Drift, out: impl Write) -> io::Result<()> {
    let header = ["shape", "strategy", "depth", "nodes", "max_linear_error", "max_position_error"];
    let rows = drift.samples.iter().map(|sample| {
        [
            sample.shape.to_owned(),
            sample.strategy.to_owned(),
            sample.depth.to_string(),
            sample.nodes.to_string(),
            shortest(sample.max_linear_error),
            shortest(sample.max_position_error),
        ]
    });
    write_rows(header, rows, out)
}
