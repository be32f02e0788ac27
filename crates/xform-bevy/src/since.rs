use bevy_ecs::change_detection::{MAX_CHANGE_AGE, Tick};

/// The number of rows that are checked together. Their changes are the bits of a word.
pub(crate) const BLOCK: usize = 64;
/// The number of rows of a block that are skipped together.
const PART: usize = 8;

/// A filter for changes since the last run.
#[derive(Clone, Copy)]
pub(crate) struct Since {
    this_run: u32,
    age: u32,
}

impl Since {
    /// Creates the filter. Without a last run, every change passes.
    pub(crate) fn new(last_run: Option<Tick>, this_run: Tick) -> Self {
        let this_run = this_run.get();
        let age = |last_run: Tick| this_run.wrapping_sub(last_run.get()).min(MAX_CHANGE_AGE);
        // Greater than the age of any tick.
        Self { this_run, age: last_run.map_or(u32::MAX, age) }
    }

    /// Whether a tick is newer than the last run, like [`Tick::is_newer_than`]. If the last run is older than the ages
    /// that Bevy can distinguish, no tick of that age counts as newer.
    #[inline]
    pub(crate) fn is_before(self, tick: Tick) -> bool {
        self.this_run.wrapping_sub(tick.get()) < self.age
    }

    /// Returns the ticks of a block that are newer than the last run, as bits.
    #[inline]
    pub(crate) fn newer(self, ticks: &[Tick]) -> u64 {
        // Usually none is newer. Comparing all of them without a branch lets the compiler compare several at a time.
        let is_any = |ticks: &[Tick]| ticks.iter().fold(false, |any, &it| any | self.is_before(it));
        if !is_any(ticks) {
            return 0;
        }
        let parts = ticks.chunks(PART).enumerate().filter(|(_, part)| is_any(part));
        parts.fold(0, |bits, (place, part)| {
            let bit = |bits, &tick: &Tick| bits << 1 | u64::from(self.is_before(tick));
            bits | part.iter().rev().fold(0, bit) << (place * PART)
        })
    }
}

/// Returns the positions of the bits that are set.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}
