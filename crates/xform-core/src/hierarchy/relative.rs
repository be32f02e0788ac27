use nalgebra::{ComplexField, Matrix4, UnitQuaternion, Vector3};

use super::Hierarchy;
use crate::{
    HierarchyError, Inherit, Kept, NodeId, Place, Real, Relative, Trs, conversion::End,
    inherit::Above, tree::NIL,
};

/// A local pose, and what it keeps.
type Fitted<T> = (Trs<T>, Kept<T>);

/// Keeping a node where it is in the world.
impl<X: Relative> Hierarchy<X> {
    /// The local pose that a node would need as a child of `base`, or as a root, to stay where it is,
    /// and what of its world transform it would keep. It [inherits](Inherit) what it does now.
    ///
    /// # Errors
    ///
    /// An unknown node; a base without an inverse; a pose that would not be finite.
    pub fn relative_pose(
        &self,
        node: NodeId,
        base: impl Into<Option<NodeId>>,
    ) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let base = base.into().map_or(Ok(NIL), |base| self.tree.index(base))?;
        self.relative(self.tree.index(node)?, base)
    }

    fn relative(&self, node: u32, base: u32) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let inherit = self.inherit_of(node);
        let above = Above::new(self.world_of(base), inherit);
        if inherit != Inherit::All {
            let wanted = self.world_of(node);
            return self.fitted((node, base), &above, &wanted, above.relative(&wanted));
        }
        let [end, base_end] = self.ends(node, base);
        let nearest = end.transform.relative_to(&base_end.transform);
        let wanted = self.world_of(node);
        // With the rotations as they were made, if that will do: a matrix does not remember which
        // axis is mirrored, nor how something without a size is turned.
        if let Some(local) =
            nearest.and_then(|nearest| with_own_rotation(&nearest, &end, &base_end))
        {
            let kept = self.fitted((node, base), &above, &wanted, Some(local));
            if kept.is_ok_and(|(_, kept)| kept.is_exact()) {
                return kept;
            }
        }
        self.fitted((node, base), &above, &wanted, nearest)
    }

    /// The local pose of a node below a parent, and how well it gives the world that is wanted.
    fn fitted(
        &self,
        (node, parent): (u32, u32),
        above: &Above<X>,
        wanted: &X,
        local: Option<Trs<X::Scalar>>,
    ) -> Result<Fitted<X::Scalar>, HierarchyError> {
        let node = self.tree.id(node);
        let parent_id = (parent != NIL).then(|| self.tree.id(parent));
        let wanted = wanted.to_homogeneous();
        let local = local.ok_or(match parent_id {
            Some(parent) if is_finite(&wanted) => HierarchyError::Singular(parent),
            _ => HierarchyError::WorldNotFinite(node),
        })?;
        local.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
        let kept = Kept::by((node, parent_id), above, &local, &wanted)?;
        Ok((local, kept))
    }

    /// Moves a node with all its descendants to another parent, and keeps its world transform as
    /// far as there is a local pose for it.
    ///
    /// In combined TRS there is one wherever the new parent's world scale has no zero. In
    /// accumulated matrices there is none where the new parent's axes, seen from it, are skewed: it
    /// gets the nearest translation, rotation and scale, and keeps its origin.
    /// [`relative_pose`](Self::relative_pose) says beforehand what will be kept.
    ///
    /// A new place among the siblings it has already leaves its pose as it is.
    ///
    /// # Errors
    ///
    /// As for [`reparent`](Self::reparent); a new parent without an inverse; a pose that would not
    /// be finite.
    pub fn reparent_keeping_world(
        &mut self,
        node: NodeId,
        place: impl Into<Place>,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let place = place.into();
        let (index, parent) = self.with_parent(node)?;
        let gap = self.tree.gap(place)?;
        if gap.parent == parent {
            self.reparent(node, place)?;
            return Ok(Kept::Exact);
        }
        self.check_not_below(index, gap)?;
        let (local, kept) = self.relative(index, gap.parent)?;
        self.reparent(node, place)?;
        self.set_local(node, local)?;
        Ok(kept)
    }

    /// Sets the local pose of a node so that its world transform comes as near to `world` as there
    /// is a pose for it; its origin is always where it should be.
    ///
    /// # Errors
    ///
    /// An unknown node; a parent without an inverse; a `world` or a pose that is not finite.
    pub fn set_world(
        &mut self,
        node: NodeId,
        world: &X,
    ) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (index, parent) = self.with_parent(node)?;
        let above = self.above(index);
        let local = above.relative(world);
        let (local, kept) = self.fitted((index, parent), &above, world, local)?;
        self.set_local(node, local)?;
        Ok(kept)
    }
}

/// A pose with the rotation that leads from one node to another, and the scale that fits it best.
fn with_own_rotation<X: Relative>(
    nearest: &Trs<X::Scalar>,
    node: &End<X>,
    base: &End<X>,
) -> Option<Trs<X::Scalar>> {
    let rotation = base.turn.to_local(&node.turn.rotation);
    let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
    let fit = |i| {
        let axis = Vector3::ith(i, X::Scalar::rounded(1.0));
        let own =
            base.transform.inverse_transform_vector(&node.transform.transform_vector(&axis))?;
        Some((rotation * axis).dot(&own))
    };
    let scale = Vector3::new(fit(0)?, fit(1)?, fit(2)?);
    Some(nearest.with_rotation(rotation).with_scale(scale))
}

fn is_finite<T: Real>(matrix: &Matrix4<T>) -> bool {
    matrix.iter().all(ComplexField::is_finite)
}
