use nalgebra::Matrix4;
use ultraviolet::{Bivec3, Mat4, Rotor3, Vec3};
use xform_core::Trs;

use super::{NONE, Peer, parents_of};

/// Accumulated matrices with ultraviolet's `Mat4`.
pub struct UltravioletMatrix {
    parents: Vec<u32>,
    translations: Vec<Vec3>,
    rotations: Vec<Rotor3>,
    scales: Vec<Vec3>,
    worlds: Vec<Mat4>,
}

/// Converts a quaternion to ultraviolet's form, whose planes are xy, xz and yz.
fn rotor(local: &Trs<f32>) -> Rotor3 {
    let q = local.rotation.coords;
    Rotor3::new(q.w, Bivec3::new(-q.z, q.y, -q.x))
}

impl Peer for UltravioletMatrix {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let vector = |v: nalgebra::Vector3<f32>| Vec3::new(v.x, v.y, v.z);
        Self {
            parents: parents_of(parents),
            translations: locals.iter().map(|local| vector(local.translation)).collect(),
            rotations: locals.iter().map(rotor).collect(),
            scales: locals.iter().map(|local| vector(local.scale)).collect(),
            worlds: vec![Mat4::identity(); locals.len()],
        }
    }

    fn update(&mut self) {
        for node in 0..self.parents.len() {
            let turned = self.rotations[node].into_matrix();
            let scale = self.scales[node];
            let local = Mat4::new(
                (turned.cols[0] * scale.x).into_homogeneous_vector(),
                (turned.cols[1] * scale.y).into_homogeneous_vector(),
                (turned.cols[2] * scale.z).into_homogeneous_vector(),
                self.translations[node].into_homogeneous_point(),
            );
            self.worlds[node] = match self.parents[node] {
                NONE => local,
                parent => self.worlds[parent as usize] * local,
            };
        }
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        Matrix4::from_column_slice(self.worlds[node].as_slice())
    }
}
