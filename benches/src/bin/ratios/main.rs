//! Measures ours and theirs in turns, prints the table and writes `target/ratios.csv`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

mod animated;
mod crowd;
mod full;
mod handed_on;
mod inherited;
mod memory;
mod spaces;
mod sparse;
mod structure;
mod threads;
mod tracked;

use std::{
    error::Error,
    fs::{self, File},
    path::Path,
};

use benches::row::{Row, markdown, write_csv};
use sysinfo::System;

/// A group of measurements, with the name that selects it on the command line.
type Group = (&'static str, fn() -> Vec<Row>);

/// The measurements on one thread.
const GROUPS: [Group; 21] = [
    ("all-set", animated::all),
    ("memory", memory::all),
    ("all-or-roots", animated::all_or_roots),
    ("some-set", animated::some),
    ("matrix", full::matrix),
    ("matrix-by-others", full::matrix_by_others),
    ("trs", full::trs),
    ("simd128", full::simd128),
    ("trs-with-matrices", full::trs_with_matrices),
    ("limit", full::against_the_limit),
    ("crowd", crowd::palettes),
    ("bevy", full::against_bevy),
    ("nothing", sparse::nothing),
    ("leaf", sparse::one_leaf),
    ("hundredth", sparse::hundredth),
    ("hundredth-bevy", sparse::against_bevy),
    ("spaces", spaces::asked),
    ("structure", structure::edits),
    ("tracked", tracked::changes),
    ("inherited", inherited::scale),
    ("handed-on", handed_on::to_a_renderer),
];

/// The measurements on several threads.
const THREADS: &str = "threads";

/// Measures the groups that the arguments name, or all of them.
fn main() -> Result<(), Box<dyn Error>> {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let groups: Vec<_> = GROUPS.iter().map(|(name, _)| *name).chain([THREADS]).collect();
    if chosen.iter().any(|chosen| chosen == "--help" || chosen == "-h") {
        println!("Usage: ratios [GROUP]...\n\nMeasures these groups, or those that are named:");
        groups.iter().for_each(|group| println!("  {group}"));
        return Ok(());
    }
    if let Some(unknown) = chosen.iter().find(|chosen| !groups.contains(&chosen.as_str())) {
        return Err(format!("there is no group `{unknown}`; --help lists them").into());
    }
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    // With one thread in the pool, ours propagates serially.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    let before = System::load_average().one;
    let mut rows = Vec::new();
    for (name, measure) in GROUPS.into_iter().filter(|(name, _)| is_chosen(name)) {
        eprintln!("{name}");
        rows.extend(one_thread.install(measure));
    }
    if is_chosen(THREADS) {
        eprintln!("{THREADS}");
        rows.extend(threads::two()?);
    }
    let after = System::load_average().one;
    print!("{}", markdown(&rows));
    // Other running programs show in the first number; this program alone makes the second about 1.
    println!("\nLoad average over a minute: {before:.2} before, {after:.2} after.");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    fs::create_dir_all(&target)?;
    write_csv(&rows, File::create(target.join("ratios.csv"))?)?;
    eprintln!("wrote target/ratios.csv");
    Ok(())
}
