use super::{
    Collider, NoCollider, Shape, ShapeKind, bullet, chain::Chain, jolt, lossy, rapier, web,
};
use crate::LocalPose;

/// How an engine derives a collider from a shape and the poses above it. If a scale of zero leaves an axis without
/// length, the collider is not known under any rule.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColliderRule {
    /// Every point is transformed by the world matrix.
    Exact,
    /// Every point of a mesh, hull, cylinder or cone is transformed by the world matrix: the pose is the rotation of
    /// the polar decomposition, and the scale of the mesh its symmetric factor. No hull is made of a matrix that
    /// mirrors.
    PhysxPolar,
    /// Column lengths are the scale of a mesh. Spheres, boxes and capsules have no scale. No hull is made of a matrix
    /// that mirrors.
    PhysxLengths,
    /// Gram–Schmidt with x first, and every point scaled in that frame, as rays see it.
    JoltMatrix,
    /// Column lengths and a unit quaternion, then the nearest scale that the shape can have.
    JoltScaleShape,
    /// Gram–Schmidt at each node from the inside out, then the nearest scale that the shape can have, around its
    /// centre of mass.
    JoltNested,
    /// Gram–Schmidt with x first, then the nearest scale that the shape can have.
    GodotJolt,
    /// Column lengths, with y negative if the matrix mirrors. If the quaternion is not of unit length, the collider
    /// is at the origin of the world.
    BabylonAggregate,
    /// Column lengths and a unit quaternion. Havok scales every point, but not a sphere or a capsule whose scale
    /// along x is 1.
    HavokChild,
    /// Column lengths and a unit quaternion, then `setLocalScaling`.
    BulletLocalScaling,
    /// Combined TRS, then `setLocalScaling`.
    BulletCompound,
    /// Gram–Schmidt with y first and the quaternion of the sheared matrix, then `setLocalScaling`.
    PandaBody,
    /// The same without the scale.
    PandaShape,
    /// Combined TRS, without mirrors.
    AvianChild,
    /// The same below a body on the root.
    AvianRoot,
    /// In the first update: column lengths, and the quaternion as it is.
    AvianFirst,
    /// The product of the rotations, the exact position, and column lengths.
    BevyRapierChild,
    /// The same below a body on the root.
    BevyRapierRoot,
    /// Column lengths, multiplied with the arguments of the component in order. The position is multiplied by the
    /// scale once more.
    R3Component,
    /// Column lengths, and the rotation through Euler angles.
    R3Automatic,
    /// The rotation of the decomposed body times that of the mesh, and the scale of the mesh's world matrix.
    R3BodyBelow,
    /// Column lengths and the quaternion as it is. A box uses the scale of its own node only.
    Cannon,
    /// The product of the rotations, and the lossy scale.
    Arche,
    /// The same, but a sphere uses the largest scale.
    Unity,
    /// Combined TRS. A sphere and a capsule use the smallest scale.
    Unreal,
}

const RADIUS_MEAN: &str =
    "the mean of the scales along x and z for the radius, and the scale along y for the height";

impl ColliderRule {
    /// Returns the collider of a shape on the last node of a chain of local poses, which begins with the root.
    ///
    /// # Errors
    ///
    /// The reason why there is no collider, or why it is not known.
    pub fn collider(self, chain: &[LocalPose], shape: &Shape) -> Result<Collider, NoCollider> {
        let rule = match self {
            Self::Exact => lossy::exact,
            Self::PhysxPolar => lossy::physx_polar,
            Self::PhysxLengths => lossy::physx_lengths,
            Self::JoltMatrix => jolt::matrix,
            Self::JoltScaleShape => jolt::scale_shape,
            Self::JoltNested => jolt::nested,
            Self::GodotJolt => jolt::godot,
            Self::BabylonAggregate => web::babylon,
            Self::HavokChild => web::havok_child,
            Self::BulletLocalScaling => bullet::local_scaling,
            Self::BulletCompound => bullet::compound,
            Self::PandaBody => bullet::panda_body,
            Self::PandaShape => bullet::panda_shape,
            Self::AvianChild => rapier::avian_child,
            Self::AvianRoot => rapier::avian_root,
            Self::AvianFirst => rapier::avian_first,
            Self::BevyRapierChild => rapier::bevy_rapier_child,
            Self::BevyRapierRoot => rapier::bevy_rapier_root,
            Self::R3Component => rapier::r3_component,
            Self::R3Automatic => rapier::r3_automatic,
            Self::R3BodyBelow => rapier::r3_body_below,
            Self::Cannon => web::cannon,
            Self::Arche => lossy::arche,
            Self::Unity => lossy::unity,
            Self::Unreal => lossy::unreal,
        };
        let collider: Collider = rule(Chain(chain), shape)?;
        let numbers = collider.linear.iter().chain(&collider.position);
        let reach = collider.shape.support(&nalgebra::Vector3::repeat(1.0));
        let is_finite = reach.is_finite() && numbers.into_iter().all(|number| number.is_finite());
        if is_finite { Ok(collider) } else { Err(crate::Reason::Overflow.into()) }
    }

    /// Describes which of the scales above it a shape of this kind uses. For a kind that cannot reach the engine the
    /// text is arbitrary.
    pub(super) fn takes(self, kind: ShapeKind) -> &'static str {
        use ShapeKind::{Box, Capsule, Cone, Cylinder, Hull, Mesh, Sphere};
        match (self, kind) {
            (Self::Exact | Self::PhysxPolar, _) => "every point exactly as drawn",
            (Self::PhysxLengths, Sphere | Box | Capsule) | (Self::PandaShape, _) => {
                "no scale at all"
            }
            (Self::GodotJolt | Self::JoltScaleShape | Self::JoltNested, Sphere | Capsule) => {
                "the mean of the three scales"
            }
            (Self::GodotJolt | Self::JoltScaleShape | Self::JoltNested, Cylinder | Cone) => {
                RADIUS_MEAN
            }
            (Self::PandaBody, Cone) | (Self::Cannon, Cylinder | Mesh) => "not known",
            (Self::BabylonAggregate | Self::Cannon | Self::Unity, Sphere) => {
                "the largest of the three scales"
            }
            (
                Self::BulletLocalScaling
                | Self::BulletCompound
                | Self::PandaBody
                | Self::R3Component
                | Self::R3Automatic
                | Self::R3BodyBelow,
                Sphere,
            ) => "the scale along x",
            (
                Self::BabylonAggregate
                | Self::BulletLocalScaling
                | Self::BulletCompound
                | Self::PandaBody,
                Capsule | Cylinder,
            ) => "the scale along x for the radius, and the scale along y for the height",
            (Self::BulletLocalScaling | Self::BulletCompound, Cone) => RADIUS_MEAN,
            (Self::R3Component, Capsule | Cylinder | Cone) => {
                "the scale along x for the half height, and the scale along y for the radius"
            }
            (Self::Cannon, Box) => "only the scale of its own node",
            (Self::Unreal, Sphere | Capsule) => "the smallest of the three scales",
            (Self::Arche, Sphere | Capsule | Cylinder | Cone)
            | (Self::Unity, Capsule | Hull | Mesh)
            | (Self::Unreal, Hull | Mesh) => "a uniform scale; others are not known",
            (Self::AvianChild | Self::AvianRoot | Self::Unreal | Self::BulletCompound, _) => {
                "each scale along the shape's own axes"
            }
            _ => "each scale along its own axis, without skew",
        }
    }
}
