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
    /// The non-uniformity of the scale: the largest difference between two components, as a fraction of the
    /// largest.
    non_uniform: f64,
}

impl Extremes {
    /// Returns the extremes of a pose that tracks move. The last track of each kind counts.
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

/// An upper bound of the distance between a node's placements in the two strategies, caused by the scales
/// above it that are not quite uniform.
///
/// A scale with the non-uniformity ε is a uniform scale times 1 + E, with ‖E‖ ≤ ε / 2. Anything below it that
/// is turned by R differs by (R·E − E·R)·v between the strategies, which is at most ε·‖v‖.
#[derive(Clone, Copy)]
pub(super) struct Apart {
    /// The sum of the non-uniformity of all ancestors.
    above: f64,
    /// The largest displacement of its origin, in scene units.
    origin: f64,
    /// The largest length in the world of a unit in its space.
    unit: f64,
    /// The sum of the non-uniformity of all ancestors and the node itself.
    below: f64,
}

impl Apart {
    const OF_WORLD: Self = Self { above: 0.0, origin: 0.0, unit: 1.0, below: 0.0 };

    /// Returns the bound of a child. The bound is infinite unless `is_known`, since the child may differ for
    /// other reasons.
    pub(super) fn child(&self, pose: &Extremes, is_known: bool) -> Self {
        let above = if is_known { self.below } else { f64::INFINITY };
        Self {
            above,
            origin: self.origin + times(above, self.unit * pose.translation),
            unit: self.unit * pose.scale,
            below: above + pose.non_uniform,
        }
    }

    /// Whether everything within a radius of the origin, in the node's own space, looks the same in a scene
    /// of this size.
    pub(super) fn is_nothing(&self, radius: f64, diagonal: f64) -> bool {
        let farthest = self.origin + times(self.above, self.unit * radius);
        self.above <= DIFFERING_FRACTION
            && (farthest == 0.0 || farthest <= DIFFERING_FRACTION * diagonal)
    }
}

/// Multiplies so that zero times infinity is zero.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * b }
}

/// Returns the largest distance of anything in these bounds from the origin.
pub(super) fn radius(bounds: &Bounds) -> f64 {
    bounds.corners().map(|corner| length(&corner.coords)).fold(0.0, f64::max)
}

/// Upper bounds of the differences of the nodes of a scene at rest.
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

    /// Returns the bound of a node's parent at rest.
    pub(super) fn of_parent(&self, parent: Option<usize>) -> &Apart {
        parent.map_or(&Apart::OF_WORLD, |parent| &self.at_rest[parent])
    }

    /// Whether only the scales above a node can make it differ: its pose is not a sheared matrix, and it
    /// inherits everything.
    pub(super) fn is_known(&self, node: usize) -> bool {
        self.is_known[node]
    }
}
