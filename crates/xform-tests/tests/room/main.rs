//! Room that was made beforehand is room for everything a hierarchy keeps.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/strategy.rs"]
mod strategy;

use peak_alloc::PeakAlloc;
use strategy::{Digest, pose};
use xform_core::Hierarchy;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How much more memory so many roots take.
fn taken(mut hierarchy: Hierarchy<Digest>, len: usize) -> usize {
    let (parents, locals) = (vec![None; len], vec![pose(1.); len]);
    let before = MEMORY.current_usage();
    drop(hierarchy.insert_forest(None, &parents, &locals).unwrap());
    MEMORY.current_usage() - before
}

#[test]
fn nodes_that_there_is_room_for_take_no_more_memory() {
    for len in [1, 100, 10_000] {
        // Where the one run begins.
        assert!(taken(Hierarchy::with_capacity(len), len) <= 32, "{len}");
        let mut reserved = Hierarchy::new();
        reserved.reserve(len);
        // And a bit or two a node for what changed.
        assert!(taken(reserved, len) <= 128 + len / 4, "{len}");
    }
}
