use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    HierarchyError, NodeId, Orientation, Topology, Transform, Trs, WorldScale,
    linear::{axis_lengths, skew},
    tree::NIL,
};

/// World transforms and what can be read from them.
///
/// Correct whatever is pending: free when nothing is, else at most in proportion to the depth.
impl<X: Transform> Hierarchy<X> {
    /// The world transform of a node: the world's space from its own.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world(&self, node: NodeId) -> Result<X, HierarchyError> {
        Ok(self.world_of(self.tree.index(node)?))
    }

    /// The same by index; that of the space above all roots for `NIL`.
    pub(super) fn world_of(&self, index: u32) -> X {
        if index == NIL {
            X::identity()
        } else if self.changes.is_empty() {
            self.worlds[self.layout.slot(index)]
        } else {
            self.world_now(index)
        }
    }

    /// The world transform folded down from the nearest ancestor whose own is up to date, by the
    /// kernel that propagation uses, so that it comes out the same to the bit.
    fn world_now(&self, index: u32) -> X {
        let mut path = Vec::new();
        let mut outdated_len = 0;
        let mut node = index;
        while node != NIL {
            let slot = self.layout.slot(node);
            path.push(slot);
            if self.changes.contains(slot) {
                outdated_len = path.len();
            }
            node = self.tree.parent(node);
        }
        let (outdated, current) = path.split_at(outdated_len);
        let first = current.first().map_or(X::identity(), |&slot| self.worlds[slot]);
        let mut worlds = vec![first; outdated.len() + 1];
        let unused = Trs::identity();
        let downwards = outdated.iter().rev().map(|&slot| self.locals[slot]);
        let locals: Vec<_> = std::iter::once(unused).chain(downwards).collect();
        let all_but_first = 1..worlds.len();
        let mut chain = Topology::chain(worlds.len());
        if !self.layout.topology.inherits().is_empty() {
            for (place, &slot) in (1..).zip(outdated.iter().rev()) {
                chain.set_inherit(place, self.layout.topology.inherit(slot));
            }
        }
        X::accumulate(&chain, &locals, &mut worlds, std::slice::from_ref(&all_but_first));
        worlds[outdated.len()]
    }

    /// The world transform of a node as a 4×4 matrix for column vectors.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_matrix(&self, node: NodeId) -> Result<Matrix4<X::Scalar>, HierarchyError> {
        Ok(self.world(node)?.to_homogeneous())
    }

    /// The rotation of a node in the world: the product of the local rotations from the root down, or
    /// from the last node that does not [inherit](crate::Inherit) everything, beginning with the
    /// rotation that it does inherit.
    ///
    /// The sizes of scales do not act, in either strategy; so in accumulated matrices below an uneven
    /// scale this is not what a decomposition of the matrix gives, which depends on its method. A
    /// negative scale does act in accumulated matrices: what is below it is turned as in a mirror. In
    /// combined TRS it does not.
    ///
    /// Unity's, Unreal's and OGRE's world rotation is this product as long as no scale is negative;
    /// three.js and Godot decompose.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_rotation(
        &self,
        node: NodeId,
    ) -> Result<UnitQuaternion<X::Scalar>, HierarchyError> {
        Ok(self.turn_of(self.tree.index(node)?).rotation)
    }

    /// The scale of a node in the world, by one of the definitions in use. All agree, up to signs,
    /// where no scale on the path but the node's own is uneven.
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
            WorldScale::Product => self.scale_of(index),
            WorldScale::ColumnLengths => axis_lengths(&self.world_linear(index)),
            WorldScale::Projected => {
                let rotation = self.turn_of(index).rotation.to_rotation_matrix();
                rotation.matrix().tr_mul(&self.world_linear(index)).diagonal()
            }
        })
    }

    /// The skew of a node's world transform: the largest deviation of the angle between two of its
    /// axes from a right one, in radians. `None` where no two axes have a length.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world_skew(&self, node: NodeId) -> Result<Option<X::Scalar>, HierarchyError> {
        Ok(skew(&self.world_linear(self.tree.index(node)?)))
    }

    /// Whether a node's world transform keeps, flips or loses the orientation of space.
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
