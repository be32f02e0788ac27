use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use crate::{Change, bit_set::BitSet};

/// A handle that says which parts of a node's world transform have changed since it was last asked.
///
/// It comes from [`Hierarchy::watch`](crate::Hierarchy::watch). A node may have any number of watchers,
/// each with a memory of its own. They can be asked from any thread, at any time. Dropping one ends it.
///
/// A watcher reports changes of the world transform as [`propagate`](crate::Hierarchy::propagate) finds
/// them, so an edit shows after the next propagation. A new watcher reports everything, because it has
/// never been asked.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<AtomicU8>,
}

/// The bit, besides those of a [`Change`], that says that the node is gone.
const REMOVED: u8 = 0x80;

impl Watcher {
    /// The parts that changed since this watcher was last asked; `None` for ever once the node, or the
    /// hierarchy, is gone.
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
    /// The indices of watched nodes, as a quick check before `by_index`.
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

    /// Tells the watchers of these nodes which parts changed: none for a node that is not among them.
    pub(crate) fn notify(&mut self, changed: &[u32], change_of: impl Fn(u32) -> Change) {
        let is_changed = |&index: &u32| !change_of(index).is_empty();
        let is_watched = |&index: &u32| self.watched.contains(index as usize);
        let told: Vec<u32> = if self.by_index.len() < changed.len() {
            self.by_index.keys().copied().filter(is_changed).collect()
        } else {
            changed.iter().copied().filter(is_watched).collect()
        };
        for index in told {
            self.notify_of(index, change_of(index));
        }
    }

    fn notify_of(&mut self, index: u32, change: Change) {
        let Some(watchers) = self.by_index.get_mut(&index) else { return };
        // Watchers that were dropped are forgotten.
        watchers.retain(|shared| {
            shared.fetch_or(change.bits(), Ordering::Release);
            is_held(shared)
        });
        if watchers.is_empty() {
            self.remove(index);
        }
    }

    /// Tells the watchers of a node that it is gone.
    pub(crate) fn remove(&mut self, index: u32) {
        self.watched.remove(index as usize);
        for shared in self.by_index.remove(&index).into_iter().flatten() {
            shared.store(REMOVED, Ordering::Release);
        }
    }
}

/// Whether the watcher at the other end still exists.
fn is_held(shared: &Arc<AtomicU8>) -> bool {
    Arc::strong_count(shared) > 1
}

impl Clone for Watchers {
    /// An empty set, because a watcher watches the original alone.
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
}
