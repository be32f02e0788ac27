use std::{env, ffi::OsString, fs, path::PathBuf};

/// How the program was started.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The command that starts it again as a worker: a program and its first arguments.
    pub program: Vec<OsString>,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
}

impl Invocation {
    /// Returns how this process was started.
    #[must_use]
    pub fn of_this_process() -> Self {
        let program = vec![this_program().into_os_string()];
        Self { program, arguments: env::args_os().skip(1).collect() }
    }
}

/// Returns the path of the running program, even if an update has replaced its file.
fn this_program() -> PathBuf {
    let running = PathBuf::from("/proc/self/exe");
    match fs::read_link(&running) {
        Ok(_) => running,
        Err(_) => env::current_exe().unwrap_or_else(|_| "xform".into()),
    }
}
