//! Avian, bevy_rapier and react-three-rapier, which all use the shapes of parry.
//!
//! parry turns a round shape below a non-uniform scale into a convex polyhedron: up to facets, every point is scaled.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Decomposed, Frame, rotation_matrix},
};
use crate::{DecompositionRule, LocalPose, Reason, fold::scaled};

/// `Affine3A::to_scale_rotation_translation` of glam.
const GLAM: DecompositionRule = DecompositionRule::DAY;

/// bevy_rapier rounds scales to four decimals.
fn snapped(scale: &Vector3<f64>) -> Vector3<f64> {
    scale.map(|factor| (factor * 1e4).round() / 1e4)
}

/// Scales every point of the shape. Only hulls and meshes keep the sign of a scale.
fn parry(shape: &Shape, frame: &Frame) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = frame;
    let scale = match shape {
        Shape::Hull(_) | Shape::Mesh { .. } => *scale,
        Shape::Box { .. } if scale.min() < 0.0 => {
            return Err(NoCollider::NotKnown("a box below a negative scale"));
        }
        _ => scale.abs(),
    };
    Ok(Collider::affine(shape, scaled(axes, &scale), *position))
}

/// The chain below a body on the root. The body has the rotation that glam computes from the root's matrix, so two
/// negative scales are half a turn. The local scale of the root still applies to its children with its signs.
fn below_root_body(chain: Chain<'_>) -> Result<Vec<LocalPose>, Reason> {
    let mut poses: Vec<_> = chain.poses().collect::<Result<_, _>>()?;
    if let Some(root) = poses.first_mut() {
        let rotation = GLAM.parts(&root.to_linear())?.rotation;
        root.rotation = UnitQuaternion::new_normalize(rotation);
    }
    Ok(poses.into_iter().map(LocalPose::Trs).collect())
}

/// Avian, a collider below a body on the root: combined TRS. No scale mirrors anything, not even a mesh.
pub(super) fn avian_child(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = chain.combined()?;
    Ok(Collider::affine(shape, scaled(&axes, &scale.abs()), position))
}

/// Avian, a body on the first node of the chain.
pub(super) fn avian_root(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    avian_child(Chain(&below_root_body(chain)?), shape)
}

/// Avian in the first update: column lengths, and the quaternion as it is. A quaternion of length l turns and scales
/// by l², so rays shrink and the shape is larger by 1/l².
pub(super) fn avian_first(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let taken = chain.decomposed(GLAM)?;
    let Frame { axes, scale, position } = taken.frame;
    let scale = scale.abs() / taken.rotation.norm_squared();
    Ok(Collider::affine(shape, scaled(&axes, &scale), position))
}

/// bevy_rapier, a collider below a body on the root: the rotations are multiplied, the position is exact, and the
/// scale is that of the world matrix.
pub(super) fn bevy_rapier_child(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    bevy_rapier(chain, chain, shape)
}

/// bevy_rapier, a body on the first node of the chain.
pub(super) fn bevy_rapier_root(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    bevy_rapier(chain, Chain(&below_root_body(chain)?), shape)
}

fn bevy_rapier(chain: Chain<'_>, turned: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let taken = chain.decomposed(GLAM)?;
    let frame = Frame {
        axes: turned.combined()?.axes,
        scale: snapped(&taken.frame.scale),
        position: turned.product().origin,
    };
    parry(shape, &frame)
}

/// The collider components of react-three-rapier. Their arguments, in order, are multiplied by the scale along x, y
/// and z. So x scales a half height, which comes first, and y a radius.
fn component(shape: &Shape, frame: &Frame) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = frame;
    let mirrored = scale.min() < 0.0;
    let round = |factors| Collider::round(shape, *axes, factors, *position);
    let collider = match shape {
        Shape::Sphere { .. } => round([scale.x, 1.0]),
        Shape::Box { .. } if mirrored => {
            return Err(NoCollider::NotKnown("a box below a negative scale"));
        }
        Shape::Cylinder { .. } if mirrored => {
            return Err(NoCollider::NotKnown("a cylinder below a negative scale"));
        }
        Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
            round([scale.y, scale.x])
        }
        _ => Collider::boxed(shape, *axes, scale, *position),
    };
    Ok(collider.expect("a shape is round or not"))
}

/// `<BallCollider>` and similar components, with or without a body at the root. The position is the world position
/// multiplied by the world scale again.
pub(super) fn r3_component(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let mut frame = chain.decomposed(DecompositionRule::SHEPPERD)?.frame;
    frame.position.component_mul_assign(&frame.scale);
    component(shape, &frame)
}

/// `<RigidBody colliders="…">` at the root with the mesh below it: column lengths, and the rotation goes through
/// Euler angles.
pub(super) fn r3_automatic(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let taken = chain.decomposed(DecompositionRule::SHEPPERD)?;
    component(shape, &Frame { axes: through_euler_angles(&taken), ..taken.frame })
}

/// Converts a quaternion to a matrix by the formula for unit length, that to XYZ Euler angles, and those to a matrix,
/// as three.js does.
fn through_euler_angles(taken: &Decomposed) -> Matrix3<f64> {
    let m = crate::decomposition::matrix_of(&taken.rotation);
    let y = libm::asin(m[(0, 2)].clamp(-1.0, 1.0));
    let (x, z) = if m[(0, 2)].abs() < 0.999_999_9 {
        (libm::atan2(-m[(1, 2)], m[(2, 2)]), libm::atan2(-m[(0, 1)], m[(0, 0)]))
    } else {
        (libm::atan2(m[(2, 1)], m[(1, 1)]), 0.0)
    };
    let about = |axis: usize, angle: f64| {
        let (half_sine, half_cosine) = (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
        let mut turn = Quaternion::from_parts(half_cosine, Vector3::zeros());
        turn.coords[axis] = half_sine;
        rotation_matrix(turn)
    };
    about(0, x) * about(1, y) * about(2, z)
}

/// `<RigidBody colliders="…">` below all nodes except the last, which is the mesh. The body has the decomposed world
/// transform of the nodes above, and the mesh's own rotation is applied after it. The scale is that of the mesh in
/// the world.
pub(super) fn r3_body_below(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let rule = DecompositionRule::SHEPPERD;
    let scale = chain.decomposed(rule)?.frame.scale;
    let Some((above, own)) = chain.parted() else { return Err(NoCollider::NoSuchShape) };
    let body = above.decomposed(rule)?.frame;
    let own = own.to_affine();
    let turn = rotation_matrix(rule.parts(&own.linear())?.rotation);
    let offset = body.scale.component_mul(&own.translation());
    let position = body.position + body.axes * offset;
    component(shape, &Frame { axes: body.axes * turn, scale, position })
}
