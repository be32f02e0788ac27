//! The crate beside Bevy's own propagation, beside the formulas, and in the apps that people have.

// On its task pool Bevy's own forgets an entity now and then, in one of four runs of these frames; there the formulas have to do.
#[cfg(not(feature = "multi_threaded"))]
mod beside_bevy;
mod edits;
mod inheritance;
mod plugins;
mod propagation;
mod random_frames;
mod reading;
mod refused;

use bevy_app::{App, Plugin};
use bevy_ecs::{entity::Entity, world::World};
use bevy_transform::components::{GlobalTransform, Transform};
use glam::{Affine3A, Quat, Vec3};
use xform_bevy::{Strategy, XformPlugin};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

type Matrices = AccumulatedMatrix<f32>;
type Trs = CombinedTrs<f32>;

fn app_with(plugin: impl Plugin) -> App {
    // Bevy's own needs it.
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
    let mut app = App::new();
    app.add_plugins(plugin);
    app
}

fn app<X: Strategy>() -> App {
    app_with(XformPlugin::<X>::default())
}

fn world_of(world: &World, entity: Entity) -> Affine3A {
    world.get::<GlobalTransform>(entity).expect("it has one").affine()
}

fn at(world: &World, entity: Entity) -> Vec3 {
    world_of(world, entity).translation.into()
}

#[track_caller]
fn assert_near(found: Affine3A, expected: Affine3A, within: f32, what: &str) {
    let (found, expected) = (found.to_cols_array(), expected.to_cols_array());
    let largest = expected.iter().fold(1.0_f32, |most, entry| most.max(entry.abs()));
    let is_near = |(found, expected): (&f32, f32)| (found - expected).abs() <= within * largest;
    assert!(found.iter().zip(expected).all(is_near), "{what}: {found:?} is not {expected:?}");
}

/// A parent with a non-uniform scale and a child that turns in it.
const ARM: Transform = Transform::from_translation(Vec3::X).with_scale(Vec3::new(4.0, 1.0, 1.0));
fn hand() -> Transform {
    Transform::from_xyz(0.5, 0.0, 0.0)
        .with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_4))
}
