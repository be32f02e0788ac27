//! Many scenes, a few at a time on all cores.

use std::{collections::VecDeque, iter};

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::{
    memory::{Fit, Memory},
    overwritten::Kept,
    progress::Progress,
};

/// How many scenes are held at a time: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// Makes something of each scene, in the order of the scenes, whatever finishes first. Those that are worked on at the same
/// time fit in memory by what each takes at most; one that does not fit is alone. After an error there is nothing.
pub(crate) fn made<S: Send + Sync, T: Send>(
    mut scenes: impl Iterator<Item = Result<S, Kept>>,
    progress: &Progress,
    memory: Memory,
    at_most: impl Fn(&S) -> u64 + Sync,
    make: impl Fn(&S, Fit) -> T + Sync,
) -> impl Iterator<Item = Result<T, Kept>> {
    let mut waiting = VecDeque::new();
    let batches = iter::from_fn(move || {
        if waiting.is_empty() {
            let some = scenes.by_ref().take(AT_A_TIME).collect::<Result<Vec<_>, _>>();
            let some = match some {
                Ok(some) => some.into_par_iter().map(|scene| (at_most(&scene), scene)),
                Err(kept) => return Some(vec![Err(kept)]),
            };
            waiting = some.collect::<Vec<_>>().into();
        }
        let (takes, first) = waiting.pop_front()?;
        let fit = if memory.fits(takes) { Fit::Surely } else { Fit::Perhaps };
        let (mut left, mut batch) = (memory.without(takes), vec![first]);
        while waiting.front().is_some_and(|(takes, _)| left.fits(*takes)) {
            let (takes, scene) = waiting.pop_front()?;
            left = left.without(takes);
            batch.push(scene);
        }
        let made = batch.par_iter().map(|scene| {
            let made = make(scene, fit);
            progress.advance();
            Ok(made)
        });
        Some(made.collect::<Vec<_>>())
    });
    batches.flatten()
}
