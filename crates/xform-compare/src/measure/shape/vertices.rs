//! Whether two things have the same vertices.

use nalgebra::{Matrix3, Point3, Vector3};

use super::things::{Thing, around};

/// The largest distance of vertices from an affine map of those with the same number, as a fraction of their
/// extent. The error of vertices stored in 8 bits is smaller.
const SAME_VERTICES: f64 = 4e-3;

/// Returns the linear map from the vertices of one thing to those of another, if they may be the same
/// vertices in the same order.
///
/// That requires the same number of vertices, the same connectivity, and an affine map that takes one to the
/// other, such as that of quantization or of a baked scale.
pub(super) fn same_vertices([a, b]: [&Thing<'_>; 2]) -> Option<Matrix3<f64>> {
    let is_alike = a.parts.len() == b.parts.len()
        && a.parts.iter().zip(b.parts).all(|(a, b)| {
            a.kind == b.kind && a.positions.len() == b.positions.len() && a.indices == b.indices
        });
    if !is_alike {
        return None;
    }
    let points = |thing: &Thing<'_>| -> Vec<Point3<f64>> {
        let positions = thing.parts.iter().flat_map(|part| &part.positions);
        positions.map(|position| position.map(f64::from).into()).collect()
    };
    let (a, b) = (points(a), points(b));
    if a == b {
        return Some(Matrix3::identity());
    }
    let (map, off) = affine(&a, &b)?;
    let extent = around(&b).map_or(0.0, |[low, high]| (high - low).norm());
    (off <= SAME_VERTICES * extent).then_some(map)
}

/// Whether a map only scales along the axes and does not mirror.
pub(super) fn is_scale(map: &Matrix3<f64>) -> bool {
    let size = map.amax();
    let is_along = |i: usize, j: usize| i == j || map[(i, j)].abs() <= 10.0 * SAME_VERTICES * size;
    (0..3).all(|i| map[(i, i)] >= 0.0 && (0..3).all(|j| is_along(i, j)))
}

/// Returns the linear part of the affine map that fits best, and its largest error; `None` if the points are
/// not finite.
pub(super) fn affine(a: &[Point3<f64>], b: &[Point3<f64>]) -> Option<(Matrix3<f64>, f64)> {
    let middle = |points: &[Point3<f64>]| {
        let sum: Vector3<f64> = points.iter().map(|point| point.coords).sum();
        sum / points.len().max(1) as f64
    };
    let middles = [middle(a), middle(b)];
    let from_middle =
        |(a, b): (&Point3<f64>, &Point3<f64>)| (a.coords - middles[0], b.coords - middles[1]);
    let (mut across, mut within) = (Matrix3::zeros(), Matrix3::zeros());
    for (a, b) in a.iter().zip(b).map(from_middle) {
        across += b * a.transpose();
        within += a * a.transpose();
    }
    if !across.iter().chain(&within).all(|entry| entry.is_finite()) {
        return None;
    }
    let inverse = within.pseudo_inverse(1e-12 * within.norm()).ok()?;
    let map = across * inverse;
    let off = a.iter().zip(b).map(from_middle).map(|(a, b)| (map * a - b).norm());
    Some((map, off.fold(0.0, f64::max)))
}
