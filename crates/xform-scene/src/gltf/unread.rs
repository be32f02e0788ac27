use thiserror::Error;

use crate::animation::{CurveError, NotSampledCode};

/// The reason why a part of an animation, or of a skinned mesh, could not be read.
#[derive(Clone, Debug, Error)]
pub(super) enum Unread {
    #[error("{}", no_such(kind, *index, *len))]
    Index { kind: &'static str, index: usize, len: usize },
    #[error("buffer {0} has no uri, and the file has no binary chunk for it")]
    NoUri(usize),
    #[error("buffer {0} is not valid base64")]
    Base64(usize),
    #[error("`{0}` is another file, but there is no folder to find it in")]
    NoFolder(String),
    #[error("`{0}` is not in the folder of the file")]
    OutsideFolder(String),
    #[error("`{name}`: {error}")]
    Io { name: String, error: String },
    #[error("`{0}` is a Git LFS pointer, not the file itself; fetch the file with `git lfs pull`")]
    LfsPointer(String),
    #[error("buffer view {view} is stored by `{name}`, which xform does not read")]
    View { view: usize, name: String },
    #[error("buffer view {view} cannot be decompressed (meshopt): {error}")]
    Meshopt { view: usize, error: String },
    #[error("unknown meshopt mode `{0}`")]
    MeshoptMode(String),
    #[error("unknown meshopt filter `{0}`")]
    MeshoptFilter(String),
    #[error("buffer view {view} cannot be decompressed (Draco): {error}")]
    Draco { view: usize, error: String },
    #[error("its Draco data has no attribute {0}")]
    DracoAttribute(usize),
    #[error("accessor {0} has no buffer view, and its data are in several places (Draco)")]
    DracoTwice(usize),
    #[error("{what} {index} is out of bounds")]
    OutOfBounds { what: &'static str, index: usize },
    #[error("its accessors request far more data than its buffers have")]
    TooMuch,
    #[error("accessor {index} is not of type {shape}")]
    Shape { index: usize, shape: &'static str },
    #[error("accessor {index} has an unsupported component type")]
    Component { index: usize },
    #[error(
        "accessor {index} has no buffer view, and its data may be in `{name}`, where xform cannot read them"
    )]
    Extension { index: usize, name: String },
    #[error(
        "a primitive has no POSITION, and its vertices may be in `{0}`, where xform cannot read them"
    )]
    Vertices(String),
    #[error("accessor {index} replaces elements that it does not have")]
    Sparse { index: usize },
    #[error("buffer view {view} has a stride below the size of an element, or above 252")]
    Stride { view: usize },
    #[error("its attributes do not have the same number of elements")]
    UnequalInstances,
    #[error("instance {0} has a number that is not finite")]
    InstanceRange(usize),
    #[error("vertex {0} is not finite")]
    VertexRange(usize),
    #[error("node {0} has a matrix, so it may not be animated")]
    Matrix(usize),
    #[error("it has no {0}")]
    Missing(&'static str),
    #[error("unknown interpolation `{0}`")]
    Interpolation(String),
    #[error("`{0}` does not refer to a node")]
    Pointer(String),
    #[error("unknown path `{0}`")]
    Path(String),
    #[error("`{0}` is not in the folder of the file: it has a `:`")]
    Elsewhere(String),
    #[error("keyframe {0} is a rotation of length 0")]
    NoRotation(usize),
    #[error(transparent)]
    Curve(#[from] CurveError),
}

/// The message for an index out of range. The largest index represents a value that is not an index, such as a text
/// or a negative number.
pub(super) fn no_such(kind: &str, index: usize, len: usize) -> String {
    match (index, len) {
        (usize::MAX, 0) => format!("not a valid {kind} index; there are none"),
        (usize::MAX, 1) => format!("not a valid {kind} index; there is only 1"),
        (usize::MAX, _) => format!("not a valid {kind} index; there are {len}"),
        (_, 0) => format!("there is no {kind} {index}; there are none"),
        (_, 1) => format!("there is no {kind} {index}; there is only 1"),
        _ => format!("there is no {kind} {index}; there are only {len}"),
    }
}

impl Unread {
    pub(super) fn code(&self) -> NotSampledCode {
        match self {
            Self::Index { .. } | Self::Pointer(_) => NotSampledCode::IndexOutOfRange,
            Self::NoUri(_) => NotSampledCode::BufferWithoutUri,
            Self::Base64(_) => NotSampledCode::InvalidBase64,
            Self::NoFolder(_) => NotSampledCode::NoFolder,
            Self::OutsideFolder(_) | Self::Elsewhere(_) => NotSampledCode::OutsideFolder,
            Self::Io { .. } => NotSampledCode::Unreadable,
            Self::LfsPointer(_) => NotSampledCode::LfsPointer,
            Self::Meshopt { .. } | Self::MeshoptMode(_) | Self::MeshoptFilter(_) => {
                NotSampledCode::Meshopt
            }
            Self::Draco { .. } | Self::DracoAttribute(_) | Self::DracoTwice(_) => {
                NotSampledCode::Draco
            }
            Self::OutOfBounds { .. } => NotSampledCode::OutOfBounds,
            Self::TooMuch => NotSampledCode::TooMuch,
            Self::Shape { .. } => NotSampledCode::AccessorType,
            Self::Component { .. } => NotSampledCode::ComponentType,
            Self::Sparse { .. } => NotSampledCode::SparseIndex,
            Self::Stride { .. } => NotSampledCode::Stride,
            Self::UnequalInstances => NotSampledCode::ValueCount,
            Self::InstanceRange(_) | Self::VertexRange(_) => NotSampledCode::NotFinite,
            Self::Matrix(_) => NotSampledCode::MatrixAnimated,
            Self::Missing(_) | Self::Extension { .. } | Self::Vertices(_) | Self::View { .. } => {
                NotSampledCode::MissingMember
            }
            Self::Interpolation(_) => NotSampledCode::UnknownInterpolation,
            Self::Path(_) => NotSampledCode::UnknownPath,
            Self::NoRotation(_) => NotSampledCode::ZeroRotation,
            Self::Curve(error) => match error {
                CurveError::Empty => NotSampledCode::NoKeyframes,
                CurveError::Time { .. } => NotSampledCode::Times,
                CurveError::Count { .. } => NotSampledCode::ValueCount,
                CurveError::NotFinite { .. } => NotSampledCode::NotFinite,
            },
        }
    }
}
