use nalgebra::{Matrix4, Point3};

use super::PlayedAnimation;

/// What a viewer shows of two scenes at once, both by multiplied matrices.
///
/// Nodes are numbered through both: those of the scene before, then those of the scene after.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ShapePlayback {
    /// The box around what is drawn of both at rest; `None` where nothing is.
    pub bounds: Option<[Point3<f64>; 2]>,
    /// The world matrix of each node at rest.
    pub at_rest: Vec<Matrix4<f64>>,
    /// Each of [`ShapeDiff::things`](super::ShapeDiff::things), in that order.
    pub things: Vec<ShownThing>,
    /// The animations that both scenes have and that can be played, by their places in the scene before. They have one show, and
    /// no figures.
    pub animations: Vec<PlayedAnimation>,
    /// How many animations are too much for a page beside these.
    pub not_played: usize,
}

/// What a node draws, as a viewer shows it beside what it is in the other scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShownThing {
    /// The node before and the node after; `None` where nothing there is taken for the same.
    pub nodes: [Option<usize>; 2],
    /// By side: how far each vertex is from where it is in the other scene, part after part, in scene units, at the moment
    /// when the thing is [farthest](super::ThingDiff::moved) from there. Where vertices were compared with those of the same
    /// number, only the side after has them, and so has what it draws without meshes for the corners of its bounds.
    pub distances: [Vec<f64>; 2],
}
