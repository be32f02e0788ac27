use glam::{Affine3A, Mat4, Quat, Vec3};
use nalgebra::Matrix4;
use xform_core::Trs;

use super::{NONE, Peer, parents_of};

/// Local poses in glam's types, with a vector for each part.
pub(super) struct Locals {
    pub(super) translations: Vec<Vec3>,
    pub(super) rotations: Vec<Quat>,
    pub(super) scales: Vec<Vec3>,
}

impl Locals {
    pub(super) fn new(locals: &[Trs<f32>]) -> Self {
        let parts = locals.iter().copied().map(<(Vec3, Quat, Vec3)>::from);
        let (translations, rotations, scales) = parts.collect();
        Self { translations, rotations, scales }
    }

    pub(super) fn set(&mut self, node: usize, pose: &Trs<f32>) {
        let (translation, rotation, scale) = (*pose).into();
        self.translations[node] = translation;
        self.rotations[node] = rotation;
        self.scales[node] = scale;
    }

    pub(super) fn affine(&self, node: usize) -> Affine3A {
        Affine3A::from_scale_rotation_translation(
            self.scales[node],
            self.rotations[node],
            self.translations[node],
        )
    }
}

pub(super) fn to_nalgebra(matrix: Mat4) -> Matrix4<f32> {
    Matrix4::from_column_slice(&matrix.to_cols_array())
}

/// Accumulated matrices with glam's `Affine3A`.
pub struct GlamAffine {
    parents: Vec<u32>,
    locals: Locals,
    worlds: Vec<Affine3A>,
}

/// The poses of a frame in glam's types.
pub struct GlamPoses(Locals);

impl GlamAffine {
    /// Converts the poses of a frame.
    #[must_use]
    pub fn poses(locals: &[Trs<f32>]) -> GlamPoses {
        GlamPoses(Locals::new(locals))
    }

    /// Sets every pose and recomputes every world transform, in one loop.
    pub fn pose_and_update(&mut self, GlamPoses(poses): &GlamPoses) {
        for node in 0..self.parents.len() {
            self.locals.translations[node] = poses.translations[node];
            self.locals.rotations[node] = poses.rotations[node];
            self.locals.scales[node] = poses.scales[node];
            self.step(node);
        }
    }

    #[inline]
    fn step(&mut self, node: usize) {
        let local = self.locals.affine(node);
        self.worlds[node] = match self.parents[node] {
            NONE => local,
            parent => self.worlds[parent as usize] * local,
        };
    }
}

impl Peer for GlamAffine {
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self {
        let worlds = vec![Affine3A::IDENTITY; locals.len()];
        Self { parents: parents_of(parents), locals: Locals::new(locals), worlds }
    }

    fn update(&mut self) {
        (0..self.parents.len()).for_each(|node| self.step(node));
    }

    fn world(&self, node: usize) -> Matrix4<f32> {
        to_nalgebra(self.worlds[node].into())
    }
}
