use nalgebra::{ComplexField, Matrix4, Point3, UnitQuaternion, Vector3};

use super::{Hierarchy, edit_frame::EditFrame};
use crate::{
    Axes, HierarchyError, Kept, NodeId, Real, Transform, Trs, index::NIL, linear::direction,
};

/// Edits in the world or along a node's own axes.
///
/// Each returns how much of the request it could [keep](Kept), and fails if the request has no answer, for
/// example because a parent has no inverse.
impl<X: Transform> Hierarchy<X> {
    /// Sets the position of a node's origin in the world. Its descendants move with it.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse; a translation that would not be finite.
    pub fn set_world_translation(
        &mut self,
        node: NodeId,
        translation: Vector3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let frame = self.edit_frame(node)?;
        let local = frame.local.with_translation(frame.translation_to(&translation)?);
        self.set_pose_compared(&frame, local, &moved(&frame.world, &translation))
    }

    /// Rotates a node about its origin until its [world rotation](Self::world_rotation) is `rotation`.
    ///
    /// The request is a rigid rotation. In combined TRS the result always is one. In accumulated matrices
    /// the node changes shape if its parent's axes are stretched or skewed, and the returned [`Kept`] says
    /// by how much.
    ///
    /// # Errors
    ///
    /// An unknown node; a rotation that is not finite or not of unit length; a parent without an inverse,
    /// if something is lost.
    pub fn set_world_rotation(
        &mut self,
        node: NodeId,
        rotation: UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, rotation)?;
        let frame = self.edit_frame(node)?;
        self.set_rotation_of(&frame, frame.parent_rotation.to_local(&rotation))
    }

    /// Sets the world scale of a node, along its own axes: the [product](crate::WorldScale::Product) of the
    /// scales on its path.
    ///
    /// # Errors
    ///
    /// An unknown node; a strategy whose world transforms have no scale; a parent with a zero in
    /// its world scale; a scale that would not be finite.
    pub fn set_world_scale(
        &mut self,
        node: NodeId,
        scale: Vector3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let frame = self.edit_frame(node)?;
        let apart = |world: &X| world.parts().ok_or(HierarchyError::NoWorldScale(node));
        let parent = apart(&frame.frame)?;
        if parent.scale.iter().any(|&factor| factor == X::Scalar::rounded(0.0)) {
            return Err(HierarchyError::outside_parent(node, frame.parent, true));
        }
        let wanted = apart(&self.world(node)?)?.with_scale(scale).to_homogeneous();
        let local = frame.local.with_scale(scale.component_div(&parent.scale));
        self.set_pose_compared(&frame, local, &wanted)
    }

    /// Moves a node by a vector that is given along one of three sets of axes.
    ///
    /// Along the parent's axes the vector is added to the local translation, even if the node does not
    /// [inherit](crate::Inherit) those axes for its rotation and scale.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse, along the world's axes, and along the node's own axes
    /// if it does not inherit everything; a translation that would not be finite.
    pub fn translate(
        &mut self,
        node: NodeId,
        by: Vector3<X::Scalar>,
        along: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let local = *self.local(node)?;
        let step = match along {
            Axes::Local => self.own_step_in_parent(node, &(local.rotation * by))?,
            Axes::Parent => by,
            Axes::World => {
                // Not by setting the position in the world, which is rounded far from the world's origin.
                let frame = self.edit_frame(node)?;
                let step = frame.step_in_parent(&by)?;
                let local = local.with_translation(local.translation + step);
                return self.set_pose_compared(
                    &frame,
                    local,
                    &moved(&frame.world, &(frame.origin() + by)),
                );
            }
        };
        self.set_pose_exactly(node, local.with_translation(local.translation + step))
    }

    /// Rotates a node about its origin, by a rotation that is given about one of three sets of axes.
    ///
    /// About the world's axes the request is a rigid rotation; see
    /// [`set_world_rotation`](Self::set_world_rotation).
    ///
    /// # Errors
    ///
    /// As for [`set_world_rotation`](Self::set_world_rotation).
    pub fn rotate(
        &mut self,
        node: NodeId,
        by: UnitQuaternion<X::Scalar>,
        about: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, by)?;
        let local = *self.local(node)?;
        match about {
            Axes::Local => {
                self.set_pose_exactly(node, local.with_rotation(unit(local.rotation * by)))
            }
            Axes::Parent => {
                self.set_pose_exactly(node, local.with_rotation(unit(by * local.rotation)))
            }
            Axes::World => self.set_world_rotation(node, by * self.world_rotation(node)?),
        }
    }

    /// Rotates a node about a point in the world, by a rotation about the world's axes.
    ///
    /// The node's origin moves round the point, and the node itself turns by the same rotation.
    ///
    /// # Errors
    ///
    /// As for [`set_world_translation`](Self::set_world_translation) and
    /// [`set_world_rotation`](Self::set_world_rotation).
    pub fn rotate_around(
        &mut self,
        node: NodeId,
        point: Point3<X::Scalar>,
        by: UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, by)?;
        let by = unit(by);
        let frame = self.edit_frame(node)?;
        let (old, world) = frame.normalized();
        let arm = frame.origin() - point.coords;
        let step = by * arm - arm;
        let turn = frame.parent_rotation.turn_to_local(&by);
        let local = Trs::from_parts(
            old.translation + frame.step_in_parent(&step)?,
            unit(turn * old.rotation),
            old.scale,
        );
        let origin = frame.origin() + step;
        self.set_pose_compared(&frame, local, &turned(&world, &by, &origin))
    }

    /// Rotates a node about its origin until its −z axis points at `target`, a point in the world.
    ///
    /// The y axis then lies in the plane of that direction and `up`, on the side of `up`.
    ///
    /// −z is forward for cameras in glTF and for `look_at` in Godot and Bevy. The axes are those of the
    /// world transform, so the node's own meshes and children do look there, even below stretched and
    /// mirroring parents. In a strategy of your own this relies on what [`Transform::parts`] returns.
    ///
    /// # Errors
    ///
    /// An unknown node; a target at the node's origin, or in the direction of `up` or opposite to it; in
    /// accumulated matrices a parent without an inverse.
    pub fn look_at(
        &mut self,
        node: NodeId,
        target: Point3<X::Scalar>,
        up: Vector3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let frame = self.edit_frame(node)?;
        let apart = self.world(node)?.parts();
        // To the space that rotations act in: beside the parent's scale if the parts are kept apart, else
        // before it.
        let in_parent = |vector: &Vector3<_>| match apart {
            Some(_) => Ok(frame.parent_rotation.rotation.inverse() * vector),
            None => {
                let own = frame.frame.inverse_transform_vector(vector);
                own.ok_or_else(|| frame.outside(vector))
            }
        };
        let forward = in_parent(&(target.coords - frame.origin()))?;
        let up = in_parent(&up)?;
        // A negative scale flips the axis that it scales.
        let scale = apart.map_or(frame.local.scale, |world| world.scale);
        let flipped = |i: usize, vector: Vector3<_>| {
            if scale[i] < X::Scalar::rounded(0.0) { -vector } else { vector }
        };
        let rotation = facing(&flipped(2, -forward), &flipped(1, up));
        self.set_rotation_of(&frame, rotation.ok_or(HierarchyError::NoDirection(node))?)
    }

    /// Sets the local rotation of a node, and compares the result with a rigid rotation in the world.
    fn set_rotation_of(
        &mut self,
        frame: &EditFrame<X>,
        rotation: UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (old, world) = frame.normalized();
        let local = old.with_rotation(unit(rotation));
        let in_parent = local.rotation * old.rotation.inverse();
        let by = unit(frame.parent_rotation.turn_to_world(&in_parent));
        self.set_pose_compared(frame, local, &turned(&world, &by, &frame.origin()))
    }

    /// Sets the local pose of a node, and compares the result with the world transform that was wanted.
    fn set_pose_compared(
        &mut self,
        frame: &EditFrame<X>,
        local: Trs<X::Scalar>,
        wanted: &Matrix4<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let EditFrame { node, parent, .. } = *frame;
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        let kept = Kept::comparing((node, parent), &frame.parent_frame, &local, wanted)?;
        self.set_local(node, local)?;
        Ok(kept)
    }

    /// Sets the local pose of a node when that very pose was requested, so that nothing is lost.
    fn set_pose_exactly(
        &mut self,
        node: NodeId,
        local: Trs<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        self.set_local(node, local)?;
        Ok(Kept::Exact)
    }

    /// Converts a vector along the axes that a node inherits to its parent's space, in which its translation
    /// is given.
    fn own_step_in_parent(
        &self,
        node: NodeId,
        step: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        let Some(step) = self.parent_frame(index).step_in_parent(step) else {
            let is_finite = step.iter().all(ComplexField::is_finite);
            return Err(HierarchyError::outside_parent(node, self.parent(node)?, is_finite));
        };
        Ok(step)
    }

    fn edit_frame(&self, node: NodeId) -> Result<EditFrame<X>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let parent_frame = self.parent_frame(index);
        Ok(EditFrame {
            node,
            parent: (parent != NIL).then(|| self.tree.id(parent)),
            parent_frame,
            frame: parent_frame.frame(),
            parent_rotation: self.parent_rotation(index),
            local: *self.local(node)?,
            world: self.world_of(index).to_homogeneous(),
        })
    }
}

/// A world matrix with another origin.
fn moved<T: Real>(world: &Matrix4<T>, origin: &Vector3<T>) -> Matrix4<T> {
    let mut moved = *world;
    moved.fixed_view_mut::<3, 1>(0, 3).copy_from(origin);
    moved
}

/// A world matrix with its axes rotated, and another origin.
fn turned<T: Real>(world: &Matrix4<T>, by: &UnitQuaternion<T>, origin: &Vector3<T>) -> Matrix4<T> {
    moved(&(by.to_homogeneous() * world), origin)
}

/// Refuses a rotation that no pose may have.
fn check_rotation<T: Real>(
    node: NodeId,
    rotation: UnitQuaternion<T>,
) -> Result<(), HierarchyError> {
    let pose = Trs::from_rotation(rotation);
    pose.check().map_err(|error| HierarchyError::PoseOf { node, error })
}

/// Normalises a rotation after products.
fn unit<T: Real>(rotation: UnitQuaternion<T>) -> UnitQuaternion<T> {
    UnitQuaternion::new_normalize(rotation.into_inner())
}

/// The rotation that takes the z axis along `z`, and the y axis as near to `y` as that allows. `None` if
/// one of the vectors has no direction, or both lie on the same line.
fn facing<T: Real>(z: &Vector3<T>, y: &Vector3<T>) -> Option<UnitQuaternion<T>> {
    let (z, y) = (direction(z)?, direction(y)?);
    let is_apart = y.cross(&z).norm() > T::rounded(8.0) * T::default_epsilon();
    is_apart.then(|| UnitQuaternion::face_towards(&z, &y))
}
