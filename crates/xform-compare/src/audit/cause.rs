use serde::Serialize;

/// The main cause of a node's difference: one scale, two scales together, or an inherit type of an FBX file.
///
/// It is found by ablation: each candidate's scale in turn is made uniform. The cause is the candidate whose
/// removal takes away most of the figure that the node is ranked by. That is its displacement, or its linear
/// difference if it [has none](super::NodeAudit::is_displaced).
///
/// If no candidate removes half of it alone, pairs among the 8 best candidates are tried, for the 100 worst
/// nodes. The best pair is the cause if it removes half. Otherwise several scales contribute, and this is the
/// best one of them.
///
/// The ablation uses the rules of the compared engines: the reference, and the engines that show the node
/// worst.
///
/// A candidate is one of these:
///
/// - an ancestor with a non-uniform scale;
/// - the node itself or an ancestor, if it has a `matrix` that is not a translation, rotation and scale, or a
///   rotation that is not a unit quaternion;
/// - for a skinned mesh, a joint that influences the vertex with the largest displacement, or an ancestor of
///   such a joint;
/// - between engines that read the inherit types of an FBX file in different ways, a node that does not
///   inherit its parent's scale as matrices do.
///
/// *Made uniform* means that the scale is replaced by the geometric mean of |s| with the sign of the
/// determinant, or by 1 if that mean is 0. For a node whose rotation is not a unit quaternion, which engines
/// read in different ways, it means that the quaternion is made unit. For an inherit type it means that the
/// node inherits as matrices do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// The kind of cause.
    pub kind: CauseKind,
    /// The node with that scale, rotation or type.
    pub scaler: usize,
    /// The node with the second scale, if the cause is two scales.
    pub partner: Option<usize>,
    /// The first node on the path from below the scaler to the node itself whose rotation does not commute
    /// with that scale; `None` if there is no such rotation.
    pub rotator: Option<usize>,
    /// The fraction that would be removed from the figure that the node is ranked by. 1 is all of it; a
    /// negative value means that the difference would grow.
    pub removes_fraction: f64,
    /// By how much the displacement would shrink, in scene units; `None` if the node draws nothing.
    pub removes_displacement: Option<f64>,
    /// By how much the linear difference would shrink; `None` for a skinned mesh, or if it is undefined.
    pub removes_difference: Option<f64>,
    /// By how much the difference in skew would shrink, in degrees; `None` for a skinned mesh, or if it is
    /// undefined.
    pub removes_skew_degrees: Option<f64>,
    /// The number of candidates that were tried: all of them, or the 32 nearest.
    pub candidates: usize,
    /// The amount that each candidate would remove alone, nearest first. Filled only for the worst nodes, and only if
    /// there is more than one candidate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributions: Vec<Contribution>,
    /// Whether there were more candidates than were tried.
    #[serde(skip)]
    pub is_cut: bool,
}

/// The kind of property that causes a difference.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CauseKind {
    /// A scale, or a matrix.
    Scale,
    /// A rotation that is not a unit quaternion.
    Rotation,
    /// An inherit type of an FBX file.
    InheritType,
}

/// The contribution of one scale to a node's difference. A negative value means that the scale compensates
/// for another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contribution {
    /// The node with that scale.
    pub scaler: usize,
    /// By how much the displacement would shrink without it, in scene units.
    pub removes_displacement: Option<f64>,
    /// By how much the linear difference would shrink without it.
    pub removes_difference: Option<f64>,
    /// By how much the difference in skew would shrink without it, in degrees.
    pub removes_skew_degrees: Option<f64>,
}

impl Cause {
    /// The fraction that one scale, or two together, must remove to be the cause: half.
    pub const HALF: f64 = 0.5;

    /// Whether several scales contribute and none removes [half](Self::HALF) alone, nor any pair if pairs
    /// were tried.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.removes_fraction < Self::HALF
    }
}
