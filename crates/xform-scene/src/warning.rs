use serde::Serialize;

use super::code::codes;

/// An oddity in a scene that is allowed, or was corrected while reading, but deserves attention.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Its kind; stable, for programs.
    pub code: WarningCode,
    /// The node that it is about.
    pub node: Option<usize>,
    /// Its place in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// Its meaning, for people.
    pub message: String,
}

impl Warning {
    /// Creates a warning about a place in a file that does not belong to a node.
    #[must_use]
    pub fn new(code: WarningCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, node: None, pointer: pointer.into(), message: message.into() }
    }

    /// Returns the warning with a node.
    #[must_use]
    pub fn with_node(self, node: Option<usize>) -> Self {
        Self { node, ..self }
    }

    /// Creates a warning about a node of a file, or about a member of it such as `/scale`.
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
        /// A rotation that is not a unit quaternion; it was normalised.
        UnitQuaternion = "unit-quaternion",
        /// A rotation of length zero; it was read as no rotation.
        ZeroQuaternion = "zero-quaternion",
        /// A scale with a zero: the node and all its descendants are flat.
        ZeroScale = "zero-scale",
        /// A scale with a negative determinant: the node and all its descendants are mirrored.
        Mirrored = "mirrored",
        /// A node with both a `matrix` and a `translation`, `rotation` or `scale`; the matrix was used.
        MatrixAndTrs = "matrix-and-trs",
        /// A `matrix` that is not a translation, rotation and scale; combined TRS uses the nearest.
        MatrixNotTrs = "matrix-not-trs",
        /// A mesh without vertices, or with a POSITION that has no `min` and `max`; the vertices are measured
        /// instead.
        MissingBounds = "missing-bounds",
        /// A skinned mesh whose vertices could not be read; the origins of its joints are measured instead.
        SkinnedMesh = "skinned-mesh",
        /// A mesh that could not be read: an FBX file with a broken mesh, of which all meshes were left out, or a
        /// glTF mesh without bounds whose vertices cannot be read.
        BrokenMeshes = "broken-meshes",
        /// A node with `EXT_mesh_gpu_instancing` whose instances could not be read.
        GpuInstancing = "gpu-instancing",
        /// A node whose pose is set by a behaviour (`KHR_interactivity`) at run time.
        Behaviour = "behaviour",
        /// Nodes outside the default scene; they are audited too.
        NonDefaultScene = "non-default-scene",
        /// A node with a parent that a scene lists as a root.
        NonRootNode = "non-root-node",
        /// Nodes with more non-uniform ancestors than were tried as their cause.
        CauseCut = "cause-cut",
        /// An animation that moves nodes and was skipped or could not be read completely.
        AnimationNotSampled = "animation-not-sampled",
        /// An animation with more keyframes than were sampled, because it moves many nodes.
        AnimationThinned = "animation-thinned",
        /// Two channels of an animation that set the same property of a node. Engines use the first or the last; both
        /// were sampled.
        DuplicateChannel = "duplicate-channel",
        /// Keyframes at the same time, or before time zero.
        KeyframeTimes = "keyframe-times",
        /// A scale that changes its sign between two keyframes while the node makes half a turn.
        ScaleFlip = "scale-flip",
        /// A figure that is undefined because an axis has no length; it is `null`.
        UndefinedFigure = "undefined-figure",
        /// A uniform scale of a root that equals the ratio of two units of length.
        UnitScale = "unit-scale",
        /// A scene that is under a centimetre or over ten kilometres across.
        Size = "size",
        /// A drawn object so far from the origin that 32-bit floats displace it visibly.
        Precision = "precision",
        /// Bytes that are not UTF-8; they were read as U+FFFD.
        NotUtf8 = "not-utf8",
    }
}
