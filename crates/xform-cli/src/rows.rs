//! An audit of any number of scenes, a few at a time on all cores, written as it goes.

use std::io::{self, Write};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
#[cfg(feature = "parquet")]
use xform_compare::ParquetTables;
use xform_compare::{write_error_row, write_file_row, write_ignored_row, write_node_rows};

#[cfg(feature = "parquet")]
use crate::arguments::NodeChoice;
use crate::{
    arguments::AuditArguments,
    config::Config,
    files::{self, Found},
    judged::{Judged, judge},
    progress::Progress,
};

/// How many scenes are held at a time: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// What came of all scenes.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) files: u64,
    pub(crate) differing: u64,
    pub(crate) exceeding: u64,
    pub(crate) ignored: u64,
    pub(crate) failed: u64,
}

/// What came of one scene: what is to be written, and the lines that people are told.
struct One<T> {
    made: T,
    told: Vec<String>,
    end: End,
}

enum End {
    Audited { is_differing: bool },
    Ignored,
    Failed,
}

/// Judges the scenes, a few at a time on all cores. What is made of each is taken in the order of the scenes,
/// whatever finishes first.
fn each<T: Send>(
    (arguments, config): (&AuditArguments, &Config),
    mut scenes: impl Iterator<Item = Found>,
    tally: &mut Tally,
    make: impl Fn(Judged, &[String]) -> T + Sync,
    mut take: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    let progress = Progress::new(|| files::count(arguments));
    let one = |scene: &Found| {
        let judged = judge(scene, arguments, config);
        let (told, end) = match &judged {
            Judged::Audited(audited) => {
                let is_differing = audited.audit.summary.is_differing();
                (audited.exceeded(), End::Audited { is_differing })
            }
            Judged::Ignored { .. } => (Vec::new(), End::Ignored),
            Judged::Failed { problem, .. } => (vec![problem.error.clone()], End::Failed),
        };
        One { made: make(judged, &told), told, end }
    };
    loop {
        let some: Vec<_> = scenes.by_ref().take(AT_A_TIME).collect();
        if some.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = some.par_iter().map(one).collect();
        for One { made, told, end } in all {
            take(made)?;
            tally.add(&end, &told);
            progress.say(&told);
        }
        progress.advance(some.len());
    }
}

impl Tally {
    fn add(&mut self, end: &End, told: &[String]) {
        self.files += 1;
        match end {
            End::Audited { is_differing } => {
                self.differing += u64::from(*is_differing);
                self.exceeding += u64::from(!told.is_empty());
            }
            End::Ignored => self.ignored += 1,
            End::Failed => self.failed += 1,
        }
    }
}

/// Writes the rows of each scene as JSON Lines.
pub(crate) fn write(
    audit: (&AuditArguments, &Config),
    scenes: impl Iterator<Item = Found>,
    tally: &mut Tally,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = |judged, told: &[String]| rows(audit.0, &judged, told);
    let taken = each(audit, scenes, tally, rows, |rows: Vec<u8>| {
        // A row at a time, so that what is written is whole rows.
        rows.split_inclusive(|&byte| byte == b'\n').try_for_each(|row| out.write_all(row))
    });
    taken.and_then(|()| out.flush())
}

fn rows(arguments: &AuditArguments, judged: &Judged, told: &[String]) -> Vec<u8> {
    let mut rows = Vec::new();
    let written = match judged {
        Judged::Audited(audited) => {
            let audit = &audited.audit;
            write_file_row(audit, told, &mut rows).and_then(|()| match arguments.nodes {
                Some(nodes) => write_node_rows(audit, nodes.into(), &mut rows),
                None => Ok(()),
            })
        }
        Judged::Ignored { source, reason } => write_ignored_row(source, reason, &mut rows),
        Judged::Failed { source, problem } => write_error_row(source, problem, &mut rows),
    };
    written.expect("a vector takes whatever is written to it");
    rows
}

/// Writes the two tables, assets and nodes.
#[cfg(feature = "parquet")]
pub(crate) fn write_tables(
    audit: (&AuditArguments, &Config),
    scenes: impl Iterator<Item = Found>,
    tally: &mut Tally,
    [assets, nodes]: [&mut (dyn Write + Send); 2],
) -> io::Result<()> {
    let shown = audit.0.nodes.unwrap_or(NodeChoice::All).into();
    let mut tables = ParquetTables::new(assets, nodes)?;
    let count = |judged, told: &[String]| (judged, told.len());
    each(audit, scenes, tally, count, |(judged, exceeded): (Judged, usize)| match judged {
        Judged::Audited(audited) => tables.scene(&audited.audit, exceeded, shown),
        Judged::Ignored { source, reason } => tables.ignored(&source, &reason),
        Judged::Failed { source, problem } => tables.failed(&source, &problem.error),
    })?;
    tables.finish()?.into_iter().try_for_each(Write::flush)
}
