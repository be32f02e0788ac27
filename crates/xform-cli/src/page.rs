//! The page about one scene, made here or by a worker.

use std::{
    ffi::OsStr,
    io::{self, Write},
};

use tempfile::SpooledTempFile;
use xform_compare::{audit::Problem, judge::Report};
use xform_report::{IndexEntry, write_html};

use crate::{
    arguments::ReportArguments,
    input::{self, InputError},
    job::Job,
    overwritten::Overwritten,
    workers::{Answer, Step},
};

pub(crate) enum Page {
    Here(Box<Report>),
    /// The bytes of a page that a worker has written.
    Away(Box<IndexEntry>, SpooledTempFile),
}

/// A page, or why there is none.
pub(crate) type Made = Result<Page, Problem>;

impl Page {
    /// Of a scene, or a job for a worker. `is_only`: it is the only one.
    pub(crate) fn step(
        scene: &OsStr,
        arguments: &ReportArguments,
        overwritten: &Overwritten,
        is_only: bool,
    ) -> Step<Made> {
        let failed = |error: InputError| error.problem(scene);
        match Job::new(&[scene]) {
            Ok(job) if job.is_safe_here(is_only) => {
                let report = input::report(&job, arguments, overwritten);
                Step::Done(report.map(|report| Self::Here(Box::new(report))).map_err(failed))
            }
            Ok(job) => Step::Job(job),
            Err(error) => Step::Done(Err(failed(error.into()))),
        }
    }

    /// What a worker has made.
    pub(crate) fn of_answer(job: &Job, answer: Answer<Result<IndexEntry, Problem>>) -> Made {
        match answer {
            Ok((entry, written)) => entry.map(|entry| Self::Away(Box::new(entry), written)),
            Err(lost) => Err(InputError::from(lost).problem(&job.scenes[0])),
        }
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
