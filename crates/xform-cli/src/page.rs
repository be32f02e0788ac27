//! Makes the page of one scene, here or in a worker.

use std::{
    ffi::OsStr,
    io::{self, Write},
};

use serde::{Deserialize, Serialize};
use tempfile::SpooledTempFile;
use xform_compare::{audit::Problem, judge::Report};
use xform_report::{IndexEntry, write_html};

use crate::{
    arguments::ReportArguments,
    config::Config,
    input::{self, InputError, Reported},
    job::Job,
    overwritten::Overwritten,
    workers::{Answer, Step},
};

/// The settings for pages.
#[derive(Clone, Copy)]
pub(crate) struct Reporter<'a> {
    pub(crate) arguments: &'a ReportArguments,
    pub(crate) config: &'a Config,
    pub(crate) overwritten: &'a Overwritten,
}

pub(crate) enum Page {
    Here(Box<Report>),
    /// The bytes of a page written by a worker.
    Away(Box<IndexEntry>, SpooledTempFile),
    /// No page, because nothing differs.
    None(Box<IndexEntry>),
}

/// A page, or the reason why there is none.
pub(crate) type Made = Result<Page, Problem>;

/// A worker's answer: the index entry of a scene, and whether a page was written.
#[derive(Deserialize, Serialize)]
pub(crate) struct PageAnswer {
    entry: IndexEntry,
    has_page: bool,
}

impl Reporter<'_> {
    /// Makes the page of a scene, or returns a job for a worker. With `is_only` there is no other scene.
    pub(crate) fn step(self, scene: &OsStr, is_only: bool) -> Step<Made> {
        let failed = |error: InputError| error.problem(scene);
        match Job::new(&[scene]) {
            Ok(job) if job.is_safe_here(is_only) => {
                let page = self.reported(&job, is_only).map(|reported| match reported {
                    Reported::Differs(report) => Page::Here(report),
                    Reported::Alike(audit) => Page::None(Box::new(IndexEntry::new(&audit))),
                });
                Step::Done(page.map_err(failed))
            }
            Ok(job) => Step::Job(job),
            Err(error) => Step::Done(Err(failed(error.into()))),
        }
    }

    /// Writes the page of a job, for another process.
    pub(crate) fn answer(
        self,
        job: &Job,
        out: &mut dyn Write,
    ) -> io::Result<Result<PageAnswer, Problem>> {
        let is_only = false;
        let answer = match self.reported(job, is_only) {
            Ok(Reported::Differs(report)) => {
                write_html(&report, out)?;
                Ok(PageAnswer { entry: IndexEntry::of_report(&report), has_page: true })
            }
            Ok(Reported::Alike(audit)) => {
                Ok(PageAnswer { entry: IndexEntry::new(&audit), has_page: false })
            }
            Err(error) => Err(error.problem(&job.scenes[0])),
        };
        Ok(answer)
    }

    fn reported(self, job: &Job, is_only: bool) -> Result<Reported, InputError> {
        let Self { arguments, config, overwritten } = self;
        let is_wanted = is_only || arguments.all_pages;
        input::report(job, arguments, config, is_wanted, overwritten)
    }
}

impl Page {
    /// Converts the answer of a worker to a page.
    pub(crate) fn of_answer(job: &Job, answer: Answer<Result<PageAnswer, Problem>>) -> Made {
        match answer {
            Ok((answer, written)) => answer.map(|PageAnswer { entry, has_page }| {
                let entry = Box::new(entry);
                if has_page { Self::Away(entry, written) } else { Self::None(entry) }
            }),
            Err(lost) => Err(InputError::from(lost).problem(&job.scenes[0])),
        }
    }

    /// Whether there is a page to write.
    pub(crate) fn is_one(&self) -> bool {
        !matches!(self, Self::None(_))
    }

    pub(crate) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Here(report) => write_html(report, out),
            Self::Away(_, written) => io::copy(written, out).map(|_| ()),
            Self::None(_) => Ok(()),
        }
    }

    /// Returns its entry in the index.
    pub(crate) fn into_entry(self) -> IndexEntry {
        match self {
            Self::Here(report) => IndexEntry::of_report(&report),
            Self::Away(entry, _) | Self::None(entry) => *entry,
        }
    }
}
