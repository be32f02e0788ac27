//! PhysX with a pose and a scale, and what engines that were not run document.

use nalgebra::Matrix3;
use xform_core::{Trs, spaces::Orientation};

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame},
};
use crate::{DecompositionRule, Reason, SCALE_ROUNDING, fold::scaled};

/// Scales that differ by no more than this part are even: a sphere below them is nobody's ellipsoid.
const EVEN: f64 = 1e-4;

/// What a program is told that makes a convex mesh of a matrix that mirrors.
const MIRRORED: NoCollider =
    NoCollider::Refused("a convex mesh that is mirrored: PxGeometryQuery::isValid is false");

/// The world matrix, every point.
pub(super) fn exact(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let world = chain.world()?;
    Ok(Collider::affine(shape, world.linear, world.origin))
}

/// PhysX with the rotation of the polar decomposition as the pose, and its symmetric factor as the scale of a mesh, along its own axes: the world matrix again.
/// Spheres, boxes and capsules have no such scale.
pub(super) fn physx_polar(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    if matches!(shape, Shape::Sphere { .. } | Shape::Box { .. } | Shape::Capsule { .. }) {
        return Err(NoCollider::NotKnown("a shape that has no scale in PhysX, with a polar one"));
    }
    let collider = exact(chain, shape)?;
    let is_mirrored = Orientation::of(&collider.linear) == Orientation::Mirrored;
    if is_mirrored && !matches!(shape, Shape::Mesh { .. }) { Err(MIRRORED) } else { Ok(collider) }
}

/// PhysX with column lengths as the scale of a mesh. Spheres, boxes and capsules have no scale; a cylinder and a cone are convex meshes.
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

/// The world position, the product of the rotations and the lossy scale of a Transform component.
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

/// By a lossy frame: an even scale of any shape, any scale of a box and of points.
fn lossy(shape: &Shape, Frame { axes, scale, position }: Frame) -> Result<Collider, NoCollider> {
    if let Some(collider) = Collider::boxed(shape, axes, &scale, position) {
        return Ok(collider);
    }
    let sizes = scale.abs();
    if sizes.max() - sizes.min() > EVEN * sizes.max() {
        return Err(NoCollider::NotKnown("a round shape below a non-uniform scale"));
    }
    Ok(Collider::round(shape, axes, [scale.x, scale.y], position).expect("a round shape"))
}

/// Arche, `Collider::_onUpdate`. Of its round shapes its document says nothing.
pub(super) fn arche(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    lossy(shape, lossy_frame(chain)?)
}

/// Unity. It bakes what is skewed into the vertices of a mesh, in a way that was not seen.
pub(super) fn unity(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let frame = lossy_frame(chain)?;
    match shape {
        Shape::Cylinder { .. } | Shape::Cone { .. } => Err(NoCollider::NoSuchShape),
        Shape::Hull(_) | Shape::Mesh { .. } => {
            let world = chain.product().linear;
            let apart = (scaled(&frame.axes, &frame.scale) - world).amax();
            let is_skewed = apart > SCALE_ROUNDING * world.amax();
            if is_skewed { Err(NoCollider::NotKnown("a skewed mesh")) } else { lossy(shape, frame) }
        }
        Shape::Sphere { .. } => {
            let Frame { axes, scale, position } = frame;
            Ok(Collider::round(shape, axes, [scale.amax(), 1.0], position).expect("a sphere"))
        }
        _ => lossy(shape, frame),
    }
}

/// Unreal, by combined TRS: a sphere and a capsule by the smallest of the three scales, all else by each.
pub(super) fn unreal(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = chain.combined()?;
    let smallest = scale.abs().min();
    match shape {
        Shape::Cylinder { .. } | Shape::Cone { .. } => Err(NoCollider::NoSuchShape),
        _ if scale.min() < 0.0 => Err(NoCollider::NotKnown("a shape below a negative scale")),
        _ => Ok(Collider::round(shape, axes, [smallest; 2], position)
            .or_else(|| Collider::boxed(shape, axes, &scale, position))
            .expect("a shape is round or not")),
    }
}
