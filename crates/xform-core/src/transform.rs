mod parent_frame;
mod relative_transform;
mod sweep;

use std::ops::Range;

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

use crate::{Inherit, Real, Topology, Trs, change::Change};

pub(crate) use parent_frame::{ParentFrame, can_inherit};
pub use relative_transform::RelativeTransform;
pub use sweep::Sweep;
#[cfg(feature = "rayon")]
pub(crate) use sweep::WorldSlice;

/// The world transform of a node, accumulated from the root down by a strategy.
///
/// A strategy is a type that implements this trait: [`concat`](Self::concat) takes one step down, and the
/// other methods say what the result does to points and vectors. The pass over many nodes,
/// [`sweep`](Self::sweep), is provided; a strategy may override it with a faster one.
///
/// There is deliberately no product of two world transforms. The step takes an *authored* pose, because not
/// every strategy is associative; so accumulation always runs from the root down.
pub trait Transform: Copy + Send + Sync + 'static {
    /// The scalar of the world transform and of the poses it is made from.
    type Scalar: Real;

    /// The identity: the world transform of the space above all roots.
    fn identity() -> Self;

    /// One step down: the world transform of a child, from that of its parent and the child's local pose.
    ///
    /// `world_from_child = world_from_parent.concat(&parent_from_child)`
    #[must_use]
    fn concat(&self, local: &Trs<Self::Scalar>) -> Self;

    /// One step down for a child that may inherit only some parts of its parent's transform, as [`Inherit`]
    /// defines.
    #[must_use]
    fn concat_inheriting(&self, local: &Trs<Self::Scalar>, inherit: Inherit) -> Self {
        ParentFrame::new(*self, inherit).concat(local)
    }

    /// Takes a point from the node's space to the world.
    fn transform_point(&self, point: &Point3<Self::Scalar>) -> Point3<Self::Scalar>;

    /// Takes a vector from the node's space to the world; the translation has no effect.
    fn transform_vector(&self, vector: &Vector3<Self::Scalar>) -> Vector3<Self::Scalar>;

    /// Takes a point from the world to the node's space. `None` if there is no inverse.
    fn inverse_transform_point(&self, point: &Point3<Self::Scalar>)
    -> Option<Point3<Self::Scalar>>;

    /// Takes a vector from the world to the node's space. `None` if there is no inverse.
    fn inverse_transform_vector(
        &self,
        vector: &Vector3<Self::Scalar>,
    ) -> Option<Vector3<Self::Scalar>>;

    /// The 3×3 part of the inverse: its columns are the axes of the world in the node's space. `None` if there is no inverse.
    /// Provided: by [`inverse_transform_vector`](Self::inverse_transform_vector), an axis at a time.
    fn inverse_linear(&self) -> Option<Matrix3<Self::Scalar>> {
        let axis = |i| self.inverse_transform_vector(&Vector3::ith(i, Self::Scalar::rounded(1.0)));
        Some(Matrix3::from_columns(&[axis(0)?, axis(1)?, axis(2)?]))
    }

    /// This transform as a 4×4 matrix for column vectors, with last row 0 0 0 1.
    fn to_homogeneous(&self) -> Matrix4<Self::Scalar>;

    /// The translation, rotation and scale of this transform, if the strategy keeps them apart at any
    /// depth.
    ///
    /// Rotation and scale are then the products of the local rotations and scales. `None` if a local pose
    /// acts inside the parent's map as a whole, as in a product of matrices. Provided: `None`.
    fn parts(&self) -> Option<Trs<Self::Scalar>> {
        None
    }

    /// The transform to accumulate from, instead of this one, when two descendants are compared with each
    /// other.
    ///
    /// Whatever acts last on both descendants cancels between them, so it may be left out, and with it the
    /// rounding that it brings. That is the whole of a matrix, but only the rotation and translation if the
    /// scale acts along the axes of the nodes below. Provided: leaves nothing out.
    #[must_use]
    fn for_descendants(&self) -> Self {
        *self
    }

    /// The frame that a child inherits when it leaves out scale or rotation.
    ///
    /// The child's own rotation and scale act in this frame. Its origin is `origin`, which is the child's
    /// origin in the world. [`Inherit`] says what the frame is in each strategy. `None` if the strategy
    /// cannot leave that part out; the child then inherits everything. Provided: made from
    /// [`parts`](Self::parts).
    #[must_use]
    fn inherited(&self, inherit: Inherit, origin: &Point3<Self::Scalar>) -> Option<Self> {
        let inherited = inherit.parts_of(&self.parts()?);
        Some(Self::identity().concat(&inherited.with_translation(origin.coords)))
    }

    /// The parts of a child's world transform that may have changed, given what changed above it and of
    /// itself.
    ///
    /// `self` is the parent's world transform as it is now, of which the parts `of_parent` have changed;
    /// `local` is the child's local pose, of which the parts `of_local` have changed. The result may name
    /// too many parts, but never too few. Provided: all parts if anything changed, else none.
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

    /// Recomputes the world transforms of the slots in `ranges`, with one [`concat`](Self::concat) per
    /// node.
    ///
    /// `ranges` are ascending and do not overlap; what comes of others is not specified. A slot outside them
    /// is read if it is a parent, but never written; so list the descendants of whatever changed as well,
    /// which [`SubtreeRanges`](crate::subtree_ranges::SubtreeRanges) finds.
    ///
    /// Use this if you store poses and world transforms yourself. The topology is checked once, when it is
    /// made, and this call costs what it costs a [`Hierarchy`](crate::Hierarchy). Poses are not checked:
    /// one that [`Trs::check`] refuses makes the whole world transform of its node unusable, and of every
    /// node that inherits from it, but of no other.
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

    /// Like [`accumulate`](Self::accumulate), with every root below a transform, as if it were the world transform of their parent: that
    /// of a model that is drawn many times, of a vehicle that carries the rest, or of a camera whose inverse makes
    /// world transforms those of view space.
    ///
    /// # Panics
    ///
    /// As [`accumulate`](Self::accumulate).
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{nalgebra::Vector3, Topology, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(vehicle: Strategy, wheels: &[Trs<f32>]) {
    /// let topology = Topology::from_parents(&[None, None]).expect("parents first");
    /// let mut worlds = [Strategy::identity(); 2];
    /// Strategy::accumulate_below(&vehicle, &topology, wheels, &mut worlds, &[0..2]);
    /// # }
    /// ```
    fn accumulate_below(
        above: &Self,
        topology: &Topology,
        locals: &[Trs<Self::Scalar>],
        worlds: &mut [Self],
        ranges: &[Range<usize>],
    ) {
        Self::sweep(Sweep::new(topology, locals, worlds, ranges).below(*above));
    }

    /// Runs one pass over the slots. Provided: [`Sweep::run_plain`].
    ///
    /// A strategy may override this with something faster that gives the same results to within rounding.
    fn sweep(sweep: Sweep<'_, Self>) {
        sweep.run_plain();
    }
}
