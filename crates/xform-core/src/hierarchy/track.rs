use super::Hierarchy;
use crate::{Change, HierarchyError, NodeId, Transform, Watcher, tree::NIL, watcher::Watchers};

/// What changed of which node, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    /// Of the local pose, or of the parent, since the last propagation.
    locals: Vec<Change>,
    /// Of the world transform, in the last propagation.
    worlds: Vec<Change>,
    /// The nodes that have an entry in `worlds`, in the order of their slots.
    changed: Vec<u32>,
    watchers: Watchers,
}

impl Tracker {
    pub(super) fn mark(&mut self, index: u32, change: Change) {
        *entry(&mut self.locals, index) |= change;
    }

    pub(super) fn remove(&mut self, index: u32) {
        *entry(&mut self.locals, index) = Change::NONE;
        *entry(&mut self.worlds, index) = Change::NONE;
        self.watchers.remove(index);
    }

    /// Forgets what the last propagation changed.
    pub(super) fn begin(&mut self) {
        for index in self.changed.drain(..) {
            self.worlds[index as usize] = Change::NONE;
        }
    }

    fn world(&self, index: u32) -> Change {
        self.worlds.get(index as usize).copied().unwrap_or(Change::NONE)
    }

    fn note(&mut self, index: u32, change: Change) {
        if !change.is_empty() {
            *entry(&mut self.worlds, index) = change;
            self.changed.push(index);
            self.watchers.notify(index, change);
        }
    }
}

fn entry(changes: &mut Vec<Change>, index: u32) -> &mut Change {
    let index = index as usize;
    if index >= changes.len() {
        changes.resize(index + 1, Change::NONE);
    }
    &mut changes[index]
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
            let mut tracker = Box::<Tracker>::default();
            for index in self.changes.iter().filter_map(|slot| self.layout.node(slot)) {
                tracker.mark(index, Change::ALL);
            }
            tracker
        })
    }

    /// What the last [`propagate`](Self::propagate) may have changed of a node's world transform.
    ///
    /// A translation changes positions alone, there and below. A rotation changes rotations, and the
    /// positions of descendants that do not lie at the origin; in accumulated matrices also the scale
    /// where it turns inside an uneven scale. A scale changes scales and such positions; in
    /// accumulated matrices also the rotations of descendants. To hang below another parent changes
    /// everything.
    ///
    /// Unless changes are [tracked](Self::track_changes), everything may have changed of every node
    /// that was recomputed.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn change_of(&self, node: NodeId) -> Result<Change, HierarchyError> {
        let index = self.tree.index(node)?;
        if let Some(tracker) = &self.tracker {
            return Ok(tracker.world(index));
        }
        let slot = self.layout.slot(index);
        let next = self.changed.partition_point(|range| range.end <= slot);
        let is_changed = self.changed.get(next).is_some_and(|range| range.contains(&slot));
        Ok(Change::ALL.when(is_changed))
    }

    /// The nodes whose world transforms the last [`propagate`](Self::propagate) may have changed,
    /// parents before children, each with what; see [`change_of`](Self::change_of).
    pub fn changed_nodes(&self) -> impl Iterator<Item = (NodeId, Change)> {
        let tracked = self.tracker.iter().flat_map(|tracker| {
            let changes = tracker.changed.iter().map(|&index| (index, tracker.world(index)));
            changes.filter(|(_, change)| !change.is_empty())
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
        for slot in self.changed.iter().cloned().flatten() {
            let Some(index) = self.layout.node(slot) else { continue };
            let parent = self.tree.parent(index);
            let of_parent = if parent == NIL { Change::NONE } else { tracker.world(parent) };
            let of_local = std::mem::take(entry(&mut tracker.locals, index));
            if (of_parent | of_local).is_empty() {
                continue;
            }
            let world_from_parent = match self.layout.topology.parent(slot) {
                Some(parent) => self.worlds[parent],
                None => X::identity(),
            };
            let local = &self.locals[slot];
            tracker.note(index, world_from_parent.change_below(of_parent, local, of_local));
        }
    }
}
