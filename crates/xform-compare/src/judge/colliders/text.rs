//! Text about a collider: its result in each engine, the cause, and the remedy.

use std::collections::HashMap;

use nalgebra::{Matrix3, Vector3};
use xform_engines::{
    SCALE_ROUNDING,
    physics::{Collider, NoCollider, PhysicsEngine, Shape, ShapeKind},
};
use xform_scene::{
    ColliderSource,
    text::{significant, units},
};

use super::{
    names,
    shared_cause::{SharedCause, baked, even, key, scale},
};
use crate::audit::{
    AnimationAudit, ColliderAdvice, ColliderAdviceKind, ColliderApart, ColliderAudit,
    ColliderInEngine, Grade, PhysicsRoad, SceneAudit, node_path,
};

fn graded(collider: &ColliderAudit) -> &'static str {
    let grade = collider.grade();
    if collider.is_unknown() && !grade.is_seen() { "unknown" } else { grade.name() }
}

fn title(collider: &ColliderAudit) -> String {
    let kind = match &collider.kind {
        Ok(kind) => format!("a {}", kind.name()),
        Err(_) => "a shape".to_owned(),
    };
    format!("{kind} ({})", collider.source)
}

/// The text about a collider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ColliderText<'a> {
    /// The collider.
    pub collider: &'a ColliderAudit,
    /// The description that follows its path: `a sphere (KHR_physics_rigid_bodies)`.
    pub title: String,
    /// Its grade, or `unknown` if no difference is visible and some results are unknown.
    pub grade: &'static str,
    /// One paragraph per entry: each engine, then the cause, then the remedy.
    pub lines: Vec<String>,
}

impl<'a> ColliderText<'a> {
    /// Returns the text of all colliders that are [worth reporting](crate::audit::PhysicsAudit::told), worst
    /// first. Each cause is stated once.
    #[must_use]
    pub fn all(scene: &'a SceneAudit) -> Vec<Self> {
        // Colliders with the same cause get the same advice. Otherwise one remedy could undo another.
        let shared = SharedCause::of(scene).filter(SharedCause::is_baked);
        let shared = shared.map(|shared| key(&shared.cause));
        let mut firsts = HashMap::new();
        let text = |(place, collider): (usize, &'a ColliderAudit)| {
            let cause = collider.cause.as_ref().map(key);
            let first = cause.map(|cause| *firsts.entry(cause).or_insert(place));
            let baked = baked(collider).filter(|_| cause.is_some() && cause == shared);
            let advice = baked.or(collider.advice.first());
            Self::new(scene, collider, advice, first.filter(|first| *first < place))
        };
        scene.physics.told().into_iter().enumerate().map(text).collect()
    }

    /// Returns the text of one collider.
    #[must_use]
    pub fn of(scene: &SceneAudit, collider: &'a ColliderAudit) -> Self {
        Self::new(scene, collider, collider.advice.first(), None)
    }

    /// `first`: the index of the first collider in the list with the same cause.
    fn new(
        scene: &SceneAudit,
        collider: &'a ColliderAudit,
        advice: Option<&ColliderAdvice>,
        first: Option<usize>,
    ) -> Self {
        let mut lines = lines(scene, collider);
        lines.extend(because(scene, collider, advice, first));
        Self { collider, title: title(collider), grade: graded(collider), lines }
    }
}

fn lines(scene: &SceneAudit, collider: &ColliderAudit) -> Vec<String> {
    let kind = match &collider.kind {
        Ok(kind) => *kind,
        Err(why) => return vec![format!("It was not judged: {why}.")],
    };
    let roads = &scene.physics.engines;
    let each = || roads.iter().zip(&collider.in_engines);
    let is_as_drawn = |one: &ColliderInEngine| {
        one.found.is_ok()
            && !one.grade.is_seen()
            && (one.grade == Grade::Identical || !collider.is_skewed)
    };
    let mut lines: Vec<_> = each()
        .filter(|(_, one)| !is_as_drawn(one))
        .map(|(road, one)| in_engine(scene, road, (kind, collider.is_skewed), one))
        .collect();
    let as_drawn: Vec<_> =
        each().filter(|(_, one)| is_as_drawn(one)).map(|(road, _)| road).collect();
    if !as_drawn.is_empty() && !lines.is_empty() {
        lines.push(format!("{}: matches the drawn shape.", names(as_drawn.into_iter(), "and")));
    }
    if let Some(flat) = collider.flattened_by {
        let path = node_path(scene, flat);
        lines.push(format!("The scale of {path} is 0 along an axis. {}", zero(roads)));
    }
    if collider.is_dynamic && collider.is_uneven {
        let does = roads.iter().filter_map(|road| {
            let moved =
                road.engine.dynamic.filter(|moved| !moved.is_of_skew || collider.is_skewed)?;
            Some(format!("{}: {}", road.engine.name, moved.sentence))
        });
        let does: Vec<_> = does.collect();
        let skewed = if collider.is_skewed { "skewed" } else { "with a non-uniform scale" };
        // Some engines may mishandle a skewed body without being known to. A non-uniform scale alone does no
        // harm.
        if collider.is_skewed || !does.is_empty() {
            let what = format!("Physics moves it, and it is drawn {skewed}.");
            lines.push([&[what], &does[..]].concat().join(" "));
        }
    }
    lines
}

fn zero(roads: &[PhysicsRoad]) -> String {
    let does = roads.iter().map(|road| format!("{}: {}", road.engine.name, road.engine.zero));
    does.collect::<Vec<_>>().join(" ")
}

/// Describes the collider in one engine.
fn in_engine(
    scene: &SceneAudit,
    road: &PhysicsRoad,
    (kind, is_skewed): (ShapeKind, bool),
    one: &ColliderInEngine,
) -> String {
    let engine = road.name();
    let when = one.motion.map_or_else(String::new, |(place, seconds)| {
        let label = scene.animations.get(place).map_or_else(String::new, AnimationAudit::label);
        format!(", {} s into {label}", significant(seconds, 4))
    });
    let skewed = road.engine.skewed.filter(|skewed| is_skewed && skewed.kinds.contains(&kind));
    let skewed = skewed.map(|skewed| skewed.sentence);
    let more = |said: Option<&str>| said.map_or_else(String::new, |said| format!(" {said}"));
    match &one.found {
        Ok(_) if one.falls_through => {
            format!("{engine}: bodies can fall through it{when}.{}", more(skewed))
        }
        Ok(found) => {
            let (does, says) = (road.road.takes(kind), more(says(road.engine, kind)));
            let (collider, far) = (described(&found.collider), how_far(found));
            format!("{engine}: {collider}{far}{when}. It takes {does}.{}{says}", more(skewed))
        }
        Err(NoCollider::Refused(what)) => {
            format!("{engine} refuses {what}{when}. Nothing collides.")
        }
        Err(NoCollider::NoSuchShape) => format!("{engine} makes no collider of this kind."),
        Err(unknown) => format!("{engine}: {unknown}{when}."),
    }
}

fn says(engine: &PhysicsEngine, kind: ShapeKind) -> Option<&'static str> {
    engine.says.filter(|(kinds, _)| kinds.contains(&kind)).map(|(_, says)| says)
}

/// States the distance between the collider and the drawn shape, and whether its origin lies elsewhere.
fn how_far(found: &ColliderApart) -> String {
    let ColliderApart { distance, percent, collider, drawn } = found;
    let share = percent.map_or_else(String::new, |percent| {
        format!(" ({} % of its size)", significant(percent, 2))
    });
    let moved = (collider.position - drawn.position).norm();
    let is_moved = moved > 1e-3 * distance;
    let place = if is_moved && collider.position == Vector3::zeros() {
        ", at the origin of the world".to_owned()
    } else if is_moved {
        format!(", its origin off by {}", units(moved, 3))
    } else {
        String::new()
    };
    format!("{place}, up to {}{share} from the drawn shape", units(*distance, 3))
}

/// Describes a collider by its dimensions, if it has any.
fn described(Collider { shape, linear, .. }: &Collider) -> String {
    let kind = shape.kind().name();
    let is_rotation = (linear.tr_mul(linear) - Matrix3::identity()).amax() <= SCALE_ROUNDING;
    let number = |value: f64| significant(value, 3);
    match shape {
        _ if !is_rotation => format!("the {kind}, each of its points scaled"),
        Shape::Sphere { radius } => format!("a sphere of radius {}", number(*radius)),
        Shape::Box { half_extents } => {
            let [x, y, z] = [0, 1, 2].map(|axis| number(2.0 * half_extents[axis]));
            format!("a box of {x} × {y} × {z}")
        }
        Shape::Capsule { radius, half_height } => {
            let height = number(2.0 * (half_height + radius));
            format!("a capsule of radius {} and height {height}", number(*radius))
        }
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
            let height = number(2.0 * half_height);
            format!("a {kind} of radius {} and height {height}", number(*radius))
        }
        _ => format!("the {kind} without scale"),
    }
}

/// Returns the cause and the remedy that was tried. `first`: the index of the first collider in the list with
/// the same cause.
fn because(
    scene: &SceneAudit,
    collider: &ColliderAudit,
    advice: Option<&ColliderAdvice>,
    first: Option<usize>,
) -> Option<String> {
    let advice = advice.map(|advice| advised(collider, advice));
    if let Some(first) = first {
        let cause = format!("The cause is the same as for collider {}.", first + 1);
        return Some([Some(cause), advice].into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    let cause = collider.cause.map(|cause| {
        let above = cause.turned.map_or_else(String::new, |turned| {
            format!(", below which {} is rotated", node_path(scene, turned))
        });
        let is = if cause.is_alone { "The cause is" } else { "One of several causes is" };
        format!("{is} the scale {} of {}{above}.", scale(&cause), node_path(scene, cause.node))
    });
    let said: Vec<_> = cause.into_iter().chain(advice).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Whether the collider is made from the mesh of its node because of a name, and so must stay with that mesh.
fn is_of_mesh(collider: &ColliderAudit) -> bool {
    use ColliderSource::{ColliderSuffix, GodotSuffix, UnrealPrefix};
    let is_mesh = matches!(collider.kind, Ok(ShapeKind::Hull | ShapeKind::Mesh));
    is_mesh && matches!(collider.source, GodotSuffix | UnrealPrefix | ColliderSuffix)
}

/// Where to move a shape that must keep its form. The meshes may stay where they are.
const UNSCALED: &str = "Move the shape to a node that neither has nor inherits a scale";

/// Describes a remedy and the difference that remains.
fn advised(collider: &ColliderAudit, advice: &ColliderAdvice) -> String {
    let is_box = collider.kind == Ok(ShapeKind::Box);
    let points = if is_box { "its corners" } else { "at most 255 points" };
    let way = match (advice.kind, is_of_mesh(collider)) {
        (ColliderAdviceKind::ApplyScale, true) => {
            "Apply the scales of its node and all ancestors to the meshes. The drawn scene does not change".to_owned()
        }
        (ColliderAdviceKind::ApplyScale, false) => {
            format!("{UNSCALED}, with its size scaled. The drawn scene does not change")
        }
        (ColliderAdviceKind::MakeHull, _) => {
            format!("{UNSCALED}, as the convex hull of {points} as drawn now. The drawn scene does not change")
        }
        (ColliderAdviceKind::MakeUniform, _) => {
            let even = collider.cause.as_ref().map_or_else(String::new, even);
            format!("Make that scale uniform, {even} on all axes. The drawn scene changes")
        }
    };
    let known = match advice.unknown {
        0 => "",
        _ => " in the engines whose result is known",
    };
    match advice.grade {
        Grade::Identical => format!("{way}. Then it collides where it is drawn{known}."),
        _ => format!("{way}. Then it is off by up to {}{known}.", units(advice.remaining, 3)),
    }
}
