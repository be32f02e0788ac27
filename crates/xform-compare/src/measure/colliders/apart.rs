//! How far the surfaces of two colliders are apart.
//!
//! Of convex shapes K and L that is the largest |h(u) − h'(u)| over all directions u of length one, with h and h' their support
//! functions: the Hausdorff distance of the solids, which for convex solids is that of their surfaces (Schneider, Convex Bodies,
//! lemma 1.8.14; Wills, Hausdorff distance and convex sets, 2007). Of meshes it is found at their vertices and in the
//! middle of their triangles.

use std::{f64::consts::TAU, sync::Arc};

use nalgebra::{Point3, Vector3};
use xform_core::linear::length;
use xform_engines::physics::{Collider, Shape};

use super::super::surface::Surface;

/// Maps that differ by no more than this, as parts of their entries, are the same.
const SAME: f64 = 1e-9;

/// How many directions are tried, and how many of the best of them are followed to the top; those whose cosine with a better one is larger are at the
/// foot of the same top.
const DIRECTIONS: u32 = 512;
const FOLLOWED: usize = 12;
const SAME_TOP: f64 = 0.97;

/// How far a direction is turned at first, in radians: what lies between two of those that are tried; below which step it has arrived, or after how
/// many; and to how many sides it is turned.
const STEP: f64 = 0.16;
const ARRIVED: f64 = 1e-7;
const STEPS: u32 = 200;
const SIDES: u32 = 8;

/// How many vertices, and how many triangles, of a mesh are looked at.
const SAMPLES: usize = 4096;

/// More points of a hull than this are thinned to those that are the farthest in some direction.
const POINTS: usize = 1024;

/// The diagonal of the box about a collider, along the axes of the world.
pub(super) fn size(collider: &Collider) -> f64 {
    let side = |axis| {
        let u = Vector3::ith(axis, 1.0);
        collider.support(&u) + collider.support(&-u)
    };
    length(&Vector3::new(side(0), side(1), side(2)))
}

/// The farthest that a point of the one's surface is from the other's, both ways.
pub(super) fn distance(a: &Collider, b: &Collider) -> f64 {
    if is_same(a, b) {
        return 0.0;
    }
    match (&a.shape, &b.shape) {
        (Shape::Mesh { .. }, Shape::Mesh { .. }) => between_meshes(a, b),
        _ => between_convex(&thinned(a), &thinned(b)),
    }
}

/// No less than the distance, of the same shape below two maps: the farthest that a corner of the box about it moves. `None` of two shapes.
pub(super) fn at_most(a: &Collider, b: &Collider) -> Option<f64> {
    if !is_same_shape(&a.shape, &b.shape) {
        return None;
    }
    let reach = |axis: usize, sign: f64| a.shape.support(&Vector3::ith(axis, sign)) * sign;
    let sides = [0, 1, 2].map(|axis| [reach(axis, -1.0), reach(axis, 1.0)]);
    let (linear, moved) = (a.linear - b.linear, a.position - b.position);
    let corner = |at: usize| Vector3::from_fn(|axis, _| sides[axis][at >> axis & 1]);
    Some((0..8).map(|at| length(&(linear * corner(at) + moved))).fold(0.0, f64::max))
}

/// Whether two shapes are the same; the points of one that was not changed are not compared.
fn is_same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b),
        (Shape::Mesh { points: a, .. }, Shape::Mesh { points: b, .. }) => Arc::ptr_eq(a, b),
        _ => a == b,
    }
}

fn is_same(a: &Collider, b: &Collider) -> bool {
    let reach = a.linear.amax().max(b.linear.amax());
    let place = a.position.amax().max(b.position.amax());
    is_same_shape(&a.shape, &b.shape)
        && (a.linear - b.linear).amax() <= SAME * reach
        && (a.position - b.position).amax() <= SAME * (reach + place)
}

/// Directions that cover a sphere evenly: a spiral from pole to pole.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..DIRECTIONS).map(move |at| {
        let z = 1.0 - (2.0 * f64::from(at) + 1.0) / f64::from(DIRECTIONS);
        let (across, angle) = ((1.0 - z * z).sqrt(), golden * f64::from(at));
        Vector3::new(across * libm::cos(angle), across * libm::sin(angle), z)
    })
}

fn between_convex(a: &Collider, b: &Collider) -> f64 {
    let apart = |u: &Vector3<f64>| (a.support(u) - b.support(u)).abs();
    let mut best: Vec<_> = directions().map(|u| (apart(&u), u)).collect();
    best.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut feet: Vec<(f64, Vector3<f64>)> = Vec::new();
    for (found, u) in best {
        if feet.len() < FOLLOWED && feet.iter().all(|(_, foot)| foot.dot(&u) < SAME_TOP) {
            feet.push((found, u));
        }
    }
    let climbed = feet.into_iter().map(|(mut found, mut u)| {
        let mut step = STEP;
        for turn in 0..STEPS {
            if step < ARRIVED {
                break;
            }
            let across = u.cross(&Vector3::ith(u.iamin(), 1.0)).normalize();
            let along = u.cross(&across);
            // In other directions each time, so that it goes along a ridge in the end.
            let turned = (0..SIDES).map(|side| {
                let angle = f64::from(side) * TAU / f64::from(SIDES) + f64::from(turn);
                let side = across * libm::cos(angle) + along * libm::sin(angle);
                (u + side * step).normalize()
            });
            let better = turned.map(|u| (apart(&u), u)).max_by(|(a, _), (b, _)| a.total_cmp(b));
            match better {
                Some((distance, turned)) if distance > found => (found, u) = (distance, turned),
                _ => step /= 2.0,
            }
        }
        found
    });
    climbed.fold(0.0, f64::max)
}

/// With the points of a large hull thinned to those that are the farthest in some direction.
fn thinned(collider: &Collider) -> Collider {
    let points = match &collider.shape {
        Shape::Hull(points) if points.len() > POINTS => points,
        Shape::Mesh { points, .. } if points.len() > POINTS => points,
        _ => return collider.clone(),
    };
    let farthest = directions().filter_map(|u| {
        let u = collider.linear.tr_mul(&u);
        points.iter().max_by(|a, b| u.dot(a).total_cmp(&u.dot(b))).copied()
    });
    Collider { shape: Shape::Hull(farthest.collect()), ..collider.clone() }
}

fn between_meshes(a: &Collider, b: &Collider) -> f64 {
    let [of_a, of_b] = [a, b].map(triangles);
    let surface = |all: &[[Point3<f64>; 3]]| Surface::of(all.iter().map(|&corners| (corners, 1.0)));
    let a_from_b = surface(&of_b).farthest(&samples(a, &of_a));
    let b_from_a = surface(&of_a).farthest(&samples(b, &of_b));
    a_from_b.into_iter().chain(b_from_a).fold(0.0, f64::max)
}

fn triangles(collider: &Collider) -> Vec<[Point3<f64>; 3]> {
    let Shape::Mesh { points, triangles } = &collider.shape else { return Vec::new() };
    let place = |corner: u32| placed(collider, &points[corner as usize]);
    triangles.iter().map(|corners| corners.map(place)).collect()
}

fn placed(collider: &Collider, point: &Vector3<f64>) -> Point3<f64> {
    (collider.linear * point + collider.position).into()
}

/// Vertices and the middles of triangles, evenly picked where there are many.
fn samples(collider: &Collider, triangles: &[[Point3<f64>; 3]]) -> Vec<Point3<f64>> {
    let Shape::Mesh { points, .. } = &collider.shape else { return Vec::new() };
    let every = |len: usize| len.div_ceil(SAMPLES).max(1);
    let corners = points.iter().step_by(every(points.len())).map(|point| placed(collider, point));
    let middle = |corners: &[Point3<f64>; 3]| {
        Point3::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0)
    };
    let middles = triangles.iter().step_by(every(triangles.len())).map(middle);
    corners.chain(middles).collect()
}
