use serde::Serialize;

/// What a node's difference depends on most: a scale, or two together; or in an FBX file an inherit type.
///
/// It is found by ablation: of all candidates it is the one whose scale, made uniform, removes most of what the node is
/// ranked by: its displacement, or where that is [none](super::NodeAudit::is_displaced), its linear difference. Where
/// none removes half of that alone, it is the pair that removes most of it among the 8 best candidates, if that is half;
/// pairs are tried for the 100 worst nodes. Otherwise several scales contribute, and it is the best one of them.
///
/// It goes by the rules of what is compared: those of the reference, and of the engines that show the node worst.
///
/// A candidate is an ancestor with a non-uniform scale, or the node itself or an ancestor with a `matrix` that is no
/// translation, rotation and scale, or with a rotation that is no unit quaternion; of a skinned mesh, a joint that the vertex follows which is farthest apart, or what
/// is above it. *Made uniform* means: replaced by the geometric mean of |s|, with the sign of the determinant, and 1
/// where that is 0; of a node whose rotation is no unit quaternion, which engines read in different ways, it means that quaternion made
/// unit. Between engines that read the inherit types of an FBX file in different ways, a
/// candidate is a node that does not take its parent's scale as matrices do, and *made uniform* means: as if it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// The node with that scale, rotation or type.
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
    /// How much less the skews would differ, in degrees; `None` for a skinned mesh, or where it is undefined.
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

/// What a difference comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CauseKind {
    /// A scale, or a matrix.
    Scale,
    /// A rotation that is no unit quaternion.
    Rotation,
    /// An FBX file's inherit type.
    InheritType,
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
    /// How much less the skews would differ without it, in degrees.
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
