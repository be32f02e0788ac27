//! Many scenes, a few at a time on all cores.

use std::iter;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{memory::Memory, overwritten::Kept, progress::Progress};

/// How many scenes are held at a time: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// Makes something of each scene, in the order of the scenes, whatever finishes first. Those that are worked on at the same
/// time fit in memory by what each takes at most; one that does not fit is alone. After an error there is nothing.
pub(crate) fn made<S: Send + Sync, T: Send>(
    scenes: impl Iterator<Item = Result<S, Kept>>,
    progress: &Progress,
    memory: Memory,
    at_most: impl Fn(&S) -> u64,
    make: impl Fn(&S) -> T + Sync,
) -> impl Iterator<Item = Result<T, Kept>> {
    let mut scenes = scenes.peekable();
    let batches = iter::from_fn(move || {
        let (mut left, mut is_first) = (memory, true);
        let fitting = iter::from_fn(|| {
            scenes.next_if(|scene| {
                let takes = scene.as_ref().map_or(0, &at_most);
                let is_fitting = is_first || left.fits(takes);
                (left, is_first) = (left.without(takes), false);
                is_fitting
            })
        });
        let some = fitting.take(AT_A_TIME).collect::<Result<Vec<_>, _>>();
        let made = some.map(|some| {
            let made = some.par_iter().map(|scene| {
                let made = make(scene);
                progress.advance();
                made
            });
            made.collect::<Vec<_>>()
        });
        match made {
            Ok(made) if made.is_empty() => None,
            Ok(made) => Some(made.into_iter().map(Ok).collect::<Vec<_>>()),
            Err(kept) => Some(vec![Err(kept)]),
        }
    });
    batches.flatten()
}
