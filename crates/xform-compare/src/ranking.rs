use std::cmp::Ordering;

use crate::{AnimationAudit, NodeAudit, NodeMotion, SceneAudit, audit::max};

/// The nodes that are skewed or differ, worst first: by displacement, then linear difference, then
/// skew, then as in the file.
pub(crate) fn ranked(nodes: &[NodeAudit]) -> Vec<&NodeAudit> {
    let affected = nodes.iter().filter(|node| node.is_differing() || node.is_skewed());
    let mut ranked: Vec<_> = affected.collect();
    ranked.sort_by(|a, b| worse_first(severity(a), severity(b)));
    ranked
}

fn severity(node: &NodeAudit) -> [f64; 3] {
    let figures = [node.displacement, node.linear_difference, node.skew_degrees];
    figures.map(|figure| figure.unwrap_or(0.0))
}

fn worse_first(a: [f64; 3], b: [f64; 3]) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

/// A node in the animation that it is at its worst in.
#[derive(Clone, Copy)]
pub(crate) struct InMotion<'a> {
    audit: &'a SceneAudit,
    /// The place of the animation in the audit.
    pub(crate) animation: usize,
    /// The place of the node among those that the animation moves.
    pub(crate) motion: usize,
}

impl<'a> InMotion<'a> {
    pub(crate) fn animation(&self) -> &'a AnimationAudit {
        &self.audit.animations[self.animation]
    }

    pub(crate) fn node(&self) -> &'a NodeMotion {
        &self.animation().nodes[self.motion]
    }

    fn severity(&self) -> [f64; 3] {
        let NodeMotion { displacement, linear_difference, skew_degrees, .. } = *self.node();
        [displacement, linear_difference, skew_degrees].map(|peak| max(peak).unwrap_or(0.0))
    }

    /// Whether it is at its worst while it moves, and not as bad at rest.
    fn is_news(&self) -> bool {
        let (moving, at_rest) = (self.node(), &self.audit.nodes[self.node().index]);
        max(moving.skew_degrees).is_some_and(|skew| at_rest.is_more_skewed(skew))
            || max(moving.linear_difference).is_some_and(|linear| at_rest.is_differing_more(linear))
            || moving.percent_of_scene().is_some_and(|percent| at_rest.is_moved_more(percent))
    }
}

/// The nodes that are worse in motion than at rest, worst first as in [`ranked`], each in the animation
/// that it is at its worst in.
pub(crate) fn ranked_in_motion(audit: &SceneAudit) -> Vec<InMotion<'_>> {
    let all = audit.animations.iter().enumerate().flat_map(|(animation, moved)| {
        (0..moved.nodes.len()).map(move |motion| InMotion { audit, animation, motion })
    });
    let is_bad = |one: &InMotion<'_>| one.node().is_differing() || one.node().is_skewed();
    let mut ranked: Vec<_> = all.filter(|one| is_bad(one) && one.is_news()).collect();
    ranked.sort_by(|a, b| worse_first(a.severity(), b.severity()));
    let mut seen = vec![false; audit.nodes.len()];
    ranked.retain(|one| !std::mem::replace(&mut seen[one.node().index], true));
    ranked
}
