//! FBX files: each is read by a process of its own, since that runs C. A crash costs that file, and no other.

use std::{
    env,
    fs::File,
    io::{self, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use xform_compare::{ErrorCode, Scene};
use xform_fbx::{Converted, Limits, convert};
pub(crate) use xform_fbx::{FbxError, is_fbx};

use crate::{arguments::READ_FBX, open_regular::open_regular};

/// How much memory it may take: in all, and of that ufbx.
const MOST_IN_ALL: u64 = 12 << 30;
const MOST_BY_READER: usize = 2 << 30;

/// How long it may take: in any case, and a megabyte more.
const SECONDS: u64 = 60;
const SECONDS_PER_MEGABYTE: u64 = 2;

/// What it writes first.
const SCENE: u8 = b'S';
const PROBLEM: u8 = b'P';

/// Whether a file is FBX, by its first bytes.
pub(crate) fn is_file(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(1024).read_to_end(&mut head));
    read.is_ok() && is_fbx(&head) || has_name(path)
}

/// Whether a file is FBX by its name.
pub(crate) fn has_name(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx"))
}

/// What comes of a file: a scene, or what is wrong with it; an error of the system where it does not come to that.
pub(crate) type SceneRead = io::Result<Result<Scene, FbxError>>;

/// Reads a file as a scene.
pub(crate) fn read_file(path: &Path, source: &str, is_drawn: bool) -> SceneRead {
    let file = open_regular(path)?;
    let time = time(file.metadata()?.len());
    let converted = of_process(&mut reader()?, Input::File(&file), time)?;
    Ok(converted.and_then(|converted| scene(&converted, source, is_drawn)))
}

/// Reads bytes as a scene.
pub(crate) fn read_bytes(bytes: &[u8], source: &str, is_drawn: bool) -> SceneRead {
    let time = time(bytes.len() as u64);
    let converted = of_process(&mut reader()?, Input::Bytes(bytes), time)?;
    Ok(converted.and_then(|converted| scene(&converted, source, is_drawn)))
}

fn scene(converted: &Converted, source: &str, is_drawn: bool) -> Result<Scene, FbxError> {
    let mut scene = converted.scene(source)?;
    if is_drawn {
        scene.drawing = converted.drawing()?;
    }
    Ok(scene)
}

fn time(len: u64) -> Duration {
    Duration::from_secs(SECONDS + (len >> 20) * SECONDS_PER_MEGABYTE)
}

/// This program, as it reads FBX from its standard input.
fn reader() -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(READ_FBX);
    Ok(command)
}

/// What a process reads.
#[derive(Clone, Copy)]
enum Input<'a> {
    File(&'a File),
    Bytes(&'a [u8]),
}

/// What a process makes of an input within a time.
fn of_process(
    command: &mut Command,
    input: Input<'_>,
    time: Duration,
) -> io::Result<Result<Converted, FbxError>> {
    let deadline = Instant::now() + time;
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match input {
        Input::File(file) => command.stdin(file.try_clone()?).spawn()?,
        Input::Bytes(_) => command.stdin(Stdio::piped()).spawn()?,
    };
    let (sender, receiver) = mpsc::channel();
    let mut stdout = child.stdout.take().expect("it was asked for");
    let stdin = child.stdin.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut answer = Vec::new();
            // What ends early is told by its content.
            let _ = stdout.by_ref().take(MOST_IN_ALL).read_to_end(&mut answer);
            let _ = sender.send(answer);
        });
        if let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, input) {
            // A process that has ended takes no more.
            scope.spawn(move || stdin.write_all(bytes));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let answer = receiver.recv_timeout(left);
        end(&mut child);
        Ok(match answer {
            Ok(answer) => understood(&answer),
            Err(_) => {
                let what = format!("reading it takes longer than {} seconds", time.as_secs());
                Err(FbxError::new(ErrorCode::FbxTimeout, what))
            }
        })
    })
}

/// Ends a process whose answer is there, or will not be waited for.
fn end(child: &mut Child) {
    // One that has ended already needs no end.
    let _ = child.kill();
    let _ = child.wait();
}

fn understood(answer: &[u8]) -> Result<Converted, FbxError> {
    match answer.split_first() {
        Some((&SCENE, scene)) => Converted::from_bytes(scene),
        Some((&PROBLEM, problem)) => {
            let text = String::from_utf8_lossy(problem);
            let (name, message) = text.split_once('\n').unwrap_or(("", &text));
            let known = ErrorCode::ALL.iter().find(|code| code.name() == name);
            Err(FbxError::new(known.copied().unwrap_or(ErrorCode::InvalidFbx), message))
        }
        _ => Err(FbxError::new(
            ErrorCode::FbxCrash,
            "the FBX reader crashed on it, or it takes more memory than it may",
        )),
    }
}

/// Reads FBX from standard input and answers on standard output, as [`of_process`] understands it.
pub(crate) fn answer() -> io::Result<()> {
    limit_memory();
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_IN_ALL).read_to_end(&mut bytes)?;
    limit_time(time(bytes.len() as u64));
    let answer = match convert(&bytes, &Limits::memory(MOST_BY_READER)) {
        Ok(converted) => [&[SCENE], &converted.to_bytes()[..]].concat(),
        Err(FbxError { code, message, .. }) => {
            [&[PROBLEM], code.name().as_bytes(), b"\n", message.as_bytes()].concat()
        }
    };
    io::stdout().lock().write_all(&answer)
}

#[cfg(target_os = "linux")]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::As);
    let least = current.map_or(MOST_IN_ALL, |current| current.min(MOST_IN_ALL));
    // A limit that cannot be set leaves that of the parent.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(least), maximum });
}

/// Ends this process after a time of work, should nobody else do so.
#[cfg(target_os = "linux")]
fn limit_time(time: Duration) {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let seconds = Some(time.as_secs());
    // As with memory.
    let _ = setrlimit(Resource::Cpu, Rlimit { current: seconds, maximum: seconds });
}

/// Elsewhere the limits of [`convert`] hold alone, and the time that the other process waits.
#[cfg(not(target_os = "linux"))]
fn limit_memory() {}

#[cfg(not(target_os = "linux"))]
fn limit_time(_: Duration) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn code(script: &str, input: Input<'_>) -> ErrorCode {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        let read = of_process(&mut shell, input, Duration::from_millis(1500));
        read.expect("a shell runs").expect_err("it is no reader").code
    }

    #[test]
    fn a_reader_that_crashes_hangs_or_says_nonsense_costs_a_file() {
        let none = || Input::Bytes(&[]);
        for crash in ["kill -SEGV $$", "kill -ABRT $$", "exit 7", "true"] {
            assert_eq!(code(crash, none()), ErrorCode::FbxCrash, "{crash}");
        }
        assert_eq!(code("exec sleep 100", none()), ErrorCode::FbxTimeout);
        assert_eq!(code("while :; do :; done", none()), ErrorCode::FbxTimeout);
        for nonsense in ["printf S", "printf S12345678", "printf Pwhat"] {
            assert_eq!(code(nonsense, none()), ErrorCode::InvalidFbx, "{nonsense}");
        }
        assert_eq!(code("printf 'Pfbx-truncated\\nshort'", none()), ErrorCode::FbxTruncated);
        // One that does not read what it is given.
        assert_eq!(code("exit 0", Input::Bytes(&vec![0; 1 << 20])), ErrorCode::FbxCrash);
    }
}
