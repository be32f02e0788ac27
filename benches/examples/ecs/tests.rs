//! The plugin beside bevy's own, and beside the formula, after random edits.

use std::collections::HashMap;

use bevy_ecs::{
    change_detection::{DetectChanges, Ref, Tick},
    system::RunSystemOnce,
    world::World,
};

use bevy_app::App;
use bevy_ecs::{entity::Entity, hierarchy::ChildOf, system::Query};
use bevy_transform::{
    components::{GlobalTransform, Transform},
    plugins::TransformPlugin,
};
use glam::{Affine3A, Quat, Vec3};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::{app, plugin::XformPlugin, skeletons};

/// Numbers that are the same in each run (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn pose(&mut self) -> Transform {
        let mut number = || f32::from(u8::try_from(self.below(200)).unwrap_or(0)) / 100.0 - 1.0;
        let rotation = Quat::from_xyzw(number(), number(), number(), 1.5 + number());
        Transform {
            translation: Vec3::new(number(), number(), number()),
            rotation: rotation.normalize(),
            scale: Vec3::new(1.0 + 0.3 * number(), 1.0 + 0.3 * number(), 1.0 + 0.3 * number()),
        }
    }
}

/// One edit, as a game makes it; the same in every world, whose entities have the same names.
fn edit(random: &mut Random, worlds: &mut [&mut World], alive: &mut Vec<Entity>) {
    let one = |random: &mut Random, alive: &[Entity]| {
        (!alive.is_empty()).then(|| alive[random.below(alive.len())])
    };
    let (what, pose) = (random.below(20), random.pose());
    let (first, second) = (one(random, alive), one(random, alive));
    let mut spawned = None;
    for world in worlds {
        let is_below = |above: Entity, entity: Entity| {
            let parent = |&entity: &Entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
            std::iter::successors(Some(entity), parent).any(|entity| entity == above)
        };
        match (what, first, second) {
            (0..=2, _, None) => spawned = Some(world.spawn(pose).id()),
            (0, ..) => spawned = Some(world.spawn(pose).id()),
            (1 | 2, _, Some(parent)) => {
                spawned = Some(world.spawn((pose, ChildOf(parent))).id());
            }
            (3, Some(entity), _) => {
                world.despawn(entity);
            }
            (4 | 5, Some(entity), Some(parent)) if !is_below(entity, parent) => {
                world.entity_mut(entity).insert(ChildOf(parent));
            }
            (6, Some(entity), _) => {
                world.entity_mut(entity).remove::<ChildOf>();
            }
            (7, Some(entity), _) => {
                world.entity_mut(entity).remove::<Transform>();
            }
            (8 | 9, Some(entity), _) => {
                world.entity_mut(entity).insert(pose);
            }
            (10, Some(entity), _) => {
                world.entity_mut(entity).remove::<GlobalTransform>();
            }
            // Who writes to what is propagated gets what it deserves.
            (11, Some(entity), _) if world.get::<GlobalTransform>(entity).is_none() => {
                world.entity_mut(entity).insert(GlobalTransform::default());
            }
            (12.., Some(entity), _) => {
                if let Some(mut own) = world.get_mut::<Transform>(entity) {
                    *own = pose;
                }
            }
            _ => {}
        }
        alive.retain(|&entity| world.get_entity(entity).is_ok());
    }
    alive.extend(spawned);
}

fn global(world: &World, entity: Entity) -> Option<Affine3A> {
    world.get::<GlobalTransform>(entity).map(GlobalTransform::affine)
}

fn assert_near(found: Affine3A, expected: Affine3A, what: &str) {
    let (found, expected) = (found.to_cols_array(), expected.to_cols_array());
    let largest = expected.iter().fold(1.0_f32, |most, entry| most.max(entry.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-4 * largest, "{what}: {found} {expected}");
    }
}

#[test]
fn matrices_are_those_of_bevy_after_any_edits() {
    for seed in 1..=40 {
        let mut random = Random(seed);
        let (mut bevy, mut ours) =
            (app(TransformPlugin), app(XformPlugin::<AccumulatedMatrix<f32>>::default()));
        let mut alive = Vec::new();
        for frame in 0..60 {
            for _ in 0..random.below(6) {
                edit(&mut random, &mut [bevy.world_mut(), ours.world_mut()], &mut alive);
            }
            bevy.update();
            ours.update();
            for &entity in &alive {
                let what = format!("seed {seed}, frame {frame}, {entity}");
                let (found, expected) =
                    (global(ours.world(), entity), global(bevy.world(), entity));
                assert_eq!(found.is_some(), expected.is_some(), "{what}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    assert_near(found, expected, &what);
                }
            }
        }
    }
}

/// The parts of each node apart, from the root down.
fn combined(world: &World, entity: Entity) -> Option<Transform> {
    let own = *world.get::<Transform>(entity)?;
    world.get::<GlobalTransform>(entity)?;
    let Some(parent) = world.get::<ChildOf>(entity) else { return Some(own) };
    let above = combined(world, parent.parent())?;
    Some(Transform {
        translation: above.translation + above.rotation * (above.scale * own.translation),
        rotation: above.rotation * own.rotation,
        scale: above.scale * own.scale,
    })
}

#[test]
fn combined_parts_are_those_of_the_formula_after_any_edits() {
    for seed in 1..=40 {
        let mut random = Random(seed);
        let mut ours = app(XformPlugin::<CombinedTrs<f32>>::default());
        let mut alive = Vec::new();
        for frame in 0..60 {
            for _ in 0..random.below(6) {
                edit(&mut random, &mut [ours.world_mut()], &mut alive);
            }
            ours.update();
            for &entity in &alive {
                let Some(expected) = combined(ours.world(), entity) else { continue };
                let found = global(ours.world(), entity).expect("it has one");
                let what = format!("seed {seed}, frame {frame}, {entity}");
                assert_near(found, expected.compute_affine(), &what);
            }
        }
    }
}

#[test]
fn only_what_moved_counts_as_changed() {
    let mut app = app(XformPlugin::<AccumulatedMatrix<f32>>::default());
    let entities = skeletons(&mut app, 128);
    app.update();
    let changed = |app: &mut App| -> HashMap<Entity, bool> {
        let read = |worlds: Query<(Entity, Ref<GlobalTransform>)>| -> HashMap<Entity, Tick> {
            worlds.iter().map(|(entity, global)| (entity, global.last_changed())).collect()
        };
        let before: HashMap<_, _> = app.world_mut().run_system_once(read).expect("it runs");
        app.update();
        let after: HashMap<_, _> = app.world_mut().run_system_once(read).expect("it runs");
        before.into_iter().map(|(entity, tick)| (entity, tick != after[&entity])).collect()
    };
    assert!(changed(&mut app).values().all(|is_changed| !is_changed));
    // The last joint of the first skeleton, which nothing hangs below.
    app.world_mut().get_mut::<Transform>(entities[63]).expect("it has one").scale = Vec3::ONE * 2.0;
    let changed = changed(&mut app);
    assert!(changed.iter().all(|(&entity, &is_changed)| is_changed == (entity == entities[63])));
}
