use bevy_ecs::component::Component;
#[cfg(feature = "bevy_reflect")]
use bevy_ecs::reflect::ReflectComponent;
#[cfg(feature = "bevy_reflect")]
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
#[cfg(all(feature = "bevy_reflect", feature = "serialize"))]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};

/// The parts of its parent's [`GlobalTransform`](bevy_transform::components::GlobalTransform) that an entity inherits.
///
/// An entity without this component inherits everything. It can be inserted, changed and removed at any time.
/// Descendants inherit the result. On a root it has no effect.
///
/// The entity's origin still follows its parent: the parent's whole transform is applied to the entity's
/// translation. The exception is [`Nothing`](Self::Nothing). [`xform_core::Inherit`] defines what remains of the
/// parent's rotation and scale in both strategies.
///
/// # Examples
///
/// A health bar that follows its owner but neither turns nor grows with it:
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// # use xform_bevy::Inherit;
/// # fn spawn(mut commands: Commands, owner: Entity) {
/// commands.spawn((Transform::from_xyz(0.0, 2.0, 0.0), Inherit::PositionOnly, ChildOf(owner)));
/// # }
/// ```
// Repeats the enum of the core, which does not depend on Bevy: only a type of this crate can be a component and be
// reflected.
#[derive(Clone, Component, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "bevy_reflect",
    derive(Reflect),
    reflect(Component, Debug, Default, Hash, PartialEq, Clone)
)]
#[cfg_attr(feature = "serialize", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(all(feature = "bevy_reflect", feature = "serialize"), reflect(Deserialize, Serialize))]
pub enum Inherit {
    /// Everything, as without this component.
    #[default]
    All,
    /// Position and rotation. A hand keeps its shape below an arm with a non-uniform scale.
    NoScale,
    /// Position and scale. The scale then acts along the world's axes.
    NoRotation,
    /// Position alone: the parent carries the entity along, but neither rotates nor scales it.
    PositionOnly,
    /// Nothing: the entity's `Transform` is its world transform.
    Nothing,
}

impl From<Inherit> for xform_core::Inherit {
    fn from(inherit: Inherit) -> Self {
        match inherit {
            Inherit::All => Self::All,
            Inherit::NoScale => Self::NoScale,
            Inherit::NoRotation => Self::NoRotation,
            Inherit::PositionOnly => Self::PositionOnly,
            Inherit::Nothing => Self::Nothing,
        }
    }
}
