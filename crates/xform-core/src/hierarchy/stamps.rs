use std::ops::Range;

/// When each slot was last recomputed, as the number of the propagation that did it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps {
    by_slot: Vec<u64>,
    /// The latest in each [`BLOCK`] of slots, so that those without a change are passed over.
    by_block: Vec<u64>,
    now: u64,
}

const BLOCK: usize = 64;

impl Stamps {
    /// The number of the last propagation that recomputed anything.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Marks the slots in these ranges as recomputed by the next propagation, of so many slots that there are.
    pub(super) fn advance(&mut self, ranges: &[Range<usize>], slots: usize) {
        self.now += 1;
        self.by_slot.resize(slots, self.now);
        self.by_block.resize(slots.div_ceil(BLOCK), self.now);
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            self.by_slot[range.clone()].fill(self.now);
            self.by_block[range.start / BLOCK..=(range.end - 1) / BLOCK].fill(self.now);
        }
    }

    /// The slots that were recomputed after a propagation, as ascending ranges that do not touch.
    pub(super) fn since(&self, then: u64) -> Vec<Range<usize>> {
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
