//! Where a ray enters a collider: closed forms of each shape, in its own space.

use nalgebra::{Matrix3, Vector3};
use xform_engines::physics::{Collider, Shape};

/// An origin, and a direction.
pub(super) struct Ray {
    pub(super) origin: Vector3<f64>,
    pub(super) direction: Vector3<f64>,
}

/// A collider that rays are cast at.
pub(super) struct Target {
    collider: Collider,
    inverse: Matrix3<f64>,
    /// Of a hull, what it is on the inner side of.
    planes: Vec<(Vector3<f64>, f64)>,
}

impl Target {
    pub(super) fn new(collider: Collider) -> Self {
        let inverse = collider.linear.try_inverse().unwrap_or_else(Matrix3::zeros);
        let planes = match &collider.shape {
            Shape::Box { half_extents } => (0..6)
                .map(|side| {
                    let mut normal = Vector3::zeros();
                    normal[side % 3] = if side < 3 { 1.0 } else { -1.0 };
                    (normal, half_extents[side % 3])
                })
                .collect(),
            Shape::Hull(points) => planes(points),
            _ => Vec::new(),
        };
        Self { collider, inverse, planes }
    }

    /// How far along the ray it is hit first.
    pub(super) fn hit(&self, ray: &Ray) -> Option<f64> {
        let o = self.inverse * (ray.origin - self.collider.position);
        let d = self.inverse * ray.direction;
        let at = |t: f64| o + d * t;
        let ends = |half_height: f64| [-half_height, half_height].map(|y| (y - o.y) / d.y);
        let flat = |v: &Vector3<f64>| Vector3::new(v.x, 0.0, v.z);
        let within = |t: &f64, radius: f64| flat(&at(*t)).norm() <= radius;
        match &self.collider.shape {
            Shape::Sphere { radius } => first(ball(&o, &d, *radius)),
            Shape::Box { .. } | Shape::Hull(_) => inside(&self.planes, &o, &d),
            Shape::Mesh { points, triangles } => first(triangles.iter().filter_map(|corners| {
                let corners = corners.map(|corner| points[corner as usize]);
                triangle(corners, &o, &d)
            })),
            &Shape::Capsule { radius, half_height } => {
                let side = roots(&flat(&d), &flat(&o), radius * radius).map(|[t, _]| t);
                let side = side.filter(|&t| at(t).y.abs() <= half_height);
                let caps = [half_height, -half_height]
                    .into_iter()
                    .filter_map(|y| ball(&(o - Vector3::new(0.0, y, 0.0)), &d, radius));
                first(side.into_iter().chain(caps))
            }
            &Shape::Cylinder { radius, half_height } => {
                let side = roots(&flat(&d), &flat(&o), radius * radius).map(|[t, _]| t);
                let side = side.filter(|&t| at(t).y.abs() <= half_height);
                let ends = ends(half_height).into_iter().filter(|t| within(t, radius));
                first(side.into_iter().chain(ends))
            }
            &Shape::Cone { radius, half_height } => {
                let slope = radius / (2.0 * half_height);
                let from_tip = o - Vector3::new(0.0, half_height, 0.0);
                let squares = Vector3::new(1.0, -slope * slope, 1.0);
                let dot = |u: &Vector3<f64>, v: &Vector3<f64>| u.component_mul(&squares).dot(v);
                let sides = quadratic(dot(&d, &d), dot(&d, &from_tip), dot(&from_tip, &from_tip));
                let sides = sides.into_iter().flatten();
                let sides = sides.filter(|&t| at(t).y.abs() <= half_height);
                let base = ends(half_height)[0];
                first(sides.chain(Some(base).filter(|t| within(t, radius))))
            }
            _ => panic!("an unknown shape"),
        }
    }
}

fn first(hits: impl IntoIterator<Item = f64>) -> Option<f64> {
    hits.into_iter().filter(|&t| t >= 0.0).min_by(f64::total_cmp)
}

/// The roots of a t² + 2 b t + c.
fn quadratic(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    let discriminant = b * b - a * c;
    let root = discriminant.sqrt();
    (discriminant >= 0.0).then(|| [(-b - root) / a, (-b + root) / a])
}

fn roots(d: &Vector3<f64>, o: &Vector3<f64>, square: f64) -> Option<[f64; 2]> {
    quadratic(d.norm_squared(), d.dot(o), o.norm_squared() - square)
}

fn ball(o: &Vector3<f64>, d: &Vector3<f64>, radius: f64) -> Option<f64> {
    roots(d, o, radius * radius).map(|[t, _]| t)
}

fn inside(planes: &[(Vector3<f64>, f64)], o: &Vector3<f64>, d: &Vector3<f64>) -> Option<f64> {
    let (mut enters, mut leaves) = (f64::NEG_INFINITY, f64::INFINITY);
    for (normal, reach) in planes {
        let (along, left) = (normal.dot(d), reach - normal.dot(o));
        if along < 0.0 {
            enters = enters.max(left / along);
        } else if along > 0.0 {
            leaves = leaves.min(left / along);
        } else if left < 0.0 {
            return None;
        }
    }
    (enters <= leaves && enters >= 0.0).then_some(enters)
}

/// The outward planes of the convex hull: every three points are tried.
fn planes(points: &[Vector3<f64>]) -> Vec<(Vector3<f64>, f64)> {
    let middle = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let mut found = Vec::new();
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            for c in points.iter().skip(j + 1) {
                let Some(normal) = (b - a).cross(&(c - a)).try_normalize(1e-12) else { continue };
                let normal = if normal.dot(&(middle - a)) > 0.0 { -normal } else { normal };
                let reach = normal.dot(a);
                if points.iter().all(|point| normal.dot(point) <= reach + 1e-9) {
                    found.push((normal, reach));
                }
            }
        }
    }
    found
}

/// Möller and Trumbore, from both sides.
fn triangle([a, b, c]: [Vector3<f64>; 3], o: &Vector3<f64>, d: &Vector3<f64>) -> Option<f64> {
    const EDGE: f64 = 1e-9;
    let (ab, ac) = (b - a, c - a);
    let across = d.cross(&ac);
    let determinant = across.dot(&ab);
    if determinant.abs() <= 1e-14 {
        return None;
    }
    let from = o - a;
    let u = from.dot(&across) / determinant;
    let around = from.cross(&ab);
    let v = d.dot(&around) / determinant;
    (u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE).then(|| around.dot(&ac) / determinant)
}
