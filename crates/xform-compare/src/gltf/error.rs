use std::io;

use thiserror::Error;

/// Why bytes could not be read as glTF 2.0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No bytes at all.
    #[error("the file is empty")]
    Empty,
    /// Not JSON, or a field of the wrong type, length or range.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// No `asset.version`, which every glTF file has.
    #[error("not a glTF file: it has no asset.version")]
    NoVersion,
    /// Another version of glTF, in the JSON or in the header of the GLB.
    #[error("glTF {0} is not supported, only 2.0 is")]
    Version(String),
    /// A GLB that ends before its header, its JSON chunk or its stated length does.
    #[error("the GLB is truncated: {what} needs {needed} bytes, there are {available}")]
    Truncated {
        /// Which part.
        what: &'static str,
        /// How many bytes it needs, counted from the start of the file.
        needed: u64,
        /// How many bytes the file has.
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
    /// An index that leads nowhere.
    #[error("{pointer}: there is no {kind} {index}, only {len} of them")]
    IndexOutOfRange {
        /// Where the index stands, as a JSON pointer.
        pointer: String,
        /// What it should be the index of.
        kind: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A node that is listed as a child twice.
    #[error("node {node} has two parents, {first} and {second}")]
    TwoParents {
        /// The node.
        node: usize,
        /// Who lists it first.
        first: usize,
        /// Who lists it again; may be the same.
        second: usize,
    },
    /// A node that is its own ancestor.
    #[error("node {node} is its own ancestor")]
    Cycle {
        /// A node on the cycle.
        node: usize,
    },
    /// More nodes than can be numbered.
    #[error("{len} nodes are too many")]
    TooManyNodes {
        /// How many there are.
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
