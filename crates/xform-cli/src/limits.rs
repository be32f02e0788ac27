use std::collections::BTreeMap;

use xform_compare::{Finding, SceneAudit, Severity};

/// A line for each rule that a scene breaks, at rest or in motion, naming its worst node.
pub(crate) fn exceeded(scene: &SceneAudit, findings: &[Finding]) -> Vec<String> {
    let counts =
        |finding: &&Finding| finding.severity == Severity::Error && finding.ignored.is_none();
    let mut worst: BTreeMap<_, &Finding> = BTreeMap::new();
    for finding in findings.iter().filter(counts) {
        let so_far = worst.entry(finding.rule).or_insert(finding);
        if value(finding) > value(so_far) {
            *so_far = finding;
        }
    }
    let mut worst: Vec<_> = worst.into_values().collect();
    // Skew before displacement, and both before what has no limit.
    worst.sort_by_key(|finding| (finding.excess.is_none(), finding.rule != "skewed"));
    worst.into_iter().map(|finding| line(scene, finding)).collect()
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
        None => format!("{} ({})", finding.message, finding.rule),
    };
    format!("{}:{place} {what}", scene.source)
}
