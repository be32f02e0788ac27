//! Processes many scenes, a few at a time on all cores.

use std::iter;

use rayon::{iter::ParallelIterator, slice::ParallelSlice};

use crate::{overwritten::WouldOverwrite, progress::Progress};

/// The number of scenes in flight: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// The number of scenes handed on together, so that a worker already knows its next scene.
const TOGETHER: usize = 4;

/// Converts scenes to results, in the order of the scenes, whichever finishes first. `make` gets a few scenes together
/// and returns as many results, in their order. An error replaces all scenes that are in flight with it.
pub(crate) fn made<S: Send + Sync, T: Send>(
    mut scenes: impl Iterator<Item = Result<S, WouldOverwrite>>,
    progress: &Progress,
    make: impl Fn(&[S]) -> Vec<T> + Sync,
) -> impl Iterator<Item = Result<T, WouldOverwrite>> {
    let batches = iter::from_fn(move || {
        let some = scenes.by_ref().take(AT_A_TIME).collect::<Result<Vec<_>, _>>();
        let some = match some {
            Ok(some) if some.is_empty() => return None,
            Ok(some) => some,
            Err(kept) => return Some(vec![Err(kept)]),
        };
        let made = some.par_chunks(TOGETHER).flat_map_iter(|scenes| {
            let made = make(scenes);
            progress.advance(scenes.len() as u64);
            made
        });
        Some(made.map(Ok).collect::<Vec<_>>())
    });
    batches.flatten()
}
