//! What was found, one by one, in the formats of systems that show it beside the files.

pub(super) mod github;
pub(super) mod gitlab;
pub(super) mod junit;
pub(super) mod sarif;

use std::{cmp::Reverse, collections::HashMap};

use xform_compare::Finding;

/// A format that tells what was found in scenes, one by one, and nothing else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum FindingsFormat {
    /// SARIF 2.1.0. Each scene is written before the next is asked for; what is ignored is suppressed, with the reason, and scenes that
    /// could not be audited are notifications of the run.
    Sarif,
    /// JUnit's XML, a suite a scene and a case a rule: what fails is a failure, what is ignored is skipped, a scene that could
    /// not be audited is an error.
    Junit,
    /// Workflow commands of GitHub Actions, ten of each level at most, since no step may have more: of scenes that could not be audited, then of the worst, first one of each.
    Github,
    /// A Code Quality report of GitLab.
    Gitlab,
}

/// A finding, and how many others of its rule in the same scene are not told for it.
pub(super) struct Told<'a> {
    pub(super) finding: &'a Finding,
    pub(super) more: usize,
}

impl Told<'_> {
    /// The finding in words, which name its node.
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

/// The worst findings of each rule, so many at most, in the order in which they come; those that are ignored are counted apart. The last
/// of a rule stands for the others.
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

/// A path as code hosts have it: with `/`, without `./` in front.
fn path(source: &str) -> String {
    let path = source.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// What tells a finding from others when the file changes.
fn identity(finding: &Finding) -> String {
    let path = finding.node.as_ref().map_or("", |(_, path)| path.as_str());
    let when = finding.animation.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    format!("{path}{when}")
}
