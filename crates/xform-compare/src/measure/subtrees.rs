use std::ops::Range;

use xform_scene::Scene;

use super::worlds::Worlds;

/// The nodes of a scene in an order in which each is followed by its descendants.
pub(super) struct Subtrees {
    pub(super) order: Vec<usize>,
    /// By node: its place in the order, and the end of its descendants there.
    ranges: Vec<Range<usize>>,
}

impl Subtrees {
    pub(super) fn of(scene: &Scene, worlds: &Worlds) -> Self {
        let order = worlds.order.clone();
        let mut sizes = vec![1; order.len()];
        for &node in order.iter().rev() {
            if let Some(parent) = scene.nodes[node].parent {
                sizes[parent] += sizes[node];
            }
        }
        let mut ranges = vec![0..0; order.len()];
        for (place, &node) in order.iter().enumerate() {
            ranges[node] = place..place + sizes[node];
        }
        Self { order, ranges }
    }

    /// Returns the places of the nodes that an animation moves: these nodes and all their descendants, each
    /// once.
    pub(super) fn joined(&self, nodes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
        let mut ranges: Vec<_> = nodes.map(|node| self.ranges[node].clone()).collect();
        ranges.sort_by_key(|range| range.start);
        // Any two ranges are nested or disjoint.
        let mut end = 0;
        ranges.retain(|range| {
            let is_new = range.start >= end;
            end = end.max(range.end);
            is_new
        });
        ranges
    }
}
