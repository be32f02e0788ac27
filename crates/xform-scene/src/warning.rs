use serde::Serialize;

use super::code::codes;

/// Something in a scene that is allowed, or was mended on reading, but is worth a look.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Its kind; stable, for programs.
    pub code: WarningCode,
    /// The node it is about.
    pub node: Option<usize>,
    /// Its place in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// Its meaning, for people.
    pub message: String,
}

impl Warning {
    /// A warning about a place in a file that is no node.
    #[must_use]
    pub fn new(code: WarningCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, node: None, pointer: pointer.into(), message: message.into() }
    }

    /// The warning, about a node as well as about its place in the file.
    #[must_use]
    pub fn with_node(self, node: Option<usize>) -> Self {
        Self { node, ..self }
    }

    /// A warning about a node of a file, or a member of it such as `/scale`.
    #[must_use]
    pub fn of_node(
        code: WarningCode,
        node: usize,
        member: &str,
        message: impl Into<String>,
    ) -> Self {
        let pointer = format!("/nodes/{node}{member}");
        Self { node: Some(node), ..Self::new(code, pointer, message) }
    }
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
        /// A skinned mesh whose vertices could not be read; the origins of its joints stand in for them.
        SkinnedMesh = "skinned-mesh",
        /// An FBX file with a broken mesh, of which all meshes were left aside.
        BrokenMeshes = "broken-meshes",
        /// A node with `EXT_mesh_gpu_instancing` whose instances could not be read.
        GpuInstancing = "gpu-instancing",
        /// A node whose pose a behaviour (`KHR_interactivity`) sets at run time.
        Behaviour = "behaviour",
        /// Nodes that are not in the default scene; they are audited all the same.
        NonDefaultScene = "non-default-scene",
        /// A node that a scene lists although it has a parent.
        NonRootNode = "non-root-node",
        /// Nodes with more non-uniform ancestors than were tried for their cause.
        CauseCut = "cause-cut",
        /// An animation that moves nodes, of which not everything could be read, or which was skipped.
        AnimationNotSampled = "animation-not-sampled",
        /// An animation with more keyframes than were sampled, since it moves many nodes.
        AnimationThinned = "animation-thinned",
        /// Two channels of an animation that set the same property of a node; engines take the first or the last, and both
        /// were sampled.
        DuplicateChannel = "duplicate-channel",
        /// Keyframes at the same time, or before the beginning.
        KeyframeTimes = "keyframe-times",
        /// A scale that changes its sign between two keyframes while the node turns by half a turn.
        ScaleFlip = "scale-flip",
        /// A figure that is undefined because an axis has no length; it is `null`.
        UndefinedFigure = "undefined-figure",
        /// An even scale of an uppermost node that is what a unit is in another one.
        UnitScale = "unit-scale",
        /// A scene that is under a centimetre or over ten kilometres across.
        Size = "size",
        /// Something drawn so far from the origin that 32-bit floats move it visibly.
        Precision = "precision",
        /// Bytes that are not UTF-8; they were read as U+FFFD.
        NotUtf8 = "not-utf8",
    }
}
