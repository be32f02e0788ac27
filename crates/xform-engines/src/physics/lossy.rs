//! PhysX with a pose and a scale, and the documented rules of engines that were not run.

use nalgebra::Matrix3;
use xform_core::{Trs, spaces::Orientation};

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame},
    is_even,
};
use crate::{DecompositionRule, Reason, fold::scaled};

/// The result for a convex mesh below a matrix that mirrors.
const MIRRORED: NoCollider =
    NoCollider::Refused("a mirrored convex mesh: PxGeometryQuery::isValid is false");

/// Transforms every point by the world matrix.
pub(super) fn exact(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let world = chain.world()?;
    Ok(Collider::affine(shape, world.linear, world.origin))
}

/// PhysX with the polar decomposition: the rotation is the pose, and the symmetric factor the scale of a mesh along
/// its own axes. Together they are the world matrix.
pub(super) fn physx_polar(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let collider = exact(chain, shape)?;
    let is_mirrored = Orientation::of(&collider.linear) == Orientation::Mirrored;
    if is_mirrored && !matches!(shape, Shape::Mesh { .. }) { Err(MIRRORED) } else { Ok(collider) }
}

/// PhysX with column lengths as the scale of a mesh. Spheres, boxes and capsules have no scale. Cylinders and cones
/// are convex meshes.
pub(super) fn physx_lengths(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let taken = chain.decomposed(DecompositionRule::SHEPPERD.unit())?;
    let Frame { axes, scale, position } = taken.frame;
    match shape {
        Shape::Sphere { .. } | Shape::Box { .. } | Shape::Capsule { .. } => {
            Ok(Collider::affine(shape, axes, position))
        }
        Shape::Mesh { .. } => Ok(Collider::affine(shape, scaled(&axes, &scale), position)),
        _ if scale.min() < 0.0 => Err(MIRRORED),
        _ => Ok(Collider::affine(shape, scaled(&axes, &scale), position)),
    }
}

/// The world position, the product of the rotations, and the lossy scale of a Transform component.
fn lossy_frame(chain: Chain<'_>) -> Result<Frame, Reason> {
    let world = chain.world()?;
    let mut turn = Matrix3::identity();
    for pose in chain.poses() {
        turn *= Trs::from_rotation(pose?.rotation).to_linear();
    }
    let scale = turn.tr_mul(&world.linear).diagonal();
    if scale.iter().any(|&factor| factor == 0.0) {
        return Err(Reason::ZeroScale);
    }
    Ok(Frame { axes: turn, scale, position: world.origin })
}

/// Any shape below a uniform scale. Other scales are not known.
fn even(shape: &Shape, Frame { axes, scale, position }: Frame) -> Result<Collider, NoCollider> {
    if !is_even(&scale) {
        return Err(NoCollider::NotKnown("this shape below a non-uniform scale"));
    }
    Ok(Collider::round(shape, axes, [scale.x, scale.y], position)
        .or_else(|| Collider::boxed(shape, axes, &scale, position))
        .expect("a shape is round or not"))
}

/// Arche, `Collider::_onUpdate`. Its documentation does not cover its round shapes.
pub(super) fn arche(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let frame = lossy_frame(chain)?;
    let Frame { axes, scale, position } = frame;
    Collider::boxed(shape, axes, &scale, position).map_or_else(|| even(shape, frame), Ok)
}

/// Unity. Its documentation does not cover capsules and meshes below a non-uniform scale.
pub(super) fn unity(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let frame = lossy_frame(chain)?;
    let Frame { axes, scale, position } = frame;
    let collider = match shape {
        Shape::Sphere { .. } => Collider::round(shape, axes, [scale.amax(), 1.0], position),
        Shape::Box { .. } => Collider::boxed(shape, axes, &scale, position),
        _ => return even(shape, frame),
    };
    Ok(collider.expect("a sphere is round, and a box is not"))
}

/// Unreal, with combined TRS. A sphere and a capsule use the smallest of the three scales, a box uses each. Nothing
/// was found about hulls and meshes.
pub(super) fn unreal(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let frame = chain.combined()?;
    let Frame { axes, scale, position } = frame;
    if scale.min() < 0.0 {
        return Err(NoCollider::NotKnown("a shape below a negative scale"));
    }
    let collider = match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } => {
            Collider::round(shape, axes, [scale.min(); 2], position)
        }
        Shape::Box { .. } => Collider::boxed(shape, axes, &scale, position),
        _ => return even(shape, frame),
    };
    Ok(collider.expect("a sphere and a capsule are round, and a box is not"))
}
