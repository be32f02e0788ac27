//! How far an answer is from what is said, and how far is rounding.

use nalgebra::{Matrix4, Point3};

use crate::{convention::Convention, rule::Vertices};

/// What the rounding of `f32` comes to in the scenes of the kit, as [`Verification::bound`](crate::Verification::bound) measures it.
pub const ROUNDING: f64 = 5e-6;

/// What rounding to half floats, or to few decimals, comes to: a thousand times as much as that of `f32`.
pub(crate) const NEAR: f64 = 1000.0 * ROUNDING;

/// How much more may be off of vertices, as bounds are for the entries of worlds: files have their weights, and importers their bind
/// poses, in fewer digits.
pub(crate) const VERTICES: f64 = 20.0;

/// How far a world is off: the worst of [`linear_apart`] and [`position_apart`].
pub(crate) fn off(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    worst([linear_apart(said, answered), position_apart(said, answered)].into_iter())
}

/// The worst difference of an entry of the 3×3 part, divided by the largest that is said: a position far away makes no turn right.
pub(crate) fn linear_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let linear = said.fixed_view::<3, 3>(0, 0);
    let apart = answered.fixed_view::<3, 3>(0, 0) - linear;
    let largest = linear.amax();
    worst(apart.iter().copied()) / if largest > 0.0 { largest } else { 1.0 }
}

/// The worst difference of a coordinate, divided by one more than the largest entry that is said.
pub(crate) fn position_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let apart = answered.fixed_view::<3, 1>(0, 3) - said.fixed_view::<3, 1>(0, 3);
    worst(apart.iter().copied()) / (1.0 + said.amax())
}

/// The same of vertices, by their distances. An importer that has joined or split vertices has others in number: each has to be where
/// one of the other is then.
pub(crate) fn vertices_off(
    said: &Vertices,
    answered: &[Point3<f64>],
    axes: &Convention,
    most: usize,
) -> f64 {
    let answered: Vec<_> = answered.iter().map(|at| axes.point_undone(at)).collect();
    points_off(said, &answered, most)
}

/// How many pairs of vertices are compared where they have no order; of more, evenly picked ones. Few while axes are looked for.
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

/// The largest of absolute values; not a number where one is none.
pub(crate) fn worst(all: impl Iterator<Item = f64>) -> f64 {
    all.fold(0.0, |worst: f64, off| {
        let off = off.abs();
        if off > worst || off.is_nan() { off } else { worst }
    })
}
