use nalgebra::{Matrix4, Point3, Vector3};

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Topology, Transform, Trs, tree::NIL};

/// World transforms, and points and vectors through them.
///
/// Correct whatever is pending: free when nothing is, else at most in proportion to the depth.
impl<X: Transform> Hierarchy<X> {
    /// The world transform of a node: the world's space from its own.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn world(&self, node: NodeId) -> Result<X, HierarchyError> {
        let index = self.tree.index(node)?;
        if self.changes.is_empty() {
            return Ok(self.worlds[self.layout.slot(index)]);
        }
        Ok(self.world_now(index))
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
        let chain = Topology::chain(worlds.len());
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

    /// Takes a point from a node's space to the world.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn point_to_world(
        &self,
        node: NodeId,
        point: &Point3<X::Scalar>,
    ) -> Result<Point3<X::Scalar>, HierarchyError> {
        Ok(self.world(node)?.transform_point(point))
    }

    /// Takes a vector from a node's space to the world; the translation does not act.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn vector_to_world(
        &self,
        node: NodeId,
        vector: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        Ok(self.world(node)?.transform_vector(vector))
    }

    /// Takes a point from the world to a node's space.
    ///
    /// # Errors
    ///
    /// An unknown node; a world transform without an inverse.
    pub fn point_to_local(
        &self,
        node: NodeId,
        point: &Point3<X::Scalar>,
    ) -> Result<Point3<X::Scalar>, HierarchyError> {
        let local = self.world(node)?.inverse_transform_point(point);
        local.ok_or(HierarchyError::Singular(node))
    }

    /// Takes a vector from the world to a node's space; the translation does not act.
    ///
    /// # Errors
    ///
    /// An unknown node; a world transform without an inverse.
    pub fn vector_to_local(
        &self,
        node: NodeId,
        vector: &Vector3<X::Scalar>,
    ) -> Result<Vector3<X::Scalar>, HierarchyError> {
        let local = self.world(node)?.inverse_transform_vector(vector);
        local.ok_or(HierarchyError::Singular(node))
    }
}
