//! Room that was made beforehand is room for everything a hierarchy keeps.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/strategy.rs"]
mod strategy;

use peak_alloc::PeakAlloc;
use strategy::{Digest, pose};
use xform_core::Hierarchy;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// In how many runs memory is measured.
const RUNS: usize = 101;

/// How many more bytes so many roots take. The allocator counts what all threads do, and the harness has one
/// of its own that may allocate or free something meanwhile. That happens in few of the runs, as it waits for
/// the test most of the time; in all others the figure is this thread's alone and the same. So the middle one
/// counts: the largest would be too large at times, the smallest too small where something else was freed.
fn taken(new: impl Fn() -> Hierarchy<Digest>, len: usize) -> isize {
    let (parents, locals) = (vec![None; len], vec![pose(1.); len]);
    let mut runs = [0; RUNS].map(|_: isize| {
        let mut hierarchy = new();
        let before = MEMORY.current_usage().cast_signed();
        drop(hierarchy.insert_forest(None, &parents, &locals).unwrap());
        MEMORY.current_usage().cast_signed() - before
    });
    runs.sort_unstable();
    runs[RUNS / 2]
}

#[test]
fn nodes_that_there_is_room_for_take_no_more_memory() {
    for len in [1, 100, 10_000] {
        // Where the one run begins.
        assert!(taken(|| Hierarchy::with_capacity(len), len) <= 32, "{len}");
        let reserved = || {
            let mut hierarchy = Hierarchy::new();
            hierarchy.reserve(len);
            hierarchy
        };
        // And a bit or two a node for what changed.
        assert!(taken(reserved, len) <= 128 + len.cast_signed() / 4, "{len}");
    }
}
