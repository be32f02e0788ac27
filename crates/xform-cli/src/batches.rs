//! Many scenes, a few at a time on all cores.

use std::io;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{overwritten::Kept, progress::Progress};

/// How many scenes are held at a time: enough that no core waits long for the slowest of them.
const AT_A_TIME: usize = 256;

/// Makes something of each scene. `take` gets what was made in the order of the scenes, whatever finishes first.
pub(crate) fn for_each<S: Send + Sync, T: Send>(
    mut scenes: impl Iterator<Item = Result<S, Kept>>,
    progress: &Progress,
    make: impl Fn(&S) -> T + Sync,
    mut take: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    loop {
        let some = scenes.by_ref().take(AT_A_TIME).collect::<Result<Vec<_>, _>>();
        let some = some.map_err(io::Error::other)?;
        if some.is_empty() {
            return Ok(());
        }
        let made = some.par_iter().map(|scene| {
            let made = make(scene);
            progress.advance();
            made
        });
        made.collect::<Vec<_>>().into_iter().try_for_each(&mut take)?;
    }
}
