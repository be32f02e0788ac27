use std::ops::Range;

use super::Hierarchy;
use crate::{
    Change, HierarchyError, Inherit, NodeId, Transform, Watcher, inherit::Above, watcher::Watchers,
};

/// What changed of which node, by slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    /// Of the local pose, or of the parent, since the last propagation.
    locals: Vec<Change>,
    /// Of the world transform, in the last propagation.
    worlds: Vec<Change>,
    /// The indices of the nodes that have an entry in `worlds`, in the order of their slots.
    changed: Vec<u32>,
    watchers: Watchers,
}

impl Tracker {
    fn new(slots: usize) -> Self {
        let nothing = vec![Change::NONE; slots];
        let (locals, worlds) = (nothing.clone(), nothing);
        Self { locals, worlds, changed: Vec::new(), watchers: Watchers::default() }
    }

    pub(super) fn mark(&mut self, slot: usize, change: Change) {
        self.locals[slot] |= change;
    }

    /// Makes room for slots of new nodes.
    pub(super) fn extend(&mut self, slots: usize) {
        self.locals.resize(slots, Change::NONE);
        self.worlds.resize(slots, Change::NONE);
    }

    /// Moves the node in a slot to one behind all others.
    pub(super) fn move_to_end(&mut self, slot: usize) {
        let local = std::mem::take(&mut self.locals[slot]);
        self.locals.push(local);
        let world = std::mem::take(&mut self.worlds[slot]);
        self.worlds.push(world);
    }

    /// Forgets the node in a slot.
    pub(super) fn remove(&mut self, slot: usize, index: u32) {
        self.locals[slot] = Change::NONE;
        self.worlds[slot] = Change::NONE;
        self.watchers.remove(index);
    }

    /// Forgets what the last propagation changed.
    pub(super) fn begin(&mut self, changed: &[Range<usize>]) {
        for range in changed {
            self.worlds[range.clone()].fill(Change::NONE);
        }
        self.changed.clear();
    }

    /// Puts everything where its slot is now.
    pub(super) fn compact(&mut self, old_slots: &[u32]) {
        for changes in [&mut self.locals, &mut self.worlds] {
            *changes = old_slots.iter().map(|&slot| changes[slot as usize]).collect();
        }
    }
}

/// What changed.
impl<X: Transform> Hierarchy<X> {
    /// From now on notes for each node which parts of its world transform change. It costs a few
    /// nanoseconds for each node that [`propagate`](Self::propagate) recomputes; to
    /// [watch](Self::watch) a node does it too.
    pub fn track_changes(&mut self) {
        self.tracker();
    }

    fn tracker(&mut self) -> &mut Tracker {
        self.tracker.get_or_insert_with(|| {
            let mut tracker = Box::new(Tracker::new(self.layout.len()));
            self.changes.iter().for_each(|slot| tracker.mark(slot, Change::ALL));
            tracker
        })
    }

    /// What the last [`propagate`](Self::propagate) may have changed of a node's world transform.
    ///
    /// A translation changes positions alone, there and below. A rotation changes rotations, and the
    /// positions of descendants that do not lie at the origin; in accumulated matrices also the scale
    /// where it turns inside an uneven scale. A scale changes scales and such positions; in
    /// accumulated matrices also the rotations of descendants. To hang below another parent changes
    /// everything. Where a node [inherits](Inherit) rotation without scale, or scale without rotation,
    /// either of the two above it changes both.
    ///
    /// Unless changes are [tracked](Self::track_changes), everything may have changed of every node
    /// that was recomputed.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn change_of(&self, node: NodeId) -> Result<Change, HierarchyError> {
        let slot = self.slot(node)?;
        if let Some(tracker) = &self.tracker {
            return Ok(tracker.worlds[slot]);
        }
        let next = self.changed.partition_point(|range| range.end <= slot);
        let is_changed = self.changed.get(next).is_some_and(|range| range.contains(&slot));
        Ok(Change::ALL.when(is_changed))
    }

    /// The nodes whose world transforms the last [`propagate`](Self::propagate) may have changed,
    /// parents before children, each with what; see [`change_of`](Self::change_of).
    pub fn changed_nodes(&self) -> impl Iterator<Item = (NodeId, Change)> {
        let tracked = self.tracker.iter().flat_map(|tracker| {
            let change = |&index: &u32| (index, tracker.worlds[self.layout.slot(index)]);
            // A node may be gone since, and its index another one's, or its slot nobody's.
            tracker.changed.iter().map(change).filter(|(_, change)| !change.is_empty())
        });
        let untracked = self.changed.iter().filter(|_| self.tracker.is_none()).cloned().flatten();
        let untracked = untracked.filter_map(|slot| Some((self.layout.node(slot)?, Change::ALL)));
        tracked.chain(untracked).map(|(index, change)| (self.tree.id(index), change))
    }

    /// A handle that can be asked from anywhere whether the world transform of a node has changed.
    ///
    /// A clone of the hierarchy, a [cast](Self::cast) of it, or one that is read back has no
    /// watchers: those there are watch the original.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn watch(&mut self, node: NodeId) -> Result<Watcher, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(self.tracker().watchers.add(index))
    }

    /// Notes what became of the nodes that were recomputed.
    pub(super) fn track_changed(&mut self) {
        let Some(tracker) = &mut self.tracker else { return };
        let Tracker { locals, worlds, changed, watchers } = &mut **tracker;
        let topology = &self.layout.topology;
        let (parents, inherits) = (topology.parents(), topology.inherits());
        let identity = X::identity();
        for range in &self.changed {
            for slot in range.clone() {
                let parent = parents[slot] as usize;
                let inherit = inherits.get(slot).copied().unwrap_or_default();
                let of_parent = worlds.get(parent).filter(|_| inherit != Inherit::Nothing);
                let of_parent = of_parent.copied().unwrap_or_default();
                let of_local = locals[slot];
                if (of_parent | of_local).is_empty() {
                    worlds[slot] = Change::NONE; // it may have come here with an old entry
                    continue;
                }
                let world_from_parent = self.worlds.get(parent).unwrap_or(&identity);
                let above = Above::new(*world_from_parent, inherit);
                let change = above.change_below(of_parent, &self.locals[slot], of_local);
                worlds[slot] = change;
                if let Some(index) = self.layout.node(slot).filter(|_| !change.is_empty()) {
                    changed.push(index);
                }
            }
        }
        // Only now, since the strategy may have panicked: the next propagation has to know then.
        self.changed.iter().for_each(|range| locals[range.clone()].fill(Change::NONE));
        watchers.notify(changed.iter().map(|&index| (index, worlds[self.layout.slot(index)])));
    }
}
