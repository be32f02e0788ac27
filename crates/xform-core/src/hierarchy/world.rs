use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    ColliderPose, HierarchyError, Inherit, NodeId, Topology, Transform, Trs,
    index::NIL,
    linear::{axis_lengths, direction, skew},
    orientation::Orientation,
    path_rotation::PathRotation,
    world_scale::WorldScale,
};

/// World transforms, and the rotation, scale and skew that can be read from them.
///
/// The results are correct even while edits are pending. Reading is free if none are. While one edit is pending, or up
/// to four of nodes near each other, it takes a few nanoseconds more to look at them. Otherwise each ancestor of the
/// node is tested for changes, at a nanosecond or two each. If one changed, the world transform is computed from there
/// down at every read, so propagate before you read many.
///
/// In accumulated matrices, [`world_rotation`](Self::world_rotation), the scales [`Product`](WorldScale::Product)
/// and [`Projected`](WorldScale::Projected) and [`collider_pose`](Self::collider_pose) are always computed along the
/// path, because a matrix does not contain them.
impl<X: Transform> Hierarchy<X> {
    /// Returns the world transform of the node with this index; the identity for `NIL`, the space above all roots.
    #[inline]
    pub(super) fn world_of(&self, index: u32) -> X {
        if index == NIL {
            X::identity()
        } else if self.is_outdated(index) {
            self.world_now(index)
        } else {
            self.layout.slots.worlds()[self.tree.slot(index)]
        }
    }

    /// Returns whether a node or one of its ancestors changed since the last propagation.
    #[inline]
    pub(super) fn is_outdated(&self, index: u32) -> bool {
        !self.changes.is_empty() && self.is_changed_or_below_a_change(index)
    }

    #[inline(never)]
    fn is_changed_or_below_a_change(&self, index: u32) -> bool {
        // A few changes are looked at from above, where it takes a comparison to tell whether the node is below.
        if self.layout.is_each_run_whole()
            && let Some(mut changed) = self.changes.few()
        {
            let slot = self.tree.slot(index);
            return changed.any(|top| top == slot || self.layout.is_laid_out_below(slot, top));
        }
        self.upwards(index).any(|node| self.changes.contains(self.tree.slot(node)))
    }

    /// Computes the world transform of an outdated node from that of its nearest ancestor that is up to date.
    ///
    /// Uses the same kernel as propagation, so the result has the same bits.
    #[inline(never)]
    pub(super) fn world_now(&self, index: u32) -> X {
        let mut path = Vec::new();
        let mut outdated_len = 0;
        let mut node = index;
        while node != NIL {
            let slot = self.tree.slot(node);
            path.push(slot);
            if self.changes.contains(slot) {
                outdated_len = path.len();
            }
            node = self.tree.parent(node);
        }
        let (outdated, current) = path.split_at(outdated_len);
        let first = current.first();
        let first = first.map_or(X::identity(), |&slot| self.layout.slots.worlds()[slot]);
        let mut worlds = vec![first; outdated.len() + 1];
        let unused = Trs::identity();
        let downwards = outdated.iter().rev().map(|&slot| self.layout.slots.locals()[slot]);
        let locals: Vec<_> = std::iter::once(unused).chain(downwards).collect();
        let all_but_first = 1..worlds.len();
        let mut chain = Topology::chain(worlds.len());
        let topology = self.layout.slots.topology();
        if !topology.inherits().is_empty() {
            for (place, &slot) in (1..).zip(outdated.iter().rev()) {
                chain.set_inherit(place, topology.inherit(slot));
            }
        }
        X::accumulate(&chain, &locals, &mut worlds, std::slice::from_ref(&all_but_first));
        worlds[outdated.len()]
    }

    /// Returns the world transform of a node as a 4×4 matrix for column vectors.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_matrix(&self, node: NodeId) -> Result<Matrix4<X::Scalar>, HierarchyError> {
        Ok(self.world(node)?.to_homogeneous())
    }

    /// Returns the position of a node's origin in the world.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// The distance between two nodes:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, a: NodeId, b: NodeId) -> Result<(), HierarchyError> {
    /// let apart = (hierarchy.world_translation(a)? - hierarchy.world_translation(b)?).norm();
    /// # let _ = apart;
    /// # Ok(())
    /// # }
    /// ```
    pub fn world_translation(&self, node: NodeId) -> Result<Vector3<X::Scalar>, HierarchyError> {
        Ok(self.world(node)?.transform_point(&Point3::origin()).coords)
    }

    /// Returns the unit vector in the world along which a node's −z axis points. [`look_at`](Self::look_at) aims
    /// this axis.
    ///
    /// The axis is the same as that of the node's meshes: it is stretched, skewed and mirrored with them.
    ///
    /// # Errors
    ///
    /// An unknown node; an axis that vanishes in the world.
    pub fn world_forward(&self, node: NodeId) -> Result<Vector3<X::Scalar>, HierarchyError> {
        self.world_axis(node, -Vector3::z())
    }

    /// Returns the unit vector in the world along which a node's x axis points; see
    /// [`world_forward`](Self::world_forward).
    ///
    /// # Errors
    ///
    /// An unknown node; an axis that vanishes in the world.
    pub fn world_right(&self, node: NodeId) -> Result<Vector3<X::Scalar>, HierarchyError> {
        self.world_axis(node, Vector3::x())
    }

    /// Returns the unit vector in the world along which a node's y axis points; see
    /// [`world_forward`](Self::world_forward).
    ///
    /// # Errors
    ///
    /// An unknown node; an axis that vanishes in the world.
    pub fn world_up(&self, node: NodeId) -> Result<Vector3<X::Scalar>, HierarchyError> {
        self.world_axis(node, Vector3::y())
    }

    fn world_axis(
        &self,
        node: NodeId,
        axis: Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let axis = self.world(node)?.transform_vector(&axis);
        direction(&axis).ok_or(if axis.iter().all(ComplexField::is_finite) {
            HierarchyError::Singular(node)
        } else {
            HierarchyError::WorldNotFinite(node)
        })
    }

    /// Returns the world rotation of a node: the product of the local rotations from the root down.
    ///
    /// If nodes on the way do not [inherit](crate::Inherit) everything, the product starts at the last of them, with
    /// the rotation that it does inherit.
    ///
    /// The sizes of scales have no effect in either strategy. So in accumulated matrices, below a non-uniform scale,
    /// this differs from what a decomposition of the matrix returns, which depends on its method. A negative scale
    /// does have an effect in accumulated matrices: everything below it is rotated as in a mirror. In combined TRS
    /// it has none.
    ///
    /// The world rotation of Unity, Unreal and OGRE is this product as long as no scale is negative; three.js and
    /// Godot decompose the matrix.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// The angle between an arrow and north:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, nalgebra::UnitQuaternion, NodeId, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, arrow: NodeId) -> Result<(), HierarchyError> {
    /// let off = hierarchy.world_rotation(arrow)?.angle_to(&UnitQuaternion::identity());
    /// # let _ = off;
    /// # Ok(())
    /// # }
    /// ```
    pub fn world_rotation(
        &self,
        node: NodeId,
    ) -> Result<UnitQuaternion<X::Scalar>, HierarchyError> {
        Ok(self.path_rotation(self.tree.index(node)?).rotation)
    }

    /// Returns the world scale of a node by one of the definitions in use. All of them agree, up to signs, if no
    /// scale on the path except the node's own is non-uniform.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_scale(
        &self,
        node: NodeId,
        definition: WorldScale,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        Ok(match definition {
            WorldScale::Product => self.path_scale(index),
            WorldScale::ColumnLengths => axis_lengths(&self.world_linear(index)),
            WorldScale::SignedLengths => {
                let linear = self.world_linear(index);
                let mut lengths = axis_lengths(&linear);
                if Orientation::of(&linear) == Orientation::Mirrored {
                    lengths.x = -lengths.x;
                }
                lengths
            }
            WorldScale::Projected => {
                let rotation = self.path_rotation(index).rotation.to_rotation_matrix();
                rotation.matrix().tr_mul(&self.world_linear(index)).diagonal()
            }
            WorldScale::Polar => {
                let nearest = self.nearest_rotation(index).to_rotation_matrix();
                nearest.matrix().tr_mul(&self.world_linear(index)).diagonal()
            }
        })
    }

    /// Returns the rotation of the polar decomposition of the world transform, or the world rotation if the strategy
    /// cannot leave scale out.
    fn nearest_rotation(&self, index: u32) -> UnitQuaternion<X::Scalar> {
        let unscaled = self.world_of(index).inherited(Inherit::NoScale, &Point3::origin());
        unscaled.map_or_else(
            || self.path_rotation(index).rotation,
            |unscaled| PathRotation::of_frame(&unscaled, Inherit::NoScale).rotation,
        )
    }

    /// Returns the pose for a collider on a node: a position, a rotation and a scale, which cannot express skew.
    ///
    /// The rotation is the [world rotation](Self::world_rotation), or for [`WorldScale::Polar`] the one nearest to
    /// the world transform. `definition` chooses the scale. Unity and Arche's `Collider::_onUpdate` take
    /// [`WorldScale::Projected`]. `xform-engines` describes, engine by engine, which shapes a physics engine can
    /// scale this way and how it handles the others.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// A box that is drawn skewed, but collides without the skew:
    ///
    /// ```
    /// # use xform_core::{ColliderPose, Hierarchy, HierarchyError, NodeId, Transform, spaces::WorldScale};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, node: NodeId) -> Result<(), HierarchyError> {
    /// let ColliderPose { position, rotation, scale, lost } =
    ///     hierarchy.collider_pose(node, WorldScale::Projected)?;
    /// if lost > 0.01 {
    ///     // A corner of the unit cube on the node is drawn a centimetre or more from where it collides.
    /// }
    /// # let _ = (position, rotation, scale);
    /// # Ok(())
    /// # }
    /// ```
    pub fn collider_pose(
        &self,
        node: NodeId,
        definition: WorldScale,
    ) -> Result<ColliderPose<X::Scalar>, HierarchyError> {
        let index = self.tree.index(node)?;
        let rotation = match definition {
            WorldScale::Polar => self.nearest_rotation(index),
            _ => self.path_rotation(index).rotation,
        };
        let scale = self.world_scale(node, definition)?;
        let world = self.world_of(index).to_homogeneous();
        Ok(ColliderPose::comparing(rotation, scale, &world))
    }

    /// Returns the skew of a node's world transform: the largest deviation of the angle between two of its axes from
    /// a right angle, in radians. `None` if no two axes have a length.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_skew(&self, node: NodeId) -> Result<Option<X::Scalar>, HierarchyError> {
        Ok(skew(&self.world_linear(self.tree.index(node)?)))
    }

    /// Returns whether a node's world transform keeps, flips or loses the orientation of space.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_orientation(&self, node: NodeId) -> Result<Orientation, HierarchyError> {
        Ok(Orientation::of(&self.world_linear(self.tree.index(node)?)))
    }

    fn world_linear(&self, index: u32) -> Matrix3<X::Scalar> {
        self.world_of(index).to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned()
    }
}
