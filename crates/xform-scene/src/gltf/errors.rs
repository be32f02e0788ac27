use std::iter;

use thiserror::Error;

use super::GltfError;

/// How many of the errors of a file are kept.
const MOST: usize = 100;

/// Everything that is wrong with a file, as far as it can be told.
///
/// Where the bytes can be read as JSON with an `asset`, these are all values of the wrong type or length; where there is no
/// such value, they are all indices, parents and poses that cannot be used. Otherwise it is a single error. A hundred are
/// kept, and fewer where to look for more would take long.
#[derive(Debug, Error)]
#[error("{first}{}", and_more(.others.len() + .more))]
pub struct GltfErrors {
    first: GltfError,
    others: Vec<GltfError>,
    more: usize,
}

impl GltfErrors {
    /// The first of them.
    #[must_use]
    pub fn first(&self) -> &GltfError {
        &self.first
    }

    /// Those that are kept, a hundred at most.
    pub fn iter(&self) -> impl Iterator<Item = &GltfError> {
        iter::once(&self.first).chain(&self.others)
    }

    /// How many there are, or may be, beside those that [`iter`](Self::iter) gives: not 0 where not all were looked for.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }
}

/// An error from which on nothing can be read.
impl<E: Into<GltfError>> From<E> for GltfErrors {
    fn from(error: E) -> Self {
        Self { first: error.into(), others: Vec::new(), more: 0 }
    }
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!("; and {more} more") }
}

/// The errors that were found so far.
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

    /// Counts an error that may be there, where others are.
    pub(super) fn count_more(&mut self) {
        if let Some(errors) = &mut self.0 {
            errors.more += 1;
        }
    }

    /// Whether no further error is kept.
    pub(super) fn is_full(&self) -> bool {
        self.0.as_ref().is_some_and(|errors| errors.others.len() + 1 >= MOST)
    }

    /// The errors, if there are any.
    pub(super) fn found(self) -> Result<(), GltfErrors> {
        self.0.map_or(Ok(()), Err)
    }
}
