//! Apps with several worlds, sub-apps, scenes and other plugins.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_app::{App, AppLabel, SubApp, Update};
use bevy_ecs::{
    component::Component,
    entity::{Entity, EntityCloner},
    entity_disabling::Disabled,
    hierarchy::{ChildOf, Children},
    relationship::RelationshipHookMode,
    schedule::IntoScheduleConfigs,
    world::World,
};
use bevy_transform::{
    StaticTransformOptimizations, TransformPlugin, TransformSystems, components::Transform,
};
use glam::Vec3;
use xform_bevy::{Inherit, XformHierarchy, XformPlugin};

use crate::{ARM, Matrices, Trs, app, app_with, at, hand, world_of};

#[test]
fn worlds_do_not_know_of_each_other() {
    let (mut matrices, mut parts) = (app::<Matrices>(), app::<Trs>());
    let [skewed, straight] = [&mut matrices, &mut parts].map(|app| {
        let arm = app.world_mut().spawn(ARM).id();
        let hand = app.world_mut().spawn((hand(), ChildOf(arm))).id();
        app.update();
        world_of(app.world(), hand)
    });
    assert_ne!(skewed, straight);
}

#[derive(AppLabel, Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Simulation;

#[test]
fn a_sub_app_has_a_world_of_its_own() {
    let mut app = app::<Matrices>();
    let mut simulation = SubApp::new();
    simulation
        .init_schedule(bevy_app::PostStartup)
        .init_schedule(bevy_app::PostUpdate)
        .add_plugins(XformPlugin::<Trs>::default());
    simulation.update_schedule =
        Some(bevy_ecs::schedule::ScheduleLabel::intern(&bevy_app::PostUpdate));
    app.insert_sub_app(Simulation, simulation);
    let spawn = |world: &mut World| {
        let arm = world.spawn(ARM).id();
        world.spawn((hand(), ChildOf(arm))).id()
    };
    let main = spawn(app.world_mut());
    let sub = spawn(app.sub_app_mut(Simulation).world_mut());
    app.update();
    let [main, sub] = [world_of(app.world(), main), world_of(app.sub_app(Simulation).world(), sub)];
    assert!(main.x_axis.dot(main.y_axis).abs() > 1.0);
    assert!(sub.x_axis.dot(sub.y_axis).abs() < 1e-5);
}

/// Many at once, by each way that Bevy has.
#[test]
fn scenes_are_spawned_in_bulk() {
    let mut app = app::<Matrices>();
    let world = app.world_mut();
    let prefab = world.spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let limb = world.spawn((Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(prefab))).id();
    world.spawn((Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(limb)));
    app.update();

    let world = app.world_mut();
    let copies: Vec<Entity> = (0..50)
        .map(|_| {
            let copy = world.spawn_empty().id();
            EntityCloner::build_opt_out(world).linked_cloning(true).clone_entity(prefab, copy);
            copy
        })
        .collect();
    let batch = (0_u8..100).map(|x| Transform::from_xyz(f32::from(x), 0.0, 0.0));
    let roots: Vec<Entity> = world.spawn_batch(batch).collect();
    world
        .spawn_batch(roots.iter().map(|&root| (Transform::from_xyz(0.0, 5.0, 0.0), ChildOf(root))))
        .for_each(drop);
    app.update();
    let child = |entity: Entity| app.world().get::<Children>(entity).expect("it has some")[0];
    for copy in copies {
        assert_eq!(at(app.world(), child(child(copy))), Vec3::new(1.0, 2.0, 0.0));
    }
    for (root, x) in roots.into_iter().zip(0_u8..) {
        assert_eq!(at(app.world(), child(root)), Vec3::new(f32::from(x), 5.0, 0.0));
    }
    let count = app.world().resource::<XformHierarchy<Matrices>>().hierarchy().len();
    assert_eq!(count, 3 * 51 + 200);
}

#[test]
fn entities_without_a_pose_part_what_hangs_below_them() {
    let mut app = app::<Matrices>();
    let root = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let folder = app.world_mut().spawn(ChildOf(root)).id();
    let leaf = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(folder))).id();
    app.update();
    assert_eq!(at(app.world(), leaf), Vec3::ZERO, "as in Bevy, it has no place");
    app.world_mut().entity_mut(folder).insert(Transform::from_xyz(1.0, 0.0, 0.0));
    app.update();
    assert_eq!(at(app.world(), leaf), Vec3::new(3.0, 0.0, 0.0));
    app.world_mut().entity_mut(folder).remove::<Transform>();
    app.world_mut().get_mut::<Transform>(leaf).expect("it has one").translation.x = 9.0;
    app.update();
    assert_eq!(at(app.world(), leaf), Vec3::new(3.0, 0.0, 0.0), "it stays where it was");
}

/// Prefabs are entities that are disabled until they are wanted.
#[test]
fn entities_are_seen_once_they_are_enabled() {
    let mut app = app::<Matrices>();
    let world = app.world_mut();
    let parent = world.spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let hidden = || (Transform::from_xyz(1.0, 0.0, 0.0), Disabled);
    let below = world.spawn((hidden(), ChildOf(parent))).id();
    let lowest = world.spawn((hidden(), ChildOf(below))).id();
    let alone = world.spawn(hidden()).id();
    (0..4).for_each(|_| app.update());
    for entity in [below, lowest, alone] {
        assert_eq!(at(app.world(), entity), Vec3::ZERO);
        app.world_mut().entity_mut(entity).remove::<Disabled>();
    }
    app.update();
    assert_eq!(at(app.world(), below), Vec3::X * 2.0);
    assert_eq!(at(app.world(), lowest), Vec3::X * 3.0);
    assert_eq!(at(app.world(), alone), Vec3::X);
    // What is moved while it is disabled is where it was moved to.
    app.world_mut().entity_mut(below).insert(Disabled);
    app.update();
    app.world_mut().get_mut::<Transform>(below).expect("it has one").translation.x = 5.0;
    (0..4).for_each(|_| app.update());
    app.world_mut().entity_mut(below).remove::<Disabled>();
    app.update();
    assert_eq!(at(app.world(), lowest), Vec3::X * 7.0);
}

/// Then queries go entity by entity.
#[test]
fn an_app_may_disable_entities_by_a_component_of_its_own() {
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Prefab;

    let mut app = App::new();
    app.world_mut().register_disabling_component::<Prefab>();
    app.add_plugins(XformPlugin::<Matrices>::default());
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(parent))).id();
    let alone = app.world_mut().spawn(Transform::from_xyz(3.0, 0.0, 0.0)).id();
    app.update();
    assert_eq!(at(app.world(), child), Vec3::X * 2.0);
    assert_eq!(at(app.world(), alone), Vec3::X * 3.0);
    app.world_mut().get_mut::<Transform>(parent).expect("it has one").translation.x = 4.0;
    app.world_mut().get_mut::<Transform>(alone).expect("it has one").translation.x = 5.0;
    app.world_mut().entity_mut(child).insert(Inherit::Nothing);
    app.update();
    assert_eq!(at(app.world(), parent), Vec3::X * 4.0);
    assert_eq!(at(app.world(), child), Vec3::X);
    assert_eq!(at(app.world(), alone), Vec3::X * 5.0);
}

/// Nobody is below themselves, whatever the components say.
#[test]
fn a_cycle_is_left_as_it_is() {
    let mut app = app::<Matrices>();
    let root = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(root))).id();
    app.update();
    app.world_mut().entity_mut(root).insert(ChildOf(child));
    app.update();
    assert_eq!(at(app.world(), child), Vec3::new(2.0, 0.0, 0.0));
    assert!(app.world().resource::<XformHierarchy<Matrices>>().hierarchy().is_empty());
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    app.update();
    assert_eq!(at(app.world(), child), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(at(app.world(), root), Vec3::new(2.0, 0.0, 0.0));
}

/// A parent's list may name a child that says otherwise, if somebody writes components behind Bevy's back. Bevy's own panics.
#[test]
fn a_child_hangs_below_whom_it_says() {
    let mut app = app::<Matrices>();
    let world = app.world_mut();
    let parent = world.spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = world.spawn((Transform::IDENTITY, ChildOf(parent))).id();
    let grandchild = world.spawn((Transform::IDENTITY, ChildOf(child))).id();
    let tampered = RelationshipHookMode::Skip;
    world.entity_mut(child).insert_with_relationship_hook_mode(ChildOf(grandchild), tampered);
    app.update();
    assert_eq!(at(app.world(), parent), Vec3::X);
    assert_eq!(at(app.world(), child), Vec3::ZERO, "it hangs below itself, so it has no place");
    assert_eq!(app.world().resource::<XformHierarchy<Matrices>>().hierarchy().len(), 1);
}

#[test]
fn systems_order_themselves_around_the_set() {
    let mut app = app::<Matrices>();
    let entity = app.world_mut().spawn(Transform::IDENTITY).id();
    let follow = move |mut poses: bevy_ecs::system::Query<&mut Transform>| {
        poses.get_mut(entity).expect("it has one").translation.x = 4.0;
    };
    app.add_systems(bevy_app::PostUpdate, follow.before(TransformSystems::Propagate));
    app.update();
    assert_eq!(at(app.world(), entity), Vec3::new(4.0, 0.0, 0.0));
    assert_eq!(
        *app.world().resource::<StaticTransformOptimizations>(),
        StaticTransformOptimizations::Enabled
    );
    app.insert_resource(StaticTransformOptimizations::Disabled).add_systems(Update, || ());
    app.update();
}

fn message(build: impl FnOnce() -> App) -> String {
    let panic = catch_unwind(AssertUnwindSafe(build)).expect_err("two of them write the same");
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| {
        panic.downcast_ref::<&str>().map_or_else(String::new, |message| (*message).to_owned())
    })
}

#[test]
fn bevys_own_plugin_is_refused() {
    let before = message(|| {
        let mut app = app_with(TransformPlugin);
        app.add_plugins(XformPlugin::<Trs>::default());
        app
    });
    assert!(before.contains("disable::<TransformPlugin>()"), "{before}");
    let behind = message(|| {
        let mut app = app::<Trs>();
        app.add_plugins(TransformPlugin);
        app.finish();
        app
    });
    assert!(behind.contains("disable::<TransformPlugin>()"), "{behind}");
    let twice = message(|| {
        let mut app = app::<Trs>();
        app.add_plugins(XformPlugin::<Matrices>::default());
        app
    });
    assert!(twice.contains("CombinedTrs<f32>"), "{twice}");
}
