use nalgebra::Matrix4;
use xform_engines::Engine;

/// What engines show of a scene, at rest and while its animations play: the world transforms that a viewer draws with, and
/// the figures that belong to them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Playback {
    /// What there is to see: by accumulated matrices, by combined TRS, then what other engines show that do neither.
    pub shows: Vec<Show>,
    /// Every two of the shows, by their places, the earlier first.
    pub pairs: Vec<[usize; 2]>,
    /// By pair, but for the first, which the audit has, and by node: how far a corner of its bounds, or a vertex of its
    /// skinned mesh, moves at rest, in scene units.
    pub displacement: Vec<Vec<Option<f64>>>,
    /// The animations that can be played, those with the worst differences first.
    pub animations: Vec<PlayedAnimation>,
    /// How many animations are too much for a page beside these.
    pub not_played: usize,
}

/// What some engines show alike.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Show {
    /// The engines, of those that the scene was compared in; there may be none.
    pub engines: Vec<&'static Engine>,
    /// The world matrix of each node at rest; none of the two strategies, of which the audit has them.
    pub worlds: Vec<Matrix4<f64>>,
}

/// A scene at some times of an animation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedAnimation {
    /// The animation, by its place in [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The times, in seconds, in ascending order. At each all the rest was computed; a viewer fills in what is between.
    pub seconds: Vec<f64>,
    /// Whether there is a keyframe, by time.
    pub is_keyframe: Vec<bool>,
    /// The nodes that it moves, those below what it animates included.
    pub nodes: Vec<usize>,
    /// By show: the world matrices, those of all nodes at the first time, then at the second and so on.
    pub worlds: Vec<Vec<Matrix4<f64>>>,
    /// The figures of the nodes that differ at any of the times.
    pub figures: Vec<PlayedFigures>,
    /// How far morph targets are in effect.
    pub weights: Vec<PlayedWeights>,
}

/// The figures of a node while an animation plays.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedFigures {
    /// The node.
    pub node: usize,
    /// By pair, then by time: how far a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units.
    pub displacement: Vec<Vec<Option<f64>>>,
    /// By time: its largest |skew| by accumulated matrices, in degrees.
    pub skew_degrees: Vec<Option<f64>>,
}

/// How far the morph targets of a node's mesh are in effect while an animation plays.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedWeights {
    /// The node.
    pub node: usize,
    /// By time: the weight of each target.
    pub weights: Vec<Vec<f64>>,
}
