//! Lines on the surface of a shape, to draw it.

use std::{collections::BTreeMap, f64::consts::TAU};

use nalgebra::Vector3;
use parry3d_f64::{math::Vector, transformation::try_convex_hull};

use super::Shape;

/// A line from one point to another.
type Line = [Vector3<f64>; 2];

/// The number of lines in a circle, a multiple of four.
const SIDES: u32 = 48;

/// Faces of a hull count as one face if the cosine between their normals is above this.
const FLAT: f64 = 1.0 - 1e-9;

/// Returns the lines of a shape, in its own space.
pub(super) fn lines(shape: &Shape) -> Vec<Line> {
    let y = |height: f64| Vector3::new(0.0, height, 0.0);
    match shape {
        Shape::Sphere { radius } => capsule(*radius, 0.0),
        Shape::Capsule { radius, half_height } => capsule(*radius, *half_height),
        Shape::Box { half_extents } => {
            let corner = |signs: usize| {
                let along = |axis: usize| if signs >> axis & 1 == 0 { -1.0 } else { 1.0 };
                half_extents.component_mul(&Vector3::from_fn(|axis, _| along(axis)))
            };
            let edges =
                (0..8_usize).flat_map(|from| (0..3).map(move |axis| (from, from | 1 << axis)));
            let edges = edges.filter(|(from, to)| from != to);
            edges.map(|(from, to)| [corner(from), corner(to)]).collect()
        }
        Shape::Cylinder { radius, half_height } => {
            let (low, high) = (y(-half_height), y(*half_height));
            let sides =
                around().step_by(SIDES as usize / 4).map(|[from, _]| across(from) * *radius);
            let rings = [low, high].into_iter().flat_map(|at| ring(*radius, at));
            rings.chain(sides.map(|side| [low + side, high + side])).collect()
        }
        Shape::Cone { radius, half_height } => {
            let (base, tip) = (y(-half_height), y(*half_height));
            let sides =
                around().step_by(SIDES as usize / 4).map(|[from, _]| across(from) * *radius);
            ring(*radius, base).chain(sides.map(|side| [base + side, tip])).collect()
        }
        Shape::Hull(points) => hull(points),
        Shape::Mesh { points, triangles } => edges(points, triangles)
            .into_keys()
            .map(|ends| ends.map(|at| points[at as usize]))
            .collect(),
    }
}

/// The start and end directions of each line of a circle, as cosine and sine.
fn around() -> impl Iterator<Item = [[f64; 2]; 2]> {
    let at = |step: u32| {
        let (sine, cosine) = (TAU * f64::from(step) / f64::from(SIDES)).sin_cos();
        [cosine, sine]
    };
    (0..SIDES).map(move |step| [at(step), at(step + 1)])
}

/// A direction perpendicular to the y axis.
fn across([x, z]: [f64; 2]) -> Vector3<f64> {
    Vector3::new(x, 0.0, z)
}

/// A circle perpendicular to the y axis.
fn ring(radius: f64, middle: Vector3<f64>) -> impl Iterator<Item = Line> {
    around().map(move |ends| ends.map(|end| middle + across(end) * radius))
}

/// Two rings, two outlines along y, and straight lines between the hemispheres if they are apart.
fn capsule(radius: f64, half_height: f64) -> Vec<Line> {
    let y = |height: f64| Vector3::new(0.0, height, 0.0);
    let rings: &[f64] = if half_height > 0.0 { &[-half_height, half_height] } else { &[0.0] };
    let mut lines: Vec<_> = rings.iter().flat_map(|&height| ring(radius, y(height))).collect();
    for side in [Vector3::x(), Vector3::z()] {
        lines.extend(around().map(|[from, to]| {
            let middle = y(half_height.copysign(from[1] + to[1]));
            [from, to].map(|[along, up]| middle + (side * along + y(up)) * radius)
        }));
        if half_height > 0.0 {
            let straight = [side, -side]
                .map(|side| [-half_height, half_height].map(|height| side * radius + y(height)));
            lines.extend(straight);
        }
    }
    lines
}

/// The edges between the faces of a convex hull. Empty if the points have no hull.
fn hull(points: &[Vector3<f64>]) -> Vec<Line> {
    let given: Vec<_> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
    let Ok((corners, triangles)) = try_convex_hull(&given) else { return Vec::new() };
    let corners: Vec<_> = corners.iter().map(|at| Vector3::new(at.x, at.y, at.z)).collect();
    let edges = edges(&corners, &triangles);
    let is_fold = |faces: &Vec<usize>| match faces[..] {
        [a, b] => {
            let [a, b] = [a, b].map(|face| normal(&corners, triangles[face]));
            a.dot(&b) < FLAT
        }
        _ => true,
    };
    let folds = edges.into_iter().filter(|(_, faces)| is_fold(faces));
    folds.map(|(ends, _)| ends.map(|at| corners[at as usize])).collect()
}

fn normal(points: &[Vector3<f64>], triangle: [u32; 3]) -> Vector3<f64> {
    let [a, b, c] = triangle.map(|at| points[at as usize]);
    let across = (b - a).cross(&(c - a));
    across.try_normalize(0.0).unwrap_or_default()
}

/// The edges of triangles, each once, with the triangles that share it. Edges with a vertex index out of range are
/// left out.
fn edges(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], Vec<usize>> {
    let mut edges: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let is_there = |at: u32| (at as usize) < points.len();
    for (face, &[a, b, c]) in triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if is_there(from) && is_there(to) {
                edges.entry([from.min(to), from.max(to)]).or_default().push(face);
            }
        }
    }
    edges
}
