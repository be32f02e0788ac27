use std::iter;

use thiserror::Error;

use super::GltfError;

/// The maximum number of errors that are kept per file.
const MOST: usize = 100;

/// All errors of a file that can be determined.
///
/// If the bytes are JSON with an `asset`, these are all values of the wrong type or length. If there are no such
/// values, they are all indices, parents and poses that cannot be used. Otherwise it is a single error. At most a
/// hundred are kept, and fewer if the search for more would take long.
#[derive(Debug, Error)]
#[error("{first}{}", and_more(.others.len() + .more))]
pub struct GltfErrors {
    first: GltfError,
    others: Vec<GltfError>,
    more: usize,
}

impl GltfErrors {
    /// Returns the first error.
    #[must_use]
    pub fn first(&self) -> &GltfError {
        &self.first
    }

    /// Iterates over the errors that were kept, at most a hundred.
    pub fn iter(&self) -> impl Iterator<Item = &GltfError> {
        iter::once(&self.first).chain(&self.others)
    }

    /// Returns how many more errors there are or may be beyond those of [`iter`](Self::iter). It is not 0 if the
    /// search stopped early.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }
}

/// An error that ends the reading.
impl<E: Into<GltfError>> From<E> for GltfErrors {
    fn from(error: E) -> Self {
        Self { first: error.into(), others: Vec::new(), more: 0 }
    }
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!("; and {more} more") }
}

/// The errors found so far.
#[derive(Default)]
pub(super) struct Defects(Option<GltfErrors>);

impl Defects {
    pub(super) fn push(&mut self, error: GltfError) {
        match &mut self.0 {
            None => self.0 = Some(error.into()),
            Some(errors) if errors.others.len() + 1 < MOST => errors.others.push(error),
            Some(errors) => errors.more += 1,
        }
    }

    /// Counts a possible further error, if errors were found.
    pub(super) fn count_more(&mut self) {
        if let Some(errors) = &mut self.0 {
            errors.more += 1;
        }
    }

    /// Whether no further errors are kept.
    pub(super) fn is_full(&self) -> bool {
        self.0.as_ref().is_some_and(|errors| errors.others.len() + 1 >= MOST)
    }

    /// Returns the errors, if there are any.
    pub(super) fn found(self) -> Result<(), GltfErrors> {
        self.0.map_or(Ok(()), Err)
    }
}
