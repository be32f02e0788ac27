use glam::Affine3A;
use hecs::{Entity, World};
use nalgebra::Matrix4;
use xform_core::Trs;

use super::{
    Peer,
    glam_matrix::{Locals, to_nalgebra},
};

/// The component of entities that have a parent.
struct ChildOf(Entity);

/// The component of all entities with the local pose as a matrix.
struct Local(Affine3A);

/// The component of all entities with the world transform.
struct Global(Affine3A);

/// Entities of hecs that each walk up to their root, as in that library's example: no order to maintain and
/// no lists of children.
pub struct Hecs {
    world: World,
    entities: Vec<Entity>,
}

impl Peer for Hecs {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let poses = Locals::new(locals);
        let mut world = World::new();
        let mut entities: Vec<Entity> = Vec::with_capacity(parents.len());
        for (node, parent) in parents.iter().enumerate() {
            let (local, global) = (Local(poses.affine(node)), Global(Affine3A::IDENTITY));
            entities.push(match parent {
                Some(parent) => world.spawn((local, global, ChildOf(entities[*parent]))),
                None => world.spawn((local, global)),
            });
        }
        Self { world, entities }
    }

    fn update(&mut self) {
        for (local, global) in self.world.query_mut::<(&Local, &mut Global)>().without::<&ChildOf>()
        {
            global.0 = local.0;
        }
        let mut above = self.world.query::<(&Local, Option<&ChildOf>)>();
        let above = above.view();
        for (local, global, parent) in self.world.query::<(&Local, &mut Global, &ChildOf)>().iter()
        {
            let (mut from_ancestor, mut ancestor) = (local.0, Some(parent));
            while let Some(&ChildOf(entity)) = ancestor {
                let (local, parent) =
                    above.get(entity).expect("a parent lives as long as its child");
                from_ancestor = local.0 * from_ancestor;
                ancestor = parent;
            }
            global.0 = from_ancestor;
        }
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        let global = self.world.get::<&Global>(self.entities[node]).expect("spawned with one");
        to_nalgebra(global.0.into())
    }
}
