//! What came of a scene, and whether it is allowed.

use std::{borrow::Borrow, collections::BTreeMap};

use xform_compare::{ErrorCode, Finding, Problem, SceneAudit};

use crate::{
    arguments::{AuditArguments, Format},
    config::Config,
    engines,
    files::{self, Found},
    input::{self, InputError},
    memory::{Fit, Memory, check_fit},
    output,
    overwritten::{Kept, Overwritten},
    progress::Progress,
    scene_argument,
};

/// A scene that was audited, and what of it is worth saying.
pub(crate) struct Audited {
    pub(crate) audit: SceneAudit,
    /// Empty where nobody reads them.
    pub(crate) findings: Vec<Finding>,
}

/// What the writers take.
impl Borrow<SceneAudit> for Audited {
    fn borrow(&self) -> &SceneAudit {
        &self.audit
    }
}

/// What came of a scene.
pub(crate) enum SceneResult {
    Audited(Box<Audited>),
    /// Not audited, for the reason that the configuration gives.
    Ignored {
        source: String,
        reason: String,
    },
    Failed(Problem),
}

/// How scenes are audited.
#[derive(Clone, Copy)]
pub(crate) struct Auditor<'a> {
    pub(crate) arguments: &'a AuditArguments,
    pub(crate) config: &'a Config,
    pub(crate) overwritten: &'a Overwritten,
    pub(crate) memory: Memory,
}

impl Auditor<'_> {
    /// How far the audit of all scenes is; not told where the output goes to the same terminal meanwhile.
    pub(crate) fn progress(&self) -> Progress {
        let is_shown = output::is_terminal(&self.arguments.output);
        Progress::new(self.arguments.quiet || is_shown, || files::count(self.arguments))
    }

    /// Audits a scene and finds what of it is worth saying; fails only where the output would overwrite what it reads.
    pub(crate) fn audit(&self, found: &Found, fit: Fit) -> Result<SceneResult, Kept> {
        let Self { arguments, config, overwritten, .. } = *self;
        let scene = match found {
            Ok(scene) => scene,
            Err(line) => {
                let problem = Problem::new("", ErrorCode::Unreadable.name(), "", line);
                return Ok(SceneResult::Failed(problem));
            }
        };
        let source = scene.to_string_lossy().into_owned();
        if let Some(reason) = config.ignored_file(scene) {
            return Ok(SceneResult::Ignored { source, reason: reason.to_owned() });
        }
        let settings = &arguments.settings;
        let alone = ["audit", "--no-config", "--quiet", "--format", "jsonl", "--nodes", "all"];
        let audit = check_fit(fit, scene, &alone, settings).and_then(|()| {
            let is_built_in = scene_argument::built_in(scene).is_some();
            let engines = engines::choice(settings, &config.engines, is_built_in);
            input::audit(scene, settings, config.undrawn, engines.as_ref(), overwritten)
        });
        match audit {
            Ok(audit) => {
                // SARIF has them all, and other formats those that fail.
                let are_read = matches!(arguments.format, Format::Sarif) || config.can_fail();
                let findings = if are_read { config.findings(&audit, scene) } else { Vec::new() };
                Ok(SceneResult::Audited(Box::new(Audited { audit, findings })))
            }
            Err(InputError::Kept(kept)) => Err(kept),
            Err(error) => Ok(SceneResult::Failed(error.problem(scene))),
        }
    }
}

impl Audited {
    /// A line for each rule that the scene breaks, at rest or in motion, naming its worst node.
    pub(crate) fn exceeded(&self) -> Vec<String> {
        let counts = |finding: &&Finding| finding.fails && finding.ignored.is_none();
        let mut worst: BTreeMap<_, &Finding> = BTreeMap::new();
        for finding in self.findings.iter().filter(counts) {
            let so_far = worst.entry(finding.rule).or_insert(finding);
            if value(finding) > value(so_far) {
                *so_far = finding;
            }
        }
        let mut worst: Vec<_> = worst.into_values().collect();
        // Skew before displacement, and both before what has no limit.
        worst.sort_by_key(|finding| (finding.excess.is_none(), finding.rule != "skewed"));
        worst.into_iter().map(|finding| line(&self.audit, finding)).collect()
    }
}

fn value(finding: &Finding) -> f64 {
    finding.excess.as_ref().map_or(0.0, |excess| excess.value)
}

fn line(scene: &SceneAudit, finding: &Finding) -> String {
    let place = finding
        .node
        .as_ref()
        .map_or_else(String::new, |(node, path)| format!(" node {node} (\"{path}\"):"));
    let what = match &finding.excess {
        Some(excess) => excess.words.clone(),
        None => {
            // The path of the node is at the beginning of the line already.
            let path =
                finding.node.as_ref().map_or_else(String::new, |(_, path)| format!("{path}: "));
            let message = finding.message.strip_prefix(&path).unwrap_or(&finding.message);
            format!("{message} ({})", finding.rule)
        }
    };
    format!("{}:{place} {what}", scene.source)
}
