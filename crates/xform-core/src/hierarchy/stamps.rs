use std::ops::Range;

use crate::{
    change_cursor::ChangeCursor,
    node_id::{Generation, draw_generations},
};

/// The number of the propagation that last recomputed each slot.
#[derive(Debug)]
pub(super) struct Stamps {
    /// Identifies this history. A clone gets another identifier.
    history: Generation,
    by_slot: Vec<u64>,
    /// The latest stamp in each [`BLOCK`] of slots, so that blocks without a change are skipped.
    by_block: Vec<u64>,
    now: u64,
}

const BLOCK: usize = 64;

impl Stamps {
    /// Creates a history of `slots` slots, all of which count as recomputed.
    pub(super) fn new(slots: usize) -> Self {
        let (by_slot, by_block) = (Vec::new(), Vec::new());
        let mut stamps = Self { history: draw_generations(1), by_slot, by_block, now: 0 };
        stamps.advance(&[], slots);
        stamps
    }

    /// Returns a cursor that has seen nothing of this history.
    pub(super) fn cursor(&self) -> ChangeCursor {
        ChangeCursor { history: self.history, seen: 0 }
    }

    /// Returns the slots that were recomputed since the last call with this cursor, which has then seen them. If the
    /// cursor belongs to another history, these are all slots.
    pub(super) fn unseen(&self, cursor: &mut ChangeCursor) -> Vec<Range<usize>> {
        let seen = if cursor.history == self.history { cursor.seen } else { 0 };
        *cursor = ChangeCursor { history: self.history, seen: self.now };
        self.since(seen)
    }

    /// Advances to the next propagation and marks the slots in these ranges as recomputed by it. `slots` is the
    /// number of slots.
    pub(super) fn advance(&mut self, ranges: &[Range<usize>], slots: usize) {
        self.now += 1;
        self.by_slot.resize(slots, self.now);
        self.by_block.resize(slots.div_ceil(BLOCK), self.now);
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            self.by_slot[range.clone()].fill(self.now);
            self.by_block[range.start / BLOCK..=(range.end - 1) / BLOCK].fill(self.now);
        }
    }

    /// Returns the slots that were recomputed after the propagation `then`, as ascending ranges that do not touch.
    fn since(&self, then: u64) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let blocks = self.by_block.iter().zip(self.by_slot.chunks(BLOCK)).enumerate();
        for (block, (_, stamps)) in blocks.filter(|(_, (latest, _))| **latest > then) {
            for (slot, _) in (block * BLOCK..).zip(stamps).filter(|(_, stamp)| **stamp > then) {
                match ranges.last_mut() {
                    Some(last) if last.end == slot => last.end += 1,
                    _ => ranges.push(slot..slot + 1),
                }
            }
        }
        ranges
    }
}

impl Clone for Stamps {
    /// Returns the same history under another identifier, because the two differ from now on.
    fn clone(&self) -> Self {
        Self {
            history: draw_generations(1),
            by_slot: self.by_slot.clone(),
            by_block: self.by_block.clone(),
            now: self.now,
        }
    }
}
