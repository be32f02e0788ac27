use std::cmp::Ordering;

use super::{AnimationAudit, Grade, NodeAudit, NodeMotion};

// The ranking is part of the audit and not a judgement on it, because measuring needs it: only the 100 worst
// nodes get the contribution of every candidate, and only the 10 worst in motion are measured again at their
// worst. It is computed once, in `compare`, and every writer and finding reads it.

/// The nodes that differ, worst first.
///
/// Nodes that [count](NodeAudit::counts) come before the others. Within each part the order is by [`Grade`],
/// then displacement, linear difference and skew, then as in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// At rest: the indices of the nodes.
    pub at_rest: Vec<usize>,
    /// In motion: the nodes that are worse than at rest, each in the animation in which it is worst.
    pub in_motion: Vec<RankedMotion>,
}

/// A node in an animation, as indices into the lists of an audit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RankedMotion {
    /// The index of the animation in [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The index of the node in [`AnimationAudit::nodes`].
    pub motion: usize,
}

/// Returns the indices of the nodes that differ at rest, worst first.
pub(crate) fn ranked_at_rest(nodes: &[NodeAudit]) -> Vec<usize> {
    let affected = nodes.iter().filter(|node| node.is_differing());
    let badness = |node: &NodeAudit| {
        let figures = [node.displacement, node.linear_difference, node.skew_difference_degrees];
        (node.counts_at_rest(), node.grade(), figures.map(|figure| figure.unwrap_or(0.0)))
    };
    let mut ranked: Vec<_> = affected.collect();
    ranked.sort_by(|a, b| worse_first(badness(a), badness(b)));
    ranked.into_iter().map(|node| node.index).collect()
}

/// Returns the nodes that are worse in motion than at rest, worst first.
pub(crate) fn ranked_in_motion(
    nodes: &[NodeAudit],
    animations: &[AnimationAudit],
) -> Vec<RankedMotion> {
    let all = animations.iter().enumerate().flat_map(|(animation, moved)| {
        let places = moved.nodes.iter().enumerate();
        places.map(move |(motion, node)| (RankedMotion { animation, motion }, node))
    });
    let is_worse = |(_, moving): &(RankedMotion, &NodeMotion)| {
        moving.is_differing() && is_worse_than(moving, &nodes[moving.index])
    };
    let badness = |moving: &NodeMotion| {
        let figures =
            [moving.displacement, moving.linear_difference, moving.skew_difference_degrees];
        let figures = figures.map(|peak| peak.map_or(0.0, |peak| peak.max));
        (nodes[moving.index].counts, moving.grade(), figures)
    };
    let mut ranked: Vec<_> = all.filter(is_worse).collect();
    ranked.sort_by(|(_, a), (_, b)| worse_first(badness(a), badness(b)));
    let mut seen = vec![false; nodes.len()];
    ranked.retain(|(_, moving)| !std::mem::replace(&mut seen[moving.index], true));
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// Whether a node counts, its grade, and its figures.
type Badness = (bool, Grade, [f64; 3]);

fn worse_first(a: Badness, b: Badness) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

/// The factor by which a node must move farther in motion than at rest to be reported a second time.
pub(crate) const NEWS: f64 = 1.001;

/// Whether a grade, a displacement or a skew is noticeably worse in motion than at rest.
pub(crate) fn is_worse_in_motion(
    (grade, displacement, skew): (Grade, f64, f64),
    (grade_at_rest, at_rest, skew_at_rest): (Grade, f64, f64),
) -> bool {
    let is_more = |now: f64, then: f64| now > NEWS * then;
    grade > grade_at_rest
        || is_more(displacement, at_rest)
        || !is_more(at_rest, displacement) && is_more(skew, skew_at_rest)
}

/// Whether a node is noticeably worse in motion than at rest.
fn is_worse_than(moving: &NodeMotion, at_rest: &NodeAudit) -> bool {
    moving.grade() > at_rest.grade()
        || moving.skew_difference_degrees.is_some_and(|skew| at_rest.is_more_skewed(skew.max))
        || moving.turned_degrees.is_some_and(|turned| at_rest.is_more_turned(turned.max))
        || moving.percent_of_scene().is_some_and(|percent| {
            at_rest.is_moved_more(percent)
                && percent > NEWS * at_rest.percent_of_scene().unwrap_or(0.0)
        })
}
