use std::cmp::Ordering;

use crate::NodeAudit;

/// The nodes that are skewed or differ, worst first: by displacement, then linear difference, then
/// skew, then as in the file.
pub(crate) fn ranked(nodes: &[NodeAudit]) -> Vec<&NodeAudit> {
    let affected = nodes.iter().filter(|node| node.is_differing() || node.is_skewed());
    let mut ranked: Vec<_> = affected.collect();
    ranked.sort_by(|a, b| severity(b).partial_cmp(&severity(a)).unwrap_or(Ordering::Equal));
    ranked
}

fn severity(node: &NodeAudit) -> [f64; 3] {
    let figures = [node.displacement, node.linear_difference, node.skew_degrees];
    figures.map(|figure| figure.unwrap_or(0.0))
}
