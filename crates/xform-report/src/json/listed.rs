//! Serialises iterators as lists without collecting them.

use std::cell::Cell;

use serde::{Serialize, Serializer};

/// An iterator that is serialised as a list, item by item. It can be written once.
pub(crate) struct Listed<I>(Cell<Option<I>>);

impl<I> Listed<I> {
    pub(crate) fn new(items: I) -> Self {
        Self(Cell::new(Some(items)))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Listed<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}
