use std::{num::NonZeroUsize, thread};

/// How many threads can work at a time.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
