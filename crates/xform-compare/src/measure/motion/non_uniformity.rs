use xform_core::{Inherit, Trs};
use xform_scene::{
    Bounds, Scene,
    animation::{Track, non_uniformity},
};

use crate::{
    audit::DIFFERING_FRACTION,
    measure::{metrics::length, worlds::Worlds},
};

/// The largest parts of a local pose at any time.
pub(super) struct Extremes {
    translation: f64,
    scale: f64,
    /// How non-uniform the scale is: the largest distance between two components, as a fraction of the largest.
    non_uniform: f64,
}

impl Extremes {
    /// Of a pose that tracks move, the last of a kind counting.
    pub(super) fn of(rest: &Trs<f64>, tracks: &[&Track]) -> Self {
        let scale: [f64; 3] = rest.scale.into();
        let at_rest = Self {
            translation: length(&rest.translation),
            scale: rest.scale.amax(),
            non_uniform: non_uniformity(&scale),
        };
        tracks.iter().fold(at_rest, |known, track| match track {
            Track::Translation(curve) => Self { translation: curve.largest(), ..known },
            Track::Scale(curve) => {
                Self { scale: curve.largest(), non_uniform: curve.non_uniformity(), ..known }
            }
            Track::Rotation(_) => known,
        })
    }
}

/// How far apart the two strategies can put a node, at most, by the scales above it that are not quite uniform.
///
/// A scale with the non-uniformity ε is a uniform one times 1 + E, with ‖E‖ ≤ ε / 2. What is turned below it by R is
/// apart by (R·E − E·R)·v between the strategies, which is at most ε·‖v‖.
#[derive(Clone, Copy)]
pub(super) struct Apart {
    /// The sum of the non-uniformity of all that is above the node.
    above: f64,
    /// How far its origin can be from where it is, in scene units.
    origin: f64,
    /// How long a unit of its space can be in the world.
    unit: f64,
    /// The same sum with the node's own.
    below: f64,
}

impl Apart {
    const OF_WORLD: Self = Self { above: 0.0, origin: 0.0, unit: 1.0, below: 0.0 };

    /// Of a node below another. Nothing is known where it may be apart for other reasons.
    pub(super) fn child(&self, pose: &Extremes, is_known: bool) -> Self {
        let above = if is_known { self.below } else { f64::INFINITY };
        Self {
            above,
            origin: self.origin + times(above, self.unit * pose.translation),
            unit: self.unit * pose.scale,
            below: above + pose.non_uniform,
        }
    }

    /// Whether what is within a radius of its origin, in its own space, looks the same beside a scene of this size.
    pub(super) fn is_nothing(&self, radius: f64, diagonal: f64) -> bool {
        let farthest = self.origin + times(self.above, self.unit * radius);
        self.above <= DIFFERING_FRACTION
            && (farthest == 0.0 || farthest <= DIFFERING_FRACTION * diagonal)
    }
}

/// A product in which nothing of something unknown is nothing.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * b }
}

/// How far anything of these bounds is from the origin.
pub(super) fn radius(bounds: &Bounds) -> f64 {
    bounds.corners().map(|corner| length(&corner.coords)).fold(0.0, f64::max)
}

/// How far apart the nodes of a scene can be at rest.
pub(super) struct NonUniformity {
    at_rest: Vec<Apart>,
    is_known: Vec<bool>,
}

impl NonUniformity {
    pub(super) fn of(scene: &Scene, worlds: &Worlds) -> Self {
        let is_known = |node: usize| {
            let is_pose = worlds.poses.residual(node).is_none();
            is_pose && scene.nodes[node].inherit == Inherit::All
        };
        let is_known: Vec<_> = (0..scene.nodes.len()).map(is_known).collect();
        let mut at_rest = vec![Apart::OF_WORLD; scene.nodes.len()];
        for &node in &worlds.order {
            let parent = scene.nodes[node].parent;
            let parent = parent.map_or(Apart::OF_WORLD, |parent| at_rest[parent]);
            let pose = Extremes::of(&worlds.poses.locals[node], &[]);
            at_rest[node] = parent.child(&pose, is_known[node]);
        }
        Self { at_rest, is_known }
    }

    pub(super) fn at_rest(&self, node: usize) -> &Apart {
        &self.at_rest[node]
    }

    /// At rest, of the parent of a node.
    pub(super) fn of_parent(&self, parent: Option<usize>) -> &Apart {
        parent.map_or(&Apart::OF_WORLD, |parent| &self.at_rest[parent])
    }

    /// Whether the scales above are all that can put a node apart: its pose is no other matrix, and it inherits
    /// everything.
    pub(super) fn is_known(&self, node: usize) -> bool {
        self.is_known[node]
    }
}
