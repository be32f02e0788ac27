use super::Transform;
use crate::Trs;

/// A strategy that can find the local pose that leads to a given world transform.
///
/// A [`Hierarchy`](crate::Hierarchy) with such a strategy can set the world transform of a node, and give a node
/// another parent without moving it.
pub trait RelativeTransform: Transform {
    /// Returns the local pose for which `world_from_parent.concat(&pose)` comes nearest to this world transform.
    ///
    /// Distance is measured by the Frobenius norm of the 3×3 part, in the parent's space. The origin is always kept.
    /// `None` if `world_from_parent` has no inverse, or if the pose would not be finite.
    #[must_use]
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<Self::Scalar>>;
}
