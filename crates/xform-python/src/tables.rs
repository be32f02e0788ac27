use std::path::PathBuf;

use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyBytes};
use rayon::prelude::*;
use xform_compare::{
    SceneAudit,
    audit::{EngineChoice, PhysicsChoice, Problem},
};
use xform_report::{NodeSelection, parquet::ParquetTables};

use crate::{
    audit::audited,
    engines::physics_choice,
    pool::in_pool,
    problem::Failure,
    source::{Reading, Source, Unread},
};

/// How many files are audited before Python may interrupt, and are in memory at a time.
const AT_A_TIME: usize = 64;

/// The tables that `xform audit --format parquet` writes, as two Parquet files: of files, and of nodes.
#[pyfunction]
#[pyo3(signature = (paths, motion, physics, collider))]
pub(crate) fn audit_tables<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    motion: bool,
    physics: Vec<String>,
    collider: Option<&str>,
) -> PyResult<[Bound<'py, PyBytes>; 2]> {
    let physics = physics_choice(&physics, collider)?;
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
            let audited =
                || some.into_par_iter().map(|path| of_path(path, motion, &physics)).collect();
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

fn of_path(
    path: PathBuf,
    has_motion: bool,
    physics: &PhysicsChoice,
) -> Result<SceneAudit, Problem> {
    let source = Source::Path(path);
    let reading = Reading { has_motion, is_drawn: false };
    let audit = audited(&source, reading, &EngineChoice::usual(), physics);
    let audit = audit.map(|(_, audit)| audit);
    audit.map_err(|unread| match unread {
        Unread::Failure(Failure(problem)) => problem,
        Unread::Directory(path) => {
            Failure::new(&path.to_string_lossy(), "unreadable", &"it is a directory").0
        }
        Unread::Io(error, path) => Failure::new(&path.to_string_lossy(), "unreadable", &error).0,
    })
}
