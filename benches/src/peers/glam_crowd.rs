use glam::{Affine3A, Mat4, Quat, Vec3};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::crowds::{Frame, Rows};

/// Converts one of our world transforms to glam's type.
pub trait ToGlam {
    /// Returns glam's type.
    fn to_glam(&self) -> Affine3A;
}

impl ToGlam for AccumulatedMatrix<f32> {
    fn to_glam(&self) -> Affine3A {
        Affine3A::from_mat4(Mat4::from_cols_slice(self.matrix().as_slice()))
    }
}

impl ToGlam for CombinedTrs<f32> {
    fn to_glam(&self) -> Affine3A {
        let [rotation, translation] =
            [self.rotation.coords.as_slice(), self.translation.as_slice()];
        let (rotation, translation) = (Quat::from_slice(rotation), Vec3::from_slice(translation));
        let scale = Vec3::from_slice(self.scale.as_slice());
        Affine3A::from_scale_rotation_translation(scale, rotation, translation)
    }
}

/// Computes skinning matrices with glam from world transforms in slices.
#[derive(Clone, Debug)]
pub struct GlamSkin(Vec<Affine3A>);

impl GlamSkin {
    /// Creates the inverse binds for frames like this one.
    #[must_use]
    pub fn new(frame: &Frame) -> Self {
        let to_glam = |matrix: &nalgebra::Matrix4<f32>| Mat4::from_cols_slice(matrix.as_slice());
        Self(frame.inverse_binds.iter().map(|bind| Affine3A::from_mat4(to_glam(bind))).collect())
    }

    /// Computes the skinning matrices of all instances of a frame.
    pub fn skin<X: ToGlam>(&self, worlds: &[X], palettes: &mut [Rows]) {
        let joints = self.0.len();
        for (worlds, palettes) in worlds.chunks_exact(joints).zip(palettes.chunks_exact_mut(joints))
        {
            for ((world, bind), rows) in worlds.iter().zip(&self.0).zip(palettes) {
                let by_rows = Mat4::from(world.to_glam() * *bind).transpose();
                rows[..4].copy_from_slice(&by_rows.x_axis.to_array());
                rows[4..8].copy_from_slice(&by_rows.y_axis.to_array());
                rows[8..].copy_from_slice(&by_rows.z_axis.to_array());
            }
        }
    }
}
