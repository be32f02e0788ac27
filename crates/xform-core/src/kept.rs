use nalgebra::{ComplexField, Matrix3, Matrix4, Vector3, Vector4};

use crate::{
    HierarchyError, NodeId, Real, Transform, Trs,
    inherit::Above,
    linear::{axis_lengths, length, skew},
};

/// What an operation in the world could keep of the world transform that was asked for.
///
/// A node has a translation, a rotation and a scale in its parent's space. Where the world transform
/// that it should get is no such pose there, it gets another, and this says by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept<T: Real> {
    /// All of it: no corner of the node's unit cube [−½, ½]³ is off by more than
    /// [`BOUND`](Kept::BOUND)·ε·r, ε the scalar's epsilon and r the size of what was computed with:
    /// ‖F‖·‖s‖ + ‖P‖·‖t‖ + ‖p‖, P and p the parent's 3×3 part and translation, F what of P the node
    /// [inherits](crate::Inherit), all of it as a rule, s and t the scale and translation of the local
    /// pose. The rounding of P itself is not counted.
    Exact,
    /// Not all of it.
    Lossy {
        /// The skew in radians that the node would need in its parent's space, and cannot have. Zero
        /// where something else is in the way: below a quarter turn a scale along the wrong axis.
        skew: T,
        /// How far the worst corner of the node's unit cube [−½, ½]³ is off, in the world.
        displacement: T,
    },
}

impl<T: Real> Kept<T> {
    /// How many units of rounding count as exact.
    pub const BOUND: f64 = 32.0;

    /// Whether nothing is lost.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exact)
    }

    /// Compares what a pose gives a node below a parent with the world transform that was wanted.
    pub(crate) fn by<X: Transform<Scalar = T>>(
        (node, parent_id): (NodeId, Option<NodeId>),
        above: &Above<X>,
        local: &Trs<T>,
        wanted: &Matrix4<T>,
    ) -> Result<Self, HierarchyError> {
        let found = above.concat(local).to_homogeneous();
        let difference = found - wanted;
        if !difference.iter().all(ComplexField::is_finite) {
            return Err(HierarchyError::WorldNotFinite(node));
        }
        let displacement = worst_corner(&difference);
        let (parent, frame) = (above.parent.to_homogeneous(), above.frame());
        let moved = length(&parent.fixed_view::<3, 1>(0, 3).into_owned());
        let [parent_size, frame_size] = [parent, frame.to_homogeneous()]
            .map(|matrix| length(&axis_lengths(&matrix.fixed_view::<3, 3>(0, 0).into_owned())));
        let reach =
            frame_size * length(&local.scale) + parent_size * length(&local.translation) + moved;
        if displacement <= T::rounded(Self::BOUND) * T::default_epsilon() * reach {
            return Ok(Self::Exact);
        }
        let axis = |i| {
            let axis: Vector3<T> = wanted.fixed_view::<3, 1>(0, i).into_owned();
            let own = frame.inverse_transform_vector(&axis);
            own.ok_or(HierarchyError::Singular(parent_id.unwrap_or(node)))
        };
        let needed = Matrix3::from_columns(&[axis(0)?, axis(1)?, axis(2)?]);
        Ok(Self::Lossy { skew: skew(&needed).unwrap_or(T::zero()), displacement })
    }
}

/// The longest that the difference of two affine maps makes a corner of the unit cube.
fn worst_corner<T: Real>(difference: &Matrix4<T>) -> T {
    let half = T::rounded(0.5);
    let corners = (0..8_u8).map(|corner| {
        let side = |axis: u8| if corner >> axis & 1 == 0 { half } else { -half };
        let moved = difference * Vector4::new(side(0), side(1), side(2), T::one());
        length(&moved.xyz())
    });
    corners.fold(T::zero(), T::max)
}
