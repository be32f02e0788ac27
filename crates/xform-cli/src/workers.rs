//! Worker processes of this program, so that a scene that takes all memory or crashes its reader costs only itself.

// Scenes are processed in processes that can be started again. A scene may take all memory, and FBX is read by C code
// that may crash; both end a process. So of many scenes, and for FBX, each is audited by a worker: this program once
// more, which receives the command line and one job after another. It answers with the finished part of the document or
// page, so nothing large is read twice; the parent combines the parts. A job that ends its worker is tried once more
// while no other job runs, because together they may have taken all memory.
//
// Before, the memory of a scene was guessed from its JSON, and whether the guess held depended on what the C library
// and its threads reserve. 10 000 small files take 1.00 to 1.05 of the time they took then (`xform audit FOLDER
// --format jsonl`, before and after, five pairs): a worker gets four jobs at a time and works on one thread, and a
// scene of 1 MiB or more gets all cores.

use std::{
    ffi::OsString,
    fs,
    io::{self, BufReader, BufWriter, ErrorKind, Seek, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    slice,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use serde::de::DeserializeOwned;
use tempfile::{SpooledTempFile, spooled_tempfile};
use thiserror::Error;
use xform_report::TextStyle;
use xform_scene::ErrorCode;

use crate::{
    arguments::WORK,
    fbx,
    invocation::Invocation,
    job::Job,
    worker::{self, Hello},
};

/// The most output in bytes that is kept in memory. More goes to a temporary file.
pub(crate) const IN_MEMORY: usize = 1 << 18;

/// The reasons why there is no answer.
#[derive(Debug, Error)]
pub(crate) enum Lost {
    #[error("it needs more memory than available, or xform crashed on it")]
    Memory,
    #[error("the FBX reader crashed on it, or it needs more memory than allowed")]
    Fbx,
    #[error("reading it takes longer than {0} seconds")]
    Time(u64),
    #[error("{}", not_started(program, error))]
    NotStarted { program: PathBuf, error: io::Error },
    #[error("the output about it could not be stored: {0}")]
    NotKept(io::Error),
}

/// Describes that the program cannot be started again, which is not the fault of the file.
fn not_started(program: &Path, error: &io::Error) -> String {
    // The running program by its own name, instead of the link in `/proc`.
    let named = fs::read_link(program).ok().filter(|_| program.starts_with("/proc"));
    let program = named.as_deref().unwrap_or(program).display();
    let why = match error.kind() {
        ErrorKind::WouldBlock => "the system allows no more processes (`ulimit -u`)".to_owned(),
        _ => error.to_string(),
    };
    format!("it was not read, because {program} could not be started to read it: {why}")
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

/// The answer of a worker, and the output before it.
pub(crate) type Answer<T> = Result<(T, SpooledTempFile), Lost>;

/// A finished result, or a job for a worker.
pub(crate) enum Step<D> {
    Done(D),
    Job(Job),
}

/// A pool of workers with the command line of this process.
pub(crate) struct Workers {
    hello: Hello,
    /// The program and its arguments.
    program: Vec<OsString>,
    idle: Mutex<Vec<Worker>>,
    /// Locked for reading while a job runs beside others, for writing while one runs alone.
    alone: RwLock<()>,
}

impl Workers {
    /// Creates an empty pool. A worker is started when a job finds none idle.
    pub(crate) fn new(
        invocation: &Invocation,
        config: Option<(PathBuf, String)>,
        style: TextStyle,
    ) -> Self {
        let Invocation { program, arguments } = invocation.clone();
        let program = [program, vec![WORK.into()]].concat();
        Self::of(program, Hello { arguments, config, style })
    }

    fn of(program: Vec<OsString>, hello: Hello) -> Self {
        Self { hello, program, idle: Mutex::default(), alone: RwLock::default() }
    }

    /// Runs one job in a worker.
    pub(crate) fn answer<T: DeserializeOwned>(&self, job: &Job) -> Answer<T> {
        self.answers(&[job]).pop().expect("there is one for each job")
    }

    /// Completes steps: jobs are run by a worker and converted by `done`.
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

    /// Runs jobs in a worker, one after another, and returns the answer to each with the output. A job that ends its
    /// worker is tried once more while no other runs: together they may have taken all memory.
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

    /// Sends jobs to a worker and reads answers until all have come or the worker is lost.
    fn asked<T: DeserializeOwned>(
        &self,
        jobs: &[&Job],
        answers: &mut Vec<Answer<T>>,
    ) -> Result<(), Lost> {
        let idle = || lock(&self.idle);
        let found = idle().pop();
        let mut worker = match found {
            Some(worker) => worker,
            None => Worker::start(&self.program, &self.hello).map_err(|error| {
                Lost::NotStarted { program: PathBuf::from(&self.program[0]), error }
            })?,
        };
        // A worker that has ended does not receive them and does not answer, which is noticed below.
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

/// The running workers. A signal that ends the program ends them first, so that none remains, running or as a zombie.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all workers. No worker can be started while the returned guard is held.
pub(crate) fn end_all() -> impl Sized {
    let running = lock(&RUNNING);
    for child in running.iter() {
        let mut child = lock(child);
        // Fails only if it has already ended.
        let _ = child.kill();
        let _ = child.wait();
    }
    running
}

struct Worker {
    child: Arc<Mutex<Child>>,
    /// Dropped to end the worker.
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(program: &[OsString], hello: &Hello) -> io::Result<Self> {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = lock(&RUNNING);
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().map(BufWriter::new);
        let output = BufReader::new(child.stdout.take().expect("it was asked for"));
        let child = Arc::new(Mutex::new(child));
        running.push(Arc::clone(&child));
        drop(running);
        let mut worker = Self { child, input, output };
        // If it has already ended, the missing answer reports it.
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

    /// Returns why there is no answer, given the error while reading it.
    fn lost(mut self, job: &Job, error: io::Error) -> Lost {
        drop(self.input.take());
        if !matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) {
            // The worker is still running and nobody will read its output. Killing fails only if it has already ended.
            let _ = lock(&self.child).kill();
            return Lost::NotKept(error);
        }
        let is_too_long =
            lock(&self.child).wait().is_ok_and(|status| status.code() == Some(fbx::TOO_LONG));
        match job.fbx_len() {
            Some(len) if is_too_long => Lost::Time(fbx::seconds(len)),
            Some(_) => Lost::Fbx,
            None => Lost::Memory,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker ends without input. Waiting removes it from the list of processes.
        drop(self.input.take());
        let _ = lock(&self.child).wait();
        lock(&RUNNING).retain(|child| !Arc::ptr_eq(child, &self.child));
    }
}

#[cfg(test)]
#[cfg(all(unix, feature = "fbx"))]
mod tests {
    use std::io::Read;

    use tempfile::tempdir;

    use super::*;

    /// The answer of a worker without output.
    const NULL: &str = r"printf '\0\0\0\0\4\0\0\0null'";

    /// Shells with this script in place of workers.
    fn workers(script: &str) -> Workers {
        let program = ["sh", "-c", script].map(OsString::from).to_vec();
        let style = TextStyle::default();
        Workers::of(program, Hello { arguments: Vec::new(), config: None, style })
    }

    fn job(standard_input: &[u8]) -> Job {
        Job { scenes: vec!["-".into()], standard_input: Some(standard_input.to_vec()) }
    }

    fn fbx() -> Job {
        job(b"Kaydara FBX Binary  \0")
    }

    fn lost(script: &str, job: &Job) -> ErrorCode {
        match workers(script).answer::<()>(job) {
            Ok(_) => panic!("{script}: answered"),
            Err(lost) => lost.code(),
        }
    }

    #[test]
    fn a_worker_that_crashes_gives_up_or_says_nonsense_costs_its_job() {
        let (fbx, gltf) = (fbx(), job(b"{}"));
        for crash in ["kill -SEGV $$", "kill -ABRT $$", "kill -KILL $$", "exit 7", "true"] {
            assert_eq!(lost(crash, &fbx), ErrorCode::FbxCrash, "{crash}");
            assert_eq!(lost(crash, &gltf), ErrorCode::OutOfMemory, "{crash}");
        }
        assert_eq!(lost("exit 124", &fbx), ErrorCode::FbxTimeout);
        let nonsense = r"printf '\0\0\0\0\4\0\0\0what'; cat";
        assert_eq!(lost(nonsense, &gltf), ErrorCode::Unreadable);
        // The answer is cut short.
        for cut in [r"printf '\0\0\0\0\377\377\377\377null'", r"printf '\377\377\377\377'"] {
            assert_eq!(lost(cut, &gltf), ErrorCode::OutOfMemory, "{cut}");
        }
        // A worker that does not read its jobs.
        assert_eq!(lost("exit 0", &job(&vec![0; 1 << 20])), ErrorCode::OutOfMemory);
    }

    #[test]
    fn a_worker_that_cannot_be_started_is_named() {
        let style = TextStyle::default();
        let hello = Hello { arguments: Vec::new(), config: None, style };
        let workers = Workers::of(vec!["/nowhere/xform".into()], hello);
        let lost = workers.answer::<()>(&job(b"")).map(drop).unwrap_err();
        let told = "it was not read, because /nowhere/xform could not be started to read it: ";
        assert!(lost.to_string().starts_with(told), "{lost}");
    }

    #[test]
    fn what_was_written_comes_with_the_answer() {
        let half = r"printf '\3\0\0\0abc\2\0\0\0de'";
        assert!(workers(half).answer::<()>(&job(b"")).is_err());
        let script = format!(r"printf '\3\0\0\0abc\2\0\0\0de'; {NULL}; cat");
        let ((), mut written) = workers(&script).answer(&job(b"")).unwrap();
        let mut text = String::new();
        written.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcde");
    }

    /// The second of three jobs ends its worker each time; the third gets a new worker.
    #[test]
    fn the_jobs_beside_one_that_ends_its_worker_are_done() {
        let folder = tempdir().unwrap();
        let count = folder.path().join("started");
        let script = format!(
            r#"echo >> "{0}"; case $(wc -l < "{0}") in
                *1) {NULL} ;;
                *2) ;;
                *3) {NULL}; cat ;;
            esac"#,
            count.display()
        );
        let jobs = [job(b"a"), job(b"b"), job(b"c")];
        let answers = workers(&script).answers::<()>(&jobs.each_ref());
        let is_answered: Vec<_> = answers.iter().map(Result::is_ok).collect();
        assert_eq!(is_answered, [true, false, true]);
    }

    #[test]
    fn a_job_that_fails_beside_others_is_tried_alone() {
        let folder = tempdir().unwrap();
        let tried = folder.path().join("tried");
        let script = format!(r#"mkdir "{}" || {{ {NULL}; cat; }}"#, tried.display());
        assert!(workers(&script).answer::<()>(&job(b"")).is_ok());
    }
}
