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
/// A strategy is a type that implements this trait. [`concat`](Self::concat) takes one step down, and the other
/// methods define how the result acts on points and vectors. The pass over many nodes, [`sweep`](Self::sweep), is
/// provided; a strategy may override it with a faster one.
///
/// There is deliberately no product of two world transforms. The step takes an *authored* pose because not every
/// strategy is associative, so accumulation always runs from the root down.
pub trait Transform: Copy + Send + Sync + 'static {
    /// The scalar of the world transform and of the poses that it is made from.
    type Scalar: Real;

    /// Returns the identity, which is the world transform of the space above all roots.
    fn identity() -> Self;

    /// Takes one step down: returns the world transform of a child, given its parent's world transform (`self`) and
    /// the child's local pose.
    ///
    /// `world_from_child = world_from_parent.concat(&parent_from_child)`
    #[must_use]
    fn concat(&self, local: &Trs<Self::Scalar>) -> Self;

    /// Takes one step down for a child that may inherit only some parts of its parent's transform, as [`Inherit`]
    /// defines.
    #[must_use]
    fn concat_inheriting(&self, local: &Trs<Self::Scalar>, inherit: Inherit) -> Self {
        ParentFrame::new(*self, inherit).concat(local)
    }

    /// Converts a point from the node's space to the world.
    fn transform_point(&self, point: &Point3<Self::Scalar>) -> Point3<Self::Scalar>;

    /// Converts a vector from the node's space to the world. The translation has no effect.
    fn transform_vector(&self, vector: &Vector3<Self::Scalar>) -> Vector3<Self::Scalar>;

    /// Converts a point from the world to the node's space. Returns `None` if there is no inverse.
    fn inverse_transform_point(&self, point: &Point3<Self::Scalar>)
    -> Option<Point3<Self::Scalar>>;

    /// Converts a vector from the world to the node's space. Returns `None` if there is no inverse.
    fn inverse_transform_vector(
        &self,
        vector: &Vector3<Self::Scalar>,
    ) -> Option<Vector3<Self::Scalar>>;

    /// Returns the 3×3 part of the inverse, whose columns are the world's axes in the node's space. `None` if there
    /// is no inverse.
    ///
    /// Provided: calls [`inverse_transform_vector`](Self::inverse_transform_vector) once for each axis.
    fn inverse_linear(&self) -> Option<Matrix3<Self::Scalar>> {
        let axis = |i| self.inverse_transform_vector(&Vector3::ith(i, Self::Scalar::rounded(1.0)));
        Some(Matrix3::from_columns(&[axis(0)?, axis(1)?, axis(2)?]))
    }

    /// Returns this transform as a 4×4 matrix for column vectors, with last row 0 0 0 1.
    fn to_homogeneous(&self) -> Matrix4<Self::Scalar>;

    /// Returns the translation, rotation and scale of this transform, if the strategy keeps them apart at any depth.
    ///
    /// Rotation and scale are then the products of the local rotations and scales. `None` means that a local pose
    /// acts inside the parent's map as a whole, as in a product of matrices. Provided: `None`.
    fn parts(&self) -> Option<Trs<Self::Scalar>> {
        None
    }

    /// Returns the transform to accumulate from, instead of this one, when two descendants are compared with each
    /// other.
    ///
    /// Parts that act last on both descendants cancel out between them. They may be left out, which also removes the
    /// rounding that they cause. For a matrix this is all of it. For a strategy whose scale acts along the axes of
    /// the nodes below, it is only the rotation and translation. Provided: leaves nothing out.
    #[must_use]
    fn for_descendants(&self) -> Self {
        *self
    }

    /// Returns the frame that a child inherits when it leaves out scale or rotation.
    ///
    /// The child's own rotation and scale act in this frame. Its origin is `origin`, the child's origin in the
    /// world. [`Inherit`] defines the frame for each strategy. `None` means that the strategy cannot leave that part
    /// out; the child then inherits everything. Provided: made from [`parts`](Self::parts).
    #[must_use]
    fn inherited(&self, inherit: Inherit, origin: &Point3<Self::Scalar>) -> Option<Self> {
        let inherited = inherit.parts_of(&self.parts()?);
        Some(Self::identity().concat(&inherited.with_translation(origin.coords)))
    }

    /// Returns the parts of a child's world transform that may have changed, given the changes above it and in its
    /// local pose.
    ///
    /// `self` is the parent's current world transform, in which the parts `of_parent` have changed. `local` is the
    /// child's local pose, in which the parts `of_local` have changed. The result may name too many parts, but never
    /// too few. Provided: all parts if anything changed, otherwise none.
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

    /// Recomputes the world transforms of the slots in `ranges`, with one [`concat`](Self::concat) per node.
    ///
    /// `ranges` must be ascending and must not overlap; the result is otherwise unspecified. A slot outside them is
    /// read if it is a parent, but never written. So also list the descendants of every slot that changed;
    /// [`SubtreeRanges`](crate::subtree_ranges::SubtreeRanges) finds them.
    ///
    /// Use this if you store poses and world transforms yourself. The topology is checked once, when it is made, and
    /// this call costs as much as it costs a [`Hierarchy`](crate::Hierarchy). Poses are not checked. A pose that
    /// [`Trs::check`] refuses makes the whole world transform of its node unusable, and those of all nodes that
    /// inherit from it, but no others.
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

    /// Like [`accumulate`](Self::accumulate), with a transform above all roots, as if it were the world transform of
    /// their parent.
    ///
    /// Use it to place a model that is drawn many times, to attach the roots to a vehicle that carries them, or to
    /// get view-space transforms from the inverse of a camera.
    ///
    /// # Panics
    ///
    /// As for [`accumulate`](Self::accumulate).
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
    /// A strategy may override this with a faster pass that gives the same results to within rounding.
    fn sweep(sweep: Sweep<'_, Self>) {
        sweep.run_plain();
    }
}
