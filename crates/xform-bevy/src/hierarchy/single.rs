//! Entities without parent and children. They have no nodes, because nothing is accumulated for them.

use std::panic::Location;

use bevy_ecs::{
    change_detection::{DetectChanges, DetectChangesMut},
    entity::Entity,
};
use bevy_transform::components::{GlobalTransform, Transform};

use super::{Singles, XformHierarchy};
use crate::{
    Strategy,
    pose::to_trs,
    since::{BLOCK, Since, bits},
};

impl<X: Strategy> XformHierarchy<X> {
    /// Writes the world transforms of entities without parent and children.
    pub(super) fn write_singles(&mut self, singles: &mut Singles, since: Since) {
        let Ok(tables) = singles.contiguous_iter_mut() else {
            // See `read_changes`.
            for (entity, pose, mut world) in singles.iter_mut() {
                if (since.is_before(pose.last_changed()) || since.is_before(world.last_changed()))
                    && let Some(found) = self.single(entity, &pose)
                {
                    world.set_if_neq(found);
                }
            }
            return self.write_alone(singles);
        };
        for (entities, poses, mut worlds) in tables {
            for first in (0..entities.len()).step_by(BLOCK) {
                let rows = first..entities.len().min(first + BLOCK);
                let moved = since.newer(&poses.changed_ticks_slice()[rows.clone()]);
                let overwritten = since.newer(&worlds.changed_ticks_slice()[rows]);
                for row in bits(moved | overwritten).map(|bit| first + bit) {
                    let Some(found) = self.single(entities[row], &poses[row]) else { continue };
                    if worlds[row] != found {
                        worlds.bypass_change_detection()[row] = found;
                        worlds.changed_ticks_slice_mut()[row] = worlds.this_run_tick();
                        worlds.changed_by_ticks_slice_mut().map(|by| by[row] = Location::caller());
                    }
                }
            }
        }
        self.write_alone(singles);
    }

    fn write_alone(&mut self, singles: &mut Singles) {
        for entity in std::mem::take(&mut self.alone) {
            if let Ok((entity, pose, mut world)) = singles.get_mut(entity)
                && let Some(found) = self.single(entity, &pose)
            {
                world.set_if_neq(found);
            }
        }
    }

    /// Returns the world transform of an entity without parent and children: its pose, in both strategies. `None` if
    /// the pose cannot be used.
    fn single(&mut self, entity: Entity, pose: &Transform) -> Option<GlobalTransform> {
        let pose = match to_trs(pose).check() {
            Ok(()) => *pose,
            Err(_) => self.made_unit(entity, pose)?,
        };
        if !self.refused.is_empty() {
            self.refused.remove(&entity);
        }
        Some(pose.into())
    }

    #[cold]
    fn made_unit(&mut self, entity: Entity, pose: &Transform) -> Option<Transform> {
        match to_trs(pose).normalized() {
            Ok(made_unit) => {
                let (_, rotation, _) = made_unit.into();
                Some(pose.with_rotation(rotation))
            }
            Err(error) => {
                self.refuse(entity, &error);
                None
            }
        }
    }
}
