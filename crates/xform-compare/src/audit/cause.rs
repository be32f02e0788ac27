use serde::Serialize;

/// The scale that a node's difference depends on most.
///
/// It is found by ablation: of all candidates it is the one whose scale, made uniform, removes most of the
/// node's linear difference. A candidate is an ancestor with a non-uniform scale, or the node itself or an
/// ancestor with a `matrix` that is no translation, rotation and scale. *Made uniform* means: replaced by the
/// geometric mean of |s|, with the sign of the determinant, and 1 where that is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// The node with that scale.
    pub scaler: usize,
    /// The first node below the scaler, down to the node itself, whose rotation does not commute with that
    /// scale; `None` where there is no such rotation.
    pub rotator: Option<usize>,
    /// How much less skew there would be, in degrees. Negative: the scale compensates for another.
    pub removes_skew_degrees: Option<f64>,
    /// How much less linear difference there would be. Negative: the scale compensates.
    pub removes_difference: f64,
    /// The number of candidates that were tried: all of them, or the 32 nearest.
    pub candidates: usize,
    /// What each candidate would remove, the nearest first. Only for the worst nodes, and only where there is
    /// more than one candidate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributions: Vec<Contribution>,
    /// Whether there were more candidates than were tried.
    #[serde(skip)]
    pub is_cut: bool,
}

/// The contribution of one scale to a node's skew and difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contribution {
    /// The node with that scale.
    pub scaler: usize,
    /// How much less skew there would be without it, in degrees.
    pub removes_skew_degrees: Option<f64>,
    /// How much less linear difference there would be without it.
    pub removes_difference: f64,
}
