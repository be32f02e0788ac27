//! Random frames of edits beside the formulas in `f64`.

use std::collections::HashMap;

use bevy_app::App;
use bevy_ecs::{
    change_detection::DetectChanges,
    entity::Entity,
    entity_disabling::Disabled,
    hierarchy::{ChildOf, Children},
    schedule::ScheduleLabel,
    world::{Ref, World},
};
use bevy_transform::components::{GlobalTransform, Transform};
use glam::Affine3A;
use proptest::prelude::*;
use xform_bevy::{Inherit, Strategy as Propagated, XformHierarchy, propagate_transforms};
use xform_cases::properties;

use crate::{
    Matrices, Trs, app, assert_near,
    edits::{Edit, apply, frames},
    inheritance::{World64, by_matrices, by_parts},
};

/// A schedule that propagates in the middle of a frame.
#[derive(Clone, Debug, Eq, Hash, PartialEq, ScheduleLabel)]
pub(crate) struct Middle;

pub(crate) fn ours<X: Propagated>() -> App {
    let mut app = app::<X>();
    app.init_schedule(Middle).add_systems(Middle, propagate_transforms::<X>());
    app
}

pub(crate) fn frame(app: &mut App, edits: &[Edit], alive: &mut Vec<Entity>) {
    for edit in edits {
        match edit {
            Edit::Propagate => app.world_mut().run_schedule(Middle),
            edit => apply(edit, app.world_mut(), alive),
        }
    }
    app.update();
}

fn worlds(world: &mut World) -> HashMap<Entity, Affine3A> {
    let mut query = world.query::<(Entity, &GlobalTransform)>();
    query.iter(world).map(|(entity, global)| (entity, global.affine())).collect()
}

/// Everything that has a place and hangs together with something has a node, and nothing else.
fn assert_nodes_are_entities<X: Propagated>(world: &mut World) {
    let mut query = world.query_filtered::<Entity, bevy_ecs::query::With<GlobalTransform>>();
    let entities: Vec<Entity> = query.iter(world).collect();
    let is_connected = |&entity: &Entity| {
        world.get::<ChildOf>(entity).is_some() || world.get::<Children>(entity).is_some()
    };
    let placed = entities.into_iter().filter(is_connected);
    let placed = placed.filter(|&entity| pose_path(world, entity).is_some());
    let hierarchy = world.resource::<XformHierarchy<X>>();
    let mut count = 0;
    for entity in placed {
        let node = hierarchy.node(entity).expect("it has a place");
        assert_eq!(hierarchy.entity(node), Some(entity));
        count += 1;
    }
    assert_eq!(hierarchy.hierarchy().len(), count);
}

/// The poses from an entity up, with what each inherits; `None` if it has no place.
fn pose_path(world: &World, entity: Entity) -> Option<Vec<(Transform, Inherit)>> {
    let parent = |&entity: &Entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    let path = std::iter::successors(Some(entity), parent);
    path.map(|entity| {
        world.get::<GlobalTransform>(entity)?;
        if world.get::<Disabled>(entity).is_some() {
            return None;
        }
        let inherit = world.get::<Inherit>(entity).copied().unwrap_or_default();
        Some((*world.get::<Transform>(entity)?, inherit))
    })
    .collect()
}

fn holds_to_formula<X: Propagated>(
    frames: &[Vec<Edit>],
    step: fn(&World64, &Transform, Inherit) -> World64,
) {
    let mut app = ours::<X>();
    let mut alive = Vec::new();
    for (number, edits) in frames.iter().enumerate() {
        frame(&mut app, edits, &mut alive);
        for (entity, found) in worlds(app.world_mut()) {
            let Some(path) = pose_path(app.world(), entity) else { continue };
            let expected = path
                .iter()
                .rev()
                .fold(World64::IDENTITY, |world, (pose, inherit)| step(&world, pose, *inherit));
            assert_near(found, expected.rounded(), 2e-4, &format!("frame {number}, {entity}"));
        }
        assert_nodes_are_entities::<X>(app.world_mut());
    }
}

properties! {
    #![cases(200)]

    #[test]
    fn matrices_are_those_of_the_formula(frames in frames(30, true)) {
        holds_to_formula::<Matrices>(&frames, by_matrices);
    }

    #[test]
    fn combined_parts_are_those_of_the_formula(frames in frames(30, true)) {
        holds_to_formula::<Trs>(&frames, by_parts);
    }

    /// A world transform counts as changed where it is another one, and nowhere else.
    #[test]
    fn what_changed_counts_as_changed(frames in frames(30, true)) {
        let mut app = ours::<Trs>();
        let mut alive = Vec::new();
        for edits in &frames {
            // What somebody inserts counts as changed, whatever it is.
            let inserts = |edit: &Edit| matches!(edit, Edit::Insert(..) | Edit::InsertWorld(_));
            let before = worlds(app.world_mut());
            let since = app.world_mut().increment_change_tick();
            frame(&mut app, edits, &mut alive);
            let now = app.world_mut().change_tick();
            if edits.iter().any(inserts) {
                continue;
            }
            let mut query = app.world_mut().query::<(Entity, Ref<GlobalTransform>)>();
            for (entity, global) in query.iter(app.world()) {
                let Some(before) = before.get(&entity) else { continue };
                let is_marked = global.last_changed().is_newer_than(since, now);
                let propagated_twice = edits.iter().any(|edit| matches!(edit, Edit::Propagate));
                let differs = *before != global.affine();
                prop_assert!(is_marked == differs || (is_marked && propagated_twice));
            }
        }
    }
}
