use nalgebra::{ComplexField, Matrix4, Point3, UnitQuaternion, Vector3};

use super::{
    Hierarchy,
    edit_frame::{EditFrame, moved, turned, unit},
};
use crate::{
    HierarchyError, Kept, NodeId, Real, Transform, Trs, index::NIL, linear::direction,
    path_rotation::PathRotation, space::Axes,
};

/// Edits in the world or along a node's own axes.
///
/// Each method returns how much of the request it could [keep](Kept), and fails if the request has no answer, for
/// example because a parent has no inverse.
///
/// In accumulated matrices, an edit that rotates a node in the world or sets its world scale climbs to the root,
/// because a matrix does not contain the rotation of its path. All other edits take the same time at any depth,
/// unless edits are pending.
impl<X: Transform> Hierarchy<X> {
    /// Sets the position of a node's origin in the world. Its descendants move with it.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse; a translation that would not be finite.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::Point3, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, cursor: NodeId, picked: Point3<f32>) -> Result<(), HierarchyError> {
    /// hierarchy.set_world_translation(cursor, picked.coords)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_world_translation(
        &mut self,
        node: NodeId,
        translation: impl Into<Vector3<X::Scalar>>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let translation = translation.into();
        let frame = self.edit_frame(node)?;
        let local = frame.local.with_translation(frame.translation_to(&translation)?);
        self.set_pose_compared(&frame, local, &moved(&frame.world, &translation))
    }

    /// Rotates a node about its origin until its [world rotation](Self::world_rotation) is `rotation`.
    ///
    /// The request is a rigid rotation. In combined TRS the result always is one. In accumulated matrices the node
    /// changes shape if its parent's axes are stretched or skewed, and the returned [`Kept`] says by how much.
    ///
    /// # Errors
    ///
    /// An unknown node; a rotation that is not finite or not of unit length; a parent without an inverse,
    /// if something is lost.
    pub fn set_world_rotation(
        &mut self,
        node: NodeId,
        rotation: impl Into<UnitQuaternion<X::Scalar>>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let rotation = rotation.into();
        let (frame, parent_rotation) = self.turning_frame(node)?;
        let rotation = normalized(node, rotation)?;
        let (local, wanted) =
            frame.turned_to(parent_rotation, &parent_rotation.to_local(&rotation));
        self.set_pose_compared(&frame, local, &wanted)
    }

    /// Sets the world scale of a node, along the axes of its [world rotation](Self::world_rotation), as
    /// [`WorldScale::Projected`](crate::world_scale::WorldScale::Projected) measures it.
    ///
    /// In combined TRS that is the [product](crate::world_scale::WorldScale::Product) of the scales on its path, and
    /// all of it is kept. In accumulated matrices everything is kept if the parent's scale is uniform or acts along
    /// the node's axes. Otherwise the parent skews the node, and the returned [`Kept`] says by how much.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent that makes an axis of the node vanish; a parent without an inverse, if something is
    /// lost; a scale that would not be finite.
    pub fn set_world_scale(
        &mut self,
        node: NodeId,
        scale: impl Into<Vector3<X::Scalar>>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let scale = scale.into();
        let frame = self.edit_frame(node)?;
        let rotation = unit(self.world_rotation(node)?);
        // The world scale that a local scale of 1 gives.
        let one = Vector3::repeat(X::Scalar::rounded(1.0));
        let unscaled = frame.parent_frame.concat(&frame.local.with_scale(one));
        let factors = match unscaled.parts() {
            Some(parts) => parts.scale,
            None => projected(&unscaled.to_homogeneous(), &rotation),
        };
        let is_finite = factors.iter().all(ComplexField::is_finite);
        if !is_finite || factors.iter().any(|&factor| factor == X::Scalar::rounded(0.0)) {
            return Err(frame.parent_frame.why_outside(node, frame.parent, is_finite));
        }
        let wanted = Trs::from_parts(frame.origin(), rotation, scale).to_homogeneous();
        let local = frame.local.with_scale(scale.component_div(&factors));
        self.set_pose_compared(&frame, local, &wanted)
    }

    /// Moves a node by a vector that is given along one of three sets of axes.
    ///
    /// Along the parent's axes the vector is added to the local translation, even if the node does not
    /// [inherit](crate::Inherit) those axes for its rotation and scale.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse, if the vector is along the world's axes, or along the node's
    /// own axes and the node does not inherit everything; a translation that would not be finite.
    ///
    /// # Examples
    ///
    /// Two units ahead, along the node's own axes:
    ///
    /// ```
    /// # use xform_core::{Axes, Hierarchy, HierarchyError, nalgebra::Vector3, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, car: NodeId) -> Result<(), HierarchyError> {
    /// hierarchy.translate(car, Vector3::new(0.0, 0.0, -2.0), Axes::Local)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn translate(
        &mut self,
        node: NodeId,
        by: impl Into<Vector3<X::Scalar>>,
        along: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let by = by.into();
        let local = *self.local(node)?;
        let step = match along {
            Axes::Local => self.own_step_in_parent(node, &(unit(local.rotation) * by))?,
            Axes::Parent => by,
            Axes::World => {
                // The position in the world is not set directly, because it is rounded far from the world's origin.
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
        by: impl Into<UnitQuaternion<X::Scalar>>,
        about: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let by = by.into();
        let local = *self.local(node)?;
        let by = normalized(node, by)?;
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
    /// The node's origin moves round the point, and the node itself is rotated by the same rotation.
    ///
    /// # Errors
    ///
    /// As for [`set_world_translation`](Self::set_world_translation) and
    /// [`set_world_rotation`](Self::set_world_rotation).
    pub fn rotate_around(
        &mut self,
        node: NodeId,
        point: impl Into<Point3<X::Scalar>>,
        by: impl Into<UnitQuaternion<X::Scalar>>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (point, by) = (point.into(), by.into());
        let (frame, parent_rotation) = self.turning_frame(node)?;
        let by = unit(normalized(node, by)?);
        let (old, world) = frame.normalized();
        let arm = frame.origin() - point.coords;
        let step = by * arm - arm;
        let turn = parent_rotation.turn_to_local(&by);
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
    /// The y axis then lies in the plane of that direction and `up`, on the side of `up`. If the target lies in the
    /// direction of `up` or opposite to it, the x axis points along the world axis that is farthest from `up`, the
    /// first if several are. So a camera that looks straight down with y up has −z at the upper edge of its picture.
    ///
    /// −z is forward for cameras in glTF and for `look_at` in Godot and Bevy. The axes are those of the world
    /// transform, so the node's own meshes and children do face the target, even below stretched and mirroring
    /// parents. In a strategy of your own this relies on the result of [`Transform::parts`]. If −z does not point at
    /// the target in the end, the returned [`Kept`] is not exact.
    ///
    /// # Errors
    ///
    /// An unknown node; a target at the node's origin; an `up` without a length; in accumulated matrices a parent
    /// without an inverse.
    ///
    /// # Examples
    ///
    /// A camera looks at the player:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::{Point3, Vector3}, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, camera: NodeId, player: NodeId) -> Result<(), HierarchyError> {
    /// let target = Point3::from(hierarchy.world_translation(player)?);
    /// hierarchy.look_at(camera, target, Vector3::y())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn look_at(
        &mut self,
        node: NodeId,
        target: impl Into<Point3<X::Scalar>>,
        up: impl Into<Vector3<X::Scalar>>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (target, up) = (target.into(), up.into());
        let (frame, parent_rotation) = self.turning_frame(node)?;
        let apart = self.world(node)?.parts();
        // Converts to the space in which rotations act. If the strategy keeps its parts apart, rotations act
        // independently of the parent's scale; otherwise they act before it.
        let in_parent = |vector: &Vector3<_>| match apart {
            Some(_) => Ok(parent_rotation.rotation.inverse() * vector),
            None => {
                let own = frame.frame.inverse_transform_vector(vector);
                own.ok_or_else(|| frame.outside(vector))
            }
        };
        let away = target.coords - frame.origin();
        if !away.iter().all(ComplexField::is_finite) {
            return Err(HierarchyError::WorldNotFinite(node));
        }
        let no_direction = HierarchyError::NoDirection(node);
        let forward = in_parent(&away)?;
        let up = in_parent(&upright(&away, &up).ok_or(no_direction)?)?;
        // A negative scale flips the axis that it scales.
        let scale = apart.map_or(frame.local.scale, |world| world.scale);
        let flipped = |i: usize, vector: Vector3<_>| {
            if scale[i] < X::Scalar::rounded(0.0) { -vector } else { vector }
        };
        let rotation = facing(&flipped(2, -forward), &flipped(1, up)).ok_or(no_direction)?;
        let (local, wanted) = frame.turned_to(parent_rotation, &rotation);
        let found = frame.parent_frame.concat(&local).to_homogeneous();
        let wanted = aimed(&found, &away).unwrap_or(wanted);
        self.set_pose_compared(&frame, local, &wanted)
    }

    /// Sets the local pose of a node, and compares the result with the requested world transform.
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

    /// Sets the local pose of a node if exactly that pose was requested, so nothing is lost.
    fn set_pose_exactly(
        &mut self,
        node: NodeId,
        local: Trs<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        self.set_local(node, local)?;
        Ok(Kept::Exact)
    }

    /// Converts a vector along the axes that a node inherits to its parent's space, in which its translation is
    /// given.
    fn own_step_in_parent(
        &self,
        node: NodeId,
        step: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        let frame = self.parent_frame(index);
        let Some(step) = frame.step_in_parent(step) else {
            let is_finite = step.iter().all(ComplexField::is_finite);
            return Err(frame.why_outside(node, self.parent(node)?, is_finite));
        };
        Ok(step)
    }

    /// Returns the frame of an edit that rotates, and the rotation of the parent, which in accumulated matrices is
    /// found only by climbing to the root.
    fn turning_frame(
        &self,
        node: NodeId,
    ) -> Result<(EditFrame<X>, PathRotation<X::Scalar>), HierarchyError> {
        let frame = self.edit_frame(node)?;
        Ok((frame, self.parent_rotation(self.tree.index(node)?)))
    }

    fn edit_frame(&self, node: NodeId) -> Result<EditFrame<X>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let parent_frame = self.parent_frame(index);
        Ok(EditFrame {
            node,
            parent: (parent != NIL).then(|| self.tree.id(parent)),
            parent_frame,
            frame: parent_frame.frame(),
            local: *self.local(node)?,
            world: self.world_of(index).to_homogeneous(),
        })
    }
}

/// Returns a rotation in the form that a pose may hold.
fn normalized<T: Real>(
    node: NodeId,
    rotation: UnitQuaternion<T>,
) -> Result<UnitQuaternion<T>, HierarchyError> {
    let pose = Trs::from_rotation(rotation).normalized();
    Ok(pose.map_err(|error| HierarchyError::PoseOf { node, error })?.rotation)
}

/// Returns the lengths of the axes of a world matrix along those of a rotation.
fn projected<T: Real>(world: &Matrix4<T>, rotation: &UnitQuaternion<T>) -> Vector3<T> {
    let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
    rotation.to_rotation_matrix().matrix().tr_mul(&linear).diagonal()
}

/// Returns an up direction that is not parallel to the viewing direction: `up` itself, or a substitute if the two
/// are on the same line. `None` if one of them has no direction.
fn upright<T: Real>(away: &Vector3<T>, up: &Vector3<T>) -> Option<Vector3<T>> {
    let (away, up) = (direction(away)?, direction(up)?);
    if is_apart(&away, &up) {
        return Some(up);
    }
    // The first if several are equal, as the first two are for a vertical `up`.
    let farthest = (0..3).reduce(|a, b| if up[b].abs() < up[a].abs() { b } else { a })?;
    Some(Vector3::ith(farthest, T::rounded(1.0)).cross(&away))
}

/// Returns a world matrix rotated by the shortest way so that its −z axis points along `away`. `None` if it already
/// does, or if one of the two has no direction.
fn aimed<T: Real>(world: &Matrix4<T>, away: &Vector3<T>) -> Option<Matrix4<T>> {
    let forward = direction(&-world.fixed_view::<3, 1>(0, 2))?;
    let away = direction(away)?;
    // Compared to half the digits, because more may be lost on the way through the parent's space.
    if (forward - away).norm() <= T::default_epsilon().sqrt() {
        return None;
    }
    let by = UnitQuaternion::rotation_between(&forward, &away).unwrap_or_else(|| {
        let aside = direction(&world.fixed_view::<3, 1>(0, 1).into_owned());
        let aside = aside.unwrap_or_else(Vector3::y);
        UnitQuaternion::new(aside * T::rounded(std::f64::consts::PI))
    });
    let origin = world.fixed_view::<3, 1>(0, 3).into_owned();
    Some(turned(world, &by, &origin))
}

/// Returns the rotation that takes the z axis along `z`, and the y axis as near to `y` as that allows. `None` if one
/// of the vectors has no direction, or both lie on the same line.
fn facing<T: Real>(z: &Vector3<T>, y: &Vector3<T>) -> Option<UnitQuaternion<T>> {
    let (z, y) = (direction(z)?, direction(y)?);
    is_apart(&z, &y).then(|| UnitQuaternion::face_towards(&z, &y))
}

/// Returns whether two unit vectors are not on the same line.
fn is_apart<T: Real>(a: &Vector3<T>, b: &Vector3<T>) -> bool {
    a.cross(b).norm() > T::rounded(8.0) * T::default_epsilon()
}
