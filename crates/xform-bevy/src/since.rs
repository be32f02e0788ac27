use bevy_ecs::change_detection::{MAX_CHANGE_AGE, Tick};

/// So many rows are looked at together; those that changed are the bits of a word.
pub(crate) const BLOCK: usize = 64;

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

    /// As [`Tick::is_newer_than`].
    #[inline]
    fn is_before(self, tick: Tick) -> bool {
        self.this_run.wrapping_sub(tick.get()).min(MAX_CHANGE_AGE) < self.age
    }

    /// Those of a block of ticks that are newer.
    #[inline]
    pub(crate) fn newer(self, ticks: &[Tick]) -> u64 {
        // Most often none is. All are compared then, without a branch, so that several are at a time.
        if !ticks.iter().fold(false, |any, &tick| any | self.is_before(tick)) {
            return 0;
        }
        let bit = |(i, &tick): (usize, &Tick)| u64::from(self.is_before(tick)) << i;
        ticks.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
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
