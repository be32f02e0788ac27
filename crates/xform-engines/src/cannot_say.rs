use thiserror::Error;

/// What an engine does with a node is not known; nor is it with what hangs below that node.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("{reason}")]
pub struct CannotSay {
    /// The first node on the path from the root that nothing can be said of.
    pub node: usize,
    /// Why not.
    pub reason: Reason,
}

/// Why it is not known what an engine does with a node. Its text completes "it is not known …".
#[derive(Clone, Copy, Debug, Eq, Error, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The `matrix` of the node is no translation, rotation and scale, and the importer was not seen.
    #[error("what it makes of a sheared matrix")]
    ShearedMatrix,
    /// The `matrix` of the node mirrors, and the importer was not seen: which of its scales is negative matters below it.
    #[error("what it makes of a matrix that mirrors")]
    MirroredMatrix,
    /// An axis has no length, and the rule divides by that length.
    #[error("what it makes of a scale of zero")]
    ZeroScale,
    /// The rule is for translations, rotations and scales alone.
    #[error("what it makes of a matrix")]
    Matrix,
    /// Rounding alone decides.
    #[error("what rounding makes of it")]
    Rounding,
    /// A value overflows.
    #[error("what it makes of values that overflow")]
    Overflow,
}
