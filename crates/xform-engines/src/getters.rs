use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::spaces::Orientation;
use xform_matrix::AccumulatedMatrix;

use crate::{DecompositionRule, Reason, fold::lengths};

/// The rule by which an engine's getters return the world rotation and the world scale of a node. The world position
/// is that of the matrix in every engine.
///
/// Below a non-uniform scale a world transform need not have a rotation and a scale, so each engine returns one of
/// several approximations.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Getters {
    /// Both come from a decomposition of the world matrix.
    Decomposed(DecompositionRule),
    /// The rotation comes from a decomposition. The scale is the lengths of the columns, never negative.
    DecomposedAndLengths(DecompositionRule),
    /// The rotation is the product of the local rotations, R, and the scale is diag(Rᵀ·M), where M is the world
    /// matrix.
    ProductAndProjected,
    /// Both are the products along the path: of the local rotations, and of the local scales.
    Products,
    /// The rotation is that of the polar decomposition, and the scale the singular values, largest first. If the
    /// matrix mirrors, both are those of its negative, and the scale is made negative.
    PolarAndSingular,
    /// The engine has no such getters, or nobody asked them.
    NotSeen,
}

/// The result of [`Getters`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldParts {
    /// The position.
    pub position: Vector3<f64>,
    /// The rotation, not necessarily of unit length.
    pub rotation: Quaternion<f64>,
    /// The scale.
    pub scale: Vector3<f64>,
}

impl Getters {
    /// Returns the getters' answer for a node, given its world transform and the products of the rotations and of the
    /// scales on its path.
    ///
    /// # Errors
    ///
    /// - [`Reason::ZeroScale`] if an axis has no length.
    /// - [`Reason::NotSeen`] if the getters were not seen.
    /// - [`Reason::Overflow`] if a matrix to be decomposed has a number that is not finite.
    pub fn world_parts(
        self,
        world: &AccumulatedMatrix<f64>,
        rotations: &UnitQuaternion<f64>,
        scales: &Vector3<f64>,
    ) -> Result<WorldParts, Reason> {
        let (position, linear) = (world.translation(), world.linear());
        let (rotation, scale) = match self {
            Self::Decomposed(decomposition) => {
                let parts = decomposition.parts(&linear)?;
                (parts.rotation, parts.scale)
            }
            Self::DecomposedAndLengths(decomposition) => {
                (decomposition.parts(&linear)?.rotation, lengths(&linear)?)
            }
            Self::ProductAndProjected => {
                let turned = rotations.to_rotation_matrix();
                (rotations.into_inner(), (turned.matrix().transpose() * linear).diagonal())
            }
            Self::PolarAndSingular => {
                let sign =
                    if Orientation::of(&linear) == Orientation::Mirrored { -1.0 } else { 1.0 };
                let singular = linear.singular_values() * sign;
                (DecompositionRule::POLAR.parts(&(linear * sign))?.rotation, singular)
            }
            Self::Products => (rotations.into_inner(), *scales),
            Self::NotSeen => return Err(Reason::NotSeen),
        };
        Ok(WorldParts { position, rotation, scale })
    }
}
