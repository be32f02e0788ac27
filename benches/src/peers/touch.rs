use nalgebra::Matrix4;
use xform_core::Trs;

use super::{Peer, parents_of};

/// The limit: reads and writes everything that an update has to, with
/// nothing computed in between and no node waiting for another.
pub struct Touch {
    parents: Vec<u32>,
    locals: Vec<[f32; 10]>,
    worlds: Vec<[f32; 16]>,
}

impl Peer for Touch {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let scalars = |local: &Trs<f32>| {
            let (t, q, s) = (local.translation, local.rotation.coords, local.scale);
            [q.x, q.y, q.z, q.w, t.x, t.y, t.z, s.x, s.y, s.z]
        };
        Self {
            parents: parents_of(parents),
            locals: locals.iter().map(scalars).collect(),
            worlds: vec![[0.0; 16]; locals.len()],
        }
    }

    fn update(&mut self) {
        for ((world, local), &parent) in self.worlds.iter_mut().zip(&self.locals).zip(&self.parents)
        {
            world[..10].copy_from_slice(local);
            world[10] = f32::from_bits(parent);
            world[11..].fill(1.0);
        }
    }

    /// Returns the data that were read, which is not a world transform.
    fn world(&self, node: usize) -> Matrix4<f32> {
        Matrix4::from_column_slice(&self.worlds[node])
    }
}
