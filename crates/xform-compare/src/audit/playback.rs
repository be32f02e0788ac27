use nalgebra::Matrix4;
use xform_engines::Engine;

/// How engines show a scene at rest and while its animations play: the world transforms that a viewer draws
/// with, and their figures.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Playback {
    /// One show for each [group](super::EngineAudit::groups) of engines. That of the reference comes first.
    pub shows: Vec<PlayedShow>,
    /// Every pair of shows, as indices, the earlier first.
    pub pairs: Vec<[usize; 2]>,
    /// By pair and node of the file: the difference at rest.
    pub apart: Vec<Vec<PlayedApart>>,
    /// The animations that can be played, those with the worst differences first.
    pub animations: Vec<PlayedAnimation>,
    /// The number of further animations that exceed the size limit of a page.
    pub not_played: usize,
}

/// The world transforms of engines that show the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedShow {
    /// The engines, of those that the scene was compared in. It may be empty for the reference.
    pub engines: Vec<&'static Engine>,
    /// The [strategy](Engine::strategies) that they reduce to in this scene, if any.
    pub strategy: Option<&'static Engine>,
    /// The world matrix of each node of the file at rest. Empty for a strategy, since the audit holds its
    /// matrices.
    pub worlds: Vec<Matrix4<f64>>,
}

/// The difference of a node between two shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedApart {
    /// How far a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units; `None` if the
    /// node draws nothing.
    pub displacement: Option<f64>,
    /// The largest difference in skew, in degrees; `None` if its axes are not visible anywhere.
    pub skew_difference_degrees: Option<f64>,
}

/// A scene at sampled times of an animation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedAnimation {
    /// The animation, as an index into [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The times in seconds, in ascending order. Everything else is computed at these times; a viewer
    /// interpolates between them.
    pub seconds: Vec<f64>,
    /// Whether each time has a keyframe.
    pub is_keyframe: Vec<bool>,
    /// The nodes of the file that it moves, including descendants of the animated nodes.
    pub nodes: Vec<usize>,
    /// By show: the world matrices of all these nodes at the first time, then at the second, and so on.
    pub worlds: Vec<Vec<Matrix4<f64>>>,
    /// The figures of the nodes that differ at any of the times.
    pub figures: Vec<PlayedFigures>,
    /// The weights of morph targets.
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

/// The morph target weights of a node's mesh while an animation plays.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayedWeights {
    /// The node.
    pub node: usize,
    /// By time: the weight of each target.
    pub weights: Vec<Vec<f64>>,
}
