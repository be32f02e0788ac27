use nalgebra::{ComplexField, Matrix4, Point3, UnitQuaternion, Vector3};

use crate::{
    HierarchyError, NodeId, Real, Transform, Trs, path_rotation::PathRotation,
    transform::ParentFrame,
};

/// The input of an edit in the world: a node's poses, and the frame in which its local pose acts.
pub(super) struct EditFrame<X: Transform> {
    pub(super) node: NodeId,
    pub(super) parent: Option<NodeId>,
    pub(super) parent_frame: ParentFrame<X>,
    /// The frame in which the local rotation and scale act.
    pub(super) frame: X,
    pub(super) local: Trs<X::Scalar>,
    pub(super) world: Matrix4<X::Scalar>,
}

impl<X: Transform> EditFrame<X> {
    /// Returns the node's origin in the world.
    pub(super) fn origin(&self) -> Vector3<X::Scalar> {
        self.world.fixed_view::<3, 1>(0, 3).into_owned()
    }

    /// Returns the local pose and the world matrix, both with a rotation of exactly unit length.
    ///
    /// Only these can be rotated rigidly.
    pub(super) fn normalized(&self) -> (Trs<X::Scalar>, Matrix4<X::Scalar>) {
        let rotation = UnitQuaternion::new_normalize(self.local.rotation.into_inner());
        let local = self.local.with_rotation(rotation);
        (local, self.parent_frame.concat(&local).to_homogeneous())
    }

    /// Returns the local pose with another rotation, and the world matrix that a rigid rotation to it would give
    /// below parents with the rotation `parent_rotation`.
    pub(super) fn turned_to(
        &self,
        parent_rotation: PathRotation<X::Scalar>,
        rotation: &UnitQuaternion<X::Scalar>,
    ) -> (Trs<X::Scalar>, Matrix4<X::Scalar>) {
        let (old, world) = self.normalized();
        let local = old.with_rotation(unit(*rotation));
        let in_parent = local.rotation * old.rotation.inverse();
        let by = unit(parent_rotation.turn_to_world(&in_parent));
        (local, turned(&world, &by, &self.origin()))
    }

    /// Returns the local translation that puts the node's origin at a point of the world.
    pub(super) fn translation_to(
        &self,
        point: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let in_parent = self.parent_frame.parent.inverse_transform_point(&Point3::from(*point));
        in_parent.map(|point| point.coords).ok_or_else(|| self.outside(point))
    }

    /// Converts a vector from the world's space to the parent's.
    pub(super) fn step_in_parent(
        &self,
        step: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let in_parent = self.parent_frame.parent.inverse_transform_vector(step);
        in_parent.ok_or_else(|| self.outside(step))
    }

    /// Returns the error for a point or vector of the world that has no counterpart in the parent's space.
    pub(super) fn outside(&self, vector: &Vector3<X::Scalar>) -> HierarchyError {
        let is_finite = vector.iter().all(ComplexField::is_finite);
        self.parent_frame.why_outside(self.node, self.parent, is_finite)
    }
}

/// Returns a world matrix with another origin.
pub(super) fn moved<T: Real>(world: &Matrix4<T>, origin: &Vector3<T>) -> Matrix4<T> {
    let mut moved = *world;
    moved.fixed_view_mut::<3, 1>(0, 3).copy_from(origin);
    moved
}

/// Returns a world matrix with its axes rotated and another origin.
pub(super) fn turned<T: Real>(
    world: &Matrix4<T>,
    by: &UnitQuaternion<T>,
    origin: &Vector3<T>,
) -> Matrix4<T> {
    moved(&(by.to_homogeneous() * world), origin)
}

/// Normalises a rotation after products.
pub(super) fn unit<T: Real>(rotation: UnitQuaternion<T>) -> UnitQuaternion<T> {
    UnitQuaternion::new_normalize(rotation.into_inner())
}
