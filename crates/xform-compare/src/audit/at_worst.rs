use xform_core::Trs;

use super::NodeAudit;

/// A node at the time of an animation when it is at its worst: when its displacement is the largest, or where it
/// has none, its linear difference or its skew.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AtWorst {
    /// The animation, by its place in [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The time, in seconds.
    pub seconds: f64,
    /// All figures, and the cause, of the scene as it is posed then.
    pub node: NodeAudit,
    /// The local poses at that time of the nodes that the cause names, by index.
    pub posed: Vec<(usize, Trs<f64>)>,
}
