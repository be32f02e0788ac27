//! Bullet, and Panda3D with it.

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame, rotation_matrix},
};
use crate::{
    DecompositionRule, MirroredSign, ScaleSource, decomposition::shepperd, fold::unscaled,
};

/// The margin about every convex shape, `CONVEX_DISTANCE_MARGIN`, in units of the scene.
const MARGIN: f64 = 0.04;

/// `setLocalScaling`: of round shapes x counts for the radius and y for the height; a cone takes the mean of x and z.
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
            return Err(NoCollider::NotKnown("a capsule that is smaller than its margin"));
        }
        // The margin is scaled along, and taken off again as it was.
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

/// Column lengths and a unit quaternion, by `setLocalScaling`.
pub(super) fn local_scaling(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    scaled(shape, &chain.decomposed(DecompositionRule::SHEPPERD.unit())?.frame)
}

/// A compound shape for each node, each scaled by `setLocalScaling` from the inside out: combined TRS.
pub(super) fn compound(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    scaled(shape, &chain.combined()?)
}

/// `TransformState` of Panda3D: Gram–Schmidt from y on, then x, then z, and negative along z where the matrix mirrors. With its scale set to 1 the
/// matrix keeps its shear, and the rotation is the quaternion of that.
fn panda_frame(chain: Chain<'_>) -> Result<Frame, NoCollider> {
    let rule = DecompositionRule {
        scale: ScaleSource::Projected,
        ..DecompositionRule::GRAM_SCHMIDT_YXZ.mirrored(MirroredSign::Z)
    };
    let taken = chain.decomposed(rule)?;
    let Frame { scale, position, .. } = taken.frame;
    // Its axes are perpendicular, so that the product of the two is the matrix divided by the scale.
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

/// Panda3D: the whole matrix given to `addShape`, which takes its position and its rotation.
pub(super) fn panda_shape(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, position, .. } = panda_frame(chain)?;
    Ok(Collider::affine(shape, axes, position))
}
