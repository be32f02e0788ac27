use nalgebra::{Matrix3, Matrix4, RowVector4, Vector3};
use xform_core::{Real, Trs};

/// A world transform accumulated as a matrix: the world's space from the node's own.
///
/// Column vectors, column-major, last row 0 0 0 1:
///
/// ```text
/// ┌ x.x y.x z.x t.x ┐   x, y, z: the node's axes in the world, not unit and,
/// │ x.y y.y z.y t.y │            once skewed, not perpendicular
/// │ x.z y.z z.z t.z │   t: its origin
/// └  0   0   0   1  ┘
/// ```
///
/// In memory: sixteen scalars on a 64-byte boundary, so that a slice of these is ready for upload.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct AccumulatedMatrix<T: Real> {
    matrix: Matrix4<T>,
}

impl<T: Real> AccumulatedMatrix<T> {
    /// The world transform with this matrix; `None` unless its last row is 0 0 0 1.
    #[must_use]
    pub fn from_matrix(matrix: Matrix4<T>) -> Option<Self> {
        let last_row = RowVector4::new(T::zero(), T::zero(), T::zero(), T::one());
        (matrix.row(3) == last_row).then_some(Self { matrix })
    }

    pub(crate) fn from_parts(linear: &Matrix3<T>, translation: &Vector3<T>) -> Self {
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(translation);
        Self { matrix }
    }

    /// This world transform in the other precision, each entry rounded to nearest; one that is out of range for
    /// `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> AccumulatedMatrix<U> {
        AccumulatedMatrix { matrix: self.matrix.map(|x| U::rounded(x.into())) }
    }

    /// The 4×4 matrix.
    #[must_use]
    pub fn matrix(&self) -> &Matrix4<T> {
        &self.matrix
    }

    /// The upper left 3×3: the columns are the node's axes in the world.
    #[must_use]
    pub fn linear(&self) -> Matrix3<T> {
        self.matrix.fixed_view::<3, 3>(0, 0).into_owned()
    }

    /// The position of the node's origin in the world.
    #[must_use]
    pub fn translation(&self) -> Vector3<T> {
        self.matrix.fixed_view::<3, 1>(0, 3).into_owned()
    }
}

impl<T: Real> From<Trs<T>> for AccumulatedMatrix<T> {
    /// The world transform of a root with this pose.
    fn from(local: Trs<T>) -> Self {
        Self { matrix: local.to_homogeneous() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_with_perspective_is_refused() {
        let mut matrix = Matrix4::<f64>::identity();
        assert!(AccumulatedMatrix::from_matrix(matrix).is_some());
        matrix[(3, 0)] = 0.5;
        assert!(AccumulatedMatrix::from_matrix(matrix).is_none());
    }
}
