use thiserror::Error;
use xform_compare::{CompareError, audit::Problem};
use xform_scene::gltf::GltfErrors;

use crate::proof::{Proof, ProofError};

/// Why a file could not be repaired.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FixError {
    /// It is no glTF 2.0; or there is something to repair, and an index leads to nothing. New data would stand where it leads.
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
    /// Its scene cannot be measured.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// Its JSON can be read and not edited: an object has a member twice.
    #[error("its JSON cannot be edited: {0}")]
    Json(#[from] serde_json::Error),
    /// There is no such node.
    #[error("there is no node `{0}`")]
    NoNode(String),
    /// No difference has to do with the node that was asked for.
    #[error("of what is drawn nothing differs at node `{0}` or below it")]
    NothingThere(String),
    /// An image or a buffer cannot be named from where the repaired file is to be.
    #[error("{0}")]
    Elsewhere(String),
    /// A GLB can have no more than 4 GiB.
    #[error("the repaired file would be longer than a GLB can be")]
    TooLong,
    /// What was repaired could not be proved, and nothing is to be written.
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
    /// The same as a problem of the file of this name, with a code for programs.
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
