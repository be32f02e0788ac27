//! Distances between answers and predictions, and the bounds for rounding.

use nalgebra::{Matrix4, Point3};

use crate::{convention::Convention, rule::Vertices};

/// The effect of rounding to `f32` in the scenes of the kit, as [`Verification::bound`](crate::Verification::bound)
/// measures it.
pub const ROUNDING: f64 = 5e-6;

/// The effect of rounding to half floats or to few decimals: a thousand times that of `f32`.
pub(crate) const NEAR: f64 = 1000.0 * ROUNDING;

/// The factor by which bounds are wider for vertices than for entries of world matrices: files store weights, and
/// importers bind poses, with fewer digits.
pub(crate) const VERTICES: f64 = 20.0;

/// Returns the distance of a world transform: the worse of [`linear_apart`] and [`position_apart`].
pub(crate) fn off(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    worst([linear_apart(said, answered), position_apart(said, answered)].into_iter())
}

/// Returns the worst difference of an entry of the 3×3 part, divided by the largest entry predicted there. So a
/// position far away does not hide a wrong rotation.
pub(crate) fn linear_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let linear = said.fixed_view::<3, 3>(0, 0);
    let apart = answered.fixed_view::<3, 3>(0, 0) - linear;
    let largest = linear.amax();
    worst(apart.iter().copied()) / if largest > 0.0 { largest } else { 1.0 }
}

/// Returns the worst difference of a coordinate, divided by 1 plus the largest entry predicted.
pub(crate) fn position_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let apart = answered.fixed_view::<3, 1>(0, 3) - said.fixed_view::<3, 1>(0, 3);
    worst(apart.iter().copied()) / (1.0 + said.amax())
}

/// Returns the distance of vertices, relative to their size. If an importer has joined or split vertices, so that their
/// numbers differ, each vertex is compared with the nearest one of the other side.
pub(crate) fn vertices_off(
    said: &Vertices,
    answered: &[Point3<f64>],
    axes: &Convention,
    most: usize,
) -> f64 {
    let answered: Vec<_> = answered.iter().map(|at| axes.point_undone(at)).collect();
    points_off(said, &answered, most)
}

/// The number of pairs compared for vertices without a common order. If there are more, evenly spaced ones are picked.
/// Few suffice during the search for axes.
pub(crate) const FEW: usize = 300_000;
pub(crate) const MANY: usize = 30_000_000;

pub(crate) fn points_off(said: &Vertices, answered: &[Point3<f64>], most: usize) -> f64 {
    let Vertices { points: said, are_in_order } = said;
    let size = said.iter().fold(1.0_f64, |size, at| size.max(1.0 + at.coords.amax()));
    if *are_in_order && said.len() == answered.len() {
        return worst(said.iter().zip(answered).map(|(said, answered)| (said - answered).norm()))
            / size;
    }
    let nearest = |from: &[Point3<f64>], to: &[Point3<f64>]| {
        worst(
            from.iter()
                .step_by(1 + from.len() * to.len() / most)
                .map(|from| to.iter().map(|to| (from - to).norm()).fold(f64::INFINITY, f64::min)),
        )
    };
    nearest(said, answered).max(nearest(answered, said)) / size
}

/// Returns the largest absolute value, or NaN if one is NaN.
pub(crate) fn worst(all: impl Iterator<Item = f64>) -> f64 {
    all.fold(0.0, |worst: f64, off| {
        let off = off.abs();
        if off > worst || off.is_nan() { off } else { worst }
    })
}
