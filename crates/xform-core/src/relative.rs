use crate::{Transform, Trs};

/// A strategy in which a node can be placed by the world transform that it should have.
pub trait Relative: Transform {
    /// The local pose that comes nearest to taking `world_from_parent` to this world transform, by
    /// one [`concat`](Transform::concat).
    ///
    /// Nearest in the Frobenius norm of the 3×3 part in the parent's space; the origin is always kept.
    /// `None` where `world_from_parent` has no inverse, or the pose
    /// would not be finite.
    #[must_use]
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<Self::Scalar>>;
}
