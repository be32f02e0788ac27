//! World transforms in bevy by either strategy: `plugin` takes the place of bevy's own, and this measures one beside the other.
//!
//! `cargo run --release -p benches --features peers --example ecs`

#![expect(clippy::print_stdout, reason = "it is a program")]

mod plugin;
#[cfg(test)]
mod tests;

use std::time::Instant;

use bevy_app::{App, Plugin};
use bevy_ecs::{entity::Entity, hierarchy::ChildOf};
use bevy_tasks::{ComputeTaskPool, TaskPool};
use bevy_transform::{components::Transform, plugins::TransformPlugin};
use glam::Quat;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use plugin::XformPlugin;

/// An app that does nothing but propagate.
fn app(plugin: impl Plugin) -> App {
    // Bevy's own needs it.
    ComputeTaskPool::get_or_init(TaskPool::default);
    let mut app = App::new();
    app.add_plugins(plugin);
    app
}

/// Skeletons of 64 joints, and the entities of all of them.
fn skeletons(app: &mut App, count: usize) -> Vec<Entity> {
    let mut entities: Vec<Entity> = Vec::new();
    for joint in 0..count {
        let pose = Transform::from_xyz(0.1, 0.2, 0.0).with_rotation(Quat::from_rotation_z(0.1));
        let entity = match joint % 64 {
            0 => app.world_mut().spawn(pose).id(),
            // A spine, with limbs along it.
            place => {
                let parent = entities[joint - if place % 8 == 1 { place } else { 1 }];
                app.world_mut().spawn((pose, ChildOf(parent))).id()
            }
        };
        entities.push(entity);
    }
    app.update();
    entities
}

/// The median of a frame in microseconds, with these entities moved before each.
fn frame(app: &mut App, moved: &[Entity]) -> f64 {
    let mut times: Vec<f64> = (0..200_u16)
        .map(|turn| {
            for &entity in moved {
                let mut pose = app.world_mut().get_mut::<Transform>(entity).expect("it has one");
                pose.translation.x = f32::from(turn);
            }
            let begin = Instant::now();
            app.update();
            begin.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    const COUNT: usize = 10_000;
    let mut apps = [
        app(TransformPlugin),
        app(XformPlugin::<AccumulatedMatrix<f32>>::default()),
        app(XformPlugin::<CombinedTrs<f32>>::default()),
    ];
    let entities = apps.each_mut().map(|app| skeletons(app, COUNT));
    println!(
        "{COUNT} joints in skeletons of 64, microseconds a frame: bevy, by matrices, by combined TRS"
    );
    for (what, step) in [
        ("all roots moved", 64),
        ("1 % moved", 100),
        ("all moved", 1),
        ("nothing moved", usize::MAX),
    ] {
        let mut times = [f64::INFINITY; 3];
        // In turns, since machines are noisy.
        for _ in 0..5 {
            for (app, (entities, time)) in apps.iter_mut().zip(entities.iter().zip(&mut times)) {
                let moved: Vec<_> = match step {
                    usize::MAX => Vec::new(),
                    step => entities.iter().copied().step_by(step).collect(),
                };
                *time = time.min(frame(app, &moved));
            }
        }
        let [bevy, matrix, trs] = times;
        println!("{what:16}{bevy:8.0}{matrix:8.0}{trs:8.0}");
    }
}
