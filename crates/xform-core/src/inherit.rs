use nalgebra::{Point3, Vector3};

use crate::{Change, Real, Relative, Transform, Trs};

/// What a node takes over from its parent's world transform.
///
/// The origin of a node lies where the whole of its parent's transform takes the translation of the
/// local pose; only [`Nothing`](Self::Nothing) frees it of that too. What is left of the rest is the
/// *frame* that the local rotation and scale act in:
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
/// The rotation Q is the nearest to M there is. Where M mirrors, its x axis is turned round first, as
/// in every decomposition here, and the mirroring counts as scale; where M flattens, Q is completed.
///
/// It is that of the world transform of the parent, not of its local pose alone, and descendants
/// inherit what came out. For a root it makes no difference.
///
/// Known elsewhere: OGRE's `setInheritScale` and `setInheritOrientation`; Godot's `top_level`, USD's
/// `resetXformStack` and the three flags of Unreal's `SetAbsolute` together are `Nothing`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Inherit {
    /// Everything: position, rotation and scale.
    #[default]
    All,
    /// Position and rotation; no scale, and with it no skew and no mirroring.
    NoScale,
    /// Position and scale, which then acts along the world's axes.
    NoRotation,
    /// Position alone: the node is carried along, and neither turned nor scaled.
    PositionOnly,
    /// Nothing: the local pose is the world transform, as for a root.
    Nothing,
}

impl Inherit {
    /// All of them, from everything to nothing.
    pub const EACH: [Self; 5] =
        [Self::All, Self::NoScale, Self::NoRotation, Self::PositionOnly, Self::Nothing];

    /// Whether the parent's rotation acts.
    #[must_use]
    pub fn rotation(self) -> bool {
        matches!(self, Self::All | Self::NoScale)
    }

    /// Whether the parent's scale acts.
    #[must_use]
    pub fn scale(self) -> bool {
        matches!(self, Self::All | Self::NoRotation)
    }

    /// Whether a strategy can leave out what this leaves out.
    pub(crate) fn is_possible<X: Transform>(self) -> bool {
        let needs_parts = matches!(self, Self::NoScale | Self::NoRotation);
        !needs_parts || X::identity().inherited(self, &Point3::origin()).is_some()
    }
}

/// What a node hangs from: its parent's world transform, and what it inherits of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above<X> {
    /// Where the origin is placed. The identity where nothing is inherited.
    pub(crate) parent: X,
    /// Never [`Inherit::Nothing`].
    inherit: Inherit,
}

impl<X: Transform> Above<X> {
    pub(crate) fn new(parent: X, inherit: Inherit) -> Self {
        match inherit {
            Inherit::Nothing => Self { parent: X::identity(), inherit: Inherit::All },
            _ => Self { parent, inherit },
        }
    }

    /// What rotation and scale act in, with its origin at a point; `None` where that is the parent.
    fn frame_at(&self, origin: &Point3<X::Scalar>) -> Option<X> {
        match self.inherit {
            Inherit::All => None,
            Inherit::PositionOnly => {
                Some(X::identity().concat(&Trs::from_translation(origin.coords)))
            }
            some => self.parent.inherited(some, origin),
        }
    }

    /// What rotation and scale act in, with its origin where the parent's is.
    pub(crate) fn frame(&self) -> X {
        let origin = self.parent.transform_point(&Point3::origin());
        self.frame_at(&origin).unwrap_or(self.parent)
    }

    /// One step down.
    pub(crate) fn concat(&self, local: &Trs<X::Scalar>) -> X {
        let origin = self.parent.transform_point(&local.translation.into());
        match self.frame_at(&origin) {
            Some(frame) => frame.concat(&local.with_translation(Vector3::zeros())),
            None => self.parent.concat(local),
        }
    }

    /// What may have changed of a child, where this is its parent as it is now; see
    /// [`Transform::change_below`].
    pub(crate) fn change_below(
        &self,
        of_parent: Change,
        local: &Trs<X::Scalar>,
        of_local: Change,
    ) -> Change {
        let axes = Change::ROTATION | Change::SCALE;
        let is_carried = local.translation != Vector3::zeros() && of_parent.intersects(axes);
        let is_moved = (of_parent | of_local).intersects(Change::POSITION) || is_carried;
        let of_frame = match self.inherit {
            Inherit::All => return self.parent.change_below(of_parent, local, of_local),
            Inherit::NoScale | Inherit::NoRotation if of_parent.intersects(axes) => axes,
            _ => self.frame().change_below(Change::NONE, local, of_local),
        };
        of_frame | Change::POSITION.when(is_moved)
    }

    /// A vector along the axes that rotation and scale act in, in the space that the translation is
    /// given in; `None` where the parent has no inverse.
    pub(crate) fn step_in_parent(&self, step: &Vector3<X::Scalar>) -> Option<Vector3<X::Scalar>> {
        match self.inherit {
            Inherit::All => Some(*step),
            _ => self.parent.inverse_transform_vector(&self.frame().transform_vector(step)),
        }
    }
}

impl<X: Relative> Above<X> {
    /// The local pose that comes nearest to this world transform; see [`Relative::relative_to`].
    pub(crate) fn relative(&self, world: &X) -> Option<Trs<X::Scalar>> {
        let local = world.relative_to(&self.frame())?;
        if self.inherit == Inherit::All {
            return Some(local);
        }
        let origin = world.transform_point(&Point3::origin());
        let translation = self.parent.inverse_transform_point(&origin)?.coords;
        let local = local.with_translation(translation);
        local.check().is_ok().then_some(local)
    }
}

/// Leaves out what a pose that stands for a whole world transform does not hand down.
pub(crate) fn left_of<T: Real>(parts: &Trs<T>, inherit: Inherit) -> Trs<T> {
    let mut left = *parts;
    if !inherit.rotation() {
        left = left.with_rotation(nalgebra::UnitQuaternion::identity());
    }
    if !inherit.scale() {
        left = left.with_scale(Vector3::repeat(T::one()));
    }
    left
}
