//! Measures ours and theirs in turns, prints the table and writes `target/ratios.csv`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

mod full;
mod sparse;
mod structure;
mod threads;

use std::{error::Error, fs, path::Path};

use benches::row::{Row, csv, markdown};

fn main() -> Result<(), Box<dyn Error>> {
    // One thread for all but the comparison of threads; with one, ours propagates serially.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    one_thread.install(|| {
        rows.extend(report(full::matrix()));
        rows.extend(report(full::trs()));
        rows.extend(report(full::trs_with_matrices()));
        rows.extend(report(full::against_the_limit()));
        rows.extend(report(full::crowd()));
        rows.extend(report(full::against_bevy()));
        rows.extend(report(sparse::nothing()));
        rows.extend(report(sparse::one_leaf()));
        rows.extend(report(sparse::hundredth()));
        rows.extend(report(sparse::against_bevy()));
        rows.extend(report(structure::edits()));
    });
    rows.extend(report(threads::two()?));
    print!("{}", markdown(&rows));
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    fs::create_dir_all(&target)?;
    fs::write(target.join("ratios.csv"), csv(&rows))?;
    eprintln!("wrote target/ratios.csv");
    Ok(())
}

/// Says how far it is.
fn report(rows: Vec<Row>) -> Vec<Row> {
    if let Some(row) = rows.first() {
        eprintln!("{}: {} rows", row.case, rows.len());
    }
    rows
}
