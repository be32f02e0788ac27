use bevy_ecs::{
    entity::Entity,
    hierarchy::ChildOf,
    schedule::{IntoScheduleConfigs, Schedule},
    world::World,
};
use bevy_tasks::{ComputeTaskPool, TaskPool};
use bevy_transform::{
    components::{GlobalTransform, Transform},
    systems::{
        StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms,
        sync_simple_transforms,
    },
};
use glam::{Quat, Vec3};
use nalgebra::{Matrix4, Vector3};
use xform_core::Trs;

use super::glam_matrix::to_nalgebra;

/// Its name in tables.
pub const BEVY: &str =
    if cfg!(feature = "peers-threads") { "bevy, threads" } else { "bevy, one thread" };

/// Bevy's setting for scenes that are mostly at rest.
#[derive(Clone, Copy, Debug)]
pub enum StaticOptimizations {
    /// Trees without a change are skipped. On one thread, Bevy 0.20 still walks every tree and only pays extra for
    /// marking the others.
    Enabled,
    /// Every tree is walked.
    Disabled,
}

/// The systems of Bevy's `TransformPlugin`, in their order.
///
/// On one thread with Bevy's serial code; with the feature `peers-threads` with its parallel code, on
/// as many threads as its task pool has. Bevy chooses between them at compile time.
pub struct Bevy {
    world: World,
    schedule: Schedule,
    entities: Vec<Entity>,
    roots: Vec<Entity>,
}

impl Bevy {
    /// Creates the nodes. A parent comes before its children.
    pub fn new(
        parents: &[Option<usize>],
        locals: &[Trs<f32>],
        optimizations: StaticOptimizations,
    ) -> Self {
        ComputeTaskPool::get_or_init(TaskPool::default);
        let mut world = World::new();
        world.insert_resource(match optimizations {
            StaticOptimizations::Enabled => StaticTransformOptimizations::Enabled,
            StaticOptimizations::Disabled => StaticTransformOptimizations::Disabled,
        });
        let mut entities: Vec<Entity> = Vec::new();
        for (&parent, local) in parents.iter().zip(locals) {
            let transform = transform(local);
            let entity = match parent {
                Some(parent) => world.spawn((transform, ChildOf(entities[parent]))),
                None => world.spawn(transform),
            };
            entities.push(entity.id());
        }
        let is_root =
            |(&entity, parent): (&Entity, &Option<usize>)| parent.is_none().then_some(entity);
        let roots = entities.iter().zip(parents).filter_map(is_root).collect();
        let mut schedule = Schedule::default();
        schedule.add_systems(
            (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain(),
        );
        schedule.run(&mut world);
        Self { world, schedule, entities, roots }
    }

    /// Moves a node.
    pub fn set_translation(&mut self, node: usize, to: Vector3<f32>) {
        set_translation(&mut self.world, self.entities[node], to);
    }

    /// Moves every root, so that [`update`](Self::update) recomputes everything: descendants of a changed
    /// transform are recomputed, and this is the smallest change for it.
    pub fn move_roots(&mut self, to: Vector3<f32>) {
        for &root in &self.roots {
            set_translation(&mut self.world, root, to);
        }
    }

    /// Recomputes the moved nodes and their descendants.
    pub fn update(&mut self) {
        self.schedule.run(&mut self.world);
    }

    /// Returns the world transform of a node, to check that it equals ours.
    #[must_use]
    pub fn world(&self, node: usize) -> Option<Matrix4<f32>> {
        let world = self.world.get::<GlobalTransform>(self.entities[node])?;
        Some(to_nalgebra(world.to_matrix()))
    }
}

fn set_translation(world: &mut World, entity: Entity, to: Vector3<f32>) {
    let mut transform = world.get_mut::<Transform>(entity).expect("spawned with one");
    transform.translation = Vec3::new(to.x, to.y, to.z);
}

fn transform(local: &Trs<f32>) -> Transform {
    let (t, q, s) = (local.translation, local.rotation.coords, local.scale);
    Transform {
        translation: Vec3::new(t.x, t.y, t.z),
        rotation: Quat::from_xyzw(q.x, q.y, q.z, q.w),
        scale: Vec3::new(s.x, s.y, s.z),
    }
}
