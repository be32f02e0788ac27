use thiserror::Error;
use ufbx::ErrorType;
use xform_scene::ErrorCode;

/// The error of reading a file as FBX.
#[derive(Clone, Debug, Error, Eq, PartialEq)]
#[error("{message}")]
#[non_exhaustive]
pub struct FbxError {
    /// The kind of error. Stable, for programs.
    pub code: ErrorCode,
    /// The problem, for people, as a clause.
    pub message: String,
}

impl FbxError {
    /// Creates an error of a kind.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<ufbx::Error> for FbxError {
    fn from(error: ufbx::Error) -> Self {
        let (code, message) = match error.type_ {
            ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
                (ErrorCode::OutOfMemory, "it takes more memory than allowed")
            }
            // If the last record of a file is missing, ufbx reports the file as empty, although it has bytes.
            ErrorType::TruncatedFile | ErrorType::EmptyFile => {
                (ErrorCode::FbxTruncated, "the file ends too early")
            }
            ErrorType::UnrecognizedFileFormat => (ErrorCode::NotFbx, "it is not an FBX file"),
            ErrorType::UnsupportedVersion => {
                (ErrorCode::UnsupportedVersion, "its version of FBX is not supported")
            }
            ErrorType::BadIndex => (ErrorCode::IndexOutOfRange, "an index is out of range"),
            ErrorType::NodeDepthLimit => (ErrorCode::FbxTooDeep, "its nodes are nested too deeply"),
            _ => match &*error.description {
                "Cyclic node hierarchy" => (ErrorCode::Cycle, "a node is its own ancestor"),
                "Not an FBX file" => (ErrorCode::NotFbx, "it is not an FBX file"),
                // Other descriptions of ufbx refer to its own source code.
                _ => (ErrorCode::InvalidFbx, "it is not a valid FBX file"),
            },
        };
        Self::new(code, message)
    }
}
