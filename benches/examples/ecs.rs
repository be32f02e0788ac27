//! Poses that live in the components of `bevy_ecs`, propagated through slices by either strategy, and
//! written back only where something changed.

use std::{
    collections::{HashMap, HashSet},
    error::Error,
    ops::Range,
};

use bevy_ecs::{
    change_detection::DetectChanges,
    component::Component,
    entity::Entity,
    hierarchy::ChildOf,
    query::{Changed, With},
    world::World,
};
use nalgebra::{Point3, Vector3};
use xform_core::{Topology, TopologyError, Transform, Trs, parents_first};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

#[derive(Component)]
struct Local(Trs<f32>);

#[derive(Component)]
struct Global<X: Transform>(X);

/// The entities in an order to propagate in, made again when who hangs below whom changes. Depth
/// first, so that what is at or below an entity is one range.
struct Order<X> {
    entities: Vec<Entity>,
    topology: Topology,
    subtrees: Vec<Range<usize>>,
    locals: Vec<Trs<f32>>,
    worlds: Vec<X>,
}

impl<X: Transform<Scalar = f32> + PartialEq> Order<X> {
    fn new(world: &mut World) -> Result<Self, TopologyError> {
        let found: Vec<_> = world.query_filtered::<Entity, With<Local>>().iter(world).collect();
        let order = parents_first(&parents(world, &found))?;
        let entities: Vec<_> = order.into_iter().map(|i| found[i]).collect();
        let parents = parents(world, &entities);
        let mut subtrees: Vec<_> = (0..entities.len()).map(|slot| slot..slot + 1).collect();
        for (slot, &parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = parent {
                subtrees[parent].end = subtrees[parent].end.max(subtrees[slot].end);
            }
        }
        let len = entities.len();
        let (locals, worlds) = (vec![Trs::identity(); len], vec![X::identity(); len]);
        Ok(Self { entities, topology: Topology::from_parents(&parents)?, subtrees, locals, worlds })
    }

    /// Takes the poses that changed, recomputes what is at or below them, and writes the components
    /// whose world transform is another one now.
    fn propagate(&mut self, world: &mut World) {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (slot, &entity) in self.entities.iter().enumerate() {
            let local = world.entity(entity).get_ref::<Local>().expect("it had one when ordered");
            if local.is_changed() {
                self.locals[slot] = local.0;
                let is_covered = ranges.last().is_some_and(|last| slot < last.end);
                ranges.extend((!is_covered).then(|| self.subtrees[slot].clone()));
            }
        }
        X::accumulate(&self.topology, &self.locals, &mut self.worlds, &ranges);
        for slot in ranges.into_iter().flatten() {
            let new = self.worlds[slot];
            if let Some(mut global) = world.get_mut::<Global<X>>(self.entities[slot]) {
                if global.0 != new {
                    global.0 = new;
                }
            } else {
                world.entity_mut(self.entities[slot]).insert(Global(new));
            }
        }
    }
}

/// The parent of each entity, as a place among them.
fn parents(world: &World, entities: &[Entity]) -> Vec<Option<usize>> {
    let places: HashMap<_, _> = entities.iter().zip(0..).map(|(&entity, i)| (entity, i)).collect();
    let parent = |&entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    entities.iter().map(|entity| places.get(&parent(entity)?).copied()).collect()
}

fn an_arm_moves_its_hand<X: Transform<Scalar = f32> + PartialEq>() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    let step = Trs::from_translation(Vector3::x());
    let lamp = world.spawn(Local(step)).id();
    let arm = world.spawn(Local(step)).id();
    let hand = world.spawn((Local(step), ChildOf(arm))).id();
    let mut order = Order::<X>::new(&mut world)?;
    order.propagate(&mut world);
    assert!(world.get::<Global<X>>(lamp).is_some());

    world.clear_trackers();
    world.get_mut::<Local>(arm).ok_or("it was spawned")?.0.translation.y = 2.0;
    order.propagate(&mut world);
    let global = world.get::<Global<X>>(hand).ok_or("it was propagated")?;
    assert_eq!(global.0.transform_point(&Point3::origin()), Point3::new(2.0, 2.0, 0.0));
    let mut written = world.query_filtered::<Entity, Changed<Global<X>>>();
    let written: HashSet<_> = written.iter(&world).collect();
    assert_eq!(written, HashSet::from([arm, hand]));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    an_arm_moves_its_hand::<AccumulatedMatrix<f32>>()?;
    an_arm_moves_its_hand::<CombinedTrs<f32>>()
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
