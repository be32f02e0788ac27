//! What to say of colliders.

use std::collections::HashMap;

use nalgebra::{Matrix3, Vector3};
use xform_engines::{
    Known, SCALE_ROUNDING,
    physics::{Collider, NoCollider, PhysicsEngine, Shape, ShapeKind},
};
use xform_scene::{ColliderSource, text::significant};

use crate::{
    audit::{
        AnimationAudit, ColliderAdvice, ColliderAdviceKind, ColliderApart, ColliderAudit,
        ColliderCause, ColliderInEngine, Grade, PhysicsRoad, SceneAudit, node_path,
    },
    measure::made_uniform,
};

/// What there is to say of the colliders of a scene, in a sentence. `None` where it has none.
///
/// Where nobody asked for physics engines, it says what to ask for, if there is something.
#[must_use]
pub fn colliders_line(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    let all = physics.shapes;
    if all == 0 {
        let nothing = "The file has no colliders.".to_owned();
        return physics.is_asked.then_some(nothing);
    }
    let of_all = |differs: usize| match (differs, all) {
        (1, 1) => "The only collider differs".to_owned(),
        (1, _) => format!("1 of {all} colliders differs"),
        _ => format!("{differs} of {all} colliders differ"),
    };
    if physics.is_asked {
        return Some(answer(scene, of_all));
    }
    // The engine in which most of them differ.
    let in_engine = |place: usize| {
        let differs = |one: &&ColliderAudit| one.in_engines[place].grade.is_seen();
        physics.colliders.iter().filter(differs).count()
    };
    let (count, road) = physics
        .engines
        .iter()
        .enumerate()
        .map(|(place, road)| (in_engine(place), road))
        .rev()
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)?;
    let (name, id) = (road.engine.name, road.id());
    let least = if physics.has_more { "At least " } else { "" };
    Some(format!("{least}{} from what is drawn in {name}: --physics {id}", of_all(count)))
}

/// How many of the colliders differ, and by how much at most.
fn answer(scene: &SceneAudit, of_all: impl Fn(usize) -> String) -> String {
    let physics = &scene.physics;
    let [and, or] = ["and", "or"].map(|last| names(physics.engines.iter(), last));
    let seen = || physics.colliders.iter().filter(|one| one.grade().is_seen());
    let line = match (physics.seen(), physics.shapes) {
        (0, _) if !physics.told().is_empty() => {
            format!("No collider is known to differ visibly from what is drawn in {or}.")
        }
        (0, 1) => format!("The only collider is where it is drawn in {and}."),
        (0, _) => format!("All colliders are where they are drawn in {and}."),
        (differs, _) => {
            let most = seen().map(ColliderAudit::distance).fold(0.0, f64::max);
            let far = if most > 0.0 {
                format!(": bodies hit up to {} units away from what is seen", significant(most, 3))
            } else {
                String::new()
            };
            format!("{} from what is drawn in {or}{far}.", of_all(differs))
        }
    };
    let judged_as = physics.judged_as.map(|kind| {
        format!("The file has no colliders: each drawn mesh is judged as a {}.", kind.name())
    });
    let unknown = physics.colliders.iter().filter(|one| one.is_unknown()).count();
    let unknown = (unknown > 0).then(|| format!("Not all is known of {unknown}."));
    [judged_as, Some(line), unknown].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The scale that is a cause of most of the colliders that differ, and one way to author all of these. `None` where each has a
/// cause of its own.
#[must_use]
pub fn colliders_cause(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    physics.is_asked.then(|| SharedCause::of(scene)).flatten().map(|shared| shared.explain(scene))
}

/// What the figures of colliders are about: what is compared, how that is known, and how shapes are assumed to come to the engines. `None` where
/// nobody asked, or there are no colliders.
#[must_use]
pub fn colliders_note(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    if !physics.is_asked || physics.shapes == 0 {
        return None;
    }
    let known = physics.engines.iter().map(|on| {
        let how = match on.road.rule.known {
            Known::Run { version, .. } => format!("was run ({version})"),
            other => format!("is {}, not run", other.name()),
        };
        format!("{} {how}, with {}", on.engine.name, on.road.words)
    });
    Some(format!(
        "Each collider is compared with its own shape, placed and scaled as its node is drawn; a mesh beside it may have another shape. {}. `xform engines` lists other ways in which \
         shapes come to them. Whether an importer reads these shapes from the file is another question.",
        known.collect::<Vec<_>>().join("; ")
    ))
}

/// The scale that is a cause of most of the colliders that differ, of several at least.
struct SharedCause<'a> {
    cause: ColliderCause,
    colliders: Vec<&'a ColliderAudit>,
}

impl<'a> SharedCause<'a> {
    fn of(scene: &'a SceneAudit) -> Option<Self> {
        let (mut all, mut places): (Vec<Self>, HashMap<_, usize>) = Default::default();
        for collider in scene.physics.told() {
            let Some(cause) = collider.cause else { continue };
            let place = *places.entry(key(&cause)).or_insert(all.len());
            if place == all.len() {
                all.push(Self { cause, colliders: Vec::new() });
            }
            all[place].colliders.push(collider);
        }
        // The worst of those that act on as many.
        all.reverse();
        let most = all.into_iter().max_by_key(|shared| shared.colliders.len());
        most.filter(|shared| shared.colliders.len() > 1)
    }

    /// The scale, and one way to author all that it is a cause of, if any serves.
    fn explain(&self, scene: &SceneAudit) -> String {
        let count = self.colliders.len();
        let is_alone = self.colliders.iter().all(|one| one.cause.is_some_and(|one| one.is_alone));
        let is = if is_alone { "the cause" } else { "a cause" };
        let is_all = count == scene.physics.seen();
        let of = match count {
            2 if is_all => "both".to_owned(),
            _ if is_all => format!("all {count}"),
            _ => format!("{count} of them"),
        };
        let mut ways = Vec::new();
        if self.is_baked() {
            let kinds = self.colliders.iter().filter_map(|one| baked(one));
            let has_hulls =
                kinds.map(|way| way.kind).any(|kind| kind == ColliderAdviceKind::MakeHull);
            let hulls = if has_hulls { ", of which some become hulls," } else { "," };
            ways.push(format!(" Kept away from their shapes{hulls} it troubles none of them, and nothing that is drawn changes: the list says how."));
        }
        let is_uniform = |one: &&ColliderAudit| {
            one.advice.iter().any(|way| serves(way) && way.kind == ColliderAdviceKind::MakeUniform)
        };
        if self.colliders.iter().all(is_uniform) {
            let none = if ways.is_empty() { "none of them" } else { "none either" };
            ways.push(format!(
                " Made uniform, {} on all axes, it troubles {none}, but what is drawn changes.",
                even(&self.cause)
            ));
        }
        let ways = ways.concat();
        let (scale, path) = (scale(&self.cause), node_path(scene, self.cause.node));
        format!("The scale {scale} of {path} is {is} of {of}.{ways}")
    }

    /// Whether all can be mended without a change of what is drawn.
    fn is_baked(&self) -> bool {
        self.colliders.iter().all(|one| baked(one).is_some())
    }
}

/// Whether nobody sees what remains, in the engines of which it is known.
fn serves(advice: &ColliderAdvice) -> bool {
    !advice.grade.is_seen()
}

/// A way to author it that changes nothing that is drawn.
fn baked(collider: &ColliderAudit) -> Option<&ColliderAdvice> {
    let is_baked = |way: &&ColliderAdvice| way.kind != ColliderAdviceKind::MakeUniform;
    collider.advice.iter().find(|way| is_baked(way) && serves(way))
}

/// The same of two causes that are one scale: in motion a node has several.
fn key(cause: &ColliderCause) -> (usize, [u64; 3]) {
    (cause.node, cause.scale.map(f64::to_bits).into())
}

/// The scale that was tried in the place of a cause.
fn even(cause: &ColliderCause) -> String {
    significant(made_uniform(&cause.scale).abs(), 4)
}

fn scale(cause: &ColliderCause) -> String {
    let [x, y, z] = [0, 1, 2].map(|axis| significant(cause.scale[axis], 4));
    format!("({x}, {y}, {z})")
}

/// The names of engines, for a sentence.
fn names<'a>(roads: impl Iterator<Item = &'a PhysicsRoad>, before_last: &str) -> String {
    let mut names: Vec<_> = roads.map(PhysicsRoad::name).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} {before_last} {last}", names.join(", ")),
    }
}

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

/// What there is to say of a collider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ColliderText<'a> {
    /// The collider.
    pub collider: &'a ColliderAudit,
    /// What it is, as behind its path: `a sphere (KHR_physics_rigid_bodies)`.
    pub title: String,
    /// Its grade, or `unknown` where no difference is seen and not all is known.
    pub grade: &'static str,
    /// A paragraph each: engine by engine, then the cause, then what to do.
    pub lines: Vec<String>,
}

impl<'a> ColliderText<'a> {
    /// Of [all that there is something to say of](crate::audit::PhysicsAudit::told), the worst first. The same cause is said once.
    #[must_use]
    pub fn all(scene: &'a SceneAudit) -> Vec<Self> {
        // Those with one cause are told one way, or one would undo what another asks for.
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

    /// Of one collider.
    #[must_use]
    pub fn of(scene: &SceneAudit, collider: &'a ColliderAudit) -> Self {
        Self::new(scene, collider, collider.advice.first(), None)
    }

    /// `first`: the place in the list of the first with the same cause.
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
        lines.push(format!("{}: as it is drawn.", names(as_drawn.into_iter(), "and")));
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
        // An engine may do something to a body that is skewed, and is not known to; a scale alone is no trouble by itself.
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

/// What an engine makes of it.
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

/// How far the collider is from what is drawn, and whether it lies elsewhere.
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
        format!(", its origin {} from its place", significant(moved, 3))
    } else {
        String::new()
    };
    format!("{place}, up to {}{share} from what is drawn", significant(*distance, 3))
}

/// A collider by its numbers, where it has such.
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

/// The cause, and what was tried against it. `first`: the place in the list of the first with the same cause.
fn because(
    scene: &SceneAudit,
    collider: &ColliderAudit,
    advice: Option<&ColliderAdvice>,
    first: Option<usize>,
) -> Option<String> {
    let advice = advice.map(|advice| advised(collider, advice));
    if let Some(first) = first {
        let cause = format!("The cause is that of collider {}.", first + 1);
        return Some([Some(cause), advice].into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    let cause = collider.cause.map(|cause| {
        let above = cause.turned.map_or_else(String::new, |turned| {
            format!(", below which {} is turned", node_path(scene, turned))
        });
        let is = if cause.is_alone { "The cause is" } else { "One of several causes is" };
        format!("{is} the scale {} of {}{above}.", scale(&cause), node_path(scene, cause.node))
    });
    let said: Vec<_> = cause.into_iter().chain(advice).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Whether a name makes the collider of the mesh on its node, so that it is where that is.
fn is_of_mesh(collider: &ColliderAudit) -> bool {
    use ColliderSource::{ColliderSuffix, GodotSuffix, UnrealPrefix};
    let is_mesh = matches!(collider.kind, Ok(ShapeKind::Hull | ShapeKind::Mesh));
    is_mesh && matches!(collider.source, GodotSuffix | UnrealPrefix | ColliderSuffix)
}

/// Where a shape goes that is to keep its form; the meshes may stay where they are.
const UNSCALED: &str = "Move the shape to a node without a scale, at it or above it";

/// A way to author it, and what then remains.
fn advised(collider: &ColliderAudit, advice: &ColliderAdvice) -> String {
    let is_box = collider.kind == Ok(ShapeKind::Box);
    let points = if is_box { "its corners" } else { "at most 255 points" };
    let way = match (advice.kind, is_of_mesh(collider)) {
        (ColliderAdviceKind::ApplyScale, true) => {
            "Apply the scale of its node, and all above, to the meshes. That changes nothing that is drawn".to_owned()
        }
        (ColliderAdviceKind::ApplyScale, false) => {
            format!("{UNSCALED}, with its size scaled. Nothing that is drawn changes")
        }
        (ColliderAdviceKind::MakeHull, _) => {
            format!("{UNSCALED}, as the convex hull of {points} as it is drawn now. Nothing that is drawn changes")
        }
        (ColliderAdviceKind::MakeUniform, _) => {
            let even = collider.cause.as_ref().map_or_else(String::new, even);
            format!("Make that scale uniform, {even} on all axes. That changes what is drawn")
        }
    };
    let known = match advice.unknown {
        0 => "",
        _ => " in the engines of which it is known",
    };
    match advice.grade {
        Grade::Identical => format!("{way}. Then it collides as it is drawn{known}."),
        _ => format!("{way}. Then up to {} remains{known}.", significant(advice.remaining, 3)),
    }
}

/// The worst grade, and what is to be done, as a line for a list of findings.
pub(super) fn finding_message(scene: &SceneAudit, collider: &ColliderAudit) -> String {
    let ColliderText { title, lines, .. } = ColliderText::of(scene, collider);
    format!("{title}. {}", lines.join(" "))
}
