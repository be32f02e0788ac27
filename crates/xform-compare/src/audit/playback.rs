use nalgebra::Matrix4;
use xform_engines::Engine;

/// What engines show of a scene, at rest and while its animations play: the world transforms that a viewer draws with, and
/// the figures that belong to them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Playback {
    /// What there is to see: of each [group](super::EngineAudit::groups) of engines, that of the reference first.
    pub shows: Vec<PlayedShow>,
    /// Every two of the shows, by their places, the earlier first.
    pub pairs: Vec<[usize; 2]>,
    /// By pair and node of the file: how far it is apart at rest.
    pub apart: Vec<Vec<PlayedApart>>,
    /// The animations that can be played, those with the worst differences first.
    pub animations: Vec<PlayedAnimation>,
    /// How many animations are too much for a page beside these.
    pub not_played: usize,
}

/// What some engines show alike.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedShow {
    /// The engines, of those that the scene was compared in; of the reference there may be none.
    pub engines: Vec<&'static Engine>,
    /// The [strategy](Engine::strategies) that they come to in this scene, if it is one.
    pub strategy: Option<&'static Engine>,
    /// The world matrix of each node of the file at rest; none of a strategy, of which the audit has them.
    pub worlds: Vec<Matrix4<f64>>,
}

/// How far a node is apart between two shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedApart {
    /// How far a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units; `None` where it shows nothing.
    pub displacement: Option<f64>,
    /// The largest difference between its skews, in degrees; `None` where its axes show nowhere.
    pub skew_difference_degrees: Option<f64>,
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
    /// The nodes of the file that it moves, those below what it animates included.
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
    /// By pair, then by time.
    pub apart: Vec<Vec<PlayedApart>>,
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
