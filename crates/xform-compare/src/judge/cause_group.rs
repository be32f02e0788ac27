use std::collections::HashMap;

use super::explanation::Explanation;
use crate::audit::{Cause, NodeAudit, SceneAudit};

/// Nodes that look different for the same cause, worst first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CauseGroup {
    /// Their indices. There is at least one.
    pub nodes: Vec<usize>,
}

impl CauseGroup {
    /// Groups nodes by the cause of their difference, in their order. A node without a cause, or with
    /// [several contributing scales](Cause::is_shared), is a group of its own.
    #[must_use]
    pub fn all<'a>(nodes: impl IntoIterator<Item = &'a NodeAudit>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut known = HashMap::new();
        for node in nodes {
            let cause = node.cause.as_ref().filter(|cause| !cause.is_shared());
            let own = groups.len();
            let place = cause.map_or(own, |cause| *known.entry(scalers(cause)).or_insert(own));
            match groups.get_mut(place) {
                Some(group) => group.nodes.push(node.index),
                None => groups.push(Self { nodes: vec![node.index] }),
            }
        }
        groups
    }

    /// Returns the cause in a sentence or two that are true of every node; `None` if no cause was found.
    ///
    /// # Panics
    ///
    /// If the group is not of `scene`.
    #[must_use]
    pub fn explain(&self, scene: &SceneAudit) -> Option<String> {
        let nodes: Vec<_> = self.nodes.iter().map(|&node| &scene.nodes[node]).collect();
        let first = Explanation { scene, node: nodes.first()?, posed: &[] };
        match nodes.len() {
            1 => first.text(),
            _ => first.of_group(&nodes),
        }
    }
}

/// Returns the nodes whose scales are the cause.
fn scalers(cause: &Cause) -> (usize, Option<usize>) {
    (cause.scaler, cause.partner)
}
