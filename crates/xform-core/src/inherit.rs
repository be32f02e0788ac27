use nalgebra::{UnitQuaternion, Vector3};

use crate::{Real, Trs};

/// The parts of its parent's world transform that a node inherits.
///
/// The parent's whole transform places the node's origin: it is applied to the local translation, except with
/// [`Nothing`](Self::Nothing). The local rotation and scale act in a *frame*, which is the inherited part of the
/// parent's transform:
///
/// ```text
///                 combined TRS    accumulated matrices: M the parent's 3×3 part
/// All             R · S           M
/// NoScale         R               Q      the rotation of the polar decomposition M = Q·P
/// NoRotation      S               Qᵀ·M   = P: M's stretching and skew, along the world's axes
/// PositionOnly    1               1
/// Nothing         1               1      and the origin is the local translation
/// ```
///
/// Q is the rotation nearest to M. If M mirrors, its x axis is reversed first, as in every decomposition here, and
/// the mirroring counts as scale. If M flattens, the missing axes of Q are chosen so that it is a rotation.
///
/// The parts are those of the parent's world transform, not only of its local pose, and descendants inherit the
/// result. For a root this setting makes no difference.
///
/// In other software: OGRE has `setInheritScale` and `setInheritOrientation`. Godot's `top_level`, USD's
/// `resetXformStack` and the three flags of Unreal's `SetAbsolute` together are `Nothing`.
// A matrix hands down its polar rotation if scale is left out. Gram–Schmidt is cheaper but prefers the x axis, so
// the same parent with its axes renamed would rotate its child differently. The rotation that `world_rotation`
// returns, the product of the local rotations, is not contained in a matrix. Every strategy and kernel would have to
// accumulate it as well.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Inherit {
    /// Everything: position, rotation and scale.
    #[default]
    All,
    /// Position and rotation; no scale, so neither skew nor mirroring.
    NoScale,
    /// Position and scale. The scale then acts along the world's axes.
    NoRotation,
    /// Position alone: the parent carries the node along, but neither rotates nor scales it.
    PositionOnly,
    /// Nothing: the local pose is the world transform, as for a root.
    Nothing,
}

impl Inherit {
    /// All variants, from everything to nothing.
    pub const EACH: &[Self] =
        &[Self::All, Self::NoScale, Self::NoRotation, Self::PositionOnly, Self::Nothing];

    /// Returns whether the parent's rotation is inherited.
    #[must_use]
    pub fn rotation(self) -> bool {
        matches!(self, Self::All | Self::NoScale)
    }

    /// Returns whether the parent's scale is inherited.
    #[must_use]
    pub fn scale(self) -> bool {
        matches!(self, Self::All | Self::NoRotation)
    }

    /// Returns the inherited part of a parent's world transform, given as a pose.
    pub(crate) fn parts_of<T: Real>(self, world: &Trs<T>) -> Trs<T> {
        let mut inherited = *world;
        if !self.rotation() {
            inherited = inherited.with_rotation(UnitQuaternion::identity());
        }
        if !self.scale() {
            inherited = inherited.with_scale(Vector3::repeat(T::one()));
        }
        inherited
    }
}
