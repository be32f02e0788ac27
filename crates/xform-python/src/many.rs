//! Audits many files on all threads. Python can interrupt it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
    mpsc::{self, Receiver},
};

use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyBytes,
};
use xform_compare::{
    Grade,
    audit::{EngineChoice, PhysicsChoice, Problem},
    findings,
    judge::{Limits, exceeded},
};
use xform_report::{
    NodeSelection,
    parquet::{ParquetTables, asset_row, failed_row, write_parquet_rows},
};

use crate::{
    audit::audited,
    engines::{choice, physics_choice},
    pool::{lost, received, spawn},
    problem::Failure,
    source::{Reading, Source, Unread},
};

/// A running audit of several files. When it is dropped, no further files are started.
#[pyclass(frozen)]
pub(crate) struct Run {
    results: Mutex<Receiver<Done>>,
    is_over: Arc<AtomicBool>,
    /// The tables' part of each file.
    parts: Mutex<Vec<Option<Part>>>,
}

struct Done {
    place: usize,
    /// The row as JSON.
    row: String,
    part: Part,
}

/// The part of the tables that belongs to a file.
enum Part {
    Rows(Vec<u8>),
    Failed(Problem),
}

/// The settings with which files are audited.
struct Auditor {
    /// The engines for files and for built-in scenes.
    engines: [EngineChoice; 2],
    physics: PhysicsChoice,
    limits: Limits,
    has_motion: bool,
    has_nodes: bool,
}

#[pymethods]
impl Run {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the package gives each by its name")]
    fn new(
        sources: Vec<Source>,
        engines: Option<Vec<String>>,
        reference: Option<&str>,
        motion: bool,
        physics: Vec<String>,
        collider: Option<&str>,
        nodes: bool,
        max_skew: Option<f64>,
        max_displacement: Option<f64>,
        fail_on: Option<&str>,
        allow_unknown: bool,
    ) -> PyResult<Self> {
        let mut limits = Limits::default();
        limits.max_skew_degrees = max_skew.map(limit).transpose()?;
        limits.max_displacement_percent = max_displacement.map(limit).transpose()?;
        limits.fail_on = fail_on.map(grade).transpose()?;
        limits.allows_unknown = allow_unknown;
        let [of_files, of_built_in] =
            [false, true].map(|is_built_in| choice(engines.clone(), reference, is_built_in));
        let auditor = Arc::new(Auditor {
            engines: [of_files?, of_built_in?],
            physics: physics_choice(&physics, collider)?,
            limits,
            has_motion: motion,
            has_nodes: nodes,
        });
        let (sender, results) = mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let mut parts = Vec::new();
        parts.resize_with(sources.len(), || None);
        for (place, source) in sources.into_iter().enumerate() {
            let (sender, is_over) = (sender.clone(), Arc::clone(&is_over));
            let auditor = Arc::clone(&auditor);
            spawn(move || {
                if !is_over.load(Ordering::Relaxed) {
                    // Fails if the receiver no longer waits.
                    let _ = sender.send(auditor.done(place, &source));
                }
            })?;
        }
        Ok(Self { results: Mutex::new(results), is_over, parts: Mutex::new(parts) })
    }

    /// Waits for the next file to be done. Returns its index, and its row as JSON.
    fn next(&self, py: Python<'_>) -> PyResult<(usize, String)> {
        let Done { place, row, part } = received(py, &self.results)?.ok_or_else(lost)?;
        if let Some(own) = self.parts.lock().map_err(|_| lost())?.get_mut(place) {
            *own = Some(part);
        }
        Ok((place, row))
    }

    /// Stops starting further files.
    fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns the tables of files and nodes that `xform audit --format parquet` writes. All files must be done.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyBytes>; 2]> {
        let failed = |error: std::io::Error| PyRuntimeError::new_err(error.to_string());
        let written = py.detach(|| {
            let parts = self.parts.lock().map_err(|_| lost())?;
            let mut tables = ParquetTables::new(Vec::new(), Vec::new()).map_err(failed)?;
            for part in parts.iter().flatten() {
                match part {
                    Part::Rows(rows) => tables.add(&mut &**rows),
                    Part::Failed(problem) => tables.failed(problem),
                }
                .map_err(failed)?;
            }
            tables.finish().map_err(failed)
        });
        Ok(written?.map(|table| PyBytes::new(py, &table)))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Auditor {
    fn done(&self, place: usize, source: &Source) -> Done {
        let engines = &self.engines[usize::from(source.built_in().is_some())];
        let reading = Reading { has_motion: self.has_motion, is_drawn: false };
        let (row, part) = match audited(source, reading, engines, &self.physics) {
            Ok((_, audit)) => {
                let exceeded = exceeded(&audit, &findings(&audit, &self.limits));
                let nodes = self.has_nodes.then_some(NodeSelection::All);
                let mut rows = Vec::new();
                write_parquet_rows(&audit, &exceeded, nodes, &mut rows)
                    .expect("a vector takes whatever is written to it");
                (asset_row(&audit, &exceeded), Part::Rows(rows))
            }
            Err(unread) => {
                let problem = problem(unread);
                (failed_row(&problem), Part::Failed(problem))
            }
        };
        Done { place, row, part }
    }
}

fn problem(unread: Unread) -> Problem {
    let of_path = |path: std::path::PathBuf, error: &dyn std::fmt::Display| {
        Failure::new(&path.to_string_lossy(), "unreadable", error).0
    };
    match unread {
        Unread::Failure(Failure(problem)) => problem,
        Unread::Directory(path) => of_path(path, &"it is a directory"),
        Unread::Io(error, path) => of_path(path, &error),
    }
}

fn limit(value: f64) -> PyResult<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(PyValueError::new_err(format!("{value}: a limit must be finite and not negative")))
    }
}

fn grade(name: &str) -> PyResult<Grade> {
    let grades = [Grade::Negligible, Grade::Visible, Grade::Severe];
    let found = grades.into_iter().find(|grade| grade.name() == name);
    found.ok_or_else(|| {
        PyValueError::new_err(format!(
            "fail_on is \"negligible\", \"visible\" or \"severe\", not {name:?}"
        ))
    })
}
