//! Havok in Babylon.js, and cannon-es with three.js.

use nalgebra::{Matrix3, Vector3};

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame},
};
use crate::{DecompositionRule, LocalPose, MirroredSign, fold::scaled};

/// Havok refuses a quaternion whose length differs from 1 by this much or more.
const UNIT: f64 = 1e-3;

/// `PhysicsAggregate`: column lengths, with y negative if the matrix mirrors, and the quaternion as it is. Havok
/// refuses a quaternion that is not of unit length; the body then stays at the origin of the world, unturned.
pub(super) fn babylon(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let rule = DecompositionRule::SHEPPERD.mirrored(MirroredSign::Y);
    let taken = chain.decomposed(rule)?;
    let is_unit = (taken.rotation.norm() - 1.0).abs() < UNIT;
    let Frame { axes, scale, position } = if is_unit {
        taken.frame
    } else {
        Frame { axes: Matrix3::identity(), position: Vector3::zeros(), ..taken.frame }
    };
    let sizes = scale.abs();
    let (radius, half_height, cap) = match *shape {
        Shape::Sphere { .. } => {
            let collider = Collider::round(shape, axes, [sizes.max(), 1.0], position);
            return Ok(collider.expect("a sphere is round"));
        }
        Shape::Capsule { radius, half_height } => (radius, half_height + radius, 1.0),
        Shape::Cylinder { radius, half_height } => (radius, half_height, 0.0),
        _ => {
            let collider = Collider::boxed(shape, axes, &scale, position);
            return Ok(collider.expect("no round shape"));
        }
    };
    // The lower end is scaled with its sign, and the upper end is a whole height above it.
    let radius = radius * sizes.x;
    let low = -half_height * scale.y + cap * radius;
    let high = -half_height * scale.y + 2.0 * half_height * sizes.y - cap * radius;
    let half_height = (high - low).abs() / 2.0;
    let shape = match shape {
        Shape::Capsule { .. } => Shape::Capsule { radius, half_height },
        _ => Shape::Cylinder { radius, half_height },
    };
    let position = position + axes * Vector3::new(0.0, (low + high) / 2.0, 0.0);
    Ok(Collider { shape, linear: axes, position })
}

/// `PhysicsShapeContainer.addChild` with a scale: Havok scales every point, but does not scale a sphere or a capsule
/// at all if its scale along x is 1.
pub(super) fn havok_child(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } =
        chain.decomposed(DecompositionRule::SHEPPERD.unit())?.frame;
    let is_round = matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. });
    let unscaled = is_round && (scale.x.abs() - 1.0).abs() < 1e-6;
    let linear = if unscaled { axes } else { scaled(&axes, &scale) };
    Ok(Collider::affine(shape, linear, position))
}

/// three-to-cannon. A box is measured on a copy without parents, so only the node's own scale counts. A sphere uses
/// the largest scale. cannon-es uses the quaternion as it is: one of length l makes boxes and hulls smaller by l².
pub(super) fn cannon(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let taken = chain.decomposed(DecompositionRule::SHEPPERD)?;
    let Frame { axes, scale, position } = taken.frame;
    let raw = axes * taken.rotation.norm_squared();
    match shape {
        Shape::Sphere { .. } => {
            let collider = Collider::round(shape, axes, [scale.amax(), 1.0], position);
            Ok(collider.expect("a sphere is round"))
        }
        Shape::Box { .. } => {
            let own = match chain.parted() {
                Some((_, LocalPose::Trs(own))) => own.scale,
                Some((_, LocalPose::Matrix(_))) => {
                    return Err(NoCollider::NotKnown("a box on a node with a matrix"));
                }
                None => Vector3::repeat(1.0),
            };
            Ok(Collider::boxed(shape, raw, &own, position).expect("a box"))
        }
        Shape::Hull(_) => Ok(Collider::boxed(shape, raw, &scale, position).expect("points")),
        // No rule was found that fits the answers for cylinders and meshes.
        _ => Err(NoCollider::NotKnown("a cylinder or a mesh")),
    }
}
