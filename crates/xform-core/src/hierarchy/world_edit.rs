use nalgebra::{ComplexField, Matrix4, Point3, UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    Axes, HierarchyError, Kept, NodeId, Real, Transform, Trs, inherit::Above, linear::direction,
    tree::NIL, turn::Turn,
};

/// Edits in the world or along a node's own axes. Each says what it could keep of what was asked
/// for, and refuses what has no answer.
impl<X: Transform> Hierarchy<X> {
    /// Puts the origin of a node at a point in the world; its descendants go along.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse; a translation that would not be finite.
    pub fn set_world_translation(
        &mut self,
        node: NodeId,
        point: &Point3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let stand = self.stand(node)?;
        let local = stand.local.with_translation(stand.in_parent(point)?);
        self.place(&stand, local, &moved(&stand.world, point))
    }

    /// Turns a node about its origin until its [world rotation](Self::world_rotation) is `rotation`.
    ///
    /// What is asked for is a rigid turn. In combined TRS it always is one; in accumulated matrices
    /// the node changes shape where its parent's axes are stretched or skewed, and that is lost.
    ///
    /// # Errors
    ///
    /// An unknown node; a rotation that is not finite or not of unit length; a parent without an
    /// inverse, where something is lost.
    pub fn set_world_rotation(
        &mut self,
        node: NodeId,
        rotation: &UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, rotation)?;
        let stand = self.stand(node)?;
        self.turn(&stand, stand.parent_turn.to_local(rotation))
    }

    /// Sets the scale of a node in the world: the [product](crate::WorldScale::Product) of the scales
    /// on its path, along its own axes.
    ///
    /// # Errors
    ///
    /// An unknown node; a strategy whose world transforms have no scale; a parent with a zero in
    /// its world scale; a scale that would not be finite.
    pub fn set_world_scale(
        &mut self,
        node: NodeId,
        scale: &Vector3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let stand = self.stand(node)?;
        let apart = |world: &X| world.parts().ok_or(HierarchyError::NoWorldScale(node));
        let parent = apart(&stand.frame)?;
        if parent.scale.iter().any(|&factor| factor == X::Scalar::rounded(0.0)) {
            return Err(stand.singular());
        }
        let wanted = apart(&self.world(node)?)?.with_scale(*scale).to_homogeneous();
        let local = stand.local.with_scale(scale.component_div(&parent.scale));
        self.place(&stand, local, &wanted)
    }

    /// Moves a node by a vector along some axes. Along the parent's it is added to the translation, also
    /// where the node does not [inherit](crate::Inherit) those axes for its rotation and scale.
    ///
    /// # Errors
    ///
    /// An unknown node; along the world's axes a parent without an inverse, and along its own if it does
    /// not inherit everything; a translation that would not be finite.
    pub fn translate(
        &mut self,
        node: NodeId,
        by: &Vector3<X::Scalar>,
        along: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let local = *self.local(node)?;
        let step = match along {
            Axes::Local => self.own_step(node, &(local.rotation * by))?,
            Axes::Parent => *by,
            Axes::World => {
                // Not by way of where it is: far from the world's origin that is rounded.
                let stand = self.stand(node)?;
                let local = local.with_translation(local.translation + stand.step_in_parent(by)?);
                return self.place(&stand, local, &moved(&stand.world, &(stand.origin() + by)));
            }
        };
        self.edit(node, local.with_translation(local.translation + step))
    }

    /// A vector along the axes that a node inherits, in the space that its translation is given in.
    fn own_step(
        &self,
        node: NodeId,
        step: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let is_finite = step.iter().all(ComplexField::is_finite);
        let in_parent = self.above(index).step_in_parent(step);
        in_parent.ok_or(if is_finite && parent != NIL {
            HierarchyError::Singular(self.tree.id(parent))
        } else {
            HierarchyError::WorldNotFinite(node)
        })
    }

    /// Turns a node about its origin by a rotation given in some axes.
    ///
    /// About the world's axes what is asked for is a rigid turn; see
    /// [`set_world_rotation`](Self::set_world_rotation).
    ///
    /// # Errors
    ///
    /// As for [`set_world_rotation`](Self::set_world_rotation).
    pub fn rotate(
        &mut self,
        node: NodeId,
        by: &UnitQuaternion<X::Scalar>,
        about: Axes,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, by)?;
        let local = *self.local(node)?;
        match about {
            Axes::Local => self.edit(node, local.with_rotation(unit(local.rotation * by))),
            Axes::Parent => self.edit(node, local.with_rotation(unit(by * local.rotation))),
            Axes::World => self.set_world_rotation(node, &(by * self.world_rotation(node)?)),
        }
    }

    /// Turns a node about a point in the world, by a rotation about the world's axes: its origin goes
    /// round the point, and it turns as much itself.
    ///
    /// # Errors
    ///
    /// As for [`set_world_translation`](Self::set_world_translation) and
    /// [`set_world_rotation`](Self::set_world_rotation).
    pub fn rotate_around(
        &mut self,
        node: NodeId,
        point: &Point3<X::Scalar>,
        by: &UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        check_rotation(node, by)?;
        let by = unit(*by);
        let stand = self.stand(node)?;
        let (old, world) = stand.normalized();
        let arm = stand.origin() - point;
        let step = by * arm - arm;
        let turn = stand.parent_turn.turn_to_local(&by);
        let local = Trs::from_parts(
            old.translation + stand.step_in_parent(&step)?,
            unit(turn * old.rotation),
            old.scale,
        );
        let origin = stand.origin() + step;
        self.place(&stand, local, &turned(&world, &by, &origin))
    }

    /// Turns a node about its origin until its −z axis points at a point in the world, and its y axis
    /// lies in the plane of that direction and `up`, on the side of `up`.
    ///
    /// −z is forward for cameras in glTF and for `look_at` in Godot and Bevy. The axes are those of the
    /// world transform, so the node's own meshes and children do look there, below stretched and
    /// mirroring parents too. In a strategy of your own it relies on what
    /// [`Transform::parts`] says.
    ///
    /// # Errors
    ///
    /// An unknown node; a target at its origin, or in the direction of `up`; in accumulated matrices a
    /// parent without an inverse.
    pub fn look_at(
        &mut self,
        node: NodeId,
        target: &Point3<X::Scalar>,
        up: &Vector3<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let stand = self.stand(node)?;
        let apart = self.world(node)?.parts();
        // Where rotations act: beside the parent's scale, or before it.
        let in_parent = |vector: &Vector3<_>| match apart {
            Some(_) => Ok(stand.parent_turn.rotation.inverse() * vector),
            None => {
                let own = stand.frame.inverse_transform_vector(vector);
                own.ok_or(stand.singular())
            }
        };
        let forward = in_parent(&(target - stand.origin()))?;
        let up = in_parent(up)?;
        // A negative scale flips the axis that it scales.
        let scale = apart.map_or(stand.local.scale, |world| world.scale);
        let flipped = |i: usize, vector: Vector3<_>| {
            if scale[i] < X::Scalar::rounded(0.0) { -vector } else { vector }
        };
        let rotation = facing(&flipped(2, -forward), &flipped(1, up));
        self.turn(&stand, rotation.ok_or(HierarchyError::NoDirection(node))?)
    }

    /// Gives a node a rotation, and compares with a rigid turn in the world.
    fn turn(
        &mut self,
        stand: &Stand<X>,
        rotation: UnitQuaternion<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (old, world) = stand.normalized();
        let local = old.with_rotation(unit(rotation));
        let in_parent = local.rotation * old.rotation.inverse();
        let by = unit(stand.parent_turn.turn_to_world(&in_parent));
        self.place(stand, local, &turned(&world, &by, &stand.origin()))
    }

    /// Gives a node a pose, and compares with the world transform that was wanted.
    fn place(
        &mut self,
        stand: &Stand<X>,
        local: Trs<X::Scalar>,
        wanted: &Matrix4<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let Stand { node, parent, .. } = *stand;
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        let kept = Kept::by((node, parent), &stand.above, &local, wanted)?;
        self.set_local(node, local)?;
        Ok(kept)
    }

    /// Gives a node a pose that was asked for as such.
    fn edit(
        &mut self,
        node: NodeId,
        local: Trs<X::Scalar>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        self.set_local(node, local)?;
        Ok(Kept::Exact)
    }

    fn stand(&self, node: NodeId) -> Result<Stand<X>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let above = self.above(index);
        Ok(Stand {
            node,
            parent: (parent != NIL).then(|| self.tree.id(parent)),
            above,
            frame: above.frame(),
            parent_turn: self.turn_above(index),
            local: *self.local(node)?,
            world: self.world_of(index).to_homogeneous(),
        })
    }
}

/// How a node stands in the world.
struct Stand<X: Transform> {
    node: NodeId,
    parent: Option<NodeId>,
    above: Above<X>,
    /// What the local rotation and scale act in.
    frame: X,
    parent_turn: Turn<X::Scalar>,
    local: Trs<X::Scalar>,
    world: Matrix4<X::Scalar>,
}

impl<X: Transform> Stand<X> {
    fn origin(&self) -> Point3<X::Scalar> {
        self.world.fixed_view::<3, 1>(0, 3).into_owned().into()
    }

    /// The same with a rotation of exactly unit length, which is what can be turned rigidly.
    fn normalized(&self) -> (Trs<X::Scalar>, Matrix4<X::Scalar>) {
        let local = self.local.with_rotation(unit(self.local.rotation));
        (local, self.above.concat(&local).to_homogeneous())
    }

    /// A point of the world in the parent's space.
    fn in_parent(&self, point: &Point3<X::Scalar>) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let is_finite = point.iter().all(ComplexField::is_finite);
        let in_parent = self.above.parent.inverse_transform_point(point);
        in_parent.map(|point| point.coords).ok_or(if is_finite {
            self.singular()
        } else {
            HierarchyError::WorldNotFinite(self.node)
        })
    }

    /// A vector of the world in the parent's space.
    fn step_in_parent(
        &self,
        step: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let is_finite = step.iter().all(ComplexField::is_finite);
        let in_parent = self.above.parent.inverse_transform_vector(step);
        in_parent.ok_or(if is_finite {
            self.singular()
        } else {
            HierarchyError::WorldNotFinite(self.node)
        })
    }

    /// The error where the parent has no inverse.
    fn singular(&self) -> HierarchyError {
        HierarchyError::Singular(self.parent.unwrap_or(self.node))
    }
}

/// A world matrix with its origin elsewhere.
fn moved<T: Real>(world: &Matrix4<T>, origin: &Point3<T>) -> Matrix4<T> {
    let mut moved = *world;
    moved.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin.coords);
    moved
}

/// A world matrix with its axes turned and its origin elsewhere.
fn turned<T: Real>(world: &Matrix4<T>, by: &UnitQuaternion<T>, origin: &Point3<T>) -> Matrix4<T> {
    moved(&(by.to_homogeneous() * world), origin)
}

/// Refuses a rotation that no pose may have.
fn check_rotation<T: Real>(
    node: NodeId,
    rotation: &UnitQuaternion<T>,
) -> Result<(), HierarchyError> {
    let pose = Trs::from_rotation(*rotation);
    pose.check().map_err(|error| HierarchyError::PoseOf { node, error })
}

/// Of unit length again, after products.
fn unit<T: Real>(rotation: UnitQuaternion<T>) -> UnitQuaternion<T> {
    UnitQuaternion::new_normalize(rotation.into_inner())
}

/// The rotation that takes z along one vector and y as near to another as that allows; `None` where
/// they have no directions, or the same.
fn facing<T: Real>(z: &Vector3<T>, y: &Vector3<T>) -> Option<UnitQuaternion<T>> {
    let (z, y) = (direction(z)?, direction(y)?);
    let is_apart = y.cross(&z).norm() > T::rounded(8.0) * T::default_epsilon();
    is_apart.then(|| UnitQuaternion::face_towards(&z, &y))
}
