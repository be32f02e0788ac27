use bevy_ecs::change_detection::{MAX_CHANGE_AGE, Tick};

/// So many rows are looked at together; those that changed are the bits of a word.
pub(crate) const BLOCK: usize = 64;
/// So many of a block are passed over together.
const PART: usize = 8;

/// Tells what changed since the last run.
#[derive(Clone, Copy)]
pub(crate) struct Since {
    this_run: u32,
    age: u32,
}

impl Since {
    /// `None`: since ever.
    pub(crate) fn new(last_run: Option<Tick>, this_run: Tick) -> Self {
        let this_run = this_run.get();
        let age = |last_run: Tick| this_run.wrapping_sub(last_run.get()).min(MAX_CHANGE_AGE);
        // Older than anything is.
        Self { this_run, age: last_run.map_or(u32::MAX, age) }
    }

    /// As [`Tick::is_newer_than`]: nothing is younger than the last run that is older than Bevy tells apart.
    #[inline]
    pub(crate) fn is_before(self, tick: Tick) -> bool {
        self.this_run.wrapping_sub(tick.get()) < self.age
    }

    /// Those of a block of ticks that are newer.
    #[inline]
    pub(crate) fn newer(self, ticks: &[Tick]) -> u64 {
        // Most often none is. All are compared then, without a branch, so that several are at a time.
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

/// The places of the bits that are set.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}
