//! Detection of things that are inside out at rest.

use nalgebra::{Point3, Vector3};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::super::surface::{self, Surface};
use super::{super::metrics::angle_degrees, SAME_PLACE, Shapes, vertices::affine};

impl Shapes<'_, '_> {
    /// Returns the number of triangles that face the other way, of two things with the same vertices: all of
    /// them, or none.
    pub(super) fn turned_over(&self, [old, new]: [usize; 2]) -> usize {
        let [(before, old), (after, new)] = [self.thing(0, old), self.thing(1, new)];
        let sides = before.side(&self.sides[0].at_rest) * after.side(&self.sides[1].at_rest);
        let triangles = before.corners().into_iter().filter(|[a, b, c]| a != b && b != c);
        let triangles: Vec<_> = triangles.collect();
        let Some((map, _)) = affine(&old.placed, &new.placed) else { return 0 };
        let columns = [0, 1, 2].map(|i| map.column(i).norm());
        let volume = columns.iter().product::<f64>();
        let is_over = if map.determinant().abs() > 1e-6 * volume {
            map.determinant() * sides < 0.0
        } else {
            // A flat thing is judged by the direction of most of its triangles.
            let facing = |points: &[Point3<f64>], corners: &[usize; 3]| {
                surface::normal(corners.map(|corner| points[corner]), 1.0)
            };
            let dots = triangles
                .iter()
                .map(|corners| facing(&old.placed, corners).dot(&facing(&new.placed, corners)));
            dots.sum::<f64>() * sides < 0.0
        };
        if is_over { triangles.len() } else { 0 }
    }

    /// The same for a thing whose vertices differ. Counts triangles in the place of one, among all that was
    /// drawn before, that faced only the other way. `moved` is the largest distance that the things moved.
    pub(super) fn seen_from_behind(&self, new: usize, moved: f64, before: &Surface) -> usize {
        let (after, at_after) = self.thing(1, new);
        let seen = after.side(&self.sides[1].at_rest);
        let within = SAME_PLACE * self.diagonal;
        let is_behind = |corners: &[usize; 3]| {
            let corners = corners.map(|corner| at_after.placed[corner]);
            let normal = surface::normal(corners, seen);
            let sum: Vector3<f64> = corners.iter().map(|corner| corner.coords).sum();
            let middle = Point3::from(sum / 3.0);
            let nearest = before.nearest(&middle);
            nearest.is_some_and(|nearest| {
                nearest.distance <= within
                    && nearest.normal.dot(&normal) < -0.5
                    // It may have moved here from its old position.
                    && !before.has_side(&middle, &normal, within + moved)
                    // A triangle that only crosses something does not coincide with it.
                    && corners.iter().all(|corner| before.has_side(corner, &-normal, within))
            })
        };
        after.corners().par_iter().filter(|corners| is_behind(corners)).count()
    }

    /// Returns the largest turn of a normal, in degrees; `None` if one of the two things has no normals.
    pub(super) fn normals_turned(&self, [old, new]: [usize; 2]) -> Option<f64> {
        let of = |side: usize, thing: usize| {
            let (thing, at_rest) = self.thing(side, thing);
            thing.normals(&at_rest.matrices)
        };
        let (before, after) = (of(0, old)?, of(1, new)?);
        let angles = before.iter().zip(&after).map(|(a, b)| angle_degrees(a, b));
        Some(angles.fold(0.0, f64::max))
    }
}
