use super::Transform;
use crate::Trs;

/// A strategy that can find the local pose that leads to a given world transform.
///
/// With it a [`Hierarchy`](crate::Hierarchy) can set the world transform of a node, and give a node another
/// parent without moving it.
pub trait RelativeTransform: Transform {
    /// The local pose for which `world_from_parent.concat(&pose)` comes nearest to this world transform.
    ///
    /// Nearest in the Frobenius norm of the 3×3 part, in the parent's space; the origin is always kept.
    /// `None` if `world_from_parent` has no inverse, or the pose would not be finite.
    #[must_use]
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<Self::Scalar>>;
}
