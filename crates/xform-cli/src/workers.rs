//! The processes of this program that work for it, so that a scene that takes all memory or crashes its reader costs itself alone.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, BufReader, BufWriter, ErrorKind, Seek},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, PoisonError, RwLock},
};

use serde::de::DeserializeOwned;
use tempfile::{SpooledTempFile, spooled_tempfile};
use thiserror::Error;
use xform_compare::{ErrorCode, TextStyle};

use crate::{
    arguments::WORK,
    fbx,
    job::Job,
    worker::{self, Hello, TOO_LONG},
};

/// How many bytes that were written are kept in memory; of more, a temporary file is made.
const IN_MEMORY: usize = 1 << 18;

/// Why there is no answer.
#[derive(Debug, Error)]
pub(crate) enum Lost {
    #[error("it takes more memory than there is")]
    Memory,
    #[error("the FBX reader crashed on it, or it takes more memory than it may")]
    Fbx,
    #[error("reading it takes longer than {0} seconds")]
    Time(u64),
    #[error("{} could not be started for it: {error}", program.display())]
    NotStarted { program: PathBuf, error: io::Error },
    #[error("what was written about it could not be kept: {0}")]
    NotKept(io::Error),
}

impl Lost {
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Memory => ErrorCode::OutOfMemory,
            Self::Fbx => ErrorCode::FbxCrash,
            Self::Time(_) => ErrorCode::FbxTimeout,
            Self::NotStarted { .. } | Self::NotKept(_) => ErrorCode::Unreadable,
        }
    }
}

/// Workers that do as this process was told.
pub(crate) struct Workers {
    hello: Hello,
    /// The program and its arguments.
    program: Vec<OsString>,
    idle: Mutex<Vec<Worker>>,
    /// Read while a job is done beside others, written while it is alone.
    alone: RwLock<()>,
}

impl Workers {
    /// None yet; one is started where a job finds no idle one.
    pub(crate) fn new(config: Option<(PathBuf, String)>, style: TextStyle) -> Self {
        let arguments = env::args_os().skip(1).collect();
        let program = vec![this_program().into_os_string(), WORK.into()];
        Self::of(program, Hello { arguments, config, style })
    }

    fn of(program: Vec<OsString>, hello: Hello) -> Self {
        Self { hello, program, idle: Mutex::default(), alone: RwLock::default() }
    }

    /// Has a worker do a job; the answer, and what was written about it. A job that ends its worker is tried once more, while
    /// no other is done: together they may have taken all memory.
    pub(crate) fn answer<T: DeserializeOwned>(
        &self,
        job: &Job,
    ) -> Result<(T, SpooledTempFile), Lost> {
        let together = self.alone.read().unwrap_or_else(PoisonError::into_inner);
        let first = self.asked(job);
        drop(together);
        match first {
            Err(Lost::Memory | Lost::Fbx) => {
                let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
                self.asked(job)
            }
            done => done,
        }
    }

    fn asked<T: DeserializeOwned>(&self, job: &Job) -> Result<(T, SpooledTempFile), Lost> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle().pop();
        let mut worker = match found {
            Some(worker) => worker,
            None => Worker::start(&self.program, &self.hello).map_err(|error| {
                Lost::NotStarted { program: PathBuf::from(&self.program[0]), error }
            })?,
        };
        let mut written = spooled_tempfile(IN_MEMORY);
        match worker.asked(job, &mut written) {
            Ok(answer) => {
                written.rewind().map_err(Lost::NotKept)?;
                idle().push(worker);
                Ok((answer, written))
            }
            Err(error) => Err(worker.lost(job, error)),
        }
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

struct Worker {
    child: Child,
    /// Until it is to end.
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(program: &[OsString], hello: &Hello) -> io::Result<Self> {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().map(BufWriter::new);
        let output = BufReader::new(child.stdout.take().expect("it was asked for"));
        let mut worker = Self { child, input, output };
        // One that has ended already does not answer.
        let _ = worker.input.as_mut().map(|input| worker::write(hello, input));
        Ok(worker)
    }

    fn asked<T: DeserializeOwned>(
        &mut self,
        job: &Job,
        written: &mut SpooledTempFile,
    ) -> io::Result<T> {
        let input = self.input.as_mut().ok_or(ErrorKind::BrokenPipe)?;
        worker::write_job(job, input)?;
        worker::read_answer(&mut self.output, written)
    }

    /// Why it does not answer, by the error that came instead.
    fn lost(mut self, job: &Job, error: io::Error) -> Lost {
        drop(self.input.take());
        if !matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) {
            // It goes on, and nobody will hear it. One that has ended cannot be ended again.
            let _ = self.child.kill();
            return Lost::NotKept(error);
        }
        let is_too_long = self.child.wait().is_ok_and(|status| status.code() == Some(TOO_LONG));
        match job.fbx_len() {
            Some(len) if is_too_long => Lost::Time(fbx::seconds(len)),
            Some(_) => Lost::Fbx,
            None => Lost::Memory,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without input it ends; waited for, so that it does not stay in the list of processes.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
