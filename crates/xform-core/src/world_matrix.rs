//! World matrices as arrays of numbers, in each convention of vectors and storage.

use nalgebra::Matrix4;

use crate::Real;

/// A 4×4 world matrix on a 64-byte boundary: one cache line in `f32`, ready for upload.
///
/// Column-major, for column vectors, last row 0 0 0 1.
// The boundary makes each column of an `f32` matrix one aligned vector register.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct WorldMatrix<T: Real>(pub Matrix4<T>);

/// The side of a matrix on which vectors are in a product.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum VectorConvention {
    /// Column vectors, `m * v`: the translation is the last column. Used by OpenGL, Vulkan, glTF, Unity,
    /// Godot and three.js.
    Column,
    /// Row vectors, `v * m`: the translation is the last row, and the matrix is the transpose of the one for column
    /// vectors. Used by DirectXMath and Unreal.
    Row,
}

/// The order in which the entries of a matrix lie in memory.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Storage {
    /// Column after column.
    ColumnMajor,
    /// Row after row.
    RowMajor,
}

impl<T: Real> WorldMatrix<T> {
    /// Returns the identity matrix.
    #[must_use]
    pub fn identity() -> Self {
        Self(Matrix4::identity())
    }

    /// Returns the sixteen entries in the conventions of another library or graphics API.
    ///
    /// There are two convention choices and only two results: column vectors stored column-major
    /// and row vectors stored row-major are the same numbers. `docs/matrices.md` has a picture.
    ///
    /// # Examples
    ///
    /// ```
    /// use nalgebra::{Matrix4, Vector3};
    /// use xform_core::world_matrix::{Storage, VectorConvention, WorldMatrix};
    ///
    /// let matrix = WorldMatrix(Matrix4::new_translation(&Vector3::new(7.0, 8.0, 9.0)));
    /// let glsl = matrix.to_array(VectorConvention::Column, Storage::ColumnMajor);
    /// let direct_x = matrix.to_array(VectorConvention::Row, Storage::RowMajor);
    /// assert_eq!(glsl, direct_x);
    /// assert_eq!(glsl[12..], [7.0, 8.0, 9.0, 1.0]);
    /// let by_rows = matrix.to_array(VectorConvention::Column, Storage::RowMajor);
    /// assert_eq!(by_rows[..4], [1.0, 0.0, 0.0, 7.0]);
    /// ```
    #[must_use]
    pub fn to_array(&self, vectors: VectorConvention, storage: Storage) -> [T; 16] {
        let columns_follow = match (vectors, storage) {
            (VectorConvention::Column, Storage::ColumnMajor)
            | (VectorConvention::Row, Storage::RowMajor) => self.0,
            _ => self.0.transpose(),
        };
        std::array::from_fn(|i| columns_follow[i])
    }
}

impl<T: Real> From<Matrix4<T>> for WorldMatrix<T> {
    /// The matrix, moved to a 64-byte boundary.
    fn from(matrix: Matrix4<T>) -> Self {
        Self(matrix)
    }
}
