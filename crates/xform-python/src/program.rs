use std::ffi::OsString;

use pyo3::prelude::*;
use xform_cli::{Invocation, run};

/// Runs the program `xform` with these arguments and returns its exit status. `program` is the command that starts it
/// again.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| run(&Invocation { program, arguments }))
}
