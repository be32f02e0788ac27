//! The processes of this program that work for it, so that a scene that takes all memory or crashes its reader costs itself alone.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, BufReader, BufWriter, ErrorKind, Seek, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    slice,
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

/// What a worker answers, and what it has written about the job before.
pub(crate) type Answer<T> = Result<(T, SpooledTempFile), Lost>;

/// What is done already, or a job for a worker.
pub(crate) enum Step<D> {
    Done(D),
    Job(Job),
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

    /// Has a worker do one job.
    pub(crate) fn answer<T: DeserializeOwned>(&self, job: &Job) -> Answer<T> {
        self.answers(&[job]).pop().expect("there is one for each job")
    }

    /// Does what is to be done of each step, jobs by a worker.
    pub(crate) fn done<T: DeserializeOwned, D>(
        &self,
        steps: Vec<Step<D>>,
        done: impl Fn(&Job, Answer<T>) -> D,
    ) -> Vec<D> {
        let jobs = steps.iter().filter_map(|step| match step {
            Step::Job(job) => Some(job),
            Step::Done(_) => None,
        });
        let mut answers = self.answers(&jobs.collect::<Vec<_>>()).into_iter();
        let step = |step| match step {
            Step::Done(made) => Some(made),
            Step::Job(job) => answers.next().map(|answer| done(&job, answer)),
        };
        steps.into_iter().filter_map(step).collect()
    }

    /// Has a worker do jobs, one after the other: the answer to each, and what was written about it. A job that ends its worker is
    /// tried once more, while no other is done: together they may have taken all memory.
    fn answers<T: DeserializeOwned>(&self, jobs: &[&Job]) -> Vec<Answer<T>> {
        let mut answers = Vec::with_capacity(jobs.len());
        while answers.len() < jobs.len() {
            let together = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            let lost = self.asked(&jobs[answers.len()..], &mut answers).err();
            drop(together);
            if let Some(Lost::Memory | Lost::Fbx) = lost {
                let next = &jobs[answers.len()];
                let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
                if let Err(lost) = self.asked(slice::from_ref(next), &mut answers) {
                    answers.push(Err(lost));
                }
            } else if let Some(lost) = lost {
                answers.push(Err(lost));
            }
        }
        answers
    }

    /// Asks a worker until it is lost.
    fn asked<T: DeserializeOwned>(
        &self,
        jobs: &[&Job],
        answers: &mut Vec<Answer<T>>,
    ) -> Result<(), Lost> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle().pop();
        let mut worker = match found {
            Some(worker) => worker,
            None => Worker::start(&self.program, &self.hello).map_err(|error| {
                Lost::NotStarted { program: PathBuf::from(&self.program[0]), error }
            })?,
        };
        // One that has ended does not hear of them, and does not answer.
        let _ = worker.tell(jobs);
        for job in jobs {
            match worker.answer() {
                Ok(answer) => answers.push(Ok(answer)),
                Err(error) => return Err(worker.lost(job, error)),
            }
        }
        idle().push(worker);
        Ok(())
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

    fn tell(&mut self, jobs: &[&Job]) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        jobs.iter().try_for_each(|job| worker::write_job(job, input))?;
        input.flush()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> io::Result<(T, SpooledTempFile)> {
        let mut written = spooled_tempfile(IN_MEMORY);
        let answer = worker::read_answer(&mut self.output, &mut written)?;
        written.rewind()?;
        Ok((answer, written))
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
