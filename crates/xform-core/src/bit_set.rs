use std::ops::Range;

/// A set of small numbers that is iterated in ascending order, and costs next to nothing while it is empty.
///
/// It has a word for every 64 numbers, and in a second level a bit for every word that is not 0, so that iteration
/// skips 4096 numbers at a time. Members are not counted, because each setter would have to wait for the count of
/// the one before.
// Changed slots are kept in such a set, with the summary level, and drained in ascending order. If it is empty,
// propagation returns at once, at any number of nodes. The subtrees below are marked in a second set, 64 slots at a
// time, and changes are looked at word by word: slots that are already covered are skipped, and no leaf is searched
// for on its own. That made the update of all leaves twice as fast (4.2 instead of 9.2 ns a leaf). After all poses
// were set one by one, propagation takes 1.0 to 1.1 times as long as after the roots were set. It took 2.3 to 9.4
// times as long when the ranges of subtrees were collected and sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    summary: Vec<u64>,
    /// Includes every word that is not 0. Empty if the set is.
    used: Range<usize>,
}

const BITS: usize = u64::BITS as usize;

impl BitSet {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let words = capacity.div_ceil(BITS);
        Self {
            words: Vec::with_capacity(words),
            summary: Vec::with_capacity(words.div_ceil(BITS)),
            used: 0..0,
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    #[inline]
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / BITS).is_some_and(|word| word & bit(number) != 0)
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: usize) {
        let word = number / BITS;
        self.make_room(word);
        self.insert_bits(word, bit(number));
    }

    /// Inserts the numbers of a word whose bit is set. There must be room for the word, and at least one bit must be
    /// set.
    #[inline]
    fn insert_bits(&mut self, word: usize, numbers: u64) {
        let bits = &mut self.words[word];
        if *bits == 0 {
            self.summary[word / BITS] |= bit(word);
            let Range { start, end } = self.used;
            self.used =
                if start < end { start.min(word)..end.max(word + 1) } else { word..word + 1 };
        }
        *bits |= numbers;
    }

    /// Returns the numbers of the set if they are few and within one word.
    #[inline]
    pub(crate) fn few(&self) -> Option<impl Iterator<Item = usize>> {
        const FEW: u32 = 4;
        let Range { start, end } = self.used;
        let numbers = self.word(start);
        let are_few = end == start + 1 && numbers.count_ones() <= FEW;
        are_few.then(|| bits(numbers).map(move |number| start * BITS + number))
    }

    /// The number of numbers in one word of the set.
    pub(crate) const WORD: usize = BITS;

    /// Inserts those of 64 consecutive numbers whose bit is set. The first of the 64 numbers is 64 · `word`.
    #[inline]
    pub(crate) fn insert_word(&mut self, word: usize, numbers: u64) {
        if numbers != 0 {
            self.make_room(word);
            self.insert_bits(word, numbers);
        }
    }

    /// Inserts all numbers of a range, 64 at a time.
    pub(crate) fn insert_range(&mut self, range: Range<usize>) {
        let Some(last) = range.end.checked_sub(1).filter(|&last| last >= range.start) else {
            return;
        };
        let (first_word, last_word) = (range.start / BITS, last / BITS);
        self.make_room(last_word);
        if first_word == last_word {
            self.insert_bits(first_word, from(range.start) & up_to(last));
            return;
        }
        for word in first_word..=last_word {
            let mut numbers = u64::MAX;
            if word == first_word {
                numbers &= from(range.start);
            }
            if word == last_word {
                numbers &= up_to(last);
            }
            self.insert_bits(word, numbers);
        }
    }

    /// Inserts numbers a word at a time, so that consecutive ones do not wait for each other.
    #[inline]
    pub(crate) fn insert_all(&mut self, numbers: impl IntoIterator<Item = usize>) {
        let (mut word, mut pending) = (0, 0);
        for number in numbers {
            if number / BITS != word {
                self.insert_word(word, pending);
                (word, pending) = (number / BITS, 0);
            }
            pending |= bit(number);
        }
        self.insert_word(word, pending);
    }

    /// Inserts the numbers of another set and, with each of them, the larger numbers that `insert_below` inserts.
    ///
    /// `insert_below` is called in ascending order, only for numbers that are not in the set by then and that are
    /// among the bits that `ask` returns for their word; nothing is below the others. It returns whether it inserted
    /// anything.
    #[inline]
    pub(crate) fn insert_with_below(
        &mut self,
        tops: &Self,
        ask: impl Fn(usize) -> u64,
        mut insert_below: impl FnMut(&mut Self, usize) -> bool,
    ) {
        let mut next = tops.next_word(0);
        while let Some(word) = next {
            let wanted = tops.word(word);
            let mut rest = wanted & ask(word) & !self.word(word);
            while rest != 0 {
                let number = word * BITS + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if insert_below(self, number) {
                    rest &= !self.word(word);
                }
            }
            // Numbers that are below another one are already in the set.
            self.insert_word(word, wanted);
            next = tops.next_word(word + 1);
        }
    }

    #[inline]
    fn make_room(&mut self, word: usize) {
        if word >= self.words.len() {
            self.grow(word + 1);
        }
    }

    #[cold]
    fn grow(&mut self, words: usize) {
        self.words.resize(words, 0);
        self.summary.resize(words.div_ceil(BITS), 0);
    }

    /// Returns the numbers of the set among the 64 that begin at 64 · `word`.
    #[inline]
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// Empties the set into its maximal ranges, in ascending order.
    pub(crate) fn drain_into(&mut self, ranges: &mut Vec<Range<usize>>) {
        for (i, summary) in self.summary.iter_mut().enumerate() {
            for word in bits(std::mem::take(summary)) {
                let first = (i * BITS + word) * BITS;
                let mut rest = std::mem::take(&mut self.words[i * BITS + word]);
                while rest != 0 {
                    let start = rest.trailing_zeros();
                    let len = (rest >> start).trailing_ones();
                    rest &= u64::MAX.checked_shl(start + len).unwrap_or(0);
                    let start = first + start as usize;
                    let end = start + len as usize;
                    match ranges.last_mut() {
                        Some(range) if range.end == start => range.end = end,
                        _ => ranges.push(start..end),
                    }
                }
            }
        }
        self.used = 0..0;
    }

    pub(crate) fn remove(&mut self, number: usize) {
        if self.contains(number) {
            let word = number / BITS;
            self.words[word] &= !bit(number);
            if self.words[word] == 0 {
                let summary = &mut self.summary[word / BITS];
                *summary &= !bit(word);
                if *summary == 0 && self.summary.iter().all(|&summary| summary == 0) {
                    self.used = 0..0;
                }
            }
        }
    }

    /// Empties the set. Takes time in proportion to the numbers in it, and to a 4096th of the largest number that
    /// was ever in it.
    pub(crate) fn clear(&mut self) {
        if self.is_empty() {
            return;
        }
        for (i, summary) in self.summary.iter_mut().enumerate() {
            for word in bits(std::mem::take(summary)) {
                self.words[i * BITS + word] = 0;
            }
        }
        self.used = 0..0;
    }

    /// Returns the numbers in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let summaries = self.summary.iter().enumerate();
        let words = summaries.flat_map(|(i, &summary)| bits(summary).map(move |j| i * BITS + j));
        words.flat_map(|word| bits(self.words[word]).map(move |i| word * BITS + i))
    }

    /// Returns the smallest number of the set that is in the range.
    pub(crate) fn first_in(&self, range: Range<usize>) -> Option<usize> {
        let first_word = range.start / BITS;
        let rest_of_word = self.words.get(first_word)? & from(range.start);
        let word_and_rest = if rest_of_word != 0 {
            Some((first_word, rest_of_word))
        } else {
            self.next_word(first_word + 1).map(|word| (word, self.words[word]))
        };
        let (word, rest) = word_and_rest?;
        let number = word * BITS + rest.trailing_zeros() as usize;
        range.contains(&number).then_some(number)
    }

    /// Returns the position of the first word, from `word` on, that is not 0.
    pub(crate) fn next_word(&self, word: usize) -> Option<usize> {
        let first = word / BITS;
        let rest = self.summary.get(first)? & from(word);
        let later = || (first + 1..self.summary.len()).map(|i| (i, self.summary[i]));
        let (i, summary) =
            std::iter::once((first, rest)).chain(later()).find(|&(_, summary)| summary != 0)?;
        Some(i * BITS + summary.trailing_zeros() as usize)
    }
}

fn bit(number: usize) -> u64 {
    1 << (number % BITS)
}

/// Returns a mask of the bits from that of `number` on.
fn from(number: usize) -> u64 {
    u64::MAX << (number % BITS)
}

/// Returns a mask of the bits up to that of `number`, inclusive.
fn up_to(number: usize) -> u64 {
    u64::MAX >> (BITS - 1 - number % BITS)
}

/// Returns the positions of the bits that are set.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let rest = |word: u64| (word != 0).then_some(word);
    let words = std::iter::successors(rest(word), move |word| rest(word & (word - 1)));
    words.map(|word| word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    properties! {
        #[test]
        fn it_does_as_a_tree_of_numbers_does(
            // Few enough numbers that a removed one was often in the set.
            edits in proptest::collection::vec((any::<bool>(), (0_usize..30).prop_map(|i| i * 666)), 0..200),
            start in 0_usize..20_000,
            len in 0_usize..9_000,
            bits in any::<u64>(),
        ) {
            let (mut set, mut model) = (BitSet::default(), BTreeSet::new());
            for (insert, number) in edits {
                if insert {
                    set.insert(number);
                    model.insert(number);
                } else {
                    set.remove(number);
                    model.remove(&number);
                }
                prop_assert_eq!(set.contains(number), insert);
                prop_assert_eq!(set.is_empty(), model.is_empty());
            }
            prop_assert!(set.iter().eq(model.iter().copied()));
            prop_assert_eq!(set.is_empty(), model.is_empty());
            if let Some(few) = set.few() {
                prop_assert!(few.eq(model.iter().copied()));
            }
            let mut one = BitSet::default();
            one.insert(start);
            prop_assert_eq!(one.few().map(Iterator::collect), Some(vec![start]));
            one.insert(start + 64);
            prop_assert!(one.few().is_none());
            let range = start..start + len;
            prop_assert_eq!(set.first_in(range.clone()), model.range(range.clone()).next().copied());
            let mut other = BitSet::default();
            other.insert_range(range.clone());
            prop_assert!(other.iter().eq(range.clone()));
            let words = std::iter::successors(set.next_word(0), |word| set.next_word(word + 1));
            prop_assert!(words.eq((0..20_000_usize.div_ceil(64)).filter(|&word| set.word(word) != 0)));
            set.insert_range(range.clone());
            model.extend(range);
            set.insert_word(start / 64, bits);
            let is_set = |number: &usize| bits >> (number % 64) & 1 != 0;
            model.extend((start / 64 * 64..start / 64 * 64 + 64).filter(is_set));
            prop_assert!(set.iter().eq(model.iter().copied()));
            let (mut drained, mut ranges) = (set.clone(), Vec::new());
            drained.drain_into(&mut ranges);
            prop_assert!(ranges.is_sorted_by(|a, b| a.end < b.start));
            prop_assert!(ranges.into_iter().flatten().eq(model.iter().copied()));
            prop_assert!(drained.is_empty() && drained.iter().next().is_none());
            set.clear();
            prop_assert!(set.is_empty() && set.iter().next().is_none());
            prop_assert_eq!(set.first_in(0..30_000), None);
        }
    }
}
