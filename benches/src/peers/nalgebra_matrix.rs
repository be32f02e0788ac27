use nalgebra::{Matrix4, Translation3, UnitQuaternion, Vector3};
use xform_core::Trs;

use super::{NONE, Peer, parents_of};

/// Accumulated matrices with nalgebra's `Matrix4`.
pub struct NalgebraMatrix {
    parents: Vec<u32>,
    translations: Vec<Vector3<f32>>,
    rotations: Vec<UnitQuaternion<f32>>,
    scales: Vec<Vector3<f32>>,
    worlds: Vec<Matrix4<f32>>,
}

impl Peer for NalgebraMatrix {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        Self {
            parents: parents_of(parents),
            translations: locals.iter().map(|local| local.translation).collect(),
            rotations: locals.iter().map(|local| local.rotation).collect(),
            scales: locals.iter().map(|local| local.scale).collect(),
            worlds: vec![Matrix4::identity(); locals.len()],
        }
    }

    fn update(&mut self) {
        for node in 0..self.parents.len() {
            let translation = Translation3::from(self.translations[node]);
            let turned = (translation * self.rotations[node]).to_homogeneous();
            let local = turned.prepend_nonuniform_scaling(&self.scales[node]);
            self.worlds[node] = match self.parents[node] {
                NONE => local,
                parent => self.worlds[parent as usize] * local,
            };
        }
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        self.worlds[node]
    }
}
