use serde::{Serialize, Serializer};

/// Something in a scene that is allowed, or was mended, but is worth a look.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// What kind it is; stable, for programs.
    pub code: WarningCode,
    /// The node it is about.
    pub node: Option<usize>,
    /// Where it is in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What it means, for people.
    pub message: String,
}

/// The kinds of [`Warning`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum WarningCode {
    /// A rotation that is no unit quaternion; it was normalised.
    UnitQuaternion,
    /// A rotation of length zero; it was taken as no rotation.
    ZeroQuaternion,
    /// A scale with a zero: the node and all below it are flat.
    ZeroScale,
    /// A scale with a negative determinant: the node and all below it are mirrored.
    Mirrored,
    /// `matrix` beside `translation`, `rotation` or `scale`; the matrix was used.
    MatrixAndTrs,
    /// A `matrix` that is no translation, rotation and scale; combined TRS uses the nearest.
    MatrixNotTrs,
    /// A mesh with a POSITION that has no bounds; that part of it does not count.
    MissingBounds,
    /// A skinned mesh, which ignores the transform of its node.
    SkinnedMesh,
    /// A node with `EXT_mesh_gpu_instancing`; the instances are not audited.
    GpuInstancing,
    /// Nodes that are not in the default scene; they are audited all the same.
    NonDefaultScene,
    /// Nodes with more non-uniform ancestors than were tried for their cause.
    CauseCut,
    /// An animation that moves nodes, of which not everything could be read, or which was skipped.
    AnimationNotSampled,
    /// An animation with more keyframes than were sampled, since it moves many nodes.
    AnimationThinned,
    /// A figure that is undefined because an axis has no length; it is `null`.
    UndefinedFigure,
}

impl WarningCode {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::UnitQuaternion,
        Self::ZeroQuaternion,
        Self::ZeroScale,
        Self::Mirrored,
        Self::MatrixAndTrs,
        Self::MatrixNotTrs,
        Self::MissingBounds,
        Self::SkinnedMesh,
        Self::GpuInstancing,
        Self::NonDefaultScene,
        Self::CauseCut,
        Self::AnimationNotSampled,
        Self::AnimationThinned,
        Self::UndefinedFigure,
    ];

    /// The code as reports print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UnitQuaternion => "unit-quaternion",
            Self::ZeroQuaternion => "zero-quaternion",
            Self::ZeroScale => "zero-scale",
            Self::Mirrored => "mirrored",
            Self::MatrixAndTrs => "matrix-and-trs",
            Self::MatrixNotTrs => "matrix-not-trs",
            Self::MissingBounds => "missing-bounds",
            Self::SkinnedMesh => "skinned-mesh",
            Self::GpuInstancing => "gpu-instancing",
            Self::NonDefaultScene => "non-default-scene",
            Self::CauseCut => "cause-cut",
            Self::AnimationNotSampled => "animation-not-sampled",
            Self::AnimationThinned => "animation-thinned",
            Self::UndefinedFigure => "undefined-figure",
        }
    }
}

impl Serialize for WarningCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The first warning of each kind with how many there are, for people.
pub(crate) fn by_code(warnings: &[Warning]) -> Vec<(&Warning, usize)> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        match kinds.iter_mut().find(|(first, _)| first.code == warning.code) {
            Some((_, count)) => *count += 1,
            None => kinds.push((warning, 1)),
        }
    }
    kinds
}

/// The code of a kind, and how often it occurs where that is more than once.
pub(crate) fn code_and_count(first: &Warning, count: usize) -> String {
    match count {
        1 => first.code.name().to_owned(),
        count => format!("{}, {count} times", first.code.name()),
    }
}
