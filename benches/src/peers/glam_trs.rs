use glam::{Mat4, Quat, Vec3};
use nalgebra::Matrix4;
use xform_core::Trs;

use super::{
    NONE, Peer,
    glam_matrix::{Locals, to_nalgebra},
    parents_of,
};

/// A world transform in parts.
#[derive(Clone, Copy)]
struct World {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
}

impl World {
    const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    fn concat(&self, local: &Self) -> Self {
        Self {
            translation: self.translation + self.rotation * (self.scale * local.translation),
            rotation: self.rotation * local.rotation,
            scale: self.scale * local.scale,
        }
    }

    fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// Combined TRS with glam.
pub struct GlamTrs {
    parents: Vec<u32>,
    locals: Locals,
    worlds: Vec<World>,
}

impl GlamTrs {
    fn update_node(&mut self, node: usize) -> World {
        let local = World {
            translation: self.locals.translations[node],
            rotation: self.locals.rotations[node],
            scale: self.locals.scales[node],
        };
        let world = match self.parents[node] {
            NONE => local,
            parent => self.worlds[parent as usize].concat(&local),
        };
        self.worlds[node] = world;
        world
    }
}

impl Peer for GlamTrs {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let worlds = vec![World::IDENTITY; locals.len()];
        Self { parents: parents_of(parents), locals: Locals::new(locals), worlds }
    }

    fn update(&mut self) {
        for node in 0..self.parents.len() {
            self.update_node(node);
        }
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        to_nalgebra(self.worlds[node].matrix())
    }
}

/// Combined TRS with glam that also writes a matrix for each node in the same loop.
pub struct GlamTrsMatrices {
    trs: GlamTrs,
    matrices: Vec<Mat4>,
}

impl Peer for GlamTrsMatrices {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let matrices = vec![Mat4::IDENTITY; locals.len()];
        Self { trs: GlamTrs::new(parents, locals), matrices }
    }

    fn update(&mut self) {
        for node in 0..self.matrices.len() {
            self.matrices[node] = self.trs.update_node(node).matrix();
        }
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        to_nalgebra(self.matrices[node])
    }
}
