use std::ops::Range;

use crate::{Topology, bit_set::BitSet, sibling_blocks::SiblingBlocks};

/// Finds the slots of a [`Topology`] at or below given slots, so that [`Transform::accumulate`] recomputes no more
/// than the changes affect.
///
/// Make it once for a topology. A call then takes time in proportion to the number of given slots and of found
/// slots. The number of found slots hardly matters if the slots are in depth-first order, the order of
/// [`parents_first`]. If most poses change, it is quicker to recompute all slots than to find the affected ones.
///
/// [`Transform::accumulate`]: crate::Transform::accumulate
/// [`parents_first`]: crate::topology::parents_first
///
/// # Examples
///
/// ```
/// use nalgebra::Vector3;
/// use xform_core::{Topology, Transform, Trs, slices::SubtreeRanges};
///
/// fn raise<X: Transform<Scalar = f32>>(
///     topology: &Topology,
///     below: &mut SubtreeRanges,
///     locals: &mut [Trs<f32>],
///     worlds: &mut [X],
/// ) {
///     for slot in [1, 3] {
///         locals[slot].translation += Vector3::y();
///     }
///     X::accumulate(topology, locals, worlds, below.of([1, 3]));
/// }
///
/// let topology = Topology::from_parents(&[None, Some(0), Some(1), Some(0), None])?;
/// let mut below = SubtreeRanges::new(&topology);
/// assert_eq!(below.of([3]), [3..4]);
/// assert_eq!(below.of([1, 4]), [1..3, 4..5]);
/// # Ok::<(), xform_core::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SubtreeRanges {
    len: usize,
    order: Order,
    with_descendants: BitSet,
    // From the last call, to reuse their memory.
    tops: BitSet,
    found: BitSet,
    ranges: Vec<Range<usize>>,
}

/// The order of the slots, and the location of each slot's descendants.
#[derive(Clone, Debug)]
enum Order {
    /// The descendants follow the slot, up to the slot that is given here.
    DepthFirst(Vec<u32>),
    /// The descendants are a range of `blocks`, which are the slots in sibling-block order.
    Other { descendants: Vec<Range<u32>>, blocks: Vec<u32> },
}

impl SubtreeRanges {
    /// Analyses a topology, in linear time.
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        let mut with_descendants = BitSet::default();
        with_descendants.insert_all((0..topology.len()).filter_map(|slot| topology.parent(slot)));
        Self {
            len: topology.len(),
            order: Order::new(topology.parents()),
            with_descendants,
            tops: BitSet::default(),
            found: BitSet::default(),
            ranges: Vec::new(),
        }
    }

    /// Returns these slots and all slots below them. The ranges are ascending, and neither overlap nor touch.
    ///
    /// The slots may be in any order, may repeat, and may be below one another.
    ///
    /// # Panics
    ///
    /// If a slot is not one of the topology's.
    pub fn of(&mut self, slots: impl IntoIterator<Item = usize>) -> &[Range<usize>] {
        let Self { len, order, with_descendants, tops, found, ranges } = self;
        ranges.clear();
        tops.clear();
        tops.insert_all(slots.into_iter().inspect(|slot| {
            assert!(slot < len, "slot {slot} is out of range for a topology of {len} slots");
        }));
        let ask = |word: usize| with_descendants.word(word);
        match order {
            Order::DepthFirst(ends) => found.insert_with_below(tops, ask, |found, top| {
                found.insert_range(top + 1..ends[top] as usize);
                true
            }),
            Order::Other { descendants, blocks } => {
                found.insert_with_below(tops, ask, |found, top| {
                    let Range { start, end } = descendants[top];
                    let below = &blocks[start as usize..end as usize];
                    found.insert_all(below.iter().map(|&slot| slot as usize));
                    true
                });
            }
        }
        found.drain_into(ranges);
        ranges
    }
}

impl Order {
    fn new(parents: &[u32]) -> Self {
        let blocks = SiblingBlocks::new(parents);
        let mut descendants = vec![0..0; parents.len()];
        for (&slot, range) in blocks.order.iter().zip(blocks.descendants) {
            descendants[slot as usize] = range;
        }
        // If a slot is followed by as many slots as it has descendants, none of the descendants can be elsewhere.
        let mut ends: Vec<_> = (1..).take(parents.len()).collect();
        for (slot, &parent) in parents.iter().enumerate().rev() {
            let end: u32 = ends[slot];
            if let Some(end_above) = ends.get_mut(parent as usize) {
                *end_above = end.max(*end_above);
            }
        }
        let mut slots = (1..).zip(&ends).zip(&descendants);
        if slots.all(|((next, end), descendants)| (next..*end).len() == descendants.len()) {
            Self::DepthFirst(ends)
        } else {
            Self::Other { descendants, blocks: blocks.order }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;
    use crate::topology::parents_first;

    /// Up to 200 slots, each a root, a child of the slot before it, or a child of any slot before it; in this order
    /// or depth first.
    fn topologies() -> impl Strategy<Value = Topology> {
        let step = prop_oneof![Just(0), Just(1), 1_usize..200];
        (proptest::collection::vec(step, 1..200), any::<bool>()).prop_map(|(steps, depth_first)| {
            let parents = steps.iter().enumerate();
            let parents: Vec<_> = parents
                .map(|(slot, &back)| slot.checked_sub(back).filter(|&parent| parent < slot))
                .collect();
            let order = if depth_first {
                parents_first(&parents)
            } else {
                Ok((0..parents.len()).collect())
            };
            let order = order.expect("no node is above itself");
            let place = |node| order.iter().position(|&other| other == node);
            let parents: Vec<_> = order.iter().map(|&node| place(parents[node]?)).collect();
            Topology::from_parents(&parents).expect("parents are before their children")
        })
    }

    /// A slot is found if it or its parent is.
    fn by_definition(topology: &Topology, slots: &[usize]) -> Vec<bool> {
        let mut is_found = vec![false; topology.len()];
        for slot in 0..topology.len() {
            is_found[slot] =
                slots.contains(&slot) || topology.parent(slot).is_some_and(|above| is_found[above]);
        }
        is_found
    }

    properties! {
        #[test]
        fn it_finds_these_slots_and_all_below_them(
            topology in topologies(),
            asked in proptest::collection::vec(proptest::collection::vec(0_usize..200, 0..20), 1..4),
        ) {
            let mut below = SubtreeRanges::new(&topology);
            for slots in asked {
                let slots: Vec<_> = slots.iter().map(|slot| slot % topology.len()).collect();
                let ranges = below.of(slots.iter().copied());
                prop_assert!(ranges.is_sorted_by(|a, b| a.end < b.start));
                prop_assert!(ranges.iter().all(|range| !range.is_empty()));
                let is_found = by_definition(&topology, &slots);
                let found = (0..topology.len()).filter(|&slot| is_found[slot]);
                prop_assert!(ranges.iter().cloned().flatten().eq(found));
            }
        }
    }

    #[test]
    fn it_can_be_asked_again_after_a_slot_that_is_none() {
        let topology = Topology::from_parents(&[None, None, Some(0)]).expect("parents first");
        let mut below = SubtreeRanges::new(&topology);
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            below.of([1, 3]);
        }));
        assert!(refused.is_err());
        assert_eq!(below.of([0]), [0..1, 2..3]);
        assert_eq!(below.of([]), []);
        assert_eq!(SubtreeRanges::new(&Topology::default()).of([]), []);
    }
}
