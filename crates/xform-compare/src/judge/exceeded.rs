use std::collections::BTreeMap;

use super::Finding;
use crate::audit::SceneAudit;

/// Returns the limits that a scene exceeds: a line for each rule that its findings break, at rest or in
/// motion, naming the worst node.
#[must_use]
pub fn exceeded(scene: &SceneAudit, findings: &[Finding]) -> Vec<String> {
    let counts = |finding: &&Finding| finding.fails && finding.ignored.is_none();
    let mut worst: BTreeMap<_, (&Finding, usize)> = BTreeMap::new();
    for finding in findings.iter().filter(counts) {
        let (so_far, count) = worst.entry(finding.rule).or_insert((finding, 0));
        *count += 1;
        if value(finding) > value(so_far) {
            *so_far = finding;
        }
    }
    let mut worst: Vec<_> = worst.into_values().collect();
    // Skew comes before displacement, and both before rules without a limit.
    worst.sort_by_key(|(finding, _)| (finding.excess.is_none(), finding.rule != "skewed"));
    worst.into_iter().map(|(finding, count)| line(scene, finding, count)).collect()
}

fn value(finding: &Finding) -> f64 {
    finding.excess.as_ref().map_or(0.0, |excess| excess.value)
}

/// Describes the worst of `count` findings of a rule.
fn line(scene: &SceneAudit, finding: &Finding, count: usize) -> String {
    let place = finding
        .node
        .as_ref()
        .map_or_else(String::new, |(node, path)| format!(" node {node} (\"{path}\"):"));
    let what = match &finding.excess {
        Some(excess) => excess.words.clone(),
        None => {
            // The path of the node is already at the start of the line.
            let path =
                finding.node.as_ref().map_or_else(String::new, |(_, path)| format!("{path}: "));
            let message = finding.message.strip_prefix(&path).unwrap_or(&finding.message);
            let times = if count == 1 { String::new() } else { format!(", the first of {count}") };
            format!("{message} ({}{times})", finding.rule)
        }
    };
    format!("{}:{place} {what}", scene.source)
}
