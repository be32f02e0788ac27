//! Findings in the formats of systems that show them beside the files.

pub(super) mod github;
pub(super) mod gitlab;
pub(super) mod junit;
pub(super) mod sarif;

use std::{cmp::Reverse, collections::HashMap};

use xform_compare::Finding;

/// A format that contains only findings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum FindingsFormat {
    /// SARIF 2.1.0. Each scene is written before the next is requested. Ignored findings are suppressed, with the
    /// reason. Scenes that could not be audited are notifications of the run.
    Sarif,
    /// JUnit's XML: one suite per scene and one case per rule. A failing finding is a failure, an ignored one is
    /// skipped, and a scene that could not be audited is an error.
    Junit,
    /// Workflow commands of GitHub Actions. At most ten of each level are written, because GitHub accepts no more per
    /// step: first for scenes that could not be audited, then for the worst scenes, one for each before a second for
    /// any.
    Github,
    /// A Code Quality report of GitLab.
    Gitlab,
}

/// A finding that is written, and the number of others of its rule in the scene that are not.
pub(super) struct Told<'a> {
    pub(super) finding: &'a Finding,
    pub(super) more: usize,
}

impl Told<'_> {
    /// Returns the finding in words, including its node.
    pub(super) fn message(&self) -> String {
        let message = &self.finding.message;
        let node = self.finding.node.as_ref().map(|(_, path)| format!("{path}: "));
        let node = node.filter(|node| !message.starts_with(&**node)).unwrap_or_default();
        match self.more {
            0 => format!("{node}{message}"),
            more => format!("{node}{message} (and {more} more in this file)"),
        }
    }
}

/// Selects the worst findings of each rule, at most `max_per_rule`, in their original order. Ignored findings are
/// counted separately. The last finding of a rule carries the number of those left out.
pub(super) fn told(findings: &[Finding], max_per_rule: usize) -> Vec<Told<'_>> {
    let mut by_rule: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, finding) in findings.iter().enumerate() {
        by_rule.entry((finding.rule, finding.ignored.is_some())).or_default().push(place);
    }
    let worst = by_rule.into_values().flat_map(|mut places| {
        places.sort_by_key(|&place| Reverse((findings[place].fails, findings[place].severity)));
        let more = places.len().saturating_sub(max_per_rule);
        places.truncate(max_per_rule);
        places.sort_unstable();
        let last = places.last().copied();
        places.into_iter().map(move |place| (place, if Some(place) == last { more } else { 0 }))
    });
    let mut worst: Vec<_> = worst.collect();
    worst.sort_unstable();
    let told = |(place, more): (usize, usize)| Told { finding: &findings[place], more };
    worst.into_iter().map(told).collect()
}

/// Formats a path as code hosts do: with `/`, without a leading `./`.
fn path(source: &str) -> String {
    let path = source.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// Returns a key that identifies a finding when the file changes.
fn identity(finding: &Finding) -> String {
    let path = finding.node.as_ref().map_or("", |(_, path)| path.as_str());
    let when = finding.animation.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    format!("{path}{when}")
}
