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
/// [`propagate_transforms`] updates it; between two runs it does not change. Through [`hierarchy`](Self::hierarchy)
/// you can query a node's skew, its pose in another node's space, and all world transforms as a slice, each in the
/// *slot* of its node. A [cursor](Self::change_cursor) returns the slots that changed since it was last used.
///
/// An entity has a [node](Self::node) if it has a parent or children, and if it and all its ancestors have a
/// `Transform` and a `GlobalTransform` and are not disabled. An entity without parent and children needs no node: its
/// `Transform` is its world transform. A node's [tag](Hierarchy::tag) holds the bits of its entity.
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
    /// The node of each entity, by the entity's index. Indices are reused, so the node's tag identifies the entity.
    nodes: Vec<Option<NodeId>>,
    /// The slot of each entity's node, by the entity's index: faster access to everything that is stored by slot.
    slots: Vec<u32>,
    /// The order generation of the hierarchy that `slots` belongs to.
    order: u64,
    /// Entities that may have another parent, or that have no node yet. Empty between runs, like all lists here.
    unsettled: Vec<Entity>,
    moved: read::Moved,
    /// Entities whose `GlobalTransform` was written by another system.
    overwritten: Vec<Entity>,
    /// Entities that may have lost parent and children, which none of their components shows.
    alone: Vec<Entity>,
    /// Entities whose pose was refused, so that each is reported only once.
    refused: EntityHashSet,
    /// The tick of the last run, or `None` if everything has to be read. Shared by all systems, so that none reads
    /// changes again that another has seen.
    last_run: Option<Tick>,
    cursors: [MessageCursor<RemovedComponentEntity>; 6],
}

impl<X: Strategy> FromWorld for XformHierarchy<X> {
    /// Creates a hierarchy without entities. The first run adds them.
    fn from_world(world: &mut World) -> Self {
        // Bevy keeps its ticks comparable with newer ones, and requires the same for ticks stored elsewhere.
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
    /// Returns the hierarchy.
    #[must_use]
    pub fn hierarchy(&self) -> &Hierarchy<X::World> {
        &self.hierarchy
    }

    /// Returns the node of an entity, or `None` if it has none.
    #[must_use]
    pub fn node(&self, entity: Entity) -> Option<NodeId> {
        let node = (*self.nodes.get(entity.index_u32() as usize)?)?;
        (self.hierarchy.tag(node) == Ok(entity.to_bits())).then_some(node)
    }

    /// Returns the slot of an entity, or `None` if it has no node. Only valid as long as no node has moved.
    #[inline]
    fn slot(&self, entity: Entity) -> Option<u32> {
        let slot = *self.slots.get(entity.index_u32() as usize)?;
        let tag = self.hierarchy.tags().get(slot as usize)?;
        (*tag == entity.to_bits()).then_some(slot)
    }

    /// Creates a cursor for [`Hierarchy::changed_since`], for a consumer that uploads changes at its own rate.
    pub fn change_cursor(&mut self) -> ChangeCursor {
        self.hierarchy.change_cursor()
    }

    /// Returns the entity of a node, or `None` if the node is unknown.
    #[must_use]
    pub fn entity(&self, node: NodeId) -> Option<Entity> {
        Entity::try_from_bits(self.hierarchy.tag(node).ok()?)
    }
}

/// The components that are read from an entity that may have a node.
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
/// Mentions the component, so it includes disabled entities, which other queries skip.
type DisabledQuery<'w, 's> = Query<'w, 's, (Entity, Ref<'static, Disabled>)>;
type Singles<'w, 's> =
    Query<'w, 's, (Entity, Ref<'static, Transform>, &'static mut GlobalTransform), Alone>;

/// The components that were removed from entities.
#[derive(SystemParam)]
struct Removals<'w, 's> {
    poses: RemovedComponents<'w, 's, Transform>,
    worlds: RemovedComponents<'w, 's, GlobalTransform>,
    parents: RemovedComponents<'w, 's, ChildOf>,
    children: RemovedComponents<'w, 's, Children>,
    inherits: RemovedComponents<'w, 's, Inherit>,
    disabled: RemovedComponents<'w, 's, Disabled>,
}

/// Returns the system that writes the `GlobalTransform` of every entity whose world transform changed.
///
/// [`XformPlugin`](crate::XformPlugin) adds it to `PostStartup` and to `PostUpdate`. Add it to any other schedule that
/// needs current world transforms: it recomputes the changes since it last ran, in whichever schedule that was. It
/// needs the resource [`XformHierarchy`]: `app.init_resource::<XformHierarchy<_>>()`.
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
