use std::ops::Range;

use nalgebra::{Matrix4, Point3, Vector3};

use crate::{
    Change, Inherit, Real, Sweep, Topology, Trs,
    inherit::{Above, left_of},
};

/// World transform of a node, accumulated from the root down.
///
/// A strategy is a type that implements this: what one step down does, and what the result does to
/// points and vectors. The pass over many nodes, [`sweep`](Self::sweep), follows from the step and
/// may be overridden by a faster one.
///
/// There is deliberately no product of two worlds: the step takes an *authored* pose, because not
/// every strategy is associative, and so the fold always runs root first.
pub trait Transform: Copy + Send + Sync + 'static {
    /// The scalar of the world transform and of the poses it is made from.
    type Scalar: Real;

    /// The world transform above every root.
    fn identity() -> Self;

    /// One step down: `world_from_child = world_from_parent.concat(&parent_from_child)`.
    #[must_use]
    fn concat(&self, local: &Trs<Self::Scalar>) -> Self;

    /// One step down for a node that inherits this of its parent: [`Inherit`] defines it.
    #[must_use]
    fn concat_inheriting(&self, local: &Trs<Self::Scalar>, inherit: Inherit) -> Self {
        Above::new(*self, inherit).concat(local)
    }

    /// Takes a point from the node's space to the world.
    fn transform_point(&self, point: &Point3<Self::Scalar>) -> Point3<Self::Scalar>;

    /// Takes a vector from the node's space to the world; the translation does not act.
    fn transform_vector(&self, vector: &Vector3<Self::Scalar>) -> Vector3<Self::Scalar>;

    /// Takes a point from the world to the node's space; `None` where there is no inverse.
    fn inverse_transform_point(&self, point: &Point3<Self::Scalar>)
    -> Option<Point3<Self::Scalar>>;

    /// Takes a vector from the world to the node's space; `None` where there is no inverse.
    fn inverse_transform_vector(
        &self,
        vector: &Vector3<Self::Scalar>,
    ) -> Option<Vector3<Self::Scalar>>;

    /// The same map as a 4×4 matrix for column vectors, last row 0 0 0 1.
    fn to_homogeneous(&self) -> Matrix4<Self::Scalar>;

    /// Translation, rotation and scale, where the strategy keeps them apart at any depth: the
    /// products of the local rotations and scales. `None` where the local pose acts inside the
    /// parent's map as a whole, as in a product of matrices.
    fn parts(&self) -> Option<Trs<Self::Scalar>> {
        None
    }

    /// What to accumulate from, in place of this, to compare two nodes that hang below it.
    ///
    /// Whatever acts last on both cancels between them, so it may be left out, and with it the
    /// rounding that it brings: the whole of a matrix, but only rotation and translation where
    /// the scale acts along the axes of the nodes below. Provided: all of it stays.
    #[must_use]
    fn for_descendants(&self) -> Self {
        *self
    }

    /// What a child that inherits no scale, or no rotation, has instead of this: the *frame* that
    /// its own rotation and scale act in, with its origin at the child's. [`Inherit`] says what that
    /// is in each strategy.
    ///
    /// `None` where there is no such thing, and the child inherits everything. Provided: from
    /// [`parts`](Self::parts).
    #[must_use]
    fn inherited(&self, inherit: Inherit, origin: &Point3<Self::Scalar>) -> Option<Self> {
        let left = left_of(&self.parts()?, inherit);
        Some(Self::identity().concat(&left.with_translation(origin.coords)))
    }

    /// What of a child's world transform may have changed with its parent's, this one, and with its
    /// own local pose. Never too little; provided: everything, if anything did.
    #[must_use]
    fn change_below(
        &self,
        of_parent: Change,
        local: &Trs<Self::Scalar>,
        of_local: Change,
    ) -> Change {
        let _ = local;
        Change::ALL.when(!(of_parent | of_local).is_empty())
    }

    /// Recomputes `worlds` in `ranges` of slots, by one [`concat`](Self::concat) a node.
    ///
    /// `ranges` are ascending and do not overlap. A slot outside them is read where it is a
    /// parent and never written, so whoever calls this lists the descendants of what changed.
    ///
    /// This is for those who keep poses and worlds themselves: the topology is checked once, when
    /// it is made, and this call costs what it costs a [`Hierarchy`](crate::Hierarchy). Poses are
    /// not checked: one that [`Trs::check`] refuses spoils its node and those that inherit from it, whole, and
    /// no other.
    ///
    /// # Panics
    ///
    /// If `locals` or `worlds` is not as long as `topology`, or a range reaches beyond it.
    fn accumulate(
        topology: &Topology,
        locals: &[Trs<Self::Scalar>],
        worlds: &mut [Self],
        ranges: &[Range<usize>],
    ) {
        Self::sweep(Sweep::new(topology, locals, worlds, ranges));
    }

    /// Runs one pass over the slots: [`Sweep::run_plain`], which a strategy overrides where it has
    /// something faster that gives the same results to within rounding.
    fn sweep(sweep: Sweep<'_, Self>) {
        sweep.run_plain();
    }
}
