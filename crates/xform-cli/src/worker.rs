//! The worker's end of the protocol; [`workers`](crate::workers) has the other end. A worker is a process that was
//! started by another process of this program. It receives a command line and then one job after another, and answers
//! each.
//!
//! A message is its length in four bytes, followed by JSON. A job is followed by the content of standard input, if it
//! needs that. An answer is preceded by the output, in pieces with their lengths, of which the last is empty.

use std::{
    ffi::OsString,
    io::{self, BufWriter, Read, Write},
    iter,
    path::PathBuf,
    process,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use clap::Parser;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use xform_report::TextStyle;

use crate::{arguments::Arguments, cores::cores, job::Job};

/// The size in bytes from which a scene gets several threads.
const LARGE: u64 = 1 << 20;

/// The first message to a worker.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Hello {
    pub(crate) arguments: Vec<OsString>,
    /// The configuration, which may come from a pipe, and its path.
    pub(crate) config: Option<(PathBuf, String)>,
    /// The style of text at the destination of the output.
    pub(crate) style: TextStyle,
}

/// A job, before the bytes of standard input.
#[derive(Deserialize, Serialize)]
struct Request {
    scenes: Vec<OsString>,
    standard_input: Option<u64>,
}

/// The first message, and a channel for jobs.
pub(crate) struct Told {
    pub(crate) hello: Hello,
    jobs: Receiver<Job>,
}

/// Listens to the process that has started this one.
pub(crate) fn told() -> io::Result<Told> {
    let hello = read(&mut io::stdin().lock())?;
    let (sender, jobs) = mpsc::channel();
    thread::Builder::new().spawn(move || listen(&sender))?;
    Ok(Told { hello, jobs })
}

impl Told {
    /// Parses the command line.
    pub(crate) fn arguments(&self) -> Result<Arguments, clap::Error> {
        let program = OsString::from("xform");
        Arguments::try_parse_from(iter::once(&program).chain(&self.hello.arguments))
    }

    /// Answers jobs until there are no more.
    pub(crate) fn answer_all<T: Send + Serialize>(
        self,
        answer: impl Fn(&Job, &mut dyn Write) -> io::Result<T> + Sync,
    ) -> io::Result<()> {
        // Other workers run in parallel, so this thread works alone. But a large scene may be the last one running, so
        // it gets all cores.
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        pool.map_err(io::Error::other)?;
        let mut out = BufWriter::new(io::stdout());
        self.jobs.iter().try_for_each(|job| {
            let mut written = Pieces(&mut out);
            let answer = if job.len() < LARGE {
                answer(&job, &mut written)
            } else {
                ThreadPoolBuilder::new()
                    .num_threads(cores())
                    .build()
                    .map_err(io::Error::other)?
                    .install(|| answer(&job, &mut written))
            }?;
            written.end()?;
            write(&answer, &mut out)?;
            out.flush()
        })
    }
}

/// Receives jobs as they come. The sender may end at any time, for instance by a signal; then this process ends too.
fn listen(jobs: &Sender<Job>) {
    let mut input = io::stdin().lock();
    while let Ok(job) = read_job(&mut input) {
        // Fails only once this process is ending.
        let _ = jobs.send(job);
    }
    process::exit(0);
}

fn read_job(input: &mut impl Read) -> io::Result<Job> {
    let Request { scenes, standard_input } = read(input)?;
    Ok(Job {
        scenes,
        standard_input: standard_input.map(|len| read_bytes(len, input)).transpose()?,
    })
}

/// Sends a job to a worker.
pub(crate) fn write_job(job: &Job, out: &mut impl Write) -> io::Result<()> {
    let bytes = job.standard_input.as_deref();
    let standard_input = bytes.map(|bytes| bytes.len() as u64);
    write(&Request { scenes: job.scenes.clone(), standard_input }, out)?;
    out.write_all(bytes.unwrap_or_default())
}

/// Reads an answer and the output before it.
pub(crate) fn read_answer<T: DeserializeOwned>(
    input: &mut impl Read,
    written: &mut impl Write,
) -> io::Result<T> {
    loop {
        let len = read_len(input)?;
        if len == 0 {
            return read(input);
        }
        if io::copy(&mut input.take(len.into()), written)? != u64::from(len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Writes the output before an answer, in pieces.
struct Pieces<'a, W>(&'a mut W);

impl<W: Write> Pieces<'_, W> {
    fn end(self) -> io::Result<()> {
        self.0.write_all(&0_u32.to_le_bytes())
    }
}

impl<W: Write> Write for Pieces<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.0.write_all(&len.to_le_bytes())?;
        self.0.write_all(&bytes[..len as usize])?;
        Ok(len as usize)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn read_len(input: &mut impl Read) -> io::Result<u32> {
    let mut len = [0; 4];
    input.read_exact(&mut len)?;
    Ok(u32::from_le_bytes(len))
}

fn read<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<T> {
    let len = read_len(input)?;
    Ok(serde_json::from_slice(&read_bytes(len.into(), input)?)?)
}

fn read_bytes(len: u64, input: &mut impl Read) -> io::Result<Vec<u8>> {
    // Allocates for the bytes that arrive, not for the length announced.
    let mut bytes = Vec::new();
    if input.take(len).read_to_end(&mut bytes)? as u64 == len {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Writes a message.
pub(crate) fn write(message: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let message = serde_json::to_vec(message)?;
    let len = u32::try_from(message.len()).map_err(io::Error::other)?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(&message)
}
