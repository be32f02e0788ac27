use std::ops::Range;

use super::slot_table::ChangeColumns;
use crate::{
    Inherit, Transform, Trs,
    change::Change,
    index::NIL,
    transform::ParentFrame,
    watcher::{Watcher, Watchers},
};

/// The nodes that the last propagation changed, and the watchers to notify.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    /// The indices of the nodes that the last propagation changed, in the order of their slots.
    changed: Vec<u32>,
    watchers: Watchers,
}

impl Tracker {
    /// Forgets the changes of the last propagation.
    pub(super) fn clear(&mut self) {
        self.changed.clear();
    }

    /// Returns the indices of the nodes that the last propagation changed, in the order of their slots at that time.
    pub(super) fn changed(&self) -> &[u32] {
        &self.changed
    }

    pub(super) fn watch(&mut self, index: u32) -> Watcher {
        self.watchers.add(index)
    }

    /// Reports to the watchers of a removed node that it is gone.
    pub(super) fn remove(&mut self, index: u32) {
        self.watchers.remove(index);
    }

    /// Finds which parts of the nodes in these slots changed. The slots are ascending, so parents come first.
    //
    // Changes are derived, not compared. A rule of the strategy (`Transform::change_below`) determines which parts
    // of a child may have changed, from the changes of its parent and of its own pose. Comparing old and new world
    // transforms would need both, and could not distinguish a slow turn from rounding: a part that changes by less
    // than the tolerance in every frame would never be reported. Accumulated matrices do not keep rotation and scale
    // apart, so there the rule follows the shape of the axes. A map on the left that only moves and rotates keeps
    // that shape; a rotation inside a non-uniform scale does not.
    pub(super) fn update<X: Transform>(
        &mut self,
        ranges: &[Range<usize>],
        columns: &mut ChangeColumns<'_, X>,
    ) {
        let ChangeColumns { nodes, topology, locals, worlds, changes } = columns;
        let (parents, inherits) = (topology.parents(), topology.inherits());
        let identity = X::identity();
        for range in ranges {
            let rows = parents[range.clone()].iter().zip(&locals[range.clone()]);
            let rows = range.clone().zip(rows.zip(&nodes[range.clone()]));
            for (slot, ((&parent, local), &node)) in rows {
                let parent = parent as usize;
                let of_local = changes[slot].local;
                let of_parent = changes.get(parent).map_or(Change::NONE, |change| change.world);
                let world_from_parent = worlds.get(parent).unwrap_or(&identity);
                let inherit = inherits.get(slot).copied().unwrap_or_default();
                let change = if inherit != Inherit::All {
                    change_inheriting(inherit, world_from_parent, of_parent, local, of_local)
                } else if (of_parent | of_local).is_empty() {
                    Change::NONE
                } else {
                    world_from_parent.change_below(of_parent, local, of_local)
                };
                changes[slot].world = change; // even if none: the slot may hold an old entry
                if !change.is_empty() && node != NIL {
                    self.changed.push(node);
                }
            }
        }
    }

    /// Reports to the watchers which parts of their nodes changed.
    pub(super) fn notify(&mut self, change_of: impl Fn(u32) -> Change) {
        self.watchers.notify(&self.changed, change_of);
    }
}

/// Returns the changed parts of a node that inherits less than everything.
#[cold]
fn change_inheriting<X: Transform>(
    inherit: Inherit,
    world_from_parent: &X,
    of_parent: Change,
    local: &Trs<X::Scalar>,
    of_local: Change,
) -> Change {
    let of_parent = if inherit == Inherit::Nothing { Change::NONE } else { of_parent };
    if (of_parent | of_local).is_empty() {
        return Change::NONE;
    }
    ParentFrame::new(*world_from_parent, inherit).change_below(of_parent, local, of_local)
}
