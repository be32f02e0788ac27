//! Why a repair is not done.

use thiserror::Error;

/// Why a group is left as it is: nothing of it is repaired where it cannot be repaired as a whole.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{why}")]
pub struct Refusal {
    /// The node that stands in the way.
    pub node: usize,
    /// Why.
    pub why: Why,
}

/// What stands in the way of a repair at a node.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// An animation scales it, so that what would go into the vertices changes over time.
    #[error("an animation changes its scale")]
    MovingScale,
    /// An animation turns it below a non-uniform scale.
    #[error("an animation turns it below a non-uniform scale")]
    MovingRotation,
    /// An animation that moves it, or may do so, could not be read.
    #[error("an animation could not be read that may move it: {0}")]
    UnreadAnimation(String),
    /// A pointer of an animation or of a behaviour sets a property that would change.
    #[error("KHR_animation_pointer or KHR_interactivity sets its {0}")]
    Pointer(&'static str),
    /// A camera is there.
    #[error("it has a camera, whose picture the scale changes")]
    Camera,
    /// A light is there.
    #[error("it has a light, whose direction or reach the scale may change")]
    Light,
    /// The mesh is shown in many places, each with a pose of its own below the scale.
    #[error("it shows its mesh in many places (EXT_mesh_gpu_instancing)")]
    Instancing,
    /// An extension whose meaning is not known may depend on the scale.
    #[error("it has the extension {0}, which may depend on the scale")]
    Extension(String),
    /// A scale is zero, or next to it.
    #[error("it is flattened: what is flat has no normals to keep")]
    Flat,
    /// The rotation is no unit quaternion, and engines differ in what they make of it.
    #[error("its rotation is no unit quaternion")]
    OddRotation,
    /// The primitive is compressed.
    #[error("its vertices would change, and its mesh is compressed by Draco")]
    Draco,
    /// Vertices, indices, inverse bind matrices or keyframes could not be read.
    #[error("its data cannot be read: {0}")]
    Unread(String),
    /// A value is not finite, or would not be.
    #[error("its data has a number that is not finite, or would become so")]
    NotFinite,
    /// The thickness of a material is in the space of the mesh, so the scale acts on it.
    #[error("its material has a thickness (KHR_materials_volume), which the scale acts on")]
    Thickness,
    /// The avatar's settings hold offsets in the space of nodes.
    #[error("the file has settings of an avatar (VRM), which hold offsets in the space of nodes")]
    Avatar,
    /// Its matrix is no translation, rotation and scale, so it has no scale to make uniform.
    #[error("its matrix is sheared, which a uniform scale does not change")]
    Sheared,
    /// An animation takes its scale through zero, or mirrors it by others of its axes than at rest.
    #[error("an animation takes its scale through zero")]
    ThroughZero,
    /// There would be many times as many data as there are.
    #[error("each node that shows its mesh would need a copy, of which there are too many")]
    TooMuch,
    /// A scene shows it as a root though it has a parent, and programs differ in where that puts it.
    #[error("a scene lists it as a root, though it has a parent")]
    TwoPlaces,
}

impl Why {
    /// Whether it is something that moves, which no bake can follow.
    pub(crate) fn is_motion(&self) -> bool {
        matches!(self, Self::MovingScale | Self::MovingRotation)
    }

    /// Its stable name, for programs.
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
