//! The distance between the surfaces of two colliders.
//!
//! For convex shapes K and L it is the largest |h(u) − h'(u)| over all unit directions u, where h and h' are
//! their support functions. That is the Hausdorff distance of the solids, which for convex solids equals that
//! of their surfaces (Schneider, Convex Bodies, lemma 1.8.14; Wills, Hausdorff distance and convex sets,
//! 2007). For meshes it is measured at the vertices and the centres of the triangles.

use std::{f64::consts::TAU, sync::Arc};

use nalgebra::{Point3, Vector3};
use xform_core::linear::length;
use xform_engines::physics::{Collider, Shape};

use super::super::surface::Surface;

/// The largest relative difference between the entries of two maps that count as the same.
const SAME: f64 = 1e-9;

/// The number of directions to try, and the number of the best of them to climb from. A direction whose
/// cosine with a better one exceeds `SAME_TOP` would climb to the same maximum.
const DIRECTIONS: u32 = 512;
const FOLLOWED: usize = 12;
const SAME_TOP: f64 = 0.97;

/// The climb: the first step in radians, which is the spacing of the tried directions; the step at which it
/// has arrived; the largest number of steps; and the number of sideways directions in each step.
const STEP: f64 = 0.16;
const ARRIVED: f64 = 1e-7;
const STEPS: u32 = 200;
const SIDES: u32 = 8;

/// The number of vertices, and of triangles, of a mesh that are examined.
const SAMPLES: usize = 4096;

/// The number of points above which a hull is thinned to the points that are farthest in some direction.
const POINTS: usize = 1024;

/// Returns the diagonal of the box around a collider, along the axes of the world.
pub(super) fn size(collider: &Collider) -> f64 {
    let side = |axis| {
        let u = Vector3::ith(axis, 1.0);
        collider.support(&u) + collider.support(&-u)
    };
    length(&Vector3::new(side(0), side(1), side(2)))
}

/// Returns the farthest that a point of either surface is from the other surface.
pub(super) fn distance(a: &Collider, b: &Collider) -> f64 {
    if is_same(a, b) {
        return 0.0;
    }
    match (&a.shape, &b.shape) {
        (Shape::Mesh { .. }, Shape::Mesh { .. }) => between_meshes(a, b),
        _ => between_convex(&thinned(a), &thinned(b)),
    }
}

/// Returns an upper bound of the distance between two placements of the same shape: the farthest that a
/// corner of its box moves. `None` for different shapes.
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

/// Whether two shapes are the same. Points are compared by identity, not by value.
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

/// Returns directions that cover a sphere evenly: a spiral from pole to pole.
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
            // The sideways directions change in each step, so that the climb can follow a ridge.
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

/// Thins the points of a large hull to those that are farthest in some direction.
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

/// Returns vertices and centres of triangles, evenly selected if there are many.
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
