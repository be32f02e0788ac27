use nalgebra::{Matrix4, Point3};

use super::PlayedAnimation;

/// The data that a viewer needs to show two scenes at once, both with multiplied matrices.
///
/// Nodes are numbered through both scenes: those of the scene before, then those of the scene after.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ShapePlayback {
    /// The box around what both scenes draw at rest; `None` if neither draws anything.
    pub bounds: Option<[Point3<f64>; 2]>,
    /// The world matrix of each node at rest.
    pub at_rest: Vec<Matrix4<f64>>,
    /// One entry for each of [`ShapeDiff::things`](super::ShapeDiff::things), in that order.
    pub things: Vec<ShownThing>,
    /// The animations that both scenes have and that can be played, as indices into the scene before. They
    /// have one show and no figures.
    pub animations: Vec<PlayedAnimation>,
    /// The number of further animations that exceed the size limit of a page.
    pub not_played: usize,
}

/// A drawn part, as a viewer shows it beside its counterpart in the other scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShownThing {
    /// The node before and the node after; `None` if no node there was matched.
    pub nodes: [Option<usize>; 2],
    // The distances are stored with the vertices because a ghost's vertex knows nothing of the mesh that it
    // is compared with. They hold for the worst time, so colours do not change while an animation plays.
    /// By side: the distance of each vertex from its counterpart in the other scene, part after part, in
    /// scene units, at the time when the thing is [farthest](super::ThingDiff::moved) away.
    ///
    /// If vertices were compared by number, only the side after has distances. The same holds for parts
    /// without meshes, for the corners of their bounds.
    pub distances: [Vec<f64>; 2],
}
