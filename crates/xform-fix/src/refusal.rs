//! The reasons to refuse a repair.

use thiserror::Error;

/// A reason why a group is left as it is. A group is repaired as a whole or not at all.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{why}")]
pub struct Refusal {
    /// The node that stands in the way.
    pub node: usize,
    /// The reason.
    pub why: Why,
}

/// The reasons against a repair at a node.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// An animation changes its scale, so the map for its vertices would change over time.
    #[error("an animation changes its scale")]
    MovingScale,
    /// An animation turns it below a non-uniform scale.
    #[error("an animation turns it below a non-uniform scale")]
    MovingRotation,
    /// An animation that moves the node, or may move it, could not be read.
    #[error("an animation that may move it could not be read: {0}")]
    UnreadAnimation(String),
    /// An animation pointer or a behaviour sets a property that the repair would change.
    #[error("KHR_animation_pointer or KHR_interactivity sets its {0}")]
    Pointer(&'static str),
    /// The node has a camera.
    #[error("it has a camera, and the scale changes its picture")]
    Camera,
    /// The node has a light.
    #[error("it has a light, whose direction or reach the scale may change")]
    Light,
    /// The mesh has instances, each with a pose of its own below the scale.
    #[error("its mesh has instances (EXT_mesh_gpu_instancing)")]
    Instancing,
    /// An unknown extension may depend on the scale.
    #[error("it has the extension {0}, which may depend on the scale")]
    Extension(String),
    /// A scale is zero or nearly zero.
    #[error("it is flattened, so its normals cannot be kept")]
    Flat,
    /// The rotation is not a unit quaternion, and engines read it differently.
    #[error("its rotation is not a unit quaternion")]
    OddRotation,
    /// The primitive is compressed.
    #[error("its vertices would change, but its mesh is compressed with Draco")]
    Draco,
    /// Vertices, indices, inverse bind matrices or keyframes could not be read.
    #[error("its data cannot be read: {0}")]
    Unread(String),
    /// A value is not finite, or would not be after the repair.
    #[error("its data contain a number that is not finite, or would not be after the repair")]
    NotFinite,
    /// A material has a thickness in the space of the mesh, so the scale acts on it.
    #[error("its material has a thickness (KHR_materials_volume), which depends on the scale")]
    Thickness,
    /// The settings of an avatar (VRM) hold offsets in the space of nodes.
    #[error("the file has avatar settings (VRM), which contain offsets in the space of nodes")]
    Avatar,
    /// The matrix is sheared, so the node has no scale to make uniform.
    #[error("its matrix is sheared, which a uniform scale cannot fix")]
    Sheared,
    /// An animation takes the scale through zero, or mirrors it along other axes than at rest.
    #[error("an animation takes its scale through zero")]
    ThroughZero,
    /// The repair would add many times as much data as the file has.
    #[error("each node that shows its mesh would need its own copy, which would be too many")]
    TooMuch,
    /// A scene lists the node as a root although it has a parent, and programs differ in where they place it.
    #[error("a scene lists it as a root although it has a parent")]
    TwoPlaces,
}

impl Why {
    /// Whether the reason is an animation that no bake can follow.
    pub(crate) fn is_motion(&self) -> bool {
        matches!(self, Self::MovingScale | Self::MovingRotation)
    }

    /// Returns its stable name, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::MovingScale => "moving-scale",
            Self::MovingRotation => "moving-rotation",
            Self::UnreadAnimation(_) => "unread-animation",
            Self::Pointer(_) => "pointer",
            Self::Camera => "camera",
            Self::Light => "light",
            Self::Instancing => "instancing",
            Self::Extension(_) => "extension",
            Self::Flat => "flat",
            Self::OddRotation => "odd-rotation",
            Self::Draco => "draco",
            Self::Unread(_) => "unread",
            Self::NotFinite => "not-finite",
            Self::Thickness => "thickness",
            Self::Avatar => "avatar",
            Self::Sheared => "sheared",
            Self::ThroughZero => "through-zero",
            Self::TooMuch => "too-much",
            Self::TwoPlaces => "two-places",
        }
    }
}
