//! Many scenes, a few at a time on all cores.

use std::iter;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{overwritten::Kept, progress::Progress};

/// How many scenes are held at a time: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// Makes something of each scene, in the order of the scenes, whatever finishes first. After an error there is nothing.
pub(crate) fn made<S: Send + Sync, T: Send>(
    mut scenes: impl Iterator<Item = Result<S, Kept>>,
    progress: &Progress,
    make: impl Fn(&S) -> T + Sync,
) -> impl Iterator<Item = Result<T, Kept>> {
    let batches = iter::from_fn(move || {
        let some = scenes.by_ref().take(AT_A_TIME).collect::<Result<Vec<_>, _>>();
        let some = match some {
            Ok(some) if some.is_empty() => return None,
            Ok(some) => some,
            Err(kept) => return Some(vec![Err(kept)]),
        };
        let made = some.par_iter().map(|scene| {
            let made = make(scene);
            progress.advance();
            Ok(made)
        });
        Some(made.collect::<Vec<_>>())
    });
    batches.flatten()
}
