use glam::{Affine3A, Vec3};
use nalgebra::{Matrix4, Vector3};
use xform_core::Trs;

use super::{
    NONE, Peer,
    glam_matrix::{Locals, to_nalgebra},
    parents_of,
};

/// Accumulated matrices with glam's `Affine3A`, recomputed if a byte for the node is set.
pub struct GlamDirty {
    parents: Vec<u32>,
    locals: Locals,
    worlds: Vec<Affine3A>,
    dirty: Vec<bool>,
}

impl GlamDirty {
    /// Moves a node.
    pub fn set_translation(&mut self, node: usize, to: Vector3<f32>) {
        self.locals.translations[node] = Vec3::new(to.x, to.y, to.z);
        self.dirty[node] = true;
    }

    /// Sets the pose of a node.
    pub fn set_local(&mut self, node: usize, pose: &Trs<f32>) {
        self.locals.set(node, pose);
        self.dirty[node] = true;
    }
}

impl Peer for GlamDirty {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let (len, locals) = (locals.len(), Locals::new(locals));
        let worlds = vec![Affine3A::IDENTITY; len];
        Self { parents: parents_of(parents), locals, worlds, dirty: vec![true; len] }
    }

    /// Recomputes the moved nodes and their descendants.
    fn update(&mut self) {
        for node in 0..self.parents.len() {
            let parent = self.parents[node];
            if parent != NONE && self.dirty[parent as usize] {
                self.dirty[node] = true;
            }
            if self.dirty[node] {
                let local = self.locals.affine(node);
                self.worlds[node] = match parent {
                    NONE => local,
                    parent => self.worlds[parent as usize] * local,
                };
            }
        }
        self.dirty.fill(false);
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        to_nalgebra(self.worlds[node].into())
    }
}
