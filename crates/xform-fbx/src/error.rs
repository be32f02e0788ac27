use thiserror::Error;
use ufbx::ErrorType;
use xform_compare::ErrorCode;

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
            ErrorType::EmptyFile => (ErrorCode::Empty, "the file is empty"),
            ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
                (ErrorCode::OutOfMemory, "it takes more memory than it may")
            }
            ErrorType::TruncatedFile => (ErrorCode::FbxTruncated, "the file ends too early"),
            ErrorType::UnrecognizedFileFormat => (ErrorCode::NotFbx, "it is no FBX file"),
            ErrorType::UnsupportedVersion => {
                (ErrorCode::UnsupportedVersion, "its version of FBX is not supported")
            }
            ErrorType::BadIndex => (ErrorCode::IndexOutOfRange, "an index leads nowhere"),
            ErrorType::NodeDepthLimit => (ErrorCode::FbxTooDeep, "its nodes are nested too deeply"),
            _ => {
                let text = error.description.to_string().to_lowercase();
                return Self::new(ErrorCode::InvalidFbx, format!("it is no valid FBX: {text}"));
            }
        };
        Self::new(code, message)
    }
}
