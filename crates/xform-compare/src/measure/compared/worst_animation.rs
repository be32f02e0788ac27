use crate::{
    audit::{AnimationAudit, Grade, NodeMotion},
    measure::shows::is_worse,
};

/// An animation, with the worst of the shows compared so far.
pub(super) struct WorstAnimation {
    pub(super) animation: AnimationAudit,
    /// The show that its samples describe.
    pub(super) show: usize,
    /// By node in it: the show in which it is worst, and the show in which its skew differs most.
    pub(super) nodes_in: Vec<usize>,
    pub(super) skews_in: Vec<usize>,
}

impl WorstAnimation {
    pub(super) fn new(animation: &AnimationAudit, show: usize) -> Self {
        let shows = vec![show; animation.nodes.len()];
        Self { animation: animation.clone(), show, nodes_in: shows.clone(), skews_in: shows }
    }

    /// Takes over the nodes that are worse in another show.
    pub(super) fn merge(&mut self, other: &AnimationAudit, show: usize) {
        let is_uniform = self.animation.is_uniform && other.is_uniform;
        let mut nodes = std::mem::take(&mut self.animation.nodes);
        if nodes.len() == other.nodes.len() {
            for (at, (node, other)) in nodes.iter_mut().zip(&other.nodes).enumerate() {
                let skew = |node: &NodeMotion| node.skew_difference_degrees.map(|peak| peak.max);
                let largest = if skew(other) > skew(node) {
                    self.skews_in[at] = show;
                    other.skew_difference_degrees
                } else {
                    node.skew_difference_degrees
                };
                if is_worse(badness(other), badness(node)) {
                    *node = other.clone();
                    self.nodes_in[at] = show;
                }
                node.skew_difference_degrees = largest;
            }
        } else if nodes.is_empty() {
            nodes.clone_from(&other.nodes);
            self.nodes_in = vec![show; nodes.len()];
            self.skews_in.clone_from(&self.nodes_in);
        }
        let mut not_sampled = std::mem::take(&mut self.animation.not_sampled);
        let more = other.not_sampled.iter().filter(|part| !not_sampled.contains(part)).cloned();
        not_sampled.extend(more.collect::<Vec<_>>());
        if (other.grade, !other.is_uniform) > (self.animation.grade, !self.animation.is_uniform) {
            self.animation = other.clone();
            self.show = show;
        }
        let animation = std::mem::take(&mut self.animation);
        self.animation = AnimationAudit { nodes, not_sampled, is_uniform, ..animation };
    }
}

fn badness(node: &NodeMotion) -> (Grade, [f64; 3]) {
    let figures = [node.turned_degrees, node.displacement, node.linear_difference];
    (node.grade(), figures.map(|peak| peak.map_or(0.0, |peak| peak.max)))
}
