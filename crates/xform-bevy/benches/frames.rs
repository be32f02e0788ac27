//! Compares frames of Bevy's own propagation with this crate's, taking turns on the same scenes.
//!
//! Run with `cargo bench` and `cargo bench --features multi_threaded`. Only `App::update` is timed. The edits before
//! it are excluded because they are the same for both.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::time::Instant;

use bevy_app::{App, Plugin};
use bevy_ecs::{entity::Entity, hierarchy::ChildOf, world::World};
use bevy_transform::{TransformPlugin, components::Transform};
use glam::Quat;
use xform_bevy::XformPlugin;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// Returns the parent of an entity in a scene, both by index.
type Parent = fn(usize) -> Option<usize>;

const SCENES: [(&str, Parent); 4] = [
    ("flat", |_| None),
    // Chains of 100.
    ("deep", |place| (place % 100 != 0).then(|| place - 1)),
    // One root, and 500 children for each entity that has any.
    ("wide", |place| place.checked_sub(1).map(|place| place / 500)),
    // Skeletons of 64 joints: a spine with limbs of eight along it.
    ("skeletons", |place| match place % 64 {
        0 => None,
        joint if joint % 8 == 1 => Some(place - joint),
        _ => Some(place - 1),
    }),
];

fn pose(place: usize) -> Transform {
    let rotation = Quat::from_rotation_z(0.01 * (place % 60) as f32);
    Transform::from_xyz(0.1, 0.2, 0.0).with_rotation(rotation)
}

/// An app that does nothing but propagate, and its entities.
fn app(plugin: impl Plugin, parent: Parent, count: usize) -> (App, Vec<Entity>) {
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
    let mut app = App::new();
    app.add_plugins(plugin);
    let mut entities: Vec<Entity> = Vec::with_capacity(count);
    for place in 0..count {
        let mut entity = app.world_mut().spawn(pose(place));
        if let Some(parent) = parent(place) {
            entity.insert(ChildOf(entities[parent]));
        }
        entities.push(entity.id());
    }
    (app, entities)
}

fn move_each(world: &mut World, entities: impl Iterator<Item = Entity>, turn: usize) {
    for entity in entities {
        if let Some(mut pose) = world.get_mut::<Transform>(entity) {
            pose.translation.x = turn as f32;
        }
    }
}

fn roots(entities: &[Entity], parent: Parent) -> impl Iterator<Item = usize> {
    (0..entities.len()).filter(move |&place| parent(place).is_none())
}

/// Despawns the trees of one root in a hundred and spawns others.
fn replace_trees(world: &mut World, entities: &mut [Entity], parent: Parent, turn: usize) {
    let roots: Vec<usize> = roots(entities, parent).collect();
    for &root in roots.iter().skip(turn % 100).step_by(100) {
        world.despawn(entities[root]);
        let end = (root + 1..entities.len()).find(|&next| parent(next).is_none());
        for place in root..end.unwrap_or(entities.len()) {
            let above = parent(place).map(|parent| entities[parent]);
            let mut entity = world.spawn(pose(place));
            above.map(|above| entity.insert(ChildOf(above)));
            entities[place] = entity.id();
        }
    }
}

/// An edit before each frame.
type Edit = fn(&mut World, &mut [Entity], Parent, usize);

const FRAMES: [(&str, f64, Edit); 9] = [
    ("nothing", 0.15, |_, _, _, _| ()),
    ("1 % moved", 0.4, |world, entities, _, turn| {
        move_each(world, entities.iter().copied().skip(turn % 100).step_by(100), turn);
    }),
    ("roots moved", 0.9, |world, entities, parent, turn| {
        move_each(world, roots(entities, parent).map(|root| entities[root]), turn);
    }),
    ("all moved", 1.0, |world, entities, _, turn| {
        move_each(world, entities.iter().copied(), turn);
    }),
    ("half moved", 1.0, |world, entities, _, turn| {
        move_each(world, entities.iter().copied().skip(turn % 2).step_by(2), turn);
    }),
    ("a child spawned", 0.25, |world, entities, _, turn| {
        let parent = entities[turn % entities.len()];
        world.spawn((Transform::IDENTITY, ChildOf(parent)));
    }),
    ("a leaf replaced", 0.25, |world, entities, parent, turn| {
        let leaf = (turn * 61 % entities.len()..entities.len() - 1)
            .find(|&place| parent(place + 1) != Some(place))
            .unwrap_or(entities.len() - 1);
        world.despawn(entities[leaf]);
        let mut entity = world.spawn(pose(leaf));
        parent(leaf).map(|above| entity.insert(ChildOf(entities[above])));
        entities[leaf] = entity.id();
    }),
    ("1 % of trees replaced", 0.25, replace_trees),
    ("a tree moved to another", 0.25, |world, entities, parent, turn| {
        let roots: Vec<usize> = roots(entities, parent).collect();
        let (from, to) = (roots[turn % roots.len()], roots[(turn + 1) % roots.len()]);
        if turn % 2 == 0 {
            world.entity_mut(entities[from]).insert(ChildOf(entities[to]));
        } else {
            let before = roots[(turn - 1) % roots.len()];
            world.entity_mut(entities[before]).remove::<ChildOf>();
        }
    }),
];

/// Returns the duration of a frame in microseconds.
fn timed(app: &mut App) -> f64 {
    let begin = Instant::now();
    app.update();
    begin.elapsed().as_secs_f64() * 1e6
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

fn apps(parent: Parent, count: usize) -> [(App, Vec<Entity>); 3] {
    [
        app(TransformPlugin, parent, count),
        app(XformPlugin::<AccumulatedMatrix<f32>>::default(), parent, count),
        app(XformPlugin::<CombinedTrs<f32>>::default(), parent, count),
    ]
}

fn row(name: &str, bar: f64, times: &mut [Vec<f64>; 3]) {
    let means = times.each_ref().map(|times| mean(times));
    let [bevy, matrix, trs] = times.each_mut().map(|times| median(times));
    let verdict = if matrix <= bar * bevy && trs <= bar * bevy { "met" } else { "missed" };
    println!(
        "  {name:24}{bevy:10.0}{matrix:10.0}{trs:10.0}{:9.2}{:7.2}   {:.2} {:.2}   {bar} {verdict}",
        matrix / bevy,
        trs / bevy,
        means[1] / means[0],
        means[2] / means[0],
    );
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for count in [10_000, 100_000] {
        for (name, parent) in SCENES {
            if only.as_ref().is_some_and(|only| !format!("{name}/{count}").contains(only.as_str()))
            {
                continue;
            }
            println!(
                "{name}, {count} entities: µs a frame: Bevy, matrices, TRS; ratios of medians, of means; bar"
            );
            let mut times = [const { Vec::new() }; 3];
            for _ in 0..5 {
                for ((mut app, _), times) in apps(parent, count).into_iter().zip(&mut times) {
                    times.push(timed(&mut app));
                }
            }
            row("the first frame", 1.3, &mut times);
            let mut apps = apps(parent, count);
            apps.iter_mut().for_each(|(app, _)| (0..3).for_each(|_| app.update()));
            // These edits affect several trees.
            let has_trees = roots(&apps[0].1, parent).nth(1).is_some();
            for (name, bar, edit) in FRAMES {
                if name.contains("tree") && !has_trees {
                    continue;
                }
                let mut times = [const { Vec::new() }; 3];
                // In turns, because machines are noisy.
                for round in 0..4 {
                    for ((app, entities), times) in apps.iter_mut().zip(&mut times) {
                        for turn in 40 * round..40 * (round + 1) {
                            edit(app.world_mut(), entities, parent, turn);
                            times.push(timed(app));
                        }
                    }
                }
                row(name, bar, &mut times);
            }
        }
    }
}
