use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::spaces::Orientation;
use xform_matrix::AccumulatedMatrix;

use crate::{DecompositionRule, Reason, fold::lengths};

/// What an engine answers when it is asked for the rotation and the scale that a node has in the world. The position is
/// the matrix's own in all of them.
///
/// Below a non-uniform scale a world transform has neither; so every answer is one of several.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Getters {
    /// Both are those of a decomposition of the world matrix.
    Decomposed(DecompositionRule),
    /// The rotation is that of a decomposition; the scale is the lengths of the columns, none of them negative.
    DecomposedAndLengths(DecompositionRule),
    /// The rotation is the product of the local rotations R, and the scale diag(Rᵀ·M), with M the world matrix.
    ProductAndProjected,
    /// Both are the products of those of the local poses.
    Products,
    /// The rotation is that of the polar decomposition, and the scale the singular values, the largest first; both of the
    /// negative of a matrix that mirrors, whose scale is negative then.
    PolarAndSingular,
    /// There are none, or they were not asked.
    NotSeen,
}

/// The answer of [`Getters`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldParts {
    /// The position.
    pub position: Vector3<f64>,
    /// The rotation, which need not have unit length.
    pub rotation: Quaternion<f64>,
    /// The scale.
    pub scale: Vector3<f64>,
}

impl Getters {
    /// The answer for a node with a world transform, and the products of rotations and scales on the path to it.
    ///
    /// # Errors
    ///
    /// [`Reason::ZeroScale`] where an axis has no length; [`Reason::NotSeen`] where the getters were not seen.
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
