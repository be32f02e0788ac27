mod read;
mod settle;
mod single;
mod write;

use bevy_ecs::{
    change_detection::{CheckChangeTicks, Ref, Tick},
    entity::{Entity, EntityHashSet},
    entity_disabling::Disabled,
    hierarchy::{ChildOf, Children},
    lifecycle::{RemovedComponentEntity, RemovedComponents},
    message::MessageCursor,
    observer::On,
    query::{Or, QueryData, With, Without},
    resource::Resource,
    schedule::{IntoScheduleConfigs, ScheduleConfigs},
    system::{ParamSet, Query, ResMut, ScheduleSystem, SystemChangeTick, SystemParam},
    world::{FromWorld, World},
};
use bevy_transform::components::{GlobalTransform, Transform};
use xform_core::{Hierarchy, NodeId, changes::ChangeCursor};

use crate::{Inherit, Strategy, since::Since};

/// The entities of a world that have a parent or children, as a [`Hierarchy`] of `xform-core`.
///
/// [`propagate_transforms`] keeps it up to date: between its runs it is as the last one left it. Through [`hierarchy`](Self::hierarchy)
/// everything can be asked that is known of a node: its skew, its pose in another node's space, or all world transforms in a
/// slice, each in the *slot* of its node. A [cursor](Self::change_cursor) says which slots changed since it was last asked.
///
/// An entity has a [node](Self::node) if it has a parent or children, and it and all entities above it have a `Transform` and a
/// `GlobalTransform` and are not disabled. One without parent and children needs none: its `Transform` is its world transform. A node's
/// [tag](Hierarchy::tag) holds the bits of its entity.
///
/// # Examples
///
/// Which joints are skewed:
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use xform_bevy::XformHierarchy;
/// # use xform_matrix::AccumulatedMatrix;
/// # #[derive(Component)]
/// # struct Joint;
/// fn warn(joints: Query<Entity, With<Joint>>, worlds: Res<XformHierarchy<AccumulatedMatrix<f32>>>) {
///     for joint in &joints {
///         let Some(node) = worlds.node(joint) else { continue };
///         if worlds.hierarchy().world_skew(node).is_ok_and(|skew| skew > Some(0.01)) {
///             println!("{joint} is skewed");
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(warn);
/// ```
#[derive(Debug, Resource)]
pub struct XformHierarchy<X: Strategy> {
    hierarchy: Hierarchy<X::World>,
    /// The node of each entity, by the entity's index. Whose it is says its tag: an index is used again.
    nodes: Vec<Option<NodeId>>,
    /// The slots of all nodes, by the entity's index: a shorter way to what is stored by slot.
    slots: Vec<u32>,
    /// The order of the hierarchy that `slots` is of.
    order: u64,
    /// Entities that may have another parent, and those that have no node yet. Empty between runs, as all lists here.
    unsettled: Vec<Entity>,
    moved: read::Moved,
    /// Entities whose `GlobalTransform` somebody else wrote.
    overwritten: Vec<Entity>,
    /// Entities that may be alone now, which no component of theirs says.
    alone: Vec<Entity>,
    /// Entities whose pose was refused, so that each is reported once.
    refused: EntityHashSet,
    /// When the last run was; `None` if everything is to be looked at. Not each system's own, so that what one has seen no other looks
    /// at again.
    last_run: Option<Tick>,
    cursors: [MessageCursor<RemovedComponentEntity>; 6],
}

impl<X: Strategy> FromWorld for XformHierarchy<X> {
    /// A hierarchy without entities, until the first run.
    fn from_world(world: &mut World) -> Self {
        // Bevy keeps ticks comparable with newer ones, and asks others to do so with theirs.
        world.add_observer(|check: On<CheckChangeTicks>, hierarchy: Option<ResMut<Self>>| {
            if let Some(last_run) =
                hierarchy.and_then(|hierarchy| hierarchy.into_inner().last_run.as_mut())
            {
                last_run.check_tick(*check);
            }
        });
        Self {
            hierarchy: Hierarchy::new(),
            nodes: Vec::new(),
            slots: Vec::new(),
            order: 0,
            unsettled: Vec::new(),
            moved: read::Moved::default(),
            overwritten: Vec::new(),
            alone: Vec::new(),
            refused: EntityHashSet::default(),
            last_run: None,
            cursors: Default::default(),
        }
    }
}

impl<X: Strategy> XformHierarchy<X> {
    /// The hierarchy.
    #[must_use]
    pub fn hierarchy(&self) -> &Hierarchy<X::World> {
        &self.hierarchy
    }

    /// The node of an entity; `None` if it has none.
    #[must_use]
    pub fn node(&self, entity: Entity) -> Option<NodeId> {
        let node = (*self.nodes.get(entity.index_u32() as usize)?)?;
        (self.hierarchy.tag(node) == Ok(entity.to_bits())).then_some(node)
    }

    /// The slot of an entity; `None` if it has no node. Only valid while no node has moved.
    #[inline]
    fn slot(&self, entity: Entity) -> Option<u32> {
        let slot = *self.slots.get(entity.index_u32() as usize)?;
        let tag = self.hierarchy.tags().get(slot as usize)?;
        (*tag == entity.to_bits()).then_some(slot)
    }

    /// A cursor for [`Hierarchy::changed_since`]: for those who upload what moved, at a rate of their own.
    pub fn change_cursor(&mut self) -> ChangeCursor {
        self.hierarchy.change_cursor()
    }

    /// The entity of a node; `None` if the node is unknown.
    #[must_use]
    pub fn entity(&self, node: NodeId) -> Option<Entity> {
        Entity::try_from_bits(self.hierarchy.tag(node).ok()?)
    }
}

/// What is read of an entity that may have a node.
#[derive(QueryData)]
#[query_data(contiguous(all))]
struct Placed {
    entity: Entity,
    pose: Ref<'static, Transform>,
    world: Ref<'static, GlobalTransform>,
    parent: Option<Ref<'static, ChildOf>>,
    children: Option<Ref<'static, Children>>,
    inherit: Option<Ref<'static, Inherit>>,
}

/// Entities with a parent or children.
type Connected = Or<(With<ChildOf>, With<Children>)>;
/// Entities with neither.
type Alone = (Without<ChildOf>, Without<Children>);
type PlacedQuery<'w, 's> = Query<'w, 's, Placed, Connected>;
type Worlds<'w, 's> = Query<'w, 's, (Entity, &'static mut GlobalTransform), Connected>;
/// Asks for the component, so it sees what other queries do not.
type DisabledQuery<'w, 's> = Query<'w, 's, (Entity, Ref<'static, Disabled>)>;
type Singles<'w, 's> =
    Query<'w, 's, (Entity, Ref<'static, Transform>, &'static mut GlobalTransform), Alone>;

/// The components that entities lost.
#[derive(SystemParam)]
struct Removals<'w, 's> {
    poses: RemovedComponents<'w, 's, Transform>,
    worlds: RemovedComponents<'w, 's, GlobalTransform>,
    parents: RemovedComponents<'w, 's, ChildOf>,
    children: RemovedComponents<'w, 's, Children>,
    inherits: RemovedComponents<'w, 's, Inherit>,
    disabled: RemovedComponents<'w, 's, Disabled>,
}

/// The system that writes the `GlobalTransform` of every entity whose world transform became another one.
///
/// [`XformPlugin`](crate::XformPlugin) adds it to `PostStartup` and to `PostUpdate`. Add it to other schedules where world
/// transforms must be current: it recomputes what changed since it last ran, wherever that was. It needs the resource
/// [`XformHierarchy`]: `app.init_resource::<XformHierarchy<_>>()`.
///
/// # Examples
///
/// Before the physics of a fixed step:
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use xform_bevy::{XformPlugin, propagate_transforms};
/// # use xform_matrix::AccumulatedMatrix;
/// # fn step() {}
/// # let mut app = App::new();
/// type Matrices = AccumulatedMatrix<f32>;
/// app.add_plugins(XformPlugin::<Matrices>::default())
///     .add_systems(FixedUpdate, (propagate_transforms::<Matrices>(), step).chain());
/// # app.world_mut().run_schedule(FixedUpdate);
/// ```
pub fn propagate_transforms<X: Strategy>() -> ScheduleConfigs<ScheduleSystem> {
    propagate::<X>.into_configs()
}

fn propagate<X: Strategy>(
    mut hierarchy: ResMut<XformHierarchy<X>>,
    removals: Removals,
    disabled: DisabledQuery,
    mut entities: ParamSet<(PlacedQuery, Worlds, Singles)>,
    ticks: SystemChangeTick,
) {
    let hierarchy = &mut *hierarchy;
    let placed = entities.p0();
    hierarchy.read_removals(&removals, &placed);
    let since = Since::new(hierarchy.last_run, ticks.this_run());
    hierarchy.read_disabled(&disabled, since);
    hierarchy.read_changes(&placed, since);
    hierarchy.settle(&placed);
    hierarchy.hierarchy.propagate();
    hierarchy.write(&mut entities.p1());
    hierarchy.write_singles(&mut entities.p2(), since);
    hierarchy.last_run = Some(ticks.this_run());
}
