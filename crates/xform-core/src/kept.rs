use nalgebra::{ComplexField, Matrix3, Matrix4, Vector3};

use crate::{
    HierarchyError, NodeId, Real, Transform, Trs,
    linear::{axis_lengths, length, skew, worst_corner},
    transform::ParentFrame,
};

/// How much of a requested world transform an edit in the world kept.
///
/// A node can only have a translation, a rotation and a scale in its parent's space. If these cannot produce the
/// requested world transform, the node gets another one, and this value says how far off that is.
// `Kept` is measured, not derived: after an edit, the world transform that the new pose gives is compared with the
// requested one, corner by corner. So one definition serves every edit and strategy, and an edit that should be
// exact but loses something to underflow or a badly conditioned parent is reported as lossy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept<T: Real> {
    /// Everything: no corner of the node's unit cube [−½, ½]³ is off by more than
    /// [`BOUND`](Kept::BOUND)·ε·r.
    ///
    /// ε is the scalar's epsilon, and r is the size of the values in the computation: ‖F‖·‖s‖ + ‖P‖·‖t‖ + ‖p‖. P and
    /// p are the parent's 3×3 part and translation. F is the part of P that the node [inherits](crate::Inherit),
    /// usually all of it. s and t are the scale and translation of the local pose. The rounding of P itself is not
    /// counted.
    Exact,
    /// Not everything: the result differs from the request.
    Lossy {
        /// The skew, in radians, that the node would need in its parent's space and cannot have. Zero if the cause
        /// is something else, such as a scale along the wrong axis below a quarter turn.
        skew: T,
        /// The distance, in the world, by which the worst corner of the node's unit cube [−½, ½]³ is off.
        displacement: T,
    },
}

impl<T: Real> Kept<T> {
    /// The limit, in units of ε·r, up to which a result counts as [`Exact`](Self::Exact).
    pub const BOUND: f64 = 32.0;

    /// Returns whether nothing is lost.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exact)
    }

    /// Compares the world transform that a local pose gives a node with the requested one.
    pub(crate) fn comparing<X: Transform<Scalar = T>>(
        (node, parent_id): (NodeId, Option<NodeId>),
        parent_frame: &ParentFrame<X>,
        local: &Trs<T>,
        wanted: &Matrix4<T>,
    ) -> Result<Self, HierarchyError> {
        let displacement = Self::displacement(node, parent_frame, local, wanted)?;
        let Some(displacement) = displacement else { return Ok(Self::Exact) };
        let frame = parent_frame.frame();
        // Axis by axis, since the sizes of a parent and an axis may cancel where an inverse alone would overflow.
        let axis = |i| {
            let axis: Vector3<T> = wanted.fixed_view::<3, 1>(0, i).into_owned();
            let own = frame.inverse_transform_vector(&axis);
            own.ok_or_else(|| parent_frame.why_outside(node, parent_id, true))
        };
        let needed = Matrix3::from_columns(&[axis(0)?, axis(1)?, axis(2)?]);
        Ok(Self::Lossy { skew: skew(&needed).unwrap_or(T::zero()), displacement })
    }

    /// Returns the distance by which the worst corner of the unit cube of a node with this local pose is off, or
    /// `None` if the pose keeps everything.
    ///
    /// # Errors
    ///
    /// The world transform, or its difference from the requested one, is not finite.
    pub(crate) fn displacement<X: Transform<Scalar = T>>(
        node: NodeId,
        parent_frame: &ParentFrame<X>,
        local: &Trs<T>,
        wanted: &Matrix4<T>,
    ) -> Result<Option<T>, HierarchyError> {
        let difference = parent_frame.concat(local).to_homogeneous() - wanted;
        if !difference.iter().all(ComplexField::is_finite) {
            return Err(HierarchyError::WorldNotFinite(node));
        }
        let displacement = worst_corner(&difference);
        let size = |frame: &X| {
            length(&axis_lengths(&frame.to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned()))
        };
        let parent = &parent_frame.parent;
        let moved = length(&parent.to_homogeneous().fixed_view::<3, 1>(0, 3).into_owned());
        let parent_size = size(parent);
        let frame_size = parent_frame.own_frame().map_or(parent_size, |frame| size(&frame));
        let reach =
            frame_size * length(&local.scale) + parent_size * length(&local.translation) + moved;
        let is_exact = reach.is_finite()
            && displacement <= T::rounded(Self::BOUND) * T::default_epsilon() * reach;
        Ok((!is_exact).then_some(displacement))
    }
}
