use std::{num::NonZeroUsize, thread};

/// Returns the number of threads that can run at the same time.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
