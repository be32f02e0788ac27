use serde::Serialize;

/// The scale that a node's difference depends on most, or the two that it depends on together.
///
/// It is found by ablation: of all candidates it is the one whose scale, made uniform, removes most of what the node is
/// ranked by: its displacement, or where that is [none](super::NodeAudit::is_displaced), its linear difference. Where
/// none removes half of that alone, it is the pair that removes most of it among the 8 best candidates, if that is half;
/// pairs are tried for the 100 worst nodes. Otherwise several scales contribute, and it is the best one of them.
///
/// A candidate is an ancestor with a non-uniform scale, or the node itself or an ancestor with a `matrix` that is no
/// translation, rotation and scale; of a skinned mesh, a joint that the vertex follows which is farthest apart, or what
/// is above it. *Made uniform* means: replaced by the geometric mean of |s|, with the sign of the determinant, and 1
/// where that is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// The node with that scale.
    pub scaler: usize,
    /// The node with the second scale, where it takes two.
    pub partner: Option<usize>,
    /// The first node below the scaler, down to the node itself, whose rotation does not commute with that
    /// scale; `None` where there is no such rotation.
    pub rotator: Option<usize>,
    /// How much of what the node is ranked by would be removed, as a fraction: 1 is all. Negative: there would be more.
    pub removes_fraction: f64,
    /// How much less displacement there would be, in scene units; `None` where the node shows nothing.
    pub removes_displacement: Option<f64>,
    /// How much less linear difference there would be; `None` for a skinned mesh, or where it is undefined.
    pub removes_difference: Option<f64>,
    /// How much less skew there would be, in degrees; `None` for a skinned mesh, or where it is undefined.
    pub removes_skew_degrees: Option<f64>,
    /// The number of candidates that were tried: all of them, or the 32 nearest.
    pub candidates: usize,
    /// What each candidate would remove alone, the nearest first. Only for the worst nodes, and only where there is
    /// more than one candidate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributions: Vec<Contribution>,
    /// Whether there were more candidates than were tried.
    #[serde(skip)]
    pub is_cut: bool,
}

/// The contribution of one scale to what is wrong with a node. Negative: the scale compensates for another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contribution {
    /// The node with that scale.
    pub scaler: usize,
    /// How much less displacement there would be without it, in scene units.
    pub removes_displacement: Option<f64>,
    /// How much less linear difference there would be without it.
    pub removes_difference: Option<f64>,
    /// How much less skew there would be without it, in degrees.
    pub removes_skew_degrees: Option<f64>,
}

impl Cause {
    /// The fraction that makes a scale, or two, the cause: half.
    pub const HALF: f64 = 0.5;

    /// Whether several scales contribute, none of which removes [half](Self::HALF); nor, where pairs were tried, do two.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.removes_fraction < Self::HALF
    }
}
