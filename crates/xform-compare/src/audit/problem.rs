use serde::Serialize;

/// Why a scene was not audited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub source: String,
    /// Its kind; stable, for programs: mostly an [`ErrorCode`](crate::ErrorCode).
    pub code: &'static str,
    /// Its place in the file, as a JSON pointer (RFC 6901); empty for the whole file.
    pub pointer: String,
    /// One line for people, which names the file.
    pub error: String,
}

impl Problem {
    /// A problem with a file, or with a place in it.
    #[must_use]
    pub fn new(
        source: impl Into<String>,
        code: &'static str,
        pointer: impl Into<String>,
        error: impl Into<String>,
    ) -> Self {
        let (source, pointer, error) = (source.into(), pointer.into(), error.into());
        Self { source, code, pointer, error }
    }
}
