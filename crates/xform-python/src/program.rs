use std::ffi::OsString;

use pyo3::prelude::*;
use xform_cli::{Invocation, run};

/// Does what the program `xform` does with these arguments, and returns its exit status. `program` starts it once more.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| run(&Invocation { program, arguments }))
}
