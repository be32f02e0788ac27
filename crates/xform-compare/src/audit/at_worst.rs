use xform_core::Trs;

use super::NodeAudit;

/// A node at the time of an animation when it is at its worst: when its displacement is largest or, if it has
/// none, its linear difference or its skew.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AtWorst {
    /// The animation, as an index into [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The time, in seconds.
    pub seconds: f64,
    /// All figures and the cause, measured with the scene posed as at that time.
    pub node: NodeAudit,
    // Kept here because explaining the node at its worst needs them. The sentence itself is made when it is
    // written, in `judge`.
    /// The local poses at that time of the nodes that the cause names, with their indices.
    pub posed: Vec<(usize, Trs<f64>)>,
}
