use nalgebra::Matrix4;

use crate::Real;

/// A 4×4 world matrix on a 64-byte boundary: a cache line each in `f32`, ready for upload.
///
/// Column-major, for column vectors, last row 0 0 0 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct WorldMatrix<T: Real>(pub Matrix4<T>);

impl<T: Real> WorldMatrix<T> {
    /// The matrix that changes nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self(Matrix4::identity())
    }
}
