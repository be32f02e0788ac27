//! An audit of any number of scenes, a few at a time on all cores, written as it goes.

use std::io::{self, Write};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_compare::{findings, write_error_row, write_file_row, write_node_rows};

use crate::{
    arguments::AuditArguments,
    files::{self, Found},
    input, limits,
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
    pub(crate) failed: u64,
}

/// What came of one scene: its rows, each whole, and the lines that people are told.
struct Rows {
    rows: Vec<u8>,
    told: Vec<String>,
    is_differing: bool,
    is_failed: bool,
}

/// Writes the rows of each scene, in the order of the scenes whatever finishes first.
pub(crate) fn write(
    arguments: &AuditArguments,
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
        let rows: Vec<_> = some.par_iter().map(|scene| rows(arguments, scene)).collect();
        for Rows { rows, told, is_differing, is_failed } in rows {
            // A row at a time, so that what is written is whole rows.
            for row in rows.split_inclusive(|&byte| byte == b'\n') {
                out.write_all(row)?;
            }
            tally.files += 1;
            tally.differing += u64::from(is_differing);
            tally.failed += u64::from(is_failed);
            tally.exceeding += u64::from(!is_failed && !told.is_empty());
            progress.say(&told);
        }
        progress.advance(some.len());
    }
}

fn rows(arguments: &AuditArguments, scene: &Found) -> Rows {
    let mut rows = Vec::new();
    let written = "a vector takes whatever is written to it";
    let audit = match scene {
        Ok(scene) => input::audit(scene, &arguments.settings)
            .map_err(|line| (scene.to_string_lossy().into_owned(), line)),
        Err(line) => Err((String::new(), line.clone())),
    };
    match audit {
        Ok(audit) => {
            let told = limits::exceeded(&audit, &findings(&audit, &arguments.limits()));
            write_file_row(&audit, &told, &mut rows).expect(written);
            if let Some(nodes) = arguments.nodes {
                write_node_rows(&audit, nodes.into(), &mut rows).expect(written);
            }
            let is_differing = audit.summary.is_differing();
            Rows { rows, told, is_differing, is_failed: false }
        }
        Err((source, line)) => {
            write_error_row(&source, &line, &mut rows).expect(written);
            Rows { rows, told: vec![line], is_differing: false, is_failed: true }
        }
    }
}
