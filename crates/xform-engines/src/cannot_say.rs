use thiserror::Error;

// An engine whose result is not known never counts as one that shows the same. It is in no group, text names it with
// the reason, and a limit fails because of it, no matter who requested the engine. Assuming the nearest pose instead,
// as the two strategies do, would be a guess about an importer.

/// The world transform of a node in an engine is not known, and neither are those of its descendants.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("it is not known how the engine treats {reason}")]
pub struct CannotSay {
    /// The first node on the path from the root whose transform is not known.
    pub node: usize,
    /// The reason.
    pub reason: Reason,
}

/// The reason why an engine's result for a node is not known. Its text completes "it is not known what the engine
/// makes of …".
#[derive(Clone, Copy, Debug, Eq, Error, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The `matrix` of the node is not a translation, rotation and scale, and the importer was not seen.
    #[error("a sheared matrix")]
    ShearedMatrix,
    /// The `matrix` of the node mirrors, and the importer was not seen. Which scale is negative matters to its
    /// descendants.
    #[error("a matrix that mirrors")]
    MirroredMatrix,
    /// An axis has no length, and the rule divides by it.
    #[error("a scale of zero")]
    ZeroScale,
    /// The node is turned below a non-uniform scale, and how the engine accumulates was not seen.
    #[error("a rotated node below a non-uniform scale")]
    NonUniformScale,
    /// The rotation is not a unit quaternion, and the importer was not seen.
    #[error("a rotation that is not a unit quaternion")]
    Quaternion,
    /// The binding pose of a joint has an effect beyond its matrix, or cannot be expressed in the rule.
    #[error("the binding pose of a joint")]
    BindPose,
    /// The rule applies to translations, rotations and scales only.
    #[error("a matrix")]
    Matrix,
    /// The node does not inherit everything. No glTF file has such nodes.
    #[error("a node that does not inherit everything")]
    Inheritance,
    /// The FBX file says that the node does not inherit its parent's scale by matrix multiplication, and the importer
    /// was not seen.
    #[error("an InheritType other than RSrs")]
    InheritType,
    /// The result depends on rounding only.
    #[error("a result that depends on rounding")]
    Rounding,
    /// The engine has no such call, or nobody checked.
    #[error("a call that nobody tested")]
    NotSeen,
    /// A value overflows.
    #[error("values that overflow")]
    Overflow,
}

impl Reason {
    /// Returns its name, which is stable, for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ShearedMatrix => "sheared-matrix",
            Self::MirroredMatrix => "mirrored-matrix",
            Self::ZeroScale => "zero-scale",
            Self::NonUniformScale => "non-uniform-scale",
            Self::Quaternion => "quaternion",
            Self::BindPose => "bind-pose",
            Self::Matrix => "matrix",
            Self::Inheritance => "inheritance",
            Self::InheritType => "inherit-type",
            Self::Rounding => "rounding",
            Self::NotSeen => "not-seen",
            Self::Overflow => "overflow",
        }
    }
}
