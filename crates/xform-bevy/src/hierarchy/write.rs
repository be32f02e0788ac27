//! Writes world transforms to entities.

use bevy_ecs::{change_detection::DetectChangesMut, entity::Entity};
use bevy_tasks::{ComputeTaskPool, TaskPool};

use super::{Worlds, XformHierarchy};
use crate::Strategy;

/// If more than one in this many entities changed, all are compared, in memory order.
const ONE_IN: usize = 8;

impl<X: Strategy> XformHierarchy<X> {
    /// Writes the world transforms that differ from the current `GlobalTransform`.
    pub(super) fn write(&mut self, entities: &mut Worlds) {
        self.find_slots();
        let Some(worlds) = self.hierarchy.worlds() else { return };
        let changed = self.hierarchy.changed();
        let count = changed.iter().map(ExactSizeIterator::len).sum::<usize>();
        if count + self.overwritten.len() > self.hierarchy.len() / ONE_IN {
            // For apps without Bevy's `TaskPoolPlugin`, as Bevy's own propagation does.
            ComputeTaskPool::get_or_init(TaskPool::default);
            entities.par_iter_mut().for_each(|(entity, mut global)| {
                if let Some(slot) = self.slot(entity) {
                    global.set_if_neq(X::to_global(&worlds[slot as usize]));
                }
            });
        } else {
            let in_slots = changed.iter().flat_map(|range| {
                let tags = &self.hierarchy.tags()[range.clone()];
                // The tag of a slot without a node is not that of any entity.
                let entities = tags.iter().map(|&tag| Entity::try_from_bits(tag));
                entities.zip(&worlds[range.clone()])
            });
            let overwritten = self.overwritten.iter().filter_map(|&entity| {
                let slot = self.slot(entity)?;
                Some((Some(entity), &worlds[slot as usize]))
            });
            for (entity, world) in in_slots.chain(overwritten) {
                if let Some((_, mut global)) = entity.and_then(|it| entities.get_mut(it).ok()) {
                    global.set_if_neq(X::to_global(world));
                }
            }
        }
        self.overwritten.clear();
    }

    /// Looks up the slots of all nodes if some have moved. They stay valid until the next run moves or inserts nodes.
    fn find_slots(&mut self) {
        if self.order == self.hierarchy.order_generation() {
            return;
        }
        self.order = self.hierarchy.order_generation();
        for (slot, &tag) in (0..).zip(self.hierarchy.tags()) {
            // The tag of a slot without a node is not that of any entity.
            if let Some(entity) = Entity::try_from_bits(tag) {
                self.slots[entity.index_u32() as usize] = slot;
            }
        }
    }
}
