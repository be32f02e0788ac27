//! Other ways to author a shape, each tried in the engines.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use xform_core::{Trs, linear::axis_lengths};
use xform_engines::{
    LocalPose, SCALE_ROUNDING,
    physics::{Collider, NoCollider, Shape, is_even},
};

use super::judge::{Judge, as_drawn, product};
use crate::{
    audit::{ColliderAdvice, ColliderAdviceKind, Grade, PhysicsRoad},
    measure::made_uniform,
};

/// The number of points for each circle of a round shape that is turned into a hull, which gives a sphere
/// 240. PhysX takes up to 255 points, Jolt 256.
const AROUND: u8 = 20;

/// A shape with its poses, for which remedies are tried in all engines.
pub(super) struct Tried<'a> {
    pub(super) judge: &'a Judge<'a>,
    pub(super) shape: &'a Shape,
    pub(super) poses: &'a [LocalPose],
    /// The worst grade and distance before any change.
    pub(super) before: (Grade, f64),
}

impl Tried<'_> {
    /// Returns the remedies that leave a milder grade, or less than half of the distance, the best first.
    ///
    /// `cause` is the index of the scale on the path. A shape that moves can only be helped through its
    /// scales.
    pub(super) fn advice(&self, cause: Option<usize>, is_at_rest: bool) -> Vec<ColliderAdvice> {
        let of_shape = is_at_rest.then(|| self.of_shape());
        let of_scale = cause.and_then(|at| self.made_uniform(at));
        let mut advice: Vec<_> = of_shape.into_iter().chain(of_scale).collect();
        let (grade, distance) = self.before;
        advice.retain(|tried| {
            // The distance is infinite if an engine still refuses.
            let is_nearer = tried.grade == grade && tried.remaining < distance / 2.0;
            is_nearer || tried.grade < grade
        });
        advice.sort_by_key(|one| (one.grade.is_seen(), one.unknown, one.grade));
        advice
    }

    /// Tries another shape on a node without a scale. The meshes are assumed to have the scale applied too.
    fn of_shape(&self) -> ColliderAdvice {
        let drawn = as_drawn(self.shape, &product(self.poses));
        let (kind, shape, axes) = match applied(&drawn) {
            Some((shape, axes)) => (ColliderAdviceKind::ApplyScale, shape, axes),
            None => (ColliderAdviceKind::MakeHull, hull(&drawn), Matrix3::identity()),
        };
        let rotation = Rotation3::from_matrix_unchecked(axes);
        let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
        let pose = Trs::from_translation(drawn.position).with_rotation(rotation);
        // Without a scale, every engine draws as engines that multiply matrices do now.
        self.tried(kind, |road| Ok((drawn.clone(), road.road.collider(&[pose.into()], &shape)?)))
    }

    /// Tries the same shape with one scale on the path made uniform.
    fn made_uniform(&self, at: usize) -> Option<ColliderAdvice> {
        let LocalPose::Trs(pose) = self.poses[at] else { return None };
        let mut poses = self.poses.to_vec();
        poses[at] = pose.with_scale(Vector3::repeat(made_uniform(&pose.scale).abs())).into();
        Some(self.tried(ColliderAdviceKind::MakeUniform, |road| {
            let found = self.judge.collided(self.shape, &poses, road)?;
            Ok((found.drawn, found.collider))
        }))
    }

    /// Returns what remains in the engines, given what each draws and collides with.
    fn tried(
        &self,
        kind: ColliderAdviceKind,
        found: impl Fn(PhysicsRoad) -> Result<(Collider, Collider), NoCollider>,
    ) -> ColliderAdvice {
        let mut tried =
            ColliderAdvice { kind, remaining: 0.0, grade: Grade::Identical, unknown: 0 };
        for &road in self.judge.engines {
            match found(road) {
                Ok((drawn, collider)) => {
                    let apart = self.judge.apart(drawn, collider);
                    let (grade, _) = self.judge.grade(&apart, road);
                    tried.grade = tried.grade.max(grade);
                    tried.remaining = tried.remaining.max(apart.distance);
                }
                Err(NoCollider::Refused(_)) => {
                    tried.grade = Grade::Severe;
                    tried.remaining = f64::INFINITY;
                }
                Err(_) => tried.unknown += 1,
            }
        }
        tried
    }
}

/// Returns the shape with its dimensions or points as drawn, and its axes. `None` if the drawn form is not a
/// shape of this kind.
fn applied(drawn: &Collider) -> Option<(Shape, Matrix3<f64>)> {
    let Collider { shape, linear, .. } = drawn;
    let moved = |points: &[Vector3<f64>]| points.iter().map(|point| linear * point).collect();
    let unturned = Matrix3::identity();
    match shape {
        Shape::Hull(points) => return Some((Shape::Hull(moved(points)), unturned)),
        Shape::Mesh { points, triangles } => {
            let triangles = triangles.clone();
            return Some((Shape::Mesh { points: moved(points), triangles }, unturned));
        }
        _ => {}
    }
    let scale = axis_lengths(linear);
    let mut axes = Matrix3::from_fn(|i, j| linear[(i, j)] / scale[j]);
    let is_turned = (axes.tr_mul(&axes) - unturned).amax() <= SCALE_ROUNDING;
    if axes.determinant() < 0.0 {
        // These shapes are their own mirror images in x.
        axes.column_mut(0).neg_mut();
    }
    let (all, across) = (is_even(&scale), is_even(&Vector3::new(scale.x, scale.x, scale.z)));
    let shape = match *shape {
        Shape::Sphere { radius } if all => Shape::Sphere { radius: radius * scale.x },
        Shape::Box { half_extents } => {
            Shape::Box { half_extents: half_extents.component_mul(&scale) }
        }
        Shape::Capsule { radius, half_height } if all => {
            Shape::Capsule { radius: radius * scale.x, half_height: half_height * scale.y }
        }
        Shape::Cylinder { radius, half_height } if across => {
            Shape::Cylinder { radius: radius * scale.x, half_height: half_height * scale.y }
        }
        Shape::Cone { radius, half_height } if across => {
            Shape::Cone { radius: radius * scale.x, half_height: half_height * scale.y }
        }
        _ => return None,
    };
    is_turned.then_some((shape, axes))
}

/// Returns the convex hull of a shape as drawn, relative to its position. A round shape is represented by
/// points on its surface.
fn hull(drawn: &Collider) -> Shape {
    let around = |at: u8| f64::from(at) / f64::from(AROUND) * std::f64::consts::TAU;
    let circle = |radius: f64, y: f64| {
        (0..AROUND).map(move |at| {
            let angle = around(at);
            Vector3::new(radius * libm::cos(angle), y, radius * libm::sin(angle))
        })
    };
    // A hemisphere in rings, including the pole.
    let cap = |radius: f64, middle: f64, up: f64| {
        (0..=AROUND / 4).flat_map(move |ring| {
            let angle = around(ring);
            circle(radius * libm::cos(angle), middle + up * radius * libm::sin(angle))
        })
    };
    let points: Vec<Vector3<f64>> = match drawn.shape {
        Shape::Sphere { radius } => cap(radius, 0.0, 1.0).chain(cap(radius, 0.0, -1.0)).collect(),
        Shape::Capsule { radius, half_height } => {
            cap(radius, half_height, 1.0).chain(cap(radius, -half_height, -1.0)).collect()
        }
        Shape::Cylinder { radius, half_height } => {
            circle(radius, half_height).chain(circle(radius, -half_height)).collect()
        }
        Shape::Cone { radius, half_height } => {
            circle(radius, -half_height).chain([Vector3::new(0.0, half_height, 0.0)]).collect()
        }
        Shape::Box { half_extents } => (0..8_u8)
            .map(|corner| {
                let side = |axis: u8| f64::from(corner >> axis & 1) * 2.0 - 1.0;
                half_extents.component_mul(&Vector3::new(side(0), side(1), side(2)))
            })
            .collect(),
        _ => Vec::new(),
    };
    Shape::Hull(points.iter().map(|point| drawn.linear * point).collect())
}
