//! Conversions to and from glam's matrices.

use glam::{Affine3A, DAffine3, DMat4, Mat4};
use nalgebra::{Matrix3, Vector3};

use crate::AccumulatedMatrix;

impl From<AccumulatedMatrix<f32>> for Mat4 {
    fn from(world: AccumulatedMatrix<f32>) -> Self {
        (*world.matrix()).into()
    }
}

impl From<AccumulatedMatrix<f64>> for DMat4 {
    fn from(world: AccumulatedMatrix<f64>) -> Self {
        (*world.matrix()).into()
    }
}

impl From<AccumulatedMatrix<f32>> for Affine3A {
    fn from(world: AccumulatedMatrix<f32>) -> Self {
        Self::from_mat4(world.into())
    }
}

impl From<AccumulatedMatrix<f64>> for DAffine3 {
    fn from(world: AccumulatedMatrix<f64>) -> Self {
        Self::from_mat4(world.into())
    }
}

impl From<Affine3A> for AccumulatedMatrix<f32> {
    fn from(affine: Affine3A) -> Self {
        let linear = Matrix3::from(affine.matrix3.to_cols_array_2d());
        Self::from_parts(&linear, &Vector3::from(affine.translation.to_array()))
    }
}

impl From<DAffine3> for AccumulatedMatrix<f64> {
    fn from(affine: DAffine3) -> Self {
        let linear = Matrix3::from(affine.matrix3.to_cols_array_2d());
        Self::from_parts(&linear, &Vector3::from(affine.translation.to_array()))
    }
}
