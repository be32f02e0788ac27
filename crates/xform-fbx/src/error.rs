use thiserror::Error;
use ufbx::ErrorType;
use xform_scene::ErrorCode;

/// Why a file is not read as FBX.
#[derive(Clone, Debug, Error, Eq, PartialEq)]
#[error("{message}")]
#[non_exhaustive]
pub struct FbxError {
    /// Its kind; stable, for programs.
    pub code: ErrorCode,
    /// What is wrong, for people: a clause.
    pub message: String,
}

impl FbxError {
    /// An error of a kind.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<ufbx::Error> for FbxError {
    fn from(error: ufbx::Error) -> Self {
        let (code, message) = match error.type_ {
            ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
                (ErrorCode::OutOfMemory, "it takes more memory than it may")
            }
            // Of bytes that are there ufbx says that they are empty where their last record is missing.
            ErrorType::TruncatedFile | ErrorType::EmptyFile => {
                (ErrorCode::FbxTruncated, "the file ends too early")
            }
            ErrorType::UnrecognizedFileFormat => (ErrorCode::NotFbx, "it is no FBX file"),
            ErrorType::UnsupportedVersion => {
                (ErrorCode::UnsupportedVersion, "its version of FBX is not supported")
            }
            ErrorType::BadIndex => (ErrorCode::IndexOutOfRange, "an index leads nowhere"),
            ErrorType::NodeDepthLimit => (ErrorCode::FbxTooDeep, "its nodes are nested too deeply"),
            _ => match &*error.description {
                "Cyclic node hierarchy" => (ErrorCode::Cycle, "a node is its own ancestor"),
                "Not an FBX file" => (ErrorCode::NotFbx, "it is no FBX file"),
                // What ufbx says beside this is of its own sources.
                _ => (ErrorCode::InvalidFbx, "it is no valid FBX file"),
            },
        };
        Self::new(code, message)
    }
}
