use xform_core::Inherit;

use crate::{
    measure::worlds::Worlds,
    scene::{Scene, unevenness},
};

/// How uneven the scales above each node of a scene at rest are, all in all.
pub(super) struct Unevenness {
    above: Vec<f64>,
    other: Vec<f64>,
}

impl Unevenness {
    pub(super) fn of(scene: &Scene, worlds: &Worlds) -> Self {
        let other = |node: usize| {
            let is_pose = worlds.poses.residual(node).is_none();
            let inherits_all = scene.nodes[node].inherit == Inherit::All;
            if is_pose && inherits_all { 0.0 } else { f64::INFINITY }
        };
        let other: Vec<_> = (0..scene.nodes.len()).map(other).collect();
        let mut above = vec![0.0; scene.nodes.len()];
        for &node in &worlds.order {
            if let Some(parent) = scene.nodes[node].parent {
                let scale = worlds.poses.locals[parent].scale;
                above[node] = above[parent] + other[parent] + unevenness(&scale.into());
            }
        }
        Self { above, other }
    }

    /// The sum over all that is above a node.
    pub(super) fn above(&self, node: usize) -> f64 {
        self.above[node]
    }

    /// Infinite where the node may look different whatever the scales above it are: its matrix is no pose, or it inherits
    /// less than everything.
    pub(super) fn other(&self, node: usize) -> f64 {
        self.other[node]
    }
}
