use thiserror::Error;

/// What an engine does with a node is not known; nor is it with what hangs below that node.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("it is not known what the engine makes of {reason}")]
pub struct CannotSay {
    /// The first node on the path from the root that nothing can be said of.
    pub node: usize,
    /// Why not.
    pub reason: Reason,
}

/// Why it is not known what an engine does with a node. Its text completes "it is not known what the engine makes of …".
#[derive(Clone, Copy, Debug, Eq, Error, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The `matrix` of the node is no translation, rotation and scale, and the importer was not seen.
    #[error("a sheared matrix")]
    ShearedMatrix,
    /// The `matrix` of the node mirrors, and the importer was not seen: which of its scales is negative matters below it.
    #[error("a matrix that mirrors")]
    MirroredMatrix,
    /// An axis has no length, and the rule divides by that length.
    #[error("a scale of zero")]
    ZeroScale,
    /// The node is turned below a non-uniform scale, and how the engine accumulates was not seen.
    #[error("a node that is turned below a non-uniform scale")]
    NonUniformScale,
    /// The rotation is no unit quaternion, and the importer was not seen.
    #[error("a rotation that is no unit quaternion")]
    Quaternion,
    /// The binding pose of a joint matters otherwise than by its matrix, or has no place in the rule.
    #[error("the binding pose of a joint")]
    BindPose,
    /// The rule is for translations, rotations and scales alone.
    #[error("a matrix")]
    Matrix,
    /// The node does not inherit everything, as in no glTF file.
    #[error("a node that does not inherit everything")]
    Inheritance,
    /// The FBX file says that the node does not take its parent's scale as matrices do, and the importer was not seen.
    #[error("an InheritType other than RSrs")]
    InheritType,
    /// Rounding alone decides.
    #[error("what rounding decides")]
    Rounding,
    /// There is no such call, or nobody looked.
    #[error("a call that was not seen")]
    NotSeen,
    /// A value overflows.
    #[error("values that overflow")]
    Overflow,
}

impl Reason {
    /// Its name; stable, for programs.
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
