use thiserror::Error;
use xform_compare::{CompareError, audit::Problem};
use xform_scene::gltf::GltfErrors;

use crate::proof::{Proof, ProofError};

/// The reasons why a file could not be repaired.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FixError {
    /// The file is not glTF 2.0. Or something is to be repaired and an index points nowhere: once data are appended, it
    /// would point to them.
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
    /// The scene cannot be measured.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The JSON can be read but not edited: an object contains a member twice.
    #[error("its JSON cannot be edited: {0}")]
    Json(#[from] serde_json::Error),
    /// The file has no such node.
    #[error("no node has the name, path or index `{0}`")]
    NoNode(String),
    /// No difference concerns the requested node.
    #[error("nothing drawn at node `{0}` or below it differs")]
    NothingThere(String),
    /// An image or buffer has no name relative to the place of the repaired file.
    #[error("{0}")]
    Elsewhere(String),
    /// The result exceeds the 4 GiB that a GLB can have.
    #[error("the repaired file would be longer than a GLB can be")]
    TooLong,
    /// The repair could not be proved, so nothing must be written.
    #[error("not proved: {}", unproved(.0))]
    NotProved(Box<Proof>),
}

fn unproved(proof: &Proof) -> String {
    match proof.broken.first() {
        Some(broken) => format!("node {}: {}", broken.node, broken.what),
        None => format!(
            "a vertex would move by {:e} of the scene, and a direction turn by {:e}°",
            proof.largest_move_of_scene(),
            proof.largest_turn_degrees
        ),
    }
}

impl From<ProofError> for FixError {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::Json(error) => Self::Json(error),
            ProofError::Gltf(error) => Self::Gltf(error),
        }
    }
}

impl FixError {
    /// Converts the error to a problem of the named file, with a code for programs.
    #[must_use]
    pub fn problem(&self, source: &str) -> Problem {
        let code = match self {
            Self::Gltf(errors) => return Problem::of_gltf(source, errors),
            Self::Compare(error) => return Problem::of_scene(source, error),
            Self::NotProved(_) => "not-proved",
            Self::NoNode(_) | Self::NothingThere(_) => "setting",
            _ => "not-repaired",
        };
        Problem::of_file(source, code, self)
    }
}
