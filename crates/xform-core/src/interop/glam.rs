use glam::{Affine3A, DAffine3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use crate::{Real, Trs, world_matrix::WorldMatrix};

impl From<Trs<f32>> for (Vec3, Quat, Vec3) {
    /// Translation, rotation and scale.
    #[inline]
    fn from(pose: Trs<f32>) -> Self {
        let (translation, rotation, scale) = arrays(&pose);
        (translation.into(), Quat::from_array(rotation), scale.into())
    }
}

impl From<(Vec3, Quat, Vec3)> for Trs<f32> {
    /// From translation, rotation and scale; the rotation is taken as it is.
    #[inline]
    fn from((translation, rotation, scale): (Vec3, Quat, Vec3)) -> Self {
        of_arrays(translation.into(), rotation.into(), scale.into())
    }
}

impl From<Trs<f64>> for (DVec3, DQuat, DVec3) {
    /// Translation, rotation and scale.
    fn from(pose: Trs<f64>) -> Self {
        let (translation, rotation, scale) = arrays(&pose);
        (translation.into(), DQuat::from_array(rotation), scale.into())
    }
}

impl From<(DVec3, DQuat, DVec3)> for Trs<f64> {
    /// From translation, rotation and scale; the rotation is taken as it is.
    fn from((translation, rotation, scale): (DVec3, DQuat, DVec3)) -> Self {
        of_arrays(translation.into(), rotation.into(), scale.into())
    }
}

impl From<Trs<f32>> for Affine3A {
    #[inline]
    fn from(pose: Trs<f32>) -> Self {
        let (translation, rotation, scale) = pose.into();
        Self::from_scale_rotation_translation(scale, rotation, translation)
    }
}

impl From<Trs<f64>> for DAffine3 {
    fn from(pose: Trs<f64>) -> Self {
        let (translation, rotation, scale) = pose.into();
        Self::from_scale_rotation_translation(scale, rotation, translation)
    }
}

impl From<WorldMatrix<f32>> for Mat4 {
    fn from(matrix: WorldMatrix<f32>) -> Self {
        Self::from_cols_array_2d(&matrix.0.into())
    }
}

impl From<Mat4> for WorldMatrix<f32> {
    fn from(matrix: Mat4) -> Self {
        Self(Matrix4::from(matrix.to_cols_array_2d()))
    }
}

impl From<WorldMatrix<f64>> for DMat4 {
    fn from(matrix: WorldMatrix<f64>) -> Self {
        Self::from_cols_array_2d(&matrix.0.into())
    }
}

impl From<DMat4> for WorldMatrix<f64> {
    fn from(matrix: DMat4) -> Self {
        Self(Matrix4::from(matrix.to_cols_array_2d()))
    }
}

type Arrays<T> = ([T; 3], [T; 4], [T; 3]);

#[inline]
fn arrays<T: Real>(pose: &Trs<T>) -> Arrays<T> {
    (pose.translation.into(), pose.rotation.coords.into(), pose.scale.into())
}

#[inline]
fn of_arrays<T: Real>(translation: [T; 3], rotation: [T; 4], scale: [T; 3]) -> Trs<T> {
    let rotation = UnitQuaternion::new_unchecked(Quaternion::from(rotation));
    Trs::from_parts(Vector3::from(translation), rotation, Vector3::from(scale))
}
