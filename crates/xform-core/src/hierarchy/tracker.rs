use super::slot_table::ChangeColumns;
use crate::{
    Change, Inherit, Transform, Watcher, index::NIL, transform::ParentFrame, watcher::Watchers,
};

/// The nodes that the last propagation changed, and the watchers that are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    /// The indices of the nodes that the last propagation changed, in the order of their slots.
    changed: Vec<u32>,
    watchers: Watchers,
}

impl Tracker {
    /// Forgets what the last propagation changed.
    pub(super) fn clear(&mut self) {
        self.changed.clear();
    }

    /// The indices of the nodes that the last propagation changed, in the order of their slots then.
    pub(super) fn changed(&self) -> &[u32] {
        &self.changed
    }

    pub(super) fn watch(&mut self, index: u32) -> Watcher {
        self.watchers.add(index)
    }

    /// Tells the watchers of a removed node that it is gone.
    pub(super) fn remove(&mut self, index: u32) {
        self.watchers.remove(index);
    }

    /// Finds which parts changed of the nodes in these slots; parents must come first.
    pub(super) fn update<X: Transform>(
        &mut self,
        slots: impl Iterator<Item = usize>,
        columns: &mut ChangeColumns<'_, X>,
    ) {
        let ChangeColumns { nodes, topology, locals, worlds, changes } = columns;
        let (parents, inherits) = (topology.parents(), topology.inherits());
        let identity = X::identity();
        for slot in slots {
            let parent = parents[slot] as usize;
            let inherit = inherits.get(slot).copied().unwrap_or_default();
            let of_parent = changes.get(parent).filter(|_| inherit != Inherit::Nothing);
            let of_parent = of_parent.map(|change| change.world).unwrap_or_default();
            let of_local = changes[slot].local;
            if (of_parent | of_local).is_empty() {
                changes[slot].world = Change::NONE; // it may have come here with an old entry
                continue;
            }
            let world_from_parent = worlds.get(parent).unwrap_or(&identity);
            let parent_frame = ParentFrame::new(*world_from_parent, inherit);
            let change = parent_frame.change_below(of_parent, &locals[slot], of_local);
            changes[slot].world = change;
            if !change.is_empty() && nodes[slot] != NIL {
                self.changed.push(nodes[slot]);
            }
        }
    }

    /// Tells the watchers which parts of their nodes changed.
    pub(super) fn notify(&mut self, change_of: impl Fn(u32) -> Change) {
        self.watchers.notify(self.changed.iter().map(|&index| (index, change_of(index))));
    }
}
