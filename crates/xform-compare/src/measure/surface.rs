//! Nearest points of a surface.

use nalgebra::{Point3, Vector3};
use parry3d_f64::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy},
    query::PointQuery,
    shape::{Segment, Triangle},
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// A surface of triangles, lines and points.
pub(super) struct Surface {
    pieces: Vec<Piece>,
    tree: Bvh,
}

#[derive(Clone, Copy)]
struct Piece {
    corners: [Vector; 3],
    /// The unit normal of the visible side; zero for a line or a point.
    normal: Vector3<f64>,
}

/// The nearest point of a surface.
pub(super) struct Nearest {
    pub(super) distance: f64,
    /// The unit normal of the visible side of its piece; zero for a line or a point.
    pub(super) normal: Vector3<f64>,
}

fn vector(point: &Point3<f64>) -> Vector {
    Vector::new(point.x, point.y, point.z)
}

/// Returns the unit normal of the visible side of a triangle; zero if the triangle has no area.
pub(super) fn normal([a, b, c]: [Point3<f64>; 3], side: f64) -> Vector3<f64> {
    let across = (b - a).cross(&(c - a)) * side;
    across.try_normalize(0.0).unwrap_or_else(Vector3::zeros)
}

impl Surface {
    /// Creates a surface of triangles, each with the side from which it is seen: the front (1) or the back
    /// (−1). Triangles that are not finite are left out.
    pub(super) fn of(triangles: impl Iterator<Item = ([Point3<f64>; 3], f64)>) -> Self {
        let piece = |(corners, side): ([Point3<f64>; 3], f64)| Piece {
            corners: corners.each_ref().map(vector),
            normal: normal(corners, side),
        };
        let is_finite = |corners: &[Point3<f64>; 3]| {
            corners.iter().flat_map(|corner| corner.iter()).all(|part| part.is_finite())
        };
        let pieces: Vec<_> =
            triangles.filter(|(corners, _)| is_finite(corners)).map(piece).collect();
        let boxes: Vec<_> = pieces.iter().map(Piece::bounds).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Self { pieces, tree }
    }

    /// Returns the nearest point; `None` if the surface is empty.
    pub(super) fn nearest(&self, point: &Point3<f64>) -> Option<Nearest> {
        let at = vector(point);
        let (piece, distance) = self.tree.find_best(
            f64::MAX,
            |node, _| node.aabb().distance_to_local_point(at, true),
            |leaf, _| Some(self.pieces[leaf as usize].distance(at)),
        )?;
        Some(Nearest { distance, normal: self.pieces[piece as usize].normal })
    }

    /// Returns the distance of the farthest of these points; `None` if the surface or the list of points is
    /// empty.
    pub(super) fn farthest(&self, points: &[Point3<f64>]) -> Option<f64> {
        let distance = |point: &Point3<f64>| Some(self.nearest(point)?.distance);
        points.par_iter().filter_map(distance).reduce_with(f64::max)
    }

    /// Whether a piece within this distance is seen from this side.
    pub(super) fn has_side(&self, point: &Point3<f64>, normal: &Vector3<f64>, within: f64) -> bool {
        let at = vector(point);
        // Pieces seen from the other side do not count, however near they are.
        let found = self.tree.find_best(
            within,
            |node, _| node.aabb().distance_to_local_point(at, true),
            |leaf, _| {
                let piece = &self.pieces[leaf as usize];
                (piece.normal.dot(normal) > 0.0).then(|| piece.distance(at))
            },
        );
        found.is_some()
    }
}

impl Piece {
    fn bounds(&self) -> Aabb {
        let [a, b, c] = self.corners;
        Aabb::new(a.min(b).min(c), a.max(b).max(c))
    }

    fn distance(&self, at: Vector) -> f64 {
        let [a, b, c] = self.corners;
        if self.normal == Vector3::zeros() {
            // A triangle without area consists of its edges.
            let edges = [Segment::new(a, b), Segment::new(b, c), Segment::new(c, a)];
            let each = edges.map(|edge| edge.distance_to_local_point(at, true));
            return each.into_iter().fold(f64::MAX, f64::min);
        }
        Triangle::new(a, b, c).distance_to_local_point(at, true)
    }
}
