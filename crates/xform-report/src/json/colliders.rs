use serde::Serialize;
use xform_compare::{
    Grade, SceneAudit,
    audit::{
        ColliderAdvice, ColliderApart, ColliderAudit, ColliderInEngine, PhysicsAudit, PhysicsRoad,
    },
};
use xform_engines::physics::{Collider, NoCollider, Shape, ShapeKind};

use super::views::MomentView;

/// The results of physics engines for the shapes of a scene.
#[derive(Serialize)]
pub(crate) struct PhysicsView<'a> {
    #[serde(flatten)]
    asked: AskedView<'a>,
    colliders: Vec<ColliderView<'a>>,
}

/// The results of physics engines in one line, with colliders counted.
#[derive(Serialize)]
pub(crate) struct PhysicsCount<'a> {
    #[serde(flatten)]
    asked: AskedView<'a>,
    colliders: usize,
    differing: usize,
    unknown: usize,
}

/// The worst grade, and the engines that were requested.
#[derive(Serialize)]
struct AskedView<'a> {
    grade: Grade,
    engines: Vec<RoadView<'a>>,
    judged_as: Option<&'static str>,
}

#[derive(Serialize)]
struct RoadView<'a> {
    id: String,
    road: &'a str,
    known: &'a str,
}

#[derive(Serialize)]
pub(crate) struct ColliderView<'a> {
    node: usize,
    source: &'static str,
    /// `null` if it was not judged.
    shape: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_judged: Option<&'a str>,
    grade: Grade,
    dynamic: bool,
    skewed: bool,
    mirrored: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    flattened_by: Option<usize>,
    engines: Vec<InEngineView<'a>>,
    cause: Option<CauseView>,
    advice: Vec<AdviceView>,
}

#[derive(Serialize)]
struct InEngineView<'a> {
    engine: String,
    grade: Grade,
    #[serde(skip_serializing_if = "Option::is_none")]
    falls_through: Option<bool>,
    distance: Option<f64>,
    percent_of_itself: Option<f64>,
    collider: Option<PlacedView>,
    drawn: Option<PlacedView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    #[serde(flatten)]
    when: MomentView<'a>,
}

/// A shape in the world, as its dimensions and its matrix. Points of hulls and meshes are in the file and not repeated
/// here.
#[derive(Serialize)]
struct PlacedView {
    shape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    half_height: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    half_extents: Option<[f64; 3]>,
    /// Column-major.
    matrix: [f64; 16],
}

#[derive(Serialize)]
struct CauseView {
    node: usize,
    scale: [f64; 3],
    turned: Option<usize>,
    alone: bool,
}

#[derive(Serialize)]
struct AdviceView {
    kind: &'static str,
    grade: Grade,
    remaining: f64,
    unknown: usize,
}

impl<'a> PhysicsView<'a> {
    /// Returns `None` if no physics engine was requested.
    pub(crate) fn of(scene: &'a SceneAudit) -> Option<Self> {
        let physics = &scene.physics;
        physics.is_asked.then(|| Self {
            asked: AskedView::new(physics),
            colliders: ColliderView::all(scene).collect(),
        })
    }
}

impl<'a> PhysicsCount<'a> {
    /// Returns `None` if no physics engine was requested.
    pub(crate) fn of(scene: &'a SceneAudit) -> Option<Self> {
        let physics = &scene.physics;
        physics.is_asked.then(|| Self {
            asked: AskedView::new(physics),
            colliders: physics.colliders.len(),
            differing: physics.seen(),
            unknown: physics.colliders.iter().filter(|one| one.is_unknown()).count(),
        })
    }
}

impl<'a> AskedView<'a> {
    fn new(physics: &'a PhysicsAudit) -> Self {
        Self {
            grade: physics.grade(),
            engines: physics.engines.iter().map(RoadView::new).collect(),
            judged_as: physics.judged_as.map(ShapeKind::name),
        }
    }
}

impl<'a> RoadView<'a> {
    fn new(on: &'a PhysicsRoad) -> Self {
        Self { id: on.id(), road: on.road.id, known: on.road.rule.known.name() }
    }
}

impl<'a> ColliderView<'a> {
    /// Returns all colliders of a scene, or none if no physics engine was requested.
    pub(crate) fn all(scene: &'a SceneAudit) -> impl Iterator<Item = Self> {
        let physics = &scene.physics;
        let colliders = physics.colliders.iter().filter(|_| physics.is_asked);
        colliders.map(|one| Self::new(scene, one))
    }

    fn new(scene: &'a SceneAudit, collider: &'a ColliderAudit) -> Self {
        let in_engines = scene.physics.engines.iter().zip(&collider.in_engines);
        Self {
            node: collider.node,
            source: collider.source.name(),
            shape: collider.kind.as_ref().ok().map(|kind| kind.name()),
            not_judged: collider.kind.as_ref().err().map(String::as_str),
            grade: collider.grade(),
            dynamic: collider.is_dynamic,
            skewed: collider.is_skewed,
            mirrored: collider.is_mirrored,
            flattened_by: collider.flattened_by,
            engines: in_engines.map(|(on, one)| InEngineView::new(scene, on, one)).collect(),
            cause: collider.cause.map(|cause| CauseView {
                node: cause.node,
                scale: cause.scale.into(),
                turned: cause.turned,
                alone: cause.is_alone,
            }),
            advice: collider.advice.iter().map(AdviceView::new).collect(),
        }
    }
}

impl<'a> InEngineView<'a> {
    fn new(scene: &'a SceneAudit, on: &PhysicsRoad, one: &ColliderInEngine) -> Self {
        let found = one.found.as_ref().ok();
        let (refused, unknown) = match &one.found {
            Ok(_) => (None, None),
            Err(why @ NoCollider::Refused(_)) => (Some(why.to_string()), None),
            Err(why) => (None, Some(why.to_string())),
        };
        Self {
            engine: on.id(),
            grade: one.grade,
            falls_through: one.falls_through.then_some(true),
            distance: found.map(|found| found.distance),
            percent_of_itself: found.and_then(|found| found.percent),
            collider: found.map(|ColliderApart { collider, .. }| PlacedView::new(collider)),
            drawn: found.map(|ColliderApart { drawn, .. }| PlacedView::new(drawn)),
            refused,
            unknown,
            when: MomentView::new(scene, one.motion),
        }
    }
}

impl PlacedView {
    fn new(Collider { shape, linear, position }: &Collider) -> Self {
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(position);
        let entries = matrix.as_slice();
        let (radius, half_height, half_extents) = match *shape {
            Shape::Sphere { radius } => (Some(radius), None, None),
            Shape::Box { half_extents } => (None, None, Some(half_extents.into())),
            Shape::Capsule { radius, half_height }
            | Shape::Cylinder { radius, half_height }
            | Shape::Cone { radius, half_height } => (Some(radius), Some(half_height), None),
            _ => (None, None, None),
        };
        Self {
            shape: shape.kind().name(),
            radius,
            half_height,
            half_extents,
            matrix: std::array::from_fn(|at| entries[at]),
        }
    }
}

impl AdviceView {
    fn new(advice: &ColliderAdvice) -> Self {
        let ColliderAdvice { kind, grade, remaining, unknown, .. } = *advice;
        Self { kind: kind.name(), grade, remaining, unknown }
    }
}
