use std::io;

use thiserror::Error;

use super::unread::no_such;
use crate::ErrorCode;

/// The reason why bytes could not be read as glTF 2.0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// A Git LFS pointer in place of the file, which was not fetched.
    #[error("it is a Git LFS pointer, not the file itself; fetch the file with `git lfs pull`")]
    LfsPointer,
    /// Not JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A value of the wrong type or length, or a duplicate member.
    #[error("{}{message}", before(.pointer))]
    Value {
        /// Its place, as a JSON pointer. For a duplicate member, that of the object.
        pointer: String,
        /// The problem.
        message: String,
    },
    /// A number in a pose that is beyond the range of `f64`.
    #[error("{pointer}: the number is out of range")]
    NumberOutOfRange {
        /// Its place, as a JSON pointer.
        pointer: String,
    },
    /// Not a regular file, but a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// More JSON than the reader accepts.
    #[error("its JSON is longer than {longest} bytes")]
    TooLong {
        /// The number of bytes of JSON that are accepted.
        longest: u64,
    },
    /// No `asset.version`, which every glTF file has.
    #[error("not a glTF file: it has no asset.version")]
    NoVersion,
    /// Another version of glTF than 2.0, in the JSON or in the header of the GLB.
    #[error("glTF {0} is not supported; only 2.0 is")]
    Version(String),
    /// A file that requires a newer version of glTF, by `asset.minVersion`.
    #[error("it needs glTF {0}; only 2.0 is supported")]
    MinVersion(String),
    /// A GLB that ends before its header, its JSON chunk or its stated length does.
    #[error("the GLB is truncated: {what} needs {needed} bytes, but there are {available}")]
    Truncated {
        /// The part that is cut off.
        what: &'static str,
        /// The number of bytes that it needs, counted from the start of the file.
        needed: u64,
        /// The number of bytes in the file.
        available: u64,
    },
    /// A GLB whose stated length has no room for its JSON chunk.
    #[error("the GLB states a length of {length} bytes, too short for its JSON chunk")]
    BadLength {
        /// The length in the header.
        length: u32,
    },
    /// A GLB whose first chunk is something else.
    #[error("the first chunk of the GLB is not JSON")]
    NoJsonChunk,
    /// An index that is out of range.
    #[error("{pointer}: {}", no_such(kind, *index, *len))]
    IndexOutOfRange {
        /// The place of the index, as a JSON pointer.
        pointer: String,
        /// The kind of object that it refers to, such as `node`.
        kind: &'static str,
        /// The index.
        index: usize,
        /// The number of these objects.
        len: usize,
    },
    /// A node that is listed as a child twice.
    #[error("node {node} has two parents, {first} and {second}")]
    TwoParents {
        /// The node.
        node: usize,
        /// The node that lists it first.
        first: usize,
        /// The node that lists it again; can be the same.
        second: usize,
        /// Its position in the children of that node.
        position: usize,
    },
    /// A node that is its own ancestor.
    #[error("node {node} is its own ancestor")]
    Cycle {
        /// A node on the cycle.
        node: usize,
    },
    /// More nodes than can be numbered.
    #[error("too many nodes: {len}")]
    TooManyNodes {
        /// The number of nodes.
        len: usize,
    },
    /// A matrix whose last row is not 0 0 0 1.
    #[error("/nodes/{node}/matrix: the last row is {row:?} instead of [0, 0, 0, 1]")]
    NotAffine {
        /// The node.
        node: usize,
        /// Its last row.
        row: [f64; 4],
    },
}

impl GltfError {
    /// Returns its kind, which is stable, for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => ErrorCode::OutOfMemory,
            Self::Io(_) | Self::NotAFile => ErrorCode::Unreadable,
            Self::TooLong { .. } => ErrorCode::TooLong,
            Self::Empty => ErrorCode::Empty,
            Self::LfsPointer => ErrorCode::LfsPointer,
            Self::Json(_) => ErrorCode::InvalidJson,
            Self::Value { .. } => ErrorCode::InvalidValue,
            Self::NumberOutOfRange { .. } => ErrorCode::NumberOutOfRange,
            Self::NoVersion => ErrorCode::NotGltf,
            Self::Version(_) | Self::MinVersion(_) => ErrorCode::UnsupportedVersion,
            Self::Truncated { .. } => ErrorCode::GlbTruncated,
            Self::BadLength { .. } => ErrorCode::GlbLength,
            Self::NoJsonChunk => ErrorCode::GlbWithoutJson,
            Self::IndexOutOfRange { .. } => ErrorCode::IndexOutOfRange,
            Self::TwoParents { .. } => ErrorCode::TwoParents,
            Self::Cycle { .. } => ErrorCode::Cycle,
            Self::TooManyNodes { .. } => ErrorCode::TooManyNodes,
            Self::NotAffine { .. } => ErrorCode::MatrixNotAffine,
        }
    }

    /// Returns its place in the JSON, as a JSON pointer (RFC 6901). Empty for the whole document, and if there is
    /// none.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Self::Value { pointer, .. }
            | Self::NumberOutOfRange { pointer }
            | Self::IndexOutOfRange { pointer, .. } => pointer.clone(),
            Self::NoVersion | Self::Version(_) => "/asset".to_owned(),
            Self::MinVersion(_) => "/asset/minVersion".to_owned(),
            Self::TwoParents { second, position, .. } => {
                format!("/nodes/{second}/children/{position}")
            }
            Self::Cycle { node } => format!("/nodes/{node}"),
            Self::TooManyNodes { .. } => "/nodes".to_owned(),
            Self::NotAffine { node, .. } => format!("/nodes/{node}/matrix"),
            _ => String::new(),
        }
    }
}

/// The place before a message. Empty for the whole document.
fn before(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}
