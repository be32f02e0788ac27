//! A plugin for bevy that takes the place of its `TransformPlugin`: the same components, other propagation.
//!
//! Bevy's own walks trees and multiplies as it goes. This one keeps the poses in slices, in an order where what is at or below an
//! entity is one range, and has a kernel go over the ranges that changed. [`XformPlugin`] takes either strategy, so a game can
//! show what Unreal shows of the same entities.
//!
//! - **Poses** are read from `Transform` where bevy says that it changed, and world transforms are written to `GlobalTransform`
//!   where they became other ones, so that systems that ask for `Changed<GlobalTransform>` run for these alone.
//! - **The hierarchy** is ordered anew in a frame in which somebody was spawned, despawned, or got another parent.
//! - **An entity below one without a `Transform`** is left as it is, as bevy does.
//!
//! It is no crate, since bevy's components and schedules change with each of its versions: copy this file.

#![expect(
    clippy::type_complexity,
    clippy::needless_pass_by_value,
    reason = "what bevy's systems ask for stands in their parameters"
)]

use std::{marker::PhantomData, ops::Range};

use bevy_app::{App, Plugin, PostStartup, PostUpdate, ValidateParentHasComponentPlugin};
use bevy_ecs::{
    change_detection::DetectChangesMut,
    entity::Entity,
    hierarchy::{ChildOf, Children},
    lifecycle::RemovedComponents,
    query::{Added, Changed, Or, With, Without},
    resource::Resource,
    schedule::{IntoScheduleConfigs, ScheduleConfigs},
    system::{Query, Res, ResMut, ScheduleSystem, SystemParam},
};
use bevy_transform::{
    components::{GlobalTransform, Transform},
    plugins::TransformSystems,
};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::{Topology, Trs, slices::SubtreeRanges};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// A strategy whose world transforms bevy can hold.
pub(crate) trait Strategy: xform_core::Transform<Scalar = f32> {
    /// As bevy has it: a matrix of three rows and four columns.
    fn to_global(&self) -> GlobalTransform;
}

impl Strategy for AccumulatedMatrix<f32> {
    fn to_global(&self) -> GlobalTransform {
        let [x, y, z, at] = [0, 1, 2, 3].map(|column| {
            let column = self.matrix().column(column);
            Vec3A::new(column[0], column[1], column[2])
        });
        Affine3A { matrix3: Mat3A::from_cols(x, y, z), translation: at }.into()
    }
}

impl Strategy for CombinedTrs<f32> {
    fn to_global(&self) -> GlobalTransform {
        let Trs { translation, rotation, scale } = self.to_trs();
        let rotation = Quat::from_array(rotation.coords.into());
        let (scale, at) = (Vec3::from_array(scale.into()), Vec3::from_array(translation.into()));
        Affine3A::from_scale_rotation_translation(scale, rotation, at).into()
    }
}

/// Propagates by one strategy, in the schedules and the set of systems in which bevy's `TransformPlugin` does.
#[derive(Debug)]
pub(crate) struct XformPlugin<X>(PhantomData<fn() -> X>);

impl<X> Default for XformPlugin<X> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<X: Strategy> Plugin for XformPlugin<X> {
    fn build(&self, app: &mut App) {
        app.add_plugins(ValidateParentHasComponentPlugin::<GlobalTransform>::default())
            .init_resource::<Order<X>>()
            // In the first frame, so that what starts sees where everything is.
            .add_systems(PostStartup, systems::<X>())
            .add_systems(PostUpdate, systems::<X>());
    }
}

fn systems<X: Strategy>() -> ScheduleConfigs<ScheduleSystem> {
    (accumulate::<X>, write::<X>).chain().in_set(TransformSystems::Propagate)
}

/// The entities depth first, so that what is at or below one is a range of slots, and their poses and world transforms.
#[derive(Resource)]
struct Order<X> {
    entities: Vec<Entity>,
    /// By index of the entity.
    slots: Vec<u32>,
    topology: Topology,
    below: SubtreeRanges,
    locals: Vec<Trs<f32>>,
    worlds: Vec<X>,
    /// Slots whose pose changed, empty between frames.
    changed: Vec<usize>,
    /// What was recomputed in this frame.
    ranges: Vec<Range<usize>>,
}

impl<X> Default for Order<X> {
    fn default() -> Self {
        Self {
            entities: Vec::new(),
            slots: Vec::new(),
            topology: Topology::default(),
            below: SubtreeRanges::new(&Topology::default()),
            locals: Vec::new(),
            worlds: Vec::new(),
            changed: Vec::new(),
            ranges: Vec::new(),
        }
    }
}

/// What no entity has for its slot.
const NO_SLOT: u32 = u32::MAX;

impl<X: Strategy> Order<X> {
    /// The slot of an entity; `None` where it is not below entities with a pose alone.
    fn slot(&self, entity: Entity) -> Option<usize> {
        let slot = *self.slots.get(entity.index().index() as usize)? as usize;
        // Another entity may have had that index.
        self.entities.get(slot).filter(|&&known| known == entity).map(|_| slot)
    }

    /// Orders everything anew, and marks all of it as changed.
    fn rebuild(&mut self, placed: &Placed<'_, '_>) {
        self.entities.clear();
        self.slots.clear();
        let mut parents = Vec::new();
        // What is still to come, and below which slot.
        let mut open: Vec<(Entity, Option<usize>)> =
            placed.roots.iter().map(|root| (root, None)).collect();
        while let Some((entity, parent)) = open.pop() {
            let slot = self.entities.len();
            self.entities.push(entity);
            parents.push(parent);
            let index = entity.index().index() as usize;
            if index >= self.slots.len() {
                self.slots.resize(index + 1, NO_SLOT);
            }
            self.slots[index] = u32::try_from(slot).expect("bevy has no more entities");
            if let Ok(children) = placed.children.get(entity) {
                let posed = children.iter().copied().filter(|&child| placed.posed.contains(child));
                open.extend(posed.map(|child| (child, Some(slot))));
            }
        }
        self.topology = Topology::from_parents(&parents).expect("parents come first");
        self.below = SubtreeRanges::new(&self.topology);
        self.worlds.resize(self.entities.len(), X::identity());
        self.changed.clear();
        self.changed.extend(0..self.entities.len());
        let pose =
            |&entity: &Entity| placed.poses.get(entity).map_or_else(|_| Trs::identity(), trs);
        self.locals = self.entities.iter().map(pose).collect();
    }

    /// Recomputes what is at or below changed slots.
    fn accumulate(&mut self) {
        self.ranges.clear();
        self.ranges.extend_from_slice(self.below.of(self.changed.drain(..)));
        X::accumulate(&self.topology, &self.locals, &mut self.worlds, &self.ranges);
    }
}

/// The hierarchy of the entities that have a place.
#[derive(SystemParam)]
struct Placed<'w, 's> {
    roots: Query<'w, 's, Entity, (With<Transform>, With<GlobalTransform>, Without<ChildOf>)>,
    children: Query<'w, 's, &'static Children>,
    posed: Query<'w, 's, (), (With<Transform>, With<GlobalTransform>)>,
    poses: Query<'w, 's, &'static Transform>,
}

/// What says that the hierarchy is another one.
#[derive(SystemParam)]
struct Edits<'w, 's> {
    added: Query<'w, 's, (), Or<(Changed<ChildOf>, Added<Transform>, Added<GlobalTransform>)>>,
    orphaned: RemovedComponents<'w, 's, ChildOf>,
    without_pose: RemovedComponents<'w, 's, Transform>,
    without_world: RemovedComponents<'w, 's, GlobalTransform>,
}

impl Edits<'_, '_> {
    fn is_any(&mut self) -> bool {
        // All are read, so that none is told again in the next frame.
        let removed = self.orphaned.read().count()
            + self.without_pose.read().count()
            + self.without_world.read().count();
        removed > 0 || !self.added.is_empty()
    }
}

/// Poses in: orders the entities anew where they have to be, and recomputes what is at or below what moved.
fn accumulate<X: Strategy>(
    mut order: ResMut<Order<X>>,
    mut edits: Edits<'_, '_>,
    placed: Placed<'_, '_>,
    moved: Query<(Entity, &Transform), Changed<Transform>>,
) {
    if edits.is_any() {
        order.rebuild(&placed);
    } else {
        for (entity, pose) in &moved {
            if let Some(slot) = order.slot(entity) {
                order.locals[slot] = trs(pose);
                order.changed.push(slot);
            }
        }
    }
    order.accumulate();
}

/// World transforms out.
fn write<X: Strategy>(order: Res<Order<X>>, mut worlds: Query<&mut GlobalTransform>) {
    for range in &order.ranges {
        let new = order.entities[range.clone()].iter().zip(&order.worlds[range.clone()]);
        for (&entity, world) in new {
            if let Ok(mut global) = worlds.get_mut(entity) {
                global.set_if_neq(world.to_global());
            }
        }
    }
}

fn trs(pose: &Transform) -> Trs<f32> {
    let rotation = Quaternion::from(pose.rotation.to_array());
    Trs::from_parts(
        Vector3::from(pose.translation.to_array()),
        UnitQuaternion::new_unchecked(rotation),
        Vector3::from(pose.scale.to_array()),
    )
}
