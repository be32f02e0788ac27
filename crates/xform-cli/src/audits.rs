//! Audits any number of scenes, a few at a time in workers. A bad scene does not stop the others.

use std::io;
#[cfg(feature = "parquet")]
use std::{io::Write, path::Path};

use tempfile::SpooledTempFile;
use xform_compare::{audit::Problem, judge::is_unknown};
use xform_report::{Document, DocumentFormat, FindingsFormat};
#[cfg(feature = "parquet")]
use xform_report::{NodeSelection, parquet::ParquetTables};
use xform_scene::ErrorCode;

#[cfg(feature = "parquet")]
use crate::arguments::PARQUET_FILES;
use crate::{
    batches,
    failure::Failure,
    files::{self, SceneFile},
    input::{self, InputError},
    job::Job,
    output,
    overwritten::WouldOverwrite,
    progress::Progress,
    scene_result::{AuditAnswer, AuditFormat, Auditor, SceneResult},
    tally::Tally,
    workers::{Answer, Step, Workers},
};

/// The result for one scene.
enum Entry {
    /// Audited by this process.
    Here(SceneResult),
    /// Audited by a worker, with the output that it has written.
    Away(AuditAnswer, SpooledTempFile),
}

/// An audit of scenes.
pub(crate) struct Audits<'a> {
    pub(crate) auditor: Auditor<'a>,
    pub(crate) workers: &'a Workers,
    /// Whether there is only one scene, so that a crash loses nothing else.
    pub(crate) is_only: bool,
}

impl Audits<'_> {
    /// Writes a document. If all scenes are bad, it is written only in formats that programs can still use. By the time
    /// this returns, all problems and exceeded limits have been printed.
    pub(crate) fn write(
        &self,
        scenes: impl Iterator<Item = Result<SceneFile, WouldOverwrite>>,
        format: DocumentFormat,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let progress = self.progress();
        let mut entries = self.entries(scenes, &progress, tally).fuse();
        let is_in_rows = matches!(format, DocumentFormat::JsonLines(_));
        // Nothing is written before there is content.
        let is_written = is_in_rows || matches!(format, DocumentFormat::Findings(..));
        let mut first = Vec::new();
        while !is_written && first.iter().all(Entry::is_failed) {
            match entries.next() {
                Some(Ok(entry)) => first.push(entry),
                Some(Err(kept)) => return Err(kept.into()),
                None if first.is_empty() => break,
                None => return Err(Failure(Vec::new())),
            }
        }
        let mut entries = first.into_iter().map(Ok).chain(entries);
        let path = &self.auditor.arguments.output;
        let are_commands = matches!(format, DocumentFormat::Findings(FindingsFormat::Github, _));
        let written = output::write_lines(path, are_commands, |out| {
            let mut document = Document::new(format, out)?;
            for entry in entries.by_ref() {
                match entry.map_err(io::Error::other)? {
                    Entry::Here(SceneResult::Audited(audited)) => {
                        let exceeded = audited.exceeded();
                        document.add_audited(&audited.audit, &audited.findings, &exceeded)
                    }
                    Entry::Away(AuditAnswer::Audited { part, .. }, mut written) => {
                        part.map_or(Ok(()), |part| document.add(part, &mut written))
                    }
                    Entry::Here(SceneResult::Ignored { source, reason })
                    | Entry::Away(AuditAnswer::Ignored { source, reason }, _) => {
                        if !is_in_rows {
                            progress.say(&[format!("{source}: ignored: {reason}")]);
                        }
                        document.add_ignored(&source, &reason)
                    }
                    Entry::Here(SceneResult::Failed(problem))
                    | Entry::Away(AuditAnswer::Failed(problem), _) => document.add_failed(problem),
                }?;
            }
            document.finish()
        });
        written?;
        // If the reader stopped early, the remaining scenes still count.
        entries.for_each(drop);
        Ok(())
    }

    /// Writes two tables, scene by scene, each as a whole or not at all.
    #[cfg(feature = "parquet")]
    pub(crate) fn write_tables(
        &self,
        scenes: impl Iterator<Item = Result<SceneFile, WouldOverwrite>>,
        nodes: NodeSelection,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let folder = &self.auditor.arguments.output;
        if folder == Path::new("-") {
            return Err("--format parquet needs --output FOLDER".into());
        }
        let progress = self.progress();
        let written = output::write_into(folder, PARQUET_FILES, |[assets, of_nodes]| {
            let mut tables = ParquetTables::new(assets, of_nodes)?;
            for entry in self.entries(scenes, &progress, tally) {
                match entry.map_err(io::Error::other)? {
                    Entry::Here(SceneResult::Audited(audited)) => {
                        tables.scene(&audited.audit, &audited.exceeded(), nodes)
                    }
                    Entry::Away(AuditAnswer::Audited { .. }, mut written) => {
                        tables.add(&mut written)
                    }
                    Entry::Here(SceneResult::Ignored { source, reason })
                    | Entry::Away(AuditAnswer::Ignored { source, reason }, _) => {
                        tables.ignored(&source, &reason)
                    }
                    Entry::Here(SceneResult::Failed(problem))
                    | Entry::Away(AuditAnswer::Failed(problem), _) => tables.failed(&problem),
                }?;
            }
            tables.finish()?.into_iter().try_for_each(Write::flush)
        });
        Ok(written?)
    }

    /// Returns a progress bar over all scenes. It is hidden if the output goes to the same terminal.
    fn progress(&self) -> Progress {
        let arguments = self.auditor.arguments;
        let is_shown = output::is_terminal(&arguments.output);
        Progress::new(arguments.quiet || is_shown, || files::count(arguments))
    }

    /// Returns the results in the order of the scenes, whichever finishes first. The problems and exceeded limits of a
    /// scene have been printed when its entry is returned.
    fn entries(
        &self,
        scenes: impl Iterator<Item = Result<SceneFile, WouldOverwrite>>,
        progress: &Progress,
        tally: &mut Tally,
    ) -> impl Iterator<Item = Result<Entry, WouldOverwrite>> {
        let entries = batches::made(scenes, progress, |scenes| self.audited(scenes));
        entries.map(|entry| {
            let entry = entry.and_then(|entry| entry)?;
            let lines = match &entry {
                Entry::Here(SceneResult::Audited(audited)) => {
                    let exceeded = audited.exceeded();
                    let audit = &audited.audit;
                    let is_exceeding = !exceeded.is_empty();
                    tally.add_audited(audit.summary.grade, is_unknown(audit), is_exceeding);
                    exceeded
                }
                Entry::Away(AuditAnswer::Audited { grade, is_unknown, exceeded, .. }, _) => {
                    tally.add_audited(*grade, *is_unknown, !exceeded.is_empty());
                    exceeded.clone()
                }
                Entry::Here(SceneResult::Ignored { .. })
                | Entry::Away(AuditAnswer::Ignored { .. }, _) => {
                    tally.add_ignored();
                    Vec::new()
                }
                Entry::Here(SceneResult::Failed(problem))
                | Entry::Away(AuditAnswer::Failed(problem), _) => {
                    tally.add_failed();
                    problem.lines().collect()
                }
            };
            progress.say(&lines);
            Ok(entry)
        })
    }

    /// Adds the possible repairs, for a person who asks about one file. For a library this would take as long as the
    /// audit itself.
    fn tried(&self, job: &Job, mut result: SceneResult) -> SceneResult {
        let is_text =
            matches!(self.auditor.format, AuditFormat::Document(DocumentFormat::Text(..)));
        if let SceneResult::Audited(audited) = &mut result
            && self.is_only
            && is_text
        {
            input::try_repairs(&job.scenes[0], &mut audited.audit);
        }
        result
    }

    /// Audits scenes, here or in a worker.
    fn audited(&self, found: &[SceneFile]) -> Vec<Result<Entry, WouldOverwrite>> {
        let failed = |problem| Ok(Entry::Here(SceneResult::Failed(problem)));
        let step = |found: &SceneFile| {
            let job = match found {
                Ok(scene) => {
                    Job::new(&[scene]).map_err(|error| InputError::from(error).problem(scene))
                }
                Err(line) => Err(Problem::new("", ErrorCode::Unreadable.name(), "", line)),
            };
            match job {
                Ok(job) if job.is_safe_here(self.is_only) => {
                    let result = self.auditor.audit(&job);
                    Step::Done(result.map(|result| Entry::Here(self.tried(&job, result))))
                }
                Ok(job) => Step::Job(job),
                Err(problem) => Step::Done(failed(problem)),
            }
        };
        let done = |job: &Job, answer: Answer<Result<AuditAnswer, WouldOverwrite>>| match answer {
            Ok((answer, written)) => answer.map(|answer| Entry::Away(answer, written)),
            Err(lost) => failed(InputError::from(lost).problem(&job.scenes[0])),
        };
        self.workers.done(found.iter().map(step).collect(), done)
    }
}

impl Entry {
    fn is_failed(&self) -> bool {
        matches!(self, Self::Here(SceneResult::Failed(_)) | Self::Away(AuditAnswer::Failed(_), _))
    }
}
