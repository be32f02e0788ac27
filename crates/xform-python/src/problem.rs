//! Errors: each is raised as an `XformError`, which the package defines.

use pyo3::{prelude::*, types::PyAnyMethods};
use xform_compare::{CompareError, audit::Problem, judge::ReportError};
use xform_fbx::FbxError;
use xform_scene::gltf::GltfErrors;

/// The problem with a file, as Python raises it.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Problem);

impl Failure {
    pub(crate) fn new(source: &str, code: &'static str, error: &dyn std::fmt::Display) -> Self {
        Self(Problem::of_file(source, code, error))
    }

    pub(crate) fn of_gltf(source: &str, errors: &GltfErrors) -> Self {
        Self(Problem::of_gltf(source, errors))
    }

    pub(crate) fn of_scene(source: &str, error: &CompareError) -> Self {
        Self(Problem::of_scene(source, error))
    }

    pub(crate) fn of_fbx(source: &str, error: &FbxError) -> Self {
        Self::new(source, error.code.name(), error)
    }

    pub(crate) fn of_report(source: &str, error: &ReportError) -> Self {
        match error {
            ReportError::Compare(error) => Self::of_scene(source, error),
            other => Self::new(source, "setting", other),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(problem): Failure) -> Self {
        let text = serde_json::to_string(&problem).unwrap_or_default();
        Python::attach(|py| {
            let made = py
                .import("xform_audit._error")
                .and_then(|module| module.getattr("XformError")?.call_method1("_of_json", (text,)));
            match made {
                Ok(error) => Self::from_value(error),
                Err(error) => error,
            }
        })
    }
}
