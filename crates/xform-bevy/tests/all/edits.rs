//! Edits as games make them, the same in every world.

use bevy_ecs::{entity::Entity, entity_disabling::Disabled, hierarchy::ChildOf, world::World};
use bevy_transform::components::{GlobalTransform, Transform};
use glam::{Quat, Vec3};
use proptest::{prelude::*, sample::Index};
use xform_bevy::Inherit;

#[derive(Clone, Debug)]
pub(crate) enum Edit {
    SpawnRoot(Transform),
    SpawnBelow(Transform, Index),
    Despawn(Index),
    Hang(Index, Index),
    Orphan(Index),
    /// Two entities in one frame: the parent below its child.
    Swap(Index),
    Move(Index, Transform),
    Insert(Index, Transform),
    RemovePose(Index),
    RemoveWorld(Index),
    InsertWorld(Index),
    Inherit(Index, Option<Inherit>),
    Disable(Index),
    Enable(Index),
    /// Propagates, in the middle of the edits of a frame.
    Propagate,
}

pub(crate) fn pose() -> impl Strategy<Value = Transform> {
    let number = -1.0_f32..1.0;
    let vector = [number.clone(), number.clone(), number.clone()];
    let scale = (vector.clone(), prop::bool::weighted(0.1));
    (vector, [number.clone(), number.clone(), number], 0.5_f32..2.0, scale).prop_map(
        |(translation, [x, y, z], w, (scale, mirrors))| Transform {
            translation: translation.into(),
            rotation: Quat::from_xyzw(x, y, z, w).normalize(),
            scale: (Vec3::ONE + 0.3 * Vec3::from(scale))
                * if mirrors { Vec3::new(1.0, -1.0, 1.0) } else { Vec3::ONE },
        },
    )
}

fn inherit() -> impl Strategy<Value = Option<Inherit>> {
    use Inherit::{All, NoRotation, NoScale, Nothing, PositionOnly};
    prop::option::weighted(
        0.8,
        prop::sample::select(vec![All, NoRotation, NoScale, PositionOnly, Nothing]),
    )
}

pub(crate) fn edit(inherits: bool) -> impl Strategy<Value = Edit> {
    let any = any::<Index>;
    let inherit = (any(), inherit()).prop_map(|(entity, inherit)| Edit::Inherit(entity, inherit));
    let disable = prop_oneof![any().prop_map(Edit::Disable), any().prop_map(Edit::Enable)];
    // What Bevy's own propagation knows nothing of.
    let more = prop_oneof![2 => inherit, 1 => disable];
    let inherit = if inherits { more.boxed() } else { Just(Edit::Propagate).boxed() };
    prop_oneof![
        2 => pose().prop_map(Edit::SpawnRoot),
        6 => (pose(), any()).prop_map(|(pose, parent)| Edit::SpawnBelow(pose, parent)),
        2 => any().prop_map(Edit::Despawn),
        4 => (any(), any()).prop_map(|(child, parent)| Edit::Hang(child, parent)),
        2 => any().prop_map(Edit::Orphan),
        1 => any().prop_map(Edit::Swap),
        10 => (any(), pose()).prop_map(|(entity, pose)| Edit::Move(entity, pose)),
        3 => (any(), pose()).prop_map(|(entity, pose)| Edit::Insert(entity, pose)),
        1 => any().prop_map(Edit::RemovePose),
        1 => any().prop_map(Edit::RemoveWorld),
        2 => any().prop_map(Edit::InsertWorld),
        6 => inherit,
        2 => Just(Edit::Propagate),
    ]
}

/// Frames with a few edits each.
pub(crate) fn frames(count: usize, inherits: bool) -> impl Strategy<Value = Vec<Vec<Edit>>> {
    prop::collection::vec(prop::collection::vec(edit(inherits), 0..8), count)
}

fn is_at_or_below(world: &World, entity: Entity, above: Entity) -> bool {
    let parent = |&entity: &Entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    std::iter::successors(Some(entity), parent).any(|entity| entity == above)
}

/// Makes an edit in worlds whose entities have the same names.
pub(crate) fn apply(edit: &Edit, world: &mut World, alive: &mut Vec<Entity>) {
    let is_empty = alive.is_empty();
    let entity = |index: &Index| alive[index.index(alive.len())];
    match edit {
        Edit::SpawnRoot(pose) => alive.push(world.spawn(*pose).id()),
        Edit::Propagate => {}
        _ if is_empty => {}
        Edit::SpawnBelow(pose, parent) => {
            let parent = entity(parent);
            alive.push(world.spawn((*pose, ChildOf(parent))).id());
        }
        Edit::Despawn(index) => {
            world.despawn(entity(index));
            alive.retain(|&entity| world.get_entity(entity).is_ok());
        }
        Edit::Hang(child, parent) => {
            let (child, parent) = (entity(child), entity(parent));
            if !is_at_or_below(world, parent, child) {
                world.entity_mut(child).insert(ChildOf(parent));
            }
        }
        Edit::Orphan(index) => {
            world.entity_mut(entity(index)).remove::<ChildOf>();
        }
        Edit::Swap(index) => {
            let child = entity(index);
            let Some(parent) = world.get::<ChildOf>(child).map(ChildOf::parent) else { return };
            match world.get::<ChildOf>(parent).map(ChildOf::parent) {
                Some(above) => world.entity_mut(child).insert(ChildOf(above)),
                None => world.entity_mut(child).remove::<ChildOf>(),
            };
            world.entity_mut(parent).insert(ChildOf(child));
        }
        Edit::Move(index, pose) => {
            if let Some(mut own) = world.get_mut::<Transform>(entity(index)) {
                *own = *pose;
            }
        }
        Edit::Insert(index, pose) => {
            world.entity_mut(entity(index)).insert(*pose);
        }
        Edit::RemovePose(index) => {
            world.entity_mut(entity(index)).remove::<Transform>();
        }
        Edit::RemoveWorld(index) => {
            world.entity_mut(entity(index)).remove::<GlobalTransform>();
        }
        Edit::InsertWorld(index) => {
            // Over one that is there it would be what Bevy leaves and this crate puts right.
            let mut entity = world.entity_mut(entity(index));
            if !entity.contains::<GlobalTransform>() {
                entity.insert(GlobalTransform::default());
            }
        }
        Edit::Inherit(index, Some(inherit)) => {
            world.entity_mut(entity(index)).insert(*inherit);
        }
        Edit::Disable(index) => {
            world.entity_mut(entity(index)).insert(Disabled);
        }
        Edit::Enable(index) => {
            world.entity_mut(entity(index)).remove::<Disabled>();
        }
        Edit::Inherit(index, None) => {
            world.entity_mut(entity(index)).remove::<Inherit>();
        }
    }
}
