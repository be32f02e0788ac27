//! Jolt, and Godot's use of it.

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::{mass_properties::MassProperties, math::Vector, transformation::try_convex_hull};
use xform_core::Trs;

use super::{
    Collider, NoCollider, Shape,
    chain::{Chain, Frame, rotation_matrix},
};
use crate::{
    DecompositionRule, MirroredSign, Reason, ScaleSource,
    fold::{Affine, scaled},
};

/// `Mat44::Decompose`: Gram–Schmidt with x first. The scale is the rest of each column, and z is negative if the
/// matrix mirrors.
const DECOMPOSE: DecompositionRule = DecompositionRule {
    scale: ScaleSource::Projected,
    ..DecompositionRule::GRAM_SCHMIDT.mirrored(MirroredSign::Z)
};

/// Scales that differ by less are equal. This is ten times the tolerance of `ScaleHelpers::cScaleToleranceSq`; the
/// recorded answers show it.
const UNEVEN: f64 = 1e-3;

/// The nearest scale that the shape can have, with the signs unchanged: uniform for a sphere and a capsule, the same
/// in x and z for a cylinder and a cone.
fn valid(shape: &Shape, scale: &Vector3<f64>) -> Vector3<f64> {
    let size = scale.abs();
    let sizes = match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } if size.max() - size.min() >= UNEVEN => {
            Vector3::repeat(size.mean())
        }
        Shape::Cylinder { .. } | Shape::Cone { .. } => {
            let across = (size.x + size.z) / 2.0;
            Vector3::new(across, size.y, across)
        }
        _ => size,
    };
    sizes.zip_map(scale, f64::copysign)
}

/// The shape with a valid scale.
fn placed(shape: &Shape, frame: &Frame) -> Collider {
    let Frame { axes, scale, position } = frame;
    let by_height = match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } => scale.x.abs(),
        _ => scale.y,
    };
    Collider::round(shape, *axes, [scale.x, by_height], *position)
        .or_else(|| Collider::boxed(shape, *axes, scale, *position))
        .expect("a shape is round or not")
}

/// Gram–Schmidt of the matrix, and the exact shape in that frame, even if the shape cannot have that scale. Rays see
/// it so.
pub(super) fn matrix(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let Frame { axes, scale, position } = chain.decomposed(DECOMPOSE)?.frame;
    Ok(Collider::affine(shape, scaled(&axes, &scale), position))
}

/// Decomposes the world matrix, then takes the nearest valid scale.
fn taken_apart(
    chain: Chain<'_>,
    shape: &Shape,
    rule: DecompositionRule,
) -> Result<Collider, NoCollider> {
    let mut frame = chain.decomposed(rule)?.frame;
    frame.scale = valid(shape, &frame.scale);
    Ok(placed(shape, &frame))
}

/// Godot: Jolt decomposes the matrix, then the nearest valid scale is used.
pub(super) fn godot(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    taken_apart(chain, shape, DECOMPOSE)
}

/// A program's use of `Shape::ScaleShape`: column lengths and a unit quaternion, then the nearest valid scale.
pub(super) fn scale_shape(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    taken_apart(chain, shape, DecompositionRule::SHEPPERD.unit())
}

/// For each node a compound of one child and `ScaleShape`, from the inside out. At each node Gram–Schmidt decomposes
/// the product, and the scale becomes the nearest valid one. The centre of mass is moved exactly, and the shape stays
/// around it.
pub(super) fn nested(chain: Chain<'_>, shape: &Shape) -> Result<Collider, NoCollider> {
    let centre = match shape {
        Shape::Cone { half_height, .. } => Vector3::new(0.0, -half_height / 2.0, 0.0),
        Shape::Hull(points) => {
            centre_of_mass(points).ok_or(NoCollider::NotKnown("a hull without a volume"))?
        }
        _ => Vector3::zeros(),
    };
    let mut frame =
        Frame { axes: Matrix3::identity(), scale: Vector3::repeat(1.0), position: centre };
    for (inner, pose) in chain.poses().rev().enumerate() {
        let Trs { translation, rotation, scale } = pose?;
        let rotation = Trs::from_rotation(rotation).to_linear();
        let product = Matrix3::from_diagonal(&scale) * scaled(&frame.axes, &frame.scale);
        if product.determinant() == 0.0 {
            return Err(Reason::ZeroScale.into());
        }
        let parts = DECOMPOSE.parts(&product)?;
        frame.axes = rotation_matrix(parts.rotation);
        frame.scale = valid(shape, &parts.scale);
        let scaled_centre = match inner {
            0 => frame.axes * frame.scale.component_mul(&centre),
            _ => scale.component_mul(&frame.position),
        };
        let outer = Affine { linear: rotation, origin: translation };
        frame.axes = rotation * frame.axes;
        frame.position = outer.point(&scaled_centre);
    }
    frame.position -= frame.axes * frame.scale.component_mul(&centre);
    Ok(placed(shape, &frame))
}

/// The centre of mass of the convex hull of points, with uniform density. `None` if the hull has no volume.
fn centre_of_mass(points: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let points: Vec<_> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let (corners, triangles) = try_convex_hull(&points).ok()?;
    let hull = MassProperties::from_convex_polyhedron(1.0, &corners, &triangles);
    let centre = hull.local_com;
    (hull.mass() > 0.0).then(|| Vector3::new(centre.x, centre.y, centre.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tetrahedron_and_a_box_balance_where_they_should() {
        let corner = Vector3::<f64>::new;
        let tetrahedron = [
            corner(0.0, 0.0, 0.0),
            corner(4.0, 0.0, 0.0),
            corner(0.0, 4.0, 0.0),
            corner(0.0, 0.0, 4.0),
        ];
        let found = centre_of_mass(&tetrahedron).expect("a volume");
        assert!((found - corner(1.0, 1.0, 1.0)).amax() < 1e-12, "{found}");
        // A box with an extra point on one face, which moves the mean of the points away from the centre.
        let mut points: Vec<_> = (0..8)
            .map(|at| corner(f64::from(at & 1), f64::from(at >> 1 & 1), f64::from(at >> 2)))
            .collect();
        points.push(corner(1.0, 0.25, 0.25));
        let found = centre_of_mass(&points).expect("a volume");
        assert!((found - corner(0.5, 0.5, 0.5)).amax() < 1e-12, "{found}");
        // Each point three times, in another order, like the vertices of flat-shaded meshes.
        let copies: Vec<_> = (0..27).map(|at| points[at * 7 % 9]).collect();
        let found = centre_of_mass(&copies).expect("a volume");
        assert!((found - corner(0.5, 0.5, 0.5)).amax() < 1e-12, "{found}");
        for flat in [&points[..4], &points[..3], &points[..1], &[]] {
            assert_eq!(centre_of_mass(flat), None, "{flat:?}");
        }
    }
}
