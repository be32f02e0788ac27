//! World transforms that are read elsewhere than behind the propagation, and written elsewhere than in it.

use bevy_app::{FixedUpdate, Update};
use bevy_ecs::{
    entity::Entity,
    hierarchy::ChildOf,
    query::Changed,
    resource::Resource,
    schedule::{IntoScheduleConfigs, common_conditions::resource_equals},
    system::{Query, ResMut, SystemState},
    world::World,
};
use bevy_transform::components::{GlobalTransform, Transform};
use glam::Vec3;
use xform_bevy::{
    ComputeGlobalTransformError, Inherit, XformHelper, XformHierarchy, propagate_transforms,
};

use crate::{ARM, Matrices, Trs, app, at, hand, world_of};

fn computed(
    world: &mut World,
    entity: Entity,
) -> Result<GlobalTransform, ComputeGlobalTransformError> {
    let mut state = SystemState::<XformHelper<Trs>>::new(world);
    state
        .get(world)
        .expect("it asks for nothing that is not there")
        .compute_global_transform(entity)
}

#[test]
fn the_helper_sees_what_is_not_propagated_yet() {
    let mut app = app::<Trs>();
    let world = app.world_mut();
    let arm = world.spawn(ARM).id();
    let hand = world.spawn((hand(), Inherit::NoScale, ChildOf(arm))).id();
    let before = computed(world, hand).expect("it has a place");
    assert_eq!(before.translation(), Vec3::new(3.0, 0.0, 0.0));
    assert!((before.scale() - Vec3::ONE).length() < 1e-6);
    app.update();
    assert_eq!(world_of(app.world(), hand), before.affine());
}

#[test]
fn the_helper_names_the_entity_that_is_wrong() {
    use ComputeGlobalTransformError::{Cycle, MissingTransform, NoSuchEntity, Pose};

    let mut app = app::<Trs>();
    let world = app.world_mut();
    let above = world.spawn_empty().id();
    let below = world.spawn((Transform::IDENTITY, ChildOf(above))).id();
    assert_eq!(computed(world, below), Err(MissingTransform { entity: above }));
    world.entity_mut(above).insert(Transform::from_xyz(f32::NAN, 0.0, 0.0));
    let error = computed(world, below).expect_err("it is not a number");
    assert!(matches!(error, Pose { entity, .. } if entity == above));
    world.entity_mut(above).insert(Transform::IDENTITY);
    world.entity_mut(above).insert(ChildOf(below));
    assert_eq!(computed(world, below), Err(Cycle { entity: below }));
    world.despawn(below);
    assert_eq!(computed(world, below), Err(NoSuchEntity { entity: below }));
}

/// What a system in a fixed step saw.
#[derive(Default, Resource)]
struct Seen(Vec<Vec3>);

#[test]
fn a_fixed_step_reads_what_was_moved_before_it() {
    let mut app = app::<Matrices>();
    let parent = app.world_mut().spawn(Transform::IDENTITY).id();
    app.world_mut().spawn((Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(parent)));
    let step = |mut poses: Query<&mut Transform>| {
        for mut pose in &mut poses {
            if pose.translation.y == 0.0 {
                pose.translation.x += 1.0;
            }
        }
    };
    let look = |worlds: Query<(&ChildOf, &GlobalTransform)>, mut seen: ResMut<Seen>| {
        seen.0.extend(worlds.iter().map(|(_, world)| world.translation()));
    };
    app.init_resource::<Seen>()
        .add_systems(FixedUpdate, (step, propagate_transforms::<Matrices>(), look).chain());
    for _ in 0..3 {
        app.world_mut().run_schedule(FixedUpdate);
        app.world_mut().run_schedule(FixedUpdate);
        app.update();
    }
    let seen = &app.world().resource::<Seen>().0;
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().zip(1_u8..).all(|(at, step)| *at == Vec3::new(f32::from(step), 1.0, 0.0)));
}

/// Removals go by in two frames, in which a fixed step may not come.
#[test]
fn a_run_that_comes_seldom_misses_nothing() {
    let mut app = bevy_app::App::new();
    app.init_resource::<XformHierarchy<Matrices>>()
        .add_systems(FixedUpdate, propagate_transforms::<Matrices>());
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = app.world_mut().spawn((Transform::IDENTITY, ChildOf(parent))).id();
    app.world_mut().run_schedule(FixedUpdate);
    assert_eq!(at(app.world(), child), Vec3::X);
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    let other = app.world_mut().spawn(Transform::IDENTITY).id();
    app.world_mut().despawn(other);
    for _ in 0..5 {
        app.update();
    }
    app.world_mut().run_schedule(FixedUpdate);
    assert_eq!(at(app.world(), child), Vec3::ZERO);
    assert!(app.world().resource::<XformHierarchy<Matrices>>().hierarchy().is_empty());
}

/// As avian does, which propagates by Bevy's rule in its own schedule.
#[test]
fn what_others_write_is_put_right() {
    let mut app = app::<Trs>();
    let arm = app.world_mut().spawn(ARM).id();
    let hand = app.world_mut().spawn((hand(), ChildOf(arm))).id();
    app.update();
    let right = world_of(app.world(), hand);
    app.world_mut().entity_mut(hand).insert(GlobalTransform::from_xyz(7.0, 0.0, 0.0));
    app.update();
    assert_eq!(world_of(app.world(), hand), right);
}

/// Which of two strategies propagates.
#[derive(Eq, PartialEq, Resource)]
enum By {
    Matrices,
    Parts,
}

#[test]
fn the_strategy_can_be_switched() {
    let mut app = bevy_app::App::new();
    app.init_resource::<XformHierarchy<Matrices>>()
        .init_resource::<XformHierarchy<Trs>>()
        .insert_resource(By::Matrices)
        .add_systems(
            Update,
            (
                propagate_transforms::<Matrices>().run_if(resource_equals(By::Matrices)),
                propagate_transforms::<Trs>().run_if(resource_equals(By::Parts)),
            ),
        );
    let arm = app.world_mut().spawn(ARM).id();
    let hand = app.world_mut().spawn((hand(), ChildOf(arm))).id();
    let mut skew = |by: By| {
        app.insert_resource(by);
        (0..4).for_each(|_| app.update());
        let [x, y] = [world_of(app.world(), hand).x_axis, world_of(app.world(), hand).y_axis];
        x.dot(y).abs()
    };
    for _ in 0..3 {
        assert!(skew(By::Matrices) > 1.0);
        assert!(skew(By::Parts) < 1e-5);
    }
}

/// Everything that is known of a node can be asked, at any rate.
#[test]
fn the_hierarchy_can_be_read() {
    let mut app = app::<Matrices>();
    let arm = app.world_mut().spawn(ARM).id();
    let hand = app.world_mut().spawn((hand(), ChildOf(arm))).id();
    app.update();
    let worlds = app.world().resource::<XformHierarchy<Matrices>>();
    let node = worlds.node(hand).expect("it has a place");
    assert_eq!(worlds.entity(node), Some(hand));
    assert!(worlds.hierarchy().world_skew(node).expect("it is known") > Some(0.1));
    assert_eq!(worlds.node(Entity::PLACEHOLDER), None);
}

/// For who uploads only what moved, every so many frames.
#[test]
fn a_cursor_sees_what_moved_since_it_was_asked() {
    let mut app = app::<Matrices>();
    let still = app.world_mut().spawn(Transform::IDENTITY).id();
    let moving = app.world_mut().spawn((Transform::IDENTITY, ChildOf(still))).id();
    let mut cursor = app.world_mut().resource_mut::<XformHierarchy<Matrices>>().change_cursor();
    let mut unseen = |app: &bevy_app::App| -> Vec<Entity> {
        let worlds = app.world().resource::<XformHierarchy<Matrices>>();
        let slots = worlds.hierarchy().changed_since(&mut cursor).into_iter().flatten();
        slots.filter_map(|slot| worlds.entity(worlds.hierarchy().node_in(slot)?)).collect()
    };
    app.update();
    assert_eq!(unseen(&app), [still, moving]);
    for x in [1.0, 2.0] {
        app.world_mut().get_mut::<Transform>(moving).expect("it has one").translation.x = x;
        app.update();
    }
    app.update();
    assert_eq!(unseen(&app), [moving]);
    assert_eq!(unseen(&app), []);
}

#[test]
fn only_what_moved_counts_as_changed() {
    #[derive(Default, Resource)]
    struct Changes(Vec<Entity>);

    let mut app = app::<Matrices>();
    let parent = app.world_mut().spawn(Transform::IDENTITY).id();
    // So many that one is written by itself, and not in the order of memory with all.
    let children: Vec<Entity> = (0..40)
        .map(|_| app.world_mut().spawn((Transform::IDENTITY, ChildOf(parent))).id())
        .collect();
    let [left, right] = [children[0], children[1]];
    app.world_mut().spawn((Transform::IDENTITY, Inherit::Nothing, ChildOf(left)));
    let alone = app.world_mut().spawn(Transform::IDENTITY).id();
    let look = |changed: Query<Entity, Changed<GlobalTransform>>, mut seen: ResMut<Changes>| {
        seen.0 = changed.iter().collect();
    };
    app.init_resource::<Changes>().add_systems(bevy_app::Last, look);
    app.update();
    let changes = |app: &bevy_app::App| app.world().resource::<Changes>().0.clone();
    // They are what they were when they were spawned, but they were spawned since.
    assert_eq!(changes(&app).len(), 43);
    app.update();
    assert_eq!(changes(&app), []);
    app.world_mut().get_mut::<Transform>(left).expect("it has one").translation.y = 1.0;
    app.update();
    assert_eq!(changes(&app), [left]);
    // Touched, and the same.
    for entity in [right, alone] {
        app.world_mut().get_mut::<Transform>(entity).expect("it has one").translation.y = 0.0;
    }
    app.update();
    assert_eq!(changes(&app), []);
    app.world_mut().get_mut::<Transform>(alone).expect("it has one").translation.y = 1.0;
    app.update();
    assert_eq!(changes(&app), [alone]);
}
