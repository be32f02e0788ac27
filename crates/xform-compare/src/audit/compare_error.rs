use thiserror::Error;
use xform_core::HierarchyError;
use xform_scene::{ErrorCode, Scene, text::path};

/// Why a scene could not be compared.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompareError {
    /// The nodes do not form a forest, or a pose is unusable.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A figure of a node exceeds the range of `f64`.
    #[error("node {node} (\"{path}\"): values overflow")]
    Overflow {
        /// The node: the first on its path to overflow.
        node: usize,
        /// The names from the root down to it.
        path: String,
    },
    /// A skinned mesh follows a joint that its skin does not have, or that is not a node of the scene.
    #[error("the skinned mesh of node {node} follows a joint that does not exist")]
    UnknownJoint {
        /// The node.
        node: usize,
    },
    /// The box around the scene exceeds the range of `f64`.
    #[error("the scene is too large to be measured")]
    SceneTooLarge,
    /// An animation moves a node that does not exist, or one with a matrix, which cannot be animated.
    #[error("animation {animation} moves node {node}, which does not exist or has a matrix")]
    NotAnimatable {
        /// The index of the animation.
        animation: usize,
        /// The node.
        node: usize,
    },
}

impl CompareError {
    /// Returns its kind, a stable code for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Overflow { .. } => ErrorCode::ValuesOverflow,
            Self::SceneTooLarge => ErrorCode::SceneTooLarge,
            Self::Hierarchy(_) | Self::NotAnimatable { .. } | Self::UnknownJoint { .. } => {
                ErrorCode::InvalidScene
            }
        }
    }

    /// Returns its place in a glTF file as a JSON pointer (RFC 6901); empty for the whole scene.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Self::Overflow { node, .. } | Self::UnknownJoint { node } => format!("/nodes/{node}"),
            Self::NotAnimatable { animation, .. } => format!("/animations/{animation}"),
            Self::Hierarchy(_) | Self::SceneTooLarge => String::new(),
        }
    }

    pub(crate) fn overflow(scene: &Scene, node: usize) -> Self {
        Self::Overflow { node, path: path(scene, node) }
    }
}
