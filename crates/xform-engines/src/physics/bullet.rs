//! Bullet, and Panda3D's use of it.

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame, rotation_matrix},
};
use crate::{
    DecompositionRule, MirroredSign, ScaleSource, decomposition::shepperd, fold::unscaled,
};

/// The margin around every convex shape, `CONVEX_DISTANCE_MARGIN`, in units of the scene.
const MARGIN: f64 = 0.04;

/// `setLocalScaling`: in round shapes x scales the radius and y the height; a cone uses the mean of x and z for its
/// radius.
fn scaled(shape: &Shape, frame: &Frame) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = frame;
    let sizes = scale.abs();
    let collider = match *shape {
        Shape::Cone { .. } if scale.min() < 0.0 => {
            return Err(NoCollider::NotKnown("a cone below a negative scale"));
        }
        Shape::Cone { .. } => {
            Collider::round(shape, *axes, [(scale.x + scale.z) / 2.0, scale.y], *position)
        }
        Shape::Capsule { radius, half_height }
            if (radius + MARGIN) * sizes.x <= MARGIN
                || (half_height + MARGIN) * sizes.y < MARGIN =>
        {
            return Err(NoCollider::NotKnown("a capsule smaller than its margin"));
        }
        // The margin is scaled with the shape, but subtracted unscaled.
        Shape::Capsule { radius, half_height } => Some(Collider {
            shape: Shape::Capsule {
                radius: (radius + MARGIN) * sizes.x - MARGIN,
                half_height: (half_height + MARGIN) * sizes.y - MARGIN,
            },
            linear: *axes,
            position: *position,
        }),
        Shape::Sphere { .. } => Collider::round(shape, *axes, [sizes.x, 1.0], *position),
        _ => Collider::round(shape, *axes, [sizes.x, sizes.y], *position),
    };
    let collider = collider.or_else(|| Collider::boxed(shape, *axes, scale, *position));
    Ok(collider.expect("a shape is round or not"))
}

/// Column lengths and a unit quaternion, passed to `setLocalScaling`.
pub(super) fn local_scaling(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    scaled(shape, &chain.decomposed(DecompositionRule::SHEPPERD.unit())?.frame)
}

/// A compound shape for each node, each scaled with `setLocalScaling` from the inside out: combined TRS.
pub(super) fn compound(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    scaled(shape, &chain.combined()?)
}

/// `TransformState` of Panda3D: Gram–Schmidt with y first, then x, then z. If the matrix mirrors, z is negative. With
/// its scale set to 1 the matrix keeps its shear, and the rotation is the quaternion of that matrix.
fn panda_frame(chain: Chain<'_>) -> Result<Frame, NoCollider> {
    let rule = DecompositionRule {
        scale: ScaleSource::Projected,
        ..DecompositionRule::GRAM_SCHMIDT_YXZ.mirrored(MirroredSign::Z)
    };
    let taken = chain.decomposed(rule)?;
    let Frame { scale, position, .. } = taken.frame;
    // The axes are perpendicular, so the rotation times the shear is the matrix divided by the scale.
    let sheared = unscaled(&taken.world.linear, &scale);
    Ok(Frame { axes: rotation_matrix(shepperd(&sheared)), scale, position })
}

/// Panda3D: a `BulletRigidBodyNode` on the node.
pub(super) fn panda_body(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    if let Shape::Cone { .. } = shape {
        return Err(NoCollider::NotKnown("a cone"));
    }
    scaled(shape, &panda_frame(chain)?)
}

/// Panda3D: the whole matrix passed to `addShape`, which uses its position and its rotation.
pub(super) fn panda_shape(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, position, .. } = panda_frame(chain)?;
    Ok(Collider::affine(shape, axes, position))
}
