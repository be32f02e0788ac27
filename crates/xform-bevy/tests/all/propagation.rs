//! Bevy's own cases of propagation (`bevy_transform` 0.20.1, `systems.rs` and `helper.rs`), in other words, by both strategies.

use bevy_app::{App, Update};
use bevy_ecs::{
    entity::Entity,
    hierarchy::{ChildOf, Children},
    system::{Commands, SystemState},
    world::CommandQueue,
};
use bevy_transform::components::{GlobalTransform, Transform};
use glam::{Quat, Vec3};
use xform_bevy::{Strategy, XformHelper, XformHierarchy, propagate_transforms};

use crate::{Matrices, Trs, app, assert_near, at, world_of};

macro_rules! by_both_strategies {
    ($($name:ident)*) => {
        mod matrices { $(#[test] fn $name() { super::$name::<crate::Matrices>(); })* }
        mod trs { $(#[test] fn $name() { super::$name::<crate::Trs>(); })* }
    };
}

by_both_strategies! {
    an_orphan_keeps_its_own_pose
    children_follow_their_parent
    children_spawned_by_commands_follow
    children_move_between_parents
    grandchildren_are_where_their_root_is
    children_hung_up_again_stay
    entities_in_reused_places_are_new
    the_helper_says_what_is_propagated
    it_runs_in_any_schedule
}

fn on_diagonal(offset: f32) -> Transform {
    Transform::from_xyz(offset, offset, offset)
}

fn an_orphan_keeps_its_own_pose<X: Strategy>() {
    let mut app = app::<X>();
    let root = app.world_mut().spawn(on_diagonal(3.25)).id();
    let parent = app.world_mut().spawn((on_diagonal(4.5), ChildOf(root))).id();
    let child = app.world_mut().spawn((on_diagonal(5.5), ChildOf(parent))).id();
    app.update();
    assert_eq!(at(app.world(), parent), Vec3::splat(7.75));
    assert_eq!(at(app.world(), child), Vec3::splat(13.25));

    app.world_mut().entity_mut(parent).remove::<ChildOf>();
    app.update();
    assert_eq!(at(app.world(), parent), Vec3::splat(4.5));
    assert_eq!(at(app.world(), child), Vec3::splat(10.0), "what hangs below it comes along");

    app.world_mut().entity_mut(child).remove::<ChildOf>();
    app.update();
    assert_eq!(at(app.world(), child), Vec3::splat(5.5));
}

fn children_follow_their_parent<X: Strategy>() {
    let mut app = app::<X>();
    app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0));
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let [up, back] = [Vec3::Y * 2.0, Vec3::Z * 3.0]
        .map(|to| app.world_mut().spawn((Transform::from_translation(to), ChildOf(parent))).id());
    app.update();
    assert_eq!(at(app.world(), up), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(at(app.world(), back), Vec3::new(1.0, 0.0, 3.0));
}

fn children_spawned_by_commands_follow<X: Strategy>() {
    let mut app = app::<X>();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, app.world());
    let mut spawned = Vec::new();
    commands.spawn(Transform::from_xyz(1.0, 0.0, 0.0)).with_children(|parent| {
        spawned.push(parent.spawn(Transform::from_xyz(0.0, 2.0, 0.0)).id());
        spawned.push(parent.spawn(Transform::from_xyz(0.0, 0.0, 3.0)).id());
    });
    queue.apply(app.world_mut());
    app.update();
    assert_eq!(at(app.world(), spawned[0]), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(at(app.world(), spawned[1]), Vec3::new(1.0, 0.0, 3.0));
}

fn children_move_between_parents<X: Strategy>() {
    let mut app = app::<X>();
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let [first, second] = [2.0, 3.0]
        .map(|y| app.world_mut().spawn((Transform::from_xyz(0.0, y, 0.0), ChildOf(parent))).id());
    app.update();
    app.world_mut().entity_mut(second).add_child(first);
    app.update();
    assert_eq!(at(app.world(), first), Vec3::new(1.0, 5.0, 0.0));
    app.world_mut().despawn(first);
    app.update();
    let children: Vec<Entity> = app.world().get::<Children>(parent).expect("it has one").to_vec();
    assert_eq!(children, [second]);
    assert_eq!(app.world().resource::<XformHierarchy<X>>().hierarchy().len(), 2);
}

fn grandchildren_are_where_their_root_is<X: Strategy>() {
    let mut app = app::<X>();
    app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).with_children(|child| {
        child.spawn(Transform::IDENTITY).with_children(|grandchild| {
            grandchild.spawn(Transform::IDENTITY);
        });
    });
    app.update();
    let mut worlds = app.world_mut().query::<&GlobalTransform>();
    assert_eq!(worlds.iter(app.world()).count(), 3);
    assert!(worlds.iter(app.world()).all(|world| world.translation() == Vec3::X));
}

fn children_hung_up_again_stay<X: Strategy>() {
    let mut app = app::<X>();
    let [parent, child] = [(); 2].map(|()| app.world_mut().spawn(on_diagonal(1.0)).id());
    app.world_mut().entity_mut(parent).add_child(child);
    app.update();
    assert_eq!(at(app.world(), child), Vec3::splat(2.0));
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    app.world_mut().entity_mut(parent).add_child(child);
    app.update();
    assert_eq!(at(app.world(), parent), Vec3::splat(1.0));
    assert_eq!(at(app.world(), child), Vec3::splat(2.0));
}

// bevy#25416: who came in the place of an entity that went in the same frame kept its world transform.
fn entities_in_reused_places_are_new<X: Strategy>() {
    let mut app = app::<X>();
    let roots: Vec<Entity> = (0_u8..100)
        .map(|i| app.world_mut().spawn(Transform::from_xyz(f32::from(i), 0.0, 0.0)).id())
        .collect();
    let mut below = Vec::new();
    for turn in 0..3 {
        for child in below.drain(..) {
            app.world_mut().despawn(child);
        }
        for &root in &roots {
            let spawn = |y: u8| (Transform::from_xyz(0.0, f32::from(y + turn), 0.0), ChildOf(root));
            below.extend((0..8).map(|y| app.world_mut().spawn(spawn(y)).id()));
        }
        app.update();
        for (i, &child) in below.iter().enumerate() {
            let (x, y) = (i / 8, i % 8 + usize::from(turn));
            assert_eq!(at(app.world(), child), Vec3::new(x as f32, y as f32, 0.0));
        }
    }
}

fn the_helper_says_what_is_propagated<X: Strategy>() {
    let mut app = app::<X>();
    let poses = [
        Transform::from_translation(Vec3::X)
            .with_rotation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2))
            .with_scale(Vec3::new(2.0, 1.0, 0.5)),
        Transform::from_translation(Vec3::Y)
            .with_rotation(Quat::from_rotation_z(1.0))
            .with_scale(Vec3::splat(1.5)),
        Transform::from_translation(Vec3::Z)
            .with_rotation(Quat::from_rotation_x(std::f32::consts::PI))
            .with_scale(Vec3::splat(0.3)),
    ];
    let mut chain = Vec::new();
    for pose in poses {
        let mut entity = app.world_mut().spawn(pose);
        if let Some(&parent) = chain.last() {
            entity.insert(ChildOf(parent));
        }
        chain.push(entity.id());
    }
    app.update();
    let mut state = SystemState::<XformHelper<X>>::new(app.world_mut());
    let helper = state.get(app.world()).expect("it asks for nothing that is not there");
    for entity in chain {
        let computed = helper.compute_global_transform(entity).expect("it has a place");
        assert_near(computed.affine(), world_of(app.world(), entity), 1e-6, "the helper");
    }
}

fn it_runs_in_any_schedule<X: Strategy>() {
    let mut app = App::new();
    app.init_resource::<XformHierarchy<X>>().add_systems(Update, propagate_transforms::<X>());
    let parent = app.world_mut().spawn(on_diagonal(1.0)).id();
    let child = app.world_mut().spawn((on_diagonal(1.0), ChildOf(parent))).id();
    app.update();
    assert_eq!(at(app.world(), child), Vec3::splat(2.0));
}

/// Both strategies are there, and are not the same.
#[test]
fn the_strategies_differ_below_a_non_uniform_scale() {
    let worlds = [arm_and_hand::<Matrices>(), arm_and_hand::<Trs>()];
    let lengths = worlds.map(|world| world.matrix3.x_axis.dot(world.matrix3.y_axis));
    assert!(lengths[0].abs() > 1.0, "matrices skew");
    assert!(lengths[1].abs() < 1e-5, "combined TRS does not");
}

fn arm_and_hand<X: Strategy>() -> glam::Affine3A {
    let mut app = app::<X>();
    let arm = app.world_mut().spawn(crate::ARM).id();
    let hand = app.world_mut().spawn((crate::hand(), ChildOf(arm))).id();
    app.update();
    world_of(app.world(), hand)
}
