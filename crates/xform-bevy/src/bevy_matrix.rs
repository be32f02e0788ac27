use bevy_transform::components::GlobalTransform;
use glam::Affine3A;
use xform_core::{
    Inherit, Transform, Trs,
    changes::Change,
    nalgebra::{Matrix3, Matrix4, Point3, Vector3},
};
use xform_matrix::AccumulatedMatrix;

/// A world transform as Bevy accumulates it, to the bit: the same matrices, multiplied in the same order.
///
/// The kernels of [`AccumulatedMatrix`] are faster but compute the sums in another order. Here the bits matter:
/// bevy_rapier compares the `GlobalTransform` of a body with Bevy's result for its pose, and sets the body back if a
/// bit differs.
///
/// In all other respects it is like [`AccumulatedMatrix`], to which it converts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BevyMatrix(Affine3A);

impl BevyMatrix {
    fn matrix(&self) -> AccumulatedMatrix<f32> {
        self.0.into()
    }
}

impl From<BevyMatrix> for AccumulatedMatrix<f32> {
    fn from(matrix: BevyMatrix) -> Self {
        matrix.matrix()
    }
}

impl From<BevyMatrix> for GlobalTransform {
    #[inline]
    fn from(matrix: BevyMatrix) -> Self {
        matrix.0.into()
    }
}

impl Transform for BevyMatrix {
    type Scalar = f32;

    #[inline]
    fn identity() -> Self {
        Self(Affine3A::IDENTITY)
    }

    #[inline]
    fn concat(&self, local: &Trs<f32>) -> Self {
        Self(self.0 * Affine3A::from(*local))
    }

    fn transform_point(&self, point: &Point3<f32>) -> Point3<f32> {
        self.matrix().transform_point(point)
    }

    fn transform_vector(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        self.matrix().transform_vector(vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f32>) -> Option<Point3<f32>> {
        self.matrix().inverse_transform_point(point)
    }

    fn inverse_transform_vector(&self, vector: &Vector3<f32>) -> Option<Vector3<f32>> {
        self.matrix().inverse_transform_vector(vector)
    }

    fn inverse_linear(&self) -> Option<Matrix3<f32>> {
        self.matrix().inverse_linear()
    }

    fn to_homogeneous(&self) -> Matrix4<f32> {
        self.matrix().to_homogeneous()
    }

    fn for_descendants(&self) -> Self {
        Self::identity()
    }

    fn inherited(&self, inherit: Inherit, origin: &Point3<f32>) -> Option<Self> {
        let inherited = self.matrix().inherited(inherit, origin)?;
        Some(Self(inherited.into()))
    }

    fn change_below(&self, of_parent: Change, local: &Trs<f32>, of_local: Change) -> Change {
        self.matrix().change_below(of_parent, local, of_local)
    }
}
