//! Where a node stands in the world, in double precision, and how one gets there and back.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use xform_core::{Hierarchy, HierarchyError, Kept, NodeId, Real, Transform, Trs};

/// What an edit in the world answers.
pub(crate) type Edit<T> = Result<Kept<T>, HierarchyError>;

pub(crate) fn narrow<T: Real>(vector: &Vector3<f64>) -> Vector3<T> {
    vector.map(T::rounded)
}

pub(crate) fn widened<T: Real>(vector: &Vector3<T>) -> Vector3<f64> {
    vector.map(Into::into)
}

pub(crate) fn turn<T: Real>(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<T> {
    Trs::from_rotation(*rotation).cast().rotation
}

pub(crate) fn wide<T: Real>(rotation: &UnitQuaternion<T>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(*Trs::from_rotation(*rotation).cast::<f64>().rotation)
}

pub(crate) fn world<X: Transform>(hierarchy: &Hierarchy<X>, node: NodeId) -> Matrix4<f64> {
    hierarchy.world_matrix(node).unwrap().map(Into::into)
}

pub(crate) fn linear(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

pub(crate) fn origin(matrix: &Matrix4<f64>) -> Vector3<f64> {
    matrix.fixed_view::<3, 1>(0, 3).into_owned()
}

pub(crate) fn at(linear: &Matrix3<f64>, origin: &Vector3<f64>) -> Matrix4<f64> {
    let mut matrix = linear.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(origin);
    matrix
}
