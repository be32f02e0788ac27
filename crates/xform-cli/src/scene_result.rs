//! The result of auditing a scene, and whether it is within the limits.

use std::{ffi::OsStr, io, io::Write};

use serde::{Deserialize, Serialize};
use xform_compare::{
    Finding, Grade, SceneAudit,
    audit::Problem,
    judge::{exceeded, is_unknown},
};
#[cfg(feature = "parquet")]
use xform_report::parquet::write_parquet_rows;
use xform_report::{DocumentFormat, FindingsFormat, NodeSelection, Part, TextStyle};

use crate::{
    arguments::AuditArguments,
    choices::Format,
    config::Config,
    engines,
    input::{self, InputError},
    job::Job,
    overwritten::{Overwritten, WouldOverwrite},
    scene_argument,
};

/// An audited scene with its findings.
pub(crate) struct Audited {
    pub(crate) audit: SceneAudit,
    /// Empty if they are not needed.
    pub(crate) findings: Vec<Finding>,
}

/// The result for a scene.
pub(crate) enum SceneResult {
    Audited(Box<Audited>),
    /// Not audited, for a reason from the configuration.
    Ignored {
        source: String,
        reason: String,
    },
    Failed(Problem),
}

/// A worker's answer about a scene. Its output comes separately.
#[derive(Deserialize, Serialize)]
pub(crate) enum AuditAnswer {
    /// The grade, [whether it is unknown](is_unknown), the exceeded limits in words, and the part of the document that
    /// the worker's output belongs to.
    Audited {
        grade: Grade,
        is_unknown: bool,
        exceeded: Vec<String>,
        part: Option<Part>,
    },
    Ignored {
        source: String,
        reason: String,
    },
    Failed(Problem),
}

/// The format of the output.
#[derive(Clone, Copy)]
pub(crate) enum AuditFormat {
    Document(DocumentFormat),
    /// The two tables of Parquet.
    #[cfg(feature = "parquet")]
    Tables(NodeSelection),
}

impl AuditFormat {
    fn of(arguments: &AuditArguments, style: TextStyle) -> Self {
        let nodes = arguments.nodes.map(Into::into);
        let all_unless_chosen = nodes.unwrap_or(NodeSelection::All);
        let seen_unless_chosen = nodes.unwrap_or(NodeSelection::Seen);
        let found = |format| DocumentFormat::Findings(format, arguments.max_per_rule);
        if let Some(list) = arguments.list {
            return Self::Document(DocumentFormat::List(list.into()));
        }
        Self::Document(match arguments.format {
            Format::Text => DocumentFormat::Text(style, seen_unless_chosen),
            Format::Json => DocumentFormat::Json(all_unless_chosen),
            Format::Csv => DocumentFormat::Csv(all_unless_chosen),
            Format::Markdown => DocumentFormat::Markdown(seen_unless_chosen),
            Format::Sarif => found(FindingsFormat::Sarif),
            Format::Junit => found(FindingsFormat::Junit),
            Format::Github => found(FindingsFormat::Github),
            Format::Gitlab => found(FindingsFormat::Gitlab),
            Format::Jsonl => DocumentFormat::JsonLines(nodes),
            #[cfg(feature = "parquet")]
            Format::Parquet => return Self::Tables(all_unless_chosen),
        })
    }
}

/// The settings for audits.
#[derive(Clone, Copy)]
pub(crate) struct Auditor<'a> {
    pub(crate) arguments: &'a AuditArguments,
    pub(crate) config: &'a Config,
    pub(crate) overwritten: &'a Overwritten,
    pub(crate) format: AuditFormat,
}

impl<'a> Auditor<'a> {
    /// `style` is that of text at the destination of the output.
    pub(crate) fn new(
        arguments: &'a AuditArguments,
        config: &'a Config,
        overwritten: &'a Overwritten,
        style: TextStyle,
    ) -> Self {
        Self { arguments, config, overwritten, format: AuditFormat::of(arguments, style) }
    }

    /// Audits the scene of a job and collects its findings. Fails only if the output would overwrite an input.
    pub(crate) fn audit(&self, job: &Job) -> Result<SceneResult, WouldOverwrite> {
        let Self { arguments, config, overwritten, .. } = *self;
        let scene: &OsStr = &job.scenes[0];
        // A missing file is not ignored.
        let is_there =
            scene_argument::path(scene).is_some_and(|path| path.symlink_metadata().is_ok());
        if let Some(reason) = config.ignored_file(scene).filter(|_| is_there) {
            let source = scene.to_string_lossy().into_owned();
            return Ok(SceneResult::Ignored { source, reason: reason.to_owned() });
        }
        let is_built_in = scene_argument::built_in(scene).is_some();
        let (settings, engines) = (&arguments.settings, &config.engines);
        let engines = engines::choice(settings, engines, is_built_in);
        match input::audit(scene, job, settings, config, &engines, overwritten) {
            Ok(audit) => {
                // Formats of findings also list those that fail nothing.
                let are_told =
                    matches!(self.format, AuditFormat::Document(DocumentFormat::Findings(..)));
                let are_read = are_told || config.can_fail();
                let findings = if are_read { config.findings(&audit, scene) } else { Vec::new() };
                Ok(SceneResult::Audited(Box::new(Audited { audit, findings })))
            }
            Err(InputError::WouldOverwrite(kept)) => Err(kept),
            Err(error) => Ok(SceneResult::Failed(error.problem(scene))),
        }
    }

    /// Like [`audit`](Self::audit), for another process: also writes the scene's part of the output.
    pub(crate) fn answer(
        &self,
        job: &Job,
        out: &mut dyn Write,
    ) -> io::Result<Result<AuditAnswer, WouldOverwrite>> {
        let audited = match self.audit(job) {
            Ok(SceneResult::Audited(audited)) => audited,
            Ok(SceneResult::Ignored { source, reason }) => {
                return Ok(Ok(AuditAnswer::Ignored { source, reason }));
            }
            Ok(SceneResult::Failed(problem)) => return Ok(Ok(AuditAnswer::Failed(problem))),
            Err(kept) => return Ok(Err(kept)),
        };
        let exceeded = audited.exceeded();
        let Audited { audit, findings } = &*audited;
        let part = match self.format {
            AuditFormat::Document(format) => {
                Some(format.write_audited(audit, findings, &exceeded, out)?)
            }
            #[cfg(feature = "parquet")]
            AuditFormat::Tables(nodes) => {
                write_parquet_rows(audit, &exceeded, Some(nodes), out)?;
                None
            }
        };
        let (grade, is_unknown) = (audit.summary.grade, is_unknown(audit));
        Ok(Ok(AuditAnswer::Audited { grade, is_unknown, exceeded, part }))
    }
}

impl Audited {
    /// Returns a line for each rule that the scene breaks.
    pub(crate) fn exceeded(&self) -> Vec<String> {
        exceeded(&self.audit, &self.findings)
    }
}
