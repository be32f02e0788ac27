//! How much memory entities take, and that it is what they need and not what was done with them.

use bevy_app::{App, Plugin};
use bevy_ecs::{entity::Entity, hierarchy::ChildOf, world::World};
use bevy_transform::{TransformPlugin, components::Transform};
use peak_alloc::PeakAlloc;
use xform_bevy::{XformHierarchy, XformPlugin};
use xform_matrix::AccumulatedMatrix;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

type Matrices = AccumulatedMatrix<f32>;

/// Numbers that are the same in each run (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }
}

fn edit(random: &mut Random, world: &mut World, alive: &mut Vec<Entity>) {
    let entity = alive[random.below(alive.len())];
    let other = alive[random.below(alive.len())];
    let parent = |&entity: &Entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    let is_below = std::iter::successors(Some(other), parent).any(|above| above == entity);
    match random.below(4) {
        0 if !is_below => {
            world.entity_mut(entity).insert(ChildOf(other));
        }
        1 if alive.len() > 900 => {
            world.despawn(entity);
            alive.retain(|&entity| world.get_entity(entity).is_ok());
        }
        2 if alive.len() < 1_100 => {
            alive.push(world.spawn((Transform::from_xyz(0.0, 0.01, 0.0), ChildOf(other))).id());
        }
        _ => {
            if let Some(mut pose) = world.get_mut::<Transform>(entity) {
                pose.translation.x += 0.01;
            }
        }
    }
    while alive.len() < 1_000 {
        alive.push(world.spawn(Transform::IDENTITY).id());
    }
}

/// The bytes that an app with so many entities has.
fn memory_with(plugin: impl Plugin, entities: usize) -> usize {
    let before = MEMORY.current_usage();
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
    let mut app = App::new();
    app.add_plugins(plugin);
    let mut parent = None;
    for place in 0..entities {
        let mut entity = app.world_mut().spawn(Transform::from_xyz(0.0, 1.0, 0.0));
        match parent.filter(|_| place % 64 != 0) {
            Some(parent) => entity.insert(ChildOf(parent)),
            None => &mut entity,
        };
        parent = Some(entity.id());
    }
    (0..5).for_each(|_| app.update());
    MEMORY.current_usage() - before
}

/// In one test, since what is measured is the whole process.
#[test]
fn memory_follows_entities_and_not_edits() {
    const ENTITIES: usize = 1 << 16;
    let bevy = memory_with(TransformPlugin, ENTITIES);
    let ours = memory_with(XformPlugin::<Matrices>::default(), ENTITIES);
    let each = (ours - bevy) / ENTITIES;
    // README says how many.
    assert!((180..200).contains(&each), "{each} bytes an entity");

    let times = std::env::var("XFORM_CASES_TIMES").ok().and_then(|times| times.parse().ok());
    let frames = 2_000 * times.unwrap_or(1_usize);
    let mut app = App::new();
    app.add_plugins(XformPlugin::<Matrices>::default());
    let mut alive: Vec<Entity> = Vec::with_capacity(2_000);
    alive.push(app.world_mut().spawn(Transform::IDENTITY).id());
    let mut random = Random(1);
    let mut most_at_first = 0;
    for frame in 0..frames {
        for _ in 0..50 {
            edit(&mut random, app.world_mut(), &mut alive);
        }
        app.update();
        let nodes = app.world().resource::<XformHierarchy<Matrices>>().hierarchy().len();
        assert!(nodes <= alive.len());
        let memory = MEMORY.current_usage();
        if frame < frames / 4 {
            most_at_first = most_at_first.max(memory);
        } else {
            assert!(memory <= most_at_first + most_at_first / 8, "it grows: {memory} bytes");
        }
    }
}
