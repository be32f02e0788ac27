use std::{env, ffi::OsString, fs, path::PathBuf};

/// How the program was called.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What starts it once more, to work for this process: a program and its first arguments.
    pub program: Vec<OsString>,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
}

impl Invocation {
    /// That of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        let program = vec![this_program().into_os_string()];
        Self { program, arguments: env::args_os().skip(1).collect() }
    }
}

/// This program as it runs, which an update may have replaced by another.
fn this_program() -> PathBuf {
    let running = PathBuf::from("/proc/self/exe");
    match fs::read_link(&running) {
        Ok(_) => running,
        Err(_) => env::current_exe().unwrap_or_else(|_| "xform".into()),
    }
}
