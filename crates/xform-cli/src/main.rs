//! The program `xform`.

use std::process::ExitCode;

use xform_cli::{Invocation, run};

fn main() -> ExitCode {
    ExitCode::from(run(&Invocation::of_this_process()))
}
