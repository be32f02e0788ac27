use std::ops::Range;

use super::{Hierarchy, stamps::Stamps, tracker::Tracker};
use crate::{
    HierarchyError, NodeId, Transform, change::Change, change_cursor::ChangeCursor,
    watcher::Watcher,
};

/// Tracking the changes of world transforms.
impl<X: Transform> Hierarchy<X> {
    /// Starts recording, for each node, which parts of its world transform change.
    ///
    /// This costs a few nanoseconds for each node that [`propagate`](Self::propagate) recomputes.
    /// [Watching](Self::watch) a node starts it too.
    pub fn track_changes(&mut self) {
        self.tracker();
    }

    fn tracker(&mut self) -> &mut Tracker {
        self.tracker.get_or_insert_with(|| {
            self.layout.slots.track();
            if let Some(changes) = self.layout.slots.changes_mut() {
                self.changes.iter().for_each(|slot| changes[slot].local = Change::ALL);
            }
            Box::default()
        })
    }

    /// Forgets the changes of the last propagation.
    pub(super) fn forget_last_changes(&mut self) {
        if let Some(changes) = self.layout.slots.changes_mut() {
            for range in &self.changed {
                changes[range.clone()].iter_mut().for_each(|change| change.world = Change::NONE);
            }
        }
        if let Some(tracker) = &mut self.tracker {
            tracker.clear();
        }
    }

    /// Returns the parts of a node's world transform that the last [`propagate`](Self::propagate) may have changed.
    ///
    /// An edit changes these parts of the node itself and of its descendants:
    ///
    /// - A new translation changes only positions.
    /// - A new rotation changes rotations, and the positions of descendants that are not at the node's origin. In
    ///   accumulated matrices it also changes the scale if the rotation acts inside a non-uniform scale.
    /// - A new scale changes scales, and the positions of the same descendants. In accumulated matrices it also
    ///   changes the rotations of descendants.
    /// - A new parent changes everything.
    /// - If a node [inherits](crate::Inherit) rotation without scale, or scale without rotation, a change of either
    ///   in an ancestor changes both in the node.
    ///
    /// Unless changes are [tracked](Self::track_changes), the result is all parts for every node that was
    /// recomputed.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn change_of(&self, node: NodeId) -> Result<Change, HierarchyError> {
        let slot = self.slot(node)?;
        if let Some(changes) = self.layout.slots.changes() {
            return Ok(changes[slot].world);
        }
        let next = self.changed.partition_point(|range| range.end <= slot);
        let is_changed = self.changed.get(next).is_some_and(|range| range.contains(&slot));
        Ok(Change::ALL.when(is_changed))
    }

    /// Returns the nodes whose world transforms the last [`propagate`](Self::propagate) may have changed, parents
    /// before children, each with the parts that changed; see [`change_of`](Self::change_of).
    pub fn changed_nodes(&self) -> impl Iterator<Item = (NodeId, Change)> {
        let changes = self.layout.slots.changes();
        let tracked = self.tracker.iter().zip(changes).flat_map(|(tracker, changes)| {
            let change = |&index: &u32| (index, changes[self.tree.slot(index)].world);
            // Since then, a node may have been removed and its index reused or its slot left vacant.
            tracker.changed().iter().map(change).filter(|(_, change)| !change.is_empty())
        });
        let untracked = self.changed.iter().filter(|_| self.tracker.is_none()).cloned().flatten();
        let untracked =
            untracked.filter_map(|slot| Some((self.layout.slots.node(slot)?, Change::ALL)));
        tracked.chain(untracked).map(|(index, change)| (self.tree.id(index), change))
    }

    /// Returns a cursor that sees every change from now on. Its first query reports every node, because it has seen
    /// none.
    ///
    /// From the first cursor on, the hierarchy keeps 8 bytes for each slot, and a propagation takes a fraction of a
    /// nanosecond more for each node that it recomputes.
    pub fn change_cursor(&mut self) -> ChangeCursor {
        let slots = self.layout.slots.len();
        self.stamps.get_or_insert_with(|| Box::new(Stamps::new(slots))).cursor()
    }

    /// Returns the slots whose world transforms may have changed since the last call with this cursor, as ascending
    /// ranges that neither overlap nor touch. The cursor has then seen them.
    ///
    /// The result of an edit shows after the next [`propagate`](Self::propagate). After all nodes were put in order
    /// again, all slots are reported. The removal of a node is not reported: its slot becomes
    /// [vacant](Self::node_in). The call takes time in proportion to the number of changes and to a 64th of the
    /// number of slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, Transform, changes::ChangeCursor};
    /// # fn draw<Strategy: Transform>(
    /// #     hierarchy: &Hierarchy<Strategy>, cursor: &mut ChangeCursor, upload: impl Fn(usize, &[Strategy]),
    /// # ) {
    /// // At whatever rate, however often somebody else propagates.
    /// if let Some(worlds) = hierarchy.worlds() {
    ///     for slots in hierarchy.changed_since(cursor) {
    ///         upload(slots.start, &worlds[slots]);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn changed_since(&self, cursor: &mut ChangeCursor) -> Vec<Range<usize>> {
        match &self.stamps {
            Some(stamps) => stamps.unseen(cursor),
            // No cursor was created here, so nothing is known.
            None => {
                Vec::from_iter(Some(0..self.layout.slots.len()).filter(|slots| !slots.is_empty()))
            }
        }
    }

    /// Returns a handle that reports, from any thread, whether the world transform of a node has changed.
    ///
    /// A clone of the hierarchy, a [cast](Self::cast) of it, or one that is read back from a file has no watchers:
    /// existing ones watch the original.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn watch(&mut self, node: NodeId) -> Result<Watcher, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(self.tracker().watch(index))
    }

    /// Finds which parts of the recomputed nodes changed, and notifies their watchers.
    pub(super) fn track_changed(&mut self) {
        let columns = self.layout.slots.change_columns();
        let Some((tracker, mut columns)) = self.tracker.as_deref_mut().zip(columns) else { return };
        tracker.update(&self.changed, &mut columns);
        // Cleared only now: if the strategy panics above, the next propagation needs it.
        for range in &self.changed {
            columns.changes[range.clone()]
                .iter_mut()
                .for_each(|change| change.local = Change::NONE);
        }
        let slots = &self.layout.slots;
        let change_of = |index| slots.changes().map(|changes| changes[self.tree.slot(index)].world);
        tracker.notify(|index| change_of(index).unwrap_or_default());
    }
}
