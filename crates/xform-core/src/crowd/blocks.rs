use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use crate::Trs;

/// The number of instances side by side in a block.
pub const LANES: usize = 4;

/// Translation, rotation and scale of a joint in [`LANES`] instances, as structure of arrays: each component is an
/// array with one number for each instance.
///
/// In memory: forty `f32` on a boundary of 16 bytes, without padding, in the order of [`Trs`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct TrsBlock {
    /// The quaternions: x, y, z and w.
    pub rotation: [[f32; LANES]; 4],
    /// The translations along x, y and z.
    pub translation: [[f32; LANES]; 3],
    /// The scale factors along the joint's own x, y and z.
    pub scale: [[f32; LANES]; 3],
}

impl TrsBlock {
    /// The identity pose in every lane.
    pub const IDENTITY: Self = {
        let (zero, one) = ([0.0; LANES], [1.0; LANES]);
        Self { rotation: [zero, zero, zero, one], translation: [zero; 3], scale: [one; 3] }
    };

    /// Returns the pose of one lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[inline]
    #[must_use]
    pub fn lane(&self, lane: usize) -> Trs<f32> {
        let [x, y, z, w] = self.rotation.map(|component| component[lane]);
        Trs::from_parts(
            Vector3::from(self.translation.map(|component| component[lane])),
            UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            Vector3::from(self.scale.map(|component| component[lane])),
        )
    }

    /// Sets the pose of one lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[inline]
    pub fn set_lane(&mut self, lane: usize, pose: &Trs<f32>) {
        let Trs { rotation, translation, scale } = pose;
        (0..4).for_each(|i| self.rotation[i][lane] = rotation.coords[i]);
        (0..3).for_each(|i| self.translation[i][lane] = translation[i]);
        (0..3).for_each(|i| self.scale[i][lane] = scale[i]);
    }
}

/// World matrices of a joint in [`LANES`] instances, as structure of arrays: each entry is an array with one number
/// for each instance.
///
/// In memory: forty-eight `f32` on a boundary of 16 bytes, without padding, column by column.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct MatrixBlock {
    /// The axes x, y and z and the origin, each as its x, y and z. The last row is 0 0 0 1 and is not stored.
    pub columns: [[[f32; LANES]; 3]; 4],
}

impl MatrixBlock {
    /// The identity matrix in every lane.
    pub const IDENTITY: Self = {
        let (zero, one) = ([0.0; LANES], [1.0; LANES]);
        Self { columns: [[one, zero, zero], [zero, one, zero], [zero, zero, one], [zero; 3]] }
    };

    /// Returns the matrix of one lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[must_use]
    pub fn lane(&self, lane: usize) -> Matrix4<f32> {
        let mut matrix = Matrix4::identity();
        for (mut column, entries) in matrix.column_iter_mut().zip(&self.columns) {
            (0..3).for_each(|row| column[row] = entries[row][lane]);
        }
        matrix
    }
}

/// Makes a block from one matrix for each lane. The last rows are not read.
impl From<[Matrix4<f32>; LANES]> for MatrixBlock {
    fn from(matrices: [Matrix4<f32>; LANES]) -> Self {
        let entries = |column, row| matrices.map(|matrix| matrix[(row, column)]);
        let column = |i| [0, 1, 2].map(|row| entries(i, row));
        Self { columns: [0, 1, 2, 3].map(column) }
    }
}
