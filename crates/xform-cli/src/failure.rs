use crate::overwritten::WouldOverwrite;

/// The reasons why nothing was done, one per line.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Vec<String>);

impl From<String> for Failure {
    fn from(line: String) -> Self {
        Self(vec![line])
    }
}

impl From<&str> for Failure {
    fn from(line: &str) -> Self {
        Self(vec![line.to_owned()])
    }
}

impl From<WouldOverwrite> for Failure {
    fn from(kept: WouldOverwrite) -> Self {
        kept.to_string().into()
    }
}
