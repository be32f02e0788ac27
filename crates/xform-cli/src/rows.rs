//! An audit of any number of scenes, a few at a time on all cores, written as it goes.

use std::io::{self, Write};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_compare::{write_error_row, write_file_row, write_ignored_row, write_node_rows};

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

/// What came of one scene: its rows, each whole, and the lines that people are told.
struct Rows {
    rows: Vec<u8>,
    told: Vec<String>,
    end: End,
}

enum End {
    Audited { is_differing: bool },
    Ignored,
    Failed,
}

/// Writes the rows of each scene, in the order of the scenes whatever finishes first.
pub(crate) fn write(
    arguments: &AuditArguments,
    config: &Config,
    scenes: impl Iterator<Item = Found>,
    tally: &mut Tally,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut scenes = scenes;
    let progress = Progress::new(|| files::count(arguments));
    loop {
        let some: Vec<_> = scenes.by_ref().take(AT_A_TIME).collect();
        if some.is_empty() {
            return out.flush();
        }
        let rows: Vec<_> = some.par_iter().map(|scene| rows(arguments, config, scene)).collect();
        for Rows { rows, told, end } in rows {
            // A row at a time, so that what is written is whole rows.
            for row in rows.split_inclusive(|&byte| byte == b'\n') {
                out.write_all(row)?;
            }
            tally.files += 1;
            match end {
                End::Audited { is_differing } => {
                    tally.differing += u64::from(is_differing);
                    tally.exceeding += u64::from(!told.is_empty());
                }
                End::Ignored => tally.ignored += 1,
                End::Failed => tally.failed += 1,
            }
            progress.say(&told);
        }
        progress.advance(some.len());
    }
}

fn rows(arguments: &AuditArguments, config: &Config, scene: &Found) -> Rows {
    let mut rows = Vec::new();
    let written = "a vector takes whatever is written to it";
    match judge(scene, arguments, config) {
        Judged::Audited(audited) => {
            let (audit, told) = (&audited.audit, audited.exceeded());
            write_file_row(audit, &told, &mut rows).expect(written);
            if let Some(nodes) = arguments.nodes {
                write_node_rows(audit, nodes.into(), &mut rows).expect(written);
            }
            let is_differing = audit.summary.is_differing();
            Rows { rows, told, end: End::Audited { is_differing } }
        }
        Judged::Ignored { source, reason } => {
            write_ignored_row(&source, &reason, &mut rows).expect(written);
            Rows { rows, told: Vec::new(), end: End::Ignored }
        }
        Judged::Failed { source, problem } => {
            write_error_row(&source, &problem, &mut rows).expect(written);
            Rows { rows, told: vec![problem], end: End::Failed }
        }
    }
}
