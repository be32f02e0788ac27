use std::marker::PhantomData;

use bevy_ecs::{
    entity::Entity,
    hierarchy::ChildOf,
    query::QueryEntityError,
    system::{Query, SystemParam},
};
use bevy_transform::components::{GlobalTransform, Transform};
use xform_core::{PoseError, Transform as _, Trs};

use crate::{Inherit, Strategy, pose::to_trs};

/// Computes world transforms from the current poses, wherever a system runs.
///
/// Like Bevy's `TransformHelper`, but with the strategy `X` and with [`Inherit`]. Use it for a few entities whose
/// `GlobalTransform` is not up to date yet: in `FixedUpdate`, or after a move in the same frame. The cost is a few
/// steps for each ancestor. For many entities, run [`propagate_transforms`](crate::propagate_transforms) instead.
///
/// # Examples
///
/// A bullet starts at the muzzle's position in this step:
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// # use xform_bevy::XformHelper;
/// # use xform_matrix::AccumulatedMatrix;
/// # #[derive(Component)]
/// # struct Muzzle;
/// fn shoot(
///     mut commands: Commands,
///     muzzles: Query<Entity, With<Muzzle>>,
///     worlds: XformHelper<AccumulatedMatrix<f32>>,
/// ) -> Result {
///     for muzzle in &muzzles {
///         let world = worlds.compute_global_transform(muzzle)?;
///         commands.spawn(Transform::from_translation(world.translation()));
///     }
///     Ok(())
/// }
/// # bevy_ecs::system::assert_is_system::<(), Result, _>(shoot);
/// ```
#[derive(SystemParam)]
#[expect(missing_debug_implementations, reason = "queries have none")]
pub struct XformHelper<'w, 's, X: Strategy> {
    parents: Query<'w, 's, &'static ChildOf>,
    poses: Query<'w, 's, (&'static Transform, Option<&'static Inherit>)>,
    strategy: PhantomData<fn() -> X>,
}

impl<X: Strategy> XformHelper<'_, '_, X> {
    /// Computes the world transform of an entity from its pose and those of all its ancestors.
    ///
    /// # Errors
    ///
    /// If this entity or an ancestor does not exist, has no `Transform`, or has one that cannot be used. The error
    /// names the first such entity, from this one up. Also if the ancestors form a cycle.
    pub fn compute_global_transform(
        &self,
        entity: Entity,
    ) -> Result<GlobalTransform, ComputeGlobalTransformError> {
        let mut path = vec![self.pose(entity)?];
        for above in self.parents.iter_ancestors(entity) {
            // Checked rarely, because the check takes longer than a step.
            if path.len().is_power_of_two() && path.len() > self.parents.iter().len() {
                return Err(ComputeGlobalTransformError::Cycle { entity });
            }
            path.push(self.pose(above)?);
        }
        let world = path.iter().rev().fold(X::World::identity(), |world, (pose, inherit)| {
            world.concat_inheriting(pose, *inherit)
        });
        Ok(X::to_global(&world))
    }

    fn pose(
        &self,
        entity: Entity,
    ) -> Result<(Trs<f32>, xform_core::Inherit), ComputeGlobalTransformError> {
        use ComputeGlobalTransformError::{MissingTransform, NoSuchEntity, Pose};
        let (pose, inherit) = self.poses.get(entity).map_err(|error| match error {
            QueryEntityError::NotSpawned(_) => NoSuchEntity { entity },
            _ => MissingTransform { entity },
        })?;
        let pose = to_trs(pose).normalized().map_err(|error| Pose { entity, error })?;
        Ok((pose, inherit.copied().unwrap_or_default().into()))
    }
}

/// The error of [`XformHelper::compute_global_transform`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComputeGlobalTransformError {
    /// The entity does not exist.
    #[error("entity {entity} does not exist")]
    NoSuchEntity {
        /// The entity, or one of its ancestors.
        entity: Entity,
    },
    /// The entity has no `Transform`.
    #[error("entity {entity} has no Transform")]
    MissingTransform {
        /// The entity, or one of its ancestors.
        entity: Entity,
    },
    /// The entity's `Transform` cannot be used.
    #[error("the Transform of entity {entity} cannot be used: {error}")]
    Pose {
        /// The entity, or one of its ancestors.
        entity: Entity,
        /// The problem with it.
        error: PoseError,
    },
    /// The ancestors of the entity form a cycle.
    #[error("the entities above entity {entity} form a cycle")]
    Cycle {
        /// The requested entity.
        entity: Entity,
    },
}
