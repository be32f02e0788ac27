//! Reads the changes since the last run.

use std::{fmt::Display, ops::Range};

use bevy_ecs::{
    change_detection::{ContiguousRef, DetectChanges, Ref, Tick},
    entity::Entity,
    hierarchy::ChildOf,
    lifecycle::RemovedComponentEntity,
    message::{MessageCursor, Messages},
};
use bevy_transform::components::Transform;
use tracing::warn;
use xform_core::Trs;

use super::{
    DisabledQuery, PlacedContiguousItem, PlacedItem, PlacedQuery, Removals, XformHierarchy,
};
use crate::{
    Inherit, Strategy,
    pose::to_trs,
    since::{BLOCK, Since, bits},
};

/// The number of poses that are set together: few enough to be in the cache still.
const CHUNK: usize = 512;

/// Poses that were read but not set yet.
#[derive(Debug, Default)]
pub(super) struct Moved {
    entities: Vec<Entity>,
    slots: Vec<u32>,
    poses: Vec<Trs<f32>>,
}

/// Whether each component of an entity has changed.
#[derive(Clone, Copy)]
struct Changed {
    pose: bool,
    world: bool,
    parent: bool,
    children: bool,
    inherit: bool,
}

impl Changed {
    fn is_any(self) -> bool {
        self.pose || self.world || self.parent || self.children || self.inherit
    }
}

impl<X: Strategy> XformHierarchy<X> {
    /// Removes the nodes of entities that no longer need one, and records entities that may have another parent.
    pub(super) fn read_removals(&mut self, removals: &Removals, placed: &PlacedQuery) {
        let Removals { poses, worlds, parents, children, inherits, disabled } = removals;
        let messages = [
            parents.messages(),
            children.messages(),
            poses.messages(),
            worlds.messages(),
            inherits.messages(),
            disabled.messages(),
        ];
        let is_any_lost = self.cursors.iter().zip(messages).any(|(cursor, messages)| {
            messages.is_some_and(|messages| cursor.missed_messages(messages) > 0)
        });
        let mut unread = self.cursors.iter_mut().zip(messages).map(unread);
        let [orphans, childless, without_pose, without_world, without_inherit, enabled] =
            std::array::from_fn(|_| unread.next().unwrap_or_default());
        // Bevy keeps these messages for two frames. If no run happened for longer, all entities are read anew.
        if is_any_lost {
            self.forget();
        }
        // While they were disabled, their components were not read.
        enabled.iter().for_each(|&entity| self.remove(entity));
        let lost = orphans.iter().chain(&childless).chain(&without_pose).chain(&without_world);
        for &entity in lost.chain(&enabled) {
            // The entity may have got the component back since.
            if placed.contains(entity) {
                self.unsettled.push(entity);
            } else {
                self.remove(entity);
            }
        }
        for entity in &without_pose {
            self.refused.remove(entity);
        }
        for entity in without_inherit {
            let inherit = placed.get(entity).ok().and_then(|entity| entity.inherit);
            self.set_inherit(entity, inherit.map(|inherit| *inherit));
        }
        self.alone = orphans;
        self.alone.extend(enabled);
    }

    fn forget(&mut self) {
        let roots = self.hierarchy.roots().filter_map(|root| self.entity(root));
        roots.collect::<Vec<_>>().into_iter().for_each(|root| self.remove(root));
        self.refused.clear();
        self.last_run = None;
    }

    /// Removes the nodes of entities that have been disabled, and of their descendants.
    pub(super) fn read_disabled(&mut self, disabled: &DisabledQuery, since: Since) {
        for (entity, disabled) in disabled {
            if since.is_before(disabled.last_changed()) {
                self.remove(entity);
            }
        }
    }

    /// Reads poses and `Inherit`. Records entities that may have another parent, and those whose `GlobalTransform`
    /// was written by another system.
    pub(super) fn read_changes(&mut self, placed: &PlacedQuery, since: Since) {
        match placed.contiguous_iter() {
            Ok(tables) => tables.for_each(|table| self.read_table(&table, since)),
            // Not every component that Bevy filters by is stored in tables: an app may disable entities with a
            // component of its own.
            Err(_) => placed.iter().for_each(|item| self.read_item(&item, since)),
        }
        self.set_poses(1);
    }

    fn read_item(&mut self, item: &PlacedItem<'_, '_>, since: Since) {
        let is_new = |tick: Option<Tick>| tick.is_some_and(|tick| since.is_before(tick));
        let changed = Changed {
            pose: is_new(Some(item.pose.last_changed())),
            world: is_new(Some(item.world.last_changed())),
            parent: is_new(item.parent.as_ref().map(Ref::last_changed)),
            children: is_new(item.children.as_ref().map(Ref::last_changed)),
            inherit: is_new(item.inherit.as_ref().map(Ref::last_changed)),
        };
        if changed.is_any() {
            let parent = item.parent.as_deref().map(ChildOf::parent);
            let inherit = item.inherit.as_deref().copied();
            self.read_row(item.entity, changed, &item.pose, parent, inherit);
            self.set_poses(CHUNK);
        }
    }

    fn read_table(&mut self, table: &PlacedContiguousItem<'_, '_>, since: Since) {
        let PlacedContiguousItem { entity: entities, pose: poses, inherit: inherits, .. } = table;
        for first in (0..entities.len()).step_by(BLOCK) {
            let rows = first..entities.len().min(first + BLOCK);
            let moved = since.newer(&poses.changed_ticks_slice()[rows.clone()]);
            let overwritten = since.newer(&table.world.changed_ticks_slice()[rows.clone()]);
            let hung = newer(table.parent.as_ref(), since, &rows);
            let has_other_children = newer(table.children.as_ref(), since, &rows);
            let inheriting = newer(inherits.as_ref(), since, &rows);
            for bit in bits(moved | overwritten | hung | has_other_children | inheriting) {
                let (row, has) = (first + bit, |of: u64| of >> bit & 1 != 0);
                let changed = Changed {
                    pose: has(moved),
                    world: has(overwritten),
                    parent: has(hung),
                    children: has(has_other_children),
                    inherit: has(inheriting),
                };
                let inherit = inherits.as_ref().map(|inherits| inherits[row]);
                let parent = table.parent.as_ref().map(|parents| parents[row].parent());
                self.read_row(entities[row], changed, &poses[row], parent, inherit);
            }
            self.set_poses(CHUNK);
        }
    }

    #[inline]
    fn read_row(
        &mut self,
        entity: Entity,
        changed: Changed,
        pose: &Transform,
        parent: Option<Entity>,
        inherit: Option<Inherit>,
    ) {
        let Some(slot) = self.slot(entity) else {
            // A child of an entity without a node gets its node together with that entity.
            if parent.is_none_or(|parent| self.node(parent).is_some()) {
                self.unsettled.push(entity);
            }
            return;
        };
        if changed.pose {
            self.moved.entities.push(entity);
            self.moved.slots.push(slot);
            self.moved.poses.push(to_trs(pose));
        }
        if changed.parent {
            self.unsettled.push(entity);
        }
        if changed.world {
            self.overwritten.push(entity);
        }
        if changed.inherit {
            self.set_inherit(entity, inherit);
        }
    }

    /// Sets the poses that were read, if there are at least this many.
    fn set_poses(&mut self, least: usize) {
        if self.moved.slots.len() < least {
            return;
        }
        let mut moved = std::mem::take(&mut self.moved);
        let Moved { entities, slots, poses } = &moved;
        // All of these slots have nodes. So if this fails, one of the poses is invalid, and no pose has been set.
        let are_set = self.hierarchy.set_locals_in_slots(slots, poses).is_ok();
        if are_set && !self.refused.is_empty() {
            self.refused.retain(|refused| !entities.contains(refused));
        }
        if !are_set {
            for ((&entity, slot), pose) in entities.iter().zip(slots).zip(poses) {
                let slot = std::slice::from_ref(slot);
                match self.hierarchy.set_locals_in_slots(slot, std::slice::from_ref(pose)) {
                    Ok(()) => {
                        self.refused.remove(&entity);
                    }
                    Err(error) => self.refuse(entity, &error),
                }
            }
        }
        moved.entities.clear();
        moved.slots.clear();
        moved.poses.clear();
        self.moved = moved;
    }

    /// Reports an invalid pose, once until it is valid again.
    #[cold]
    pub(super) fn refuse(&mut self, entity: Entity, error: &dyn Display) {
        if self.refused.insert(entity) {
            warn!(
                "the Transform of entity {entity} cannot be used: {error}; its GlobalTransform stays as it is"
            );
        }
    }

    fn set_inherit(&mut self, entity: Entity, inherit: Option<Inherit>) {
        if let Some(node) = self.node(entity) {
            // Cannot fail: both strategies can leave out any part.
            let _ = self.hierarchy.set_inherit(node, inherit.unwrap_or_default().into());
        }
    }
}

/// Returns the rows in which an optional component changed.
fn newer<T>(component: Option<&ContiguousRef<'_, T>>, since: Since, rows: &Range<usize>) -> u64 {
    component.map_or(0, |component| since.newer(&component.changed_ticks_slice()[rows.clone()]))
}

/// Returns the entities that lost a component since the last call.
fn unread(
    (cursor, messages): (
        &mut MessageCursor<RemovedComponentEntity>,
        Option<&Messages<RemovedComponentEntity>>,
    ),
) -> Vec<Entity> {
    let read = |messages| cursor.read(messages).cloned().map(Entity::from).collect();
    messages.map(read).unwrap_or_default()
}
