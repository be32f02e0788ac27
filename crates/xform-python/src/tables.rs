use std::path::PathBuf;

use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyBytes};
use rayon::prelude::*;
use xform_compare::{
    SceneAudit,
    audit::{EngineChoice, Problem},
    compare_engines,
};
use xform_report::{NodeSelection, parquet::ParquetTables};

use crate::{
    pool::in_pool,
    problem::Failure,
    source::{Reading, Source, Unread},
};

/// How many files are audited before Python may interrupt, and are in memory at a time.
const AT_A_TIME: usize = 64;

/// The tables that `xform audit --format parquet` writes, as two Parquet files: of files, and of nodes.
#[pyfunction]
pub(crate) fn audit_tables<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    motion: bool,
) -> PyResult<[Bound<'py, PyBytes>; 2]> {
    let failed = |error: std::io::Error| PyRuntimeError::new_err(error.to_string());
    let mut tables = ParquetTables::new(Vec::new(), Vec::new()).map_err(failed)?;
    let mut left = paths.into_iter();
    loop {
        let some: Vec<_> = left.by_ref().take(AT_A_TIME).collect();
        if some.is_empty() {
            break;
        }
        py.check_signals()?;
        py.detach(|| {
            let audited = || some.into_par_iter().map(|path| audited(path, motion)).collect();
            let audits: Vec<_> = in_pool(audited)?;
            let mut written = audits.into_iter().map(|audit| match audit {
                Ok(audit) => tables.scene(&audit, 0, NodeSelection::All),
                Err(problem) => tables.failed(&problem),
            });
            written.try_for_each(|written| written.map_err(failed))
        })?;
    }
    Ok(tables.finish().map_err(failed)?.map(|file| PyBytes::new(py, &file)))
}

fn audited(path: PathBuf, has_motion: bool) -> Result<SceneAudit, Problem> {
    let source = Source::Path(path);
    let audit = source.scene(Reading { has_motion, is_drawn: false }).and_then(|scene| {
        let audit = compare_engines(&scene, &EngineChoice::usual());
        audit.map_err(|error| Failure::of_scene(&scene.source, &error).into())
    });
    audit.map_err(|unread| match unread {
        Unread::Failure(Failure(problem)) => problem,
        Unread::Directory(path) => {
            Failure::new(&path.to_string_lossy(), "unreadable", &"it is a directory").0
        }
        Unread::Io(error, path) => Failure::new(&path.to_string_lossy(), "unreadable", &error).0,
    })
}
