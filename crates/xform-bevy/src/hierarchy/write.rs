//! World transforms out.

use bevy_ecs::{change_detection::DetectChangesMut, entity::Entity};
use bevy_tasks::{ComputeTaskPool, TaskPool};

use super::{Worlds, XformHierarchy};
use crate::Strategy;

/// If more than one entity in so many changed, all are compared, in the order of memory.
const ONE_IN: usize = 8;

impl<X: Strategy> XformHierarchy<X> {
    /// Writes world transforms where they are other ones.
    pub(super) fn write(&mut self, entities: &mut Worlds) {
        self.find_slots();
        let Some(worlds) = self.hierarchy.worlds() else { return };
        let changed = self.hierarchy.changed();
        let count = changed.iter().map(ExactSizeIterator::len).sum::<usize>();
        if count + self.overwritten.len() > self.hierarchy.len() / ONE_IN {
            // For apps without Bevy's `TaskPoolPlugin`, as in Bevy's own.
            ComputeTaskPool::get_or_init(TaskPool::default);
            entities.par_iter_mut().for_each(|(entity, mut global)| {
                if let Some(slot) = self.slot(entity) {
                    global.set_if_neq(X::to_global(&worlds[slot as usize]));
                }
            });
        } else {
            let in_slots = changed.iter().flat_map(|range| {
                let tags = &self.hierarchy.tags()[range.clone()];
                // In a slot without a node it is that of no entity.
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

    /// Finds the slots of all nodes, if some have moved. From here on none does until the next run moves or inserts some.
    fn find_slots(&mut self) {
        if self.order == self.hierarchy.order_generation() {
            return;
        }
        self.order = self.hierarchy.order_generation();
        for (slot, &tag) in (0..).zip(self.hierarchy.tags()) {
            // In a slot without a node it is that of no entity.
            if let Some(entity) = Entity::try_from_bits(tag) {
                self.slots[entity.index_u32() as usize] = slot;
            }
        }
    }
}
