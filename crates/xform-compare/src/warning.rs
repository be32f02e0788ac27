use serde::Serialize;

use crate::code::codes;

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

codes! {
    /// The kinds of [`Warning`].
    WarningCode {
        /// A rotation that is no unit quaternion; it was normalised.
        UnitQuaternion = "unit-quaternion",
        /// A rotation of length zero; it was taken as no rotation.
        ZeroQuaternion = "zero-quaternion",
        /// A scale with a zero: the node and all below it are flat.
        ZeroScale = "zero-scale",
        /// A scale with a negative determinant: the node and all below it are mirrored.
        Mirrored = "mirrored",
        /// `matrix` beside `translation`, `rotation` or `scale`; the matrix was used.
        MatrixAndTrs = "matrix-and-trs",
        /// A `matrix` that is no translation, rotation and scale; combined TRS uses the nearest.
        MatrixNotTrs = "matrix-not-trs",
        /// A mesh with a POSITION that has no bounds; that part of it does not count.
        MissingBounds = "missing-bounds",
        /// A skinned mesh, which ignores the transform of its node.
        SkinnedMesh = "skinned-mesh",
        /// A node with `EXT_mesh_gpu_instancing`; the instances are not audited.
        GpuInstancing = "gpu-instancing",
        /// Nodes that are not in the default scene; they are audited all the same.
        NonDefaultScene = "non-default-scene",
        /// Nodes with more non-uniform ancestors than were tried for their cause.
        CauseCut = "cause-cut",
        /// An animation that moves nodes, of which not everything could be read, or which was skipped.
        AnimationNotSampled = "animation-not-sampled",
        /// An animation with more keyframes than were sampled, since it moves many nodes.
        AnimationThinned = "animation-thinned",
        /// A figure that is undefined because an axis has no length; it is `null`.
        UndefinedFigure = "undefined-figure",
        /// Bytes that are not UTF-8; they were read as U+FFFD.
        NotUtf8 = "not-utf8",
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
