use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use crate::{bit_set::BitSet, change::Change};

/// A handle that reports which parts of a node's world transform have changed since the last call.
///
/// [`Hierarchy::watch`](crate::Hierarchy::watch) creates one. A node may have any number of watchers, each with a
/// memory of its own. They can be queried from any thread at any time. Dropping a watcher ends it.
///
/// A watcher reports changes of the world transform as [`propagate`](crate::Hierarchy::propagate) finds them, so an
/// edit shows after the next propagation. The first call on a new watcher reports all parts.
// A watcher is a shared byte: propagation sets bits in it for nodes that are watched and changed, and `take` clears
// it. There are no callbacks, so no foreign code runs while a hierarchy is being changed. The hierarchy keeps the
// watchers by node in a map. If fewer nodes are watched than changed, propagation iterates over the map; otherwise
// it looks up the changed nodes.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<AtomicU8>,
}

/// The bit, beside those of a [`Change`], that means that the node is gone.
const REMOVED: u8 = 0x80;

impl Watcher {
    /// Returns the parts that changed since the last call. Once the node or the hierarchy is gone, returns `None`
    /// for ever.
    #[must_use]
    pub fn take(&self) -> Option<Change> {
        let bits = self.shared.fetch_and(REMOVED, Ordering::Acquire);
        (bits & REMOVED == 0).then(|| Change::from_bits(bits))
    }
}

/// The watchers of a hierarchy's nodes.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    by_index: HashMap<u32, Vec<Arc<AtomicU8>>>,
    /// The indices of watched nodes, for a quick test before the lookup in `by_index`.
    watched: BitSet,
}

impl Watchers {
    pub(crate) fn add(&mut self, index: u32) -> Watcher {
        let shared = Arc::new(AtomicU8::new(Change::ALL.bits()));
        let watchers = self.by_index.entry(index).or_default();
        if watchers.len() == watchers.capacity() {
            watchers.retain(is_held);
        }
        watchers.push(Arc::clone(&shared));
        self.watched.insert(index as usize);
        Watcher { shared }
    }

    /// Reports to the watchers of these nodes which parts changed. `change_of` returns no parts for a node that is
    /// not in `changed`.
    pub(crate) fn notify(&mut self, changed: &[u32], change_of: impl Fn(u32) -> Change) {
        if self.by_index.len() < changed.len() {
            self.by_index.retain(|&index, watchers| {
                let change = change_of(index);
                let is_watched = change.is_empty() || tell(watchers, change);
                if !is_watched {
                    self.watched.remove(index as usize);
                }
                is_watched
            });
        } else {
            for &index in changed {
                if self.watched.contains(index as usize)
                    && let Some(watchers) = self.by_index.get_mut(&index)
                    && !tell(watchers, change_of(index))
                {
                    self.remove(index);
                }
            }
        }
    }

    /// Reports to the watchers of a node that it is gone.
    pub(crate) fn remove(&mut self, index: u32) {
        self.watched.remove(index as usize);
        for shared in self.by_index.remove(&index).into_iter().flatten() {
            shared.store(REMOVED, Ordering::Release);
        }
    }
}

/// Reports to watchers which parts changed, and forgets those that were dropped. Returns whether any watcher is
/// left.
fn tell(watchers: &mut Vec<Arc<AtomicU8>>, change: Change) -> bool {
    watchers.retain(|shared| {
        shared.fetch_or(change.bits(), Ordering::Release);
        is_held(shared)
    });
    !watchers.is_empty()
}

/// Returns whether the watcher at the other end still exists.
fn is_held(shared: &Arc<AtomicU8>) -> bool {
    Arc::strong_count(shared) > 1
}

impl Clone for Watchers {
    /// Returns an empty set, because a watcher watches only the original.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        for shared in self.by_index.values().flatten() {
            shared.store(REMOVED, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watchers_that_were_dropped_are_forgotten_though_nothing_changes() {
        let mut watchers = Watchers::default();
        let held: Vec<_> = (0..10).map(|_| watchers.add(3)).collect();
        (0..10_000).for_each(|_| drop(watchers.add(3)));
        assert!(watchers.by_index[&3].len() < 100);
        watchers.remove(3);
        assert!(held.iter().all(|watcher| watcher.take().is_none()));
    }

    #[test]
    fn those_of_changed_nodes_are_told_or_forgotten_whether_few_or_many_changed() {
        // More nodes changed than are watched, and the other way round.
        for changed in [&[5, 6, 7, 8][..], &[5, 6]] {
            let mut watchers = Watchers::default();
            let [told, dropped, other] = [5, 6, 9].map(|index| watchers.add(index));
            assert_eq!([told.take(), other.take()], [Some(Change::ALL); 2]);
            drop(dropped);
            let turned = |index| Change::ROTATION.when(changed.contains(&index));
            watchers.notify(changed, turned);
            assert_eq!([told.take(), other.take()], [Some(Change::ROTATION), Some(Change::NONE)]);
            assert!(!watchers.by_index.contains_key(&6) && !watchers.watched.contains(6));
            assert!(watchers.watched.contains(5) && watchers.watched.contains(9));
        }
    }
}
