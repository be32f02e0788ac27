use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use ultraviolet::{Mat4, Rotor3, Vec3};

use crate::{Trs, world_matrix::WorldMatrix};

impl From<Trs<f32>> for (Vec3, Rotor3, Vec3) {
    /// Translation, rotation and scale.
    fn from(pose: Trs<f32>) -> Self {
        let vector = |v: Vector3<f32>| Vec3::from(<[f32; 3]>::from(v));
        let rotation = Rotor3::from_quaternion_array(pose.rotation.coords.into());
        (vector(pose.translation), rotation, vector(pose.scale))
    }
}

impl From<(Vec3, Rotor3, Vec3)> for Trs<f32> {
    /// From translation, rotation and scale; the rotation is taken as it is.
    fn from((translation, rotation, scale): (Vec3, Rotor3, Vec3)) -> Self {
        let vector = |v: Vec3| Vector3::from(<[f32; 3]>::from(v));
        let rotation = Quaternion::from(rotation.into_quaternion_array());
        let rotation = UnitQuaternion::new_unchecked(rotation);
        Self::from_parts(vector(translation), rotation, vector(scale))
    }
}

impl From<WorldMatrix<f32>> for Mat4 {
    fn from(matrix: WorldMatrix<f32>) -> Self {
        let columns: [[f32; 4]; 4] = matrix.0.into();
        columns.into()
    }
}

impl From<Mat4> for WorldMatrix<f32> {
    fn from(matrix: Mat4) -> Self {
        Self(Matrix4::from(<[[f32; 4]; 4]>::from(matrix)))
    }
}
