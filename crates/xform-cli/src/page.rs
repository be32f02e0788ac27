//! The page about one scene, made here or by a worker.

use std::{
    ffi::OsStr,
    io::{self, Write},
};

use tempfile::SpooledTempFile;
use xform_compare::{IndexEntry, Problem, Report, write_html};

use crate::{
    arguments::ReportArguments,
    input::{self, InputError},
    job::Job,
    overwritten::Overwritten,
    workers::Workers,
};

pub(crate) enum Page {
    Here(Box<Report>),
    /// The bytes of a page that a worker has written.
    Away(IndexEntry, SpooledTempFile),
}

impl Page {
    /// Of a scene. `is_only`: it is the only one.
    pub(crate) fn new(
        scene: &OsStr,
        arguments: &ReportArguments,
        overwritten: &Overwritten,
        workers: &Workers,
        is_only: bool,
    ) -> Result<Self, Problem> {
        let failed = |error: InputError| error.problem(scene);
        let job = Job::new(&[scene]).map_err(|error| failed(error.into()))?;
        if job.is_safe_here(is_only) {
            let report = input::report(&job, arguments, overwritten).map_err(failed)?;
            return Ok(Self::Here(Box::new(report)));
        }
        let answer = workers.answer::<Result<IndexEntry, Problem>>(&job);
        let (entry, written) = answer.map_err(|lost| failed(lost.into()))?;
        Ok(Self::Away(entry?, written))
    }

    pub(crate) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Here(report) => write_html(report, out),
            Self::Away(_, written) => io::copy(written, out).map(|_| ()),
        }
    }

    /// What an index says of it, by the name that it has beside the index.
    pub(crate) fn into_entry(self, name: &str) -> IndexEntry {
        match self {
            Self::Here(report) => IndexEntry::new(&report.audit, name),
            Self::Away(entry, _) => entry.with_page(name),
        }
    }
}

/// Writes the page of a job, for another process.
pub(crate) fn answer(
    job: &Job,
    arguments: &ReportArguments,
    overwritten: &Overwritten,
    out: &mut dyn Write,
) -> io::Result<Result<IndexEntry, Problem>> {
    let report = match input::report(job, arguments, overwritten) {
        Ok(report) => report,
        Err(error) => return Ok(Err(error.problem(&job.scenes[0]))),
    };
    write_html(&report, out)?;
    Ok(Ok(IndexEntry::new(&report.audit, "")))
}
