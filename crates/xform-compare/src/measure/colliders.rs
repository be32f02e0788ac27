//! What physics engines make of the shapes of a scene, beside the same shapes as the engines draw them.

mod apart;
mod authored;

use std::collections::HashMap;

use nalgebra::{Matrix4, Vector3};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use xform_core::{
    Inherit,
    linear::{axis_lengths, skew},
    spaces::Orientation,
};
use xform_engines::{
    LocalPose, Reason, SCALE_ROUNDING, SourceNode,
    physics::{Collider, NoCollider, Shape, is_even},
};
use xform_scene::{
    Animation, ColliderSource, NodeCollider, Scene, animation::Track, fbx::InheritType,
};

use super::{metrics::percent, motion, uniform_scale::made_uniform};
use crate::audit::{
    ColliderApart, ColliderAudit, ColliderCause, ColliderInEngine, DIFFERING_FRACTION, Grade,
    PhysicsAudit, PhysicsChoice, PhysicsRoad, SKEWED_DEGREES,
};

/// How many colliders are looked at where nobody asked.
const UNASKED: usize = 256;

/// How many triangles of a mesh are placed in an animation, in all engines.
const TRIANGLES: usize = 2_000_000;

/// A scale is a cause if without it less than this part of a difference remains.
const HELPS: f64 = 0.9;

/// How many of the nearest ancestors are tried as the cause.
const TRIED: usize = 32;

/// How many times a collider is looked at in an animation, and how often all are in all animations and engines: a second or two. But each is looked at
/// at both ends of each animation.
const TIMES: usize = 64;
const LOOKS: usize = 200_000;
const FEWEST_TIMES: usize = 2;

/// What physics engines make of the shapes of a scene, at rest and in motion. The vertices of meshes come from what is
/// [drawn](Scene::drawing), so that has to be read.
///
/// `diagonal` is that of the [summary](crate::Summary::diagonal).
#[must_use]
pub fn collide(scene: &Scene, choice: &PhysicsChoice, diagonal: f64) -> PhysicsAudit {
    let asked = choice.collider.filter(|_| scene.colliders.is_empty());
    let of_drawn = asked.into_iter().flat_map(|kind| {
        let nodes = scene.nodes.iter().enumerate().filter(|(_, node)| node.draws());
        nodes.filter_map(move |(index, node)| NodeCollider::of_drawn(index, node, kind))
    });
    let all: Vec<_> = scene.colliders.iter().cloned().chain(of_drawn).collect();
    let channels: Vec<_> = scene.animations.iter().map(channels).collect();
    let looks = (all.len() * choice.engines.len() * channels.len()).max(1);
    let times = (LOOKS / looks).clamp(FEWEST_TIMES, TIMES);
    let judged = all.par_iter().map(|collider| {
        let shape = collider.resolved(&scene.drawing);
        let judge = Judge::new(scene, collider, &choice.engines, diagonal);
        let triangles = match &shape {
            Ok(Shape::Mesh { triangles, .. }) => triangles.len() * looks,
            _ => 0,
        };
        let of_mesh =
            TRIANGLES.checked_div(triangles).map_or(times, |times| times.max(FEWEST_TIMES));
        Judge { times: times.min(of_mesh), ..judge }.audit(shape, &channels)
    });
    PhysicsAudit {
        is_asked: true,
        engines: choice.engines.clone(),
        judged_as: asked,
        shapes: all.len(),
        has_more: false,
        colliders: judged.collect(),
    }
}

/// The same in the usual engines, at rest, and with boxes about meshes in place of their vertices: whether there is something to ask for.
pub(super) fn unasked(scene: &Scene, diagonal: f64) -> PhysicsAudit {
    if scene.colliders.is_empty() {
        return PhysicsAudit::default();
    }
    let engines = PhysicsChoice::usual().engines;
    let mut scaled = Scaled { scene, below: vec![None; scene.nodes.len()] };
    // No physics engine sees the colliders of spring bones.
    let of_physics = |collider: &&NodeCollider| collider.source != ColliderSource::VrmSpringBone;
    let below_a_scale = scene.colliders.iter().filter(of_physics);
    let below_a_scale = below_a_scale.filter(|collider| scaled.is_below(collider.node));
    let mut below_a_scale: Vec<_> = below_a_scale.take(UNASKED + 1).collect();
    let has_more = below_a_scale.len() > UNASKED;
    below_a_scale.truncate(UNASKED);
    let judged = below_a_scale.into_par_iter().filter_map(|collider| {
        let shape = collider.outlined(&scene.nodes)?;
        Some(Judge::new(scene, collider, &engines, diagonal).at_rest(&shape))
    });
    let (colliders, shapes) = (judged.collect(), scene.colliders.len());
    PhysicsAudit { shapes, has_more, colliders, engines, ..PhysicsAudit::default() }
}

/// Which nodes have a scale or a matrix at or above them: below none everything is where it is drawn.
struct Scaled<'a> {
    scene: &'a Scene,
    below: Vec<Option<bool>>,
}

impl Scaled<'_> {
    fn is_below(&mut self, node: usize) -> bool {
        let mut path = Vec::new();
        let mut at = Some(node);
        let found = loop {
            let Some(node) = at else { break false };
            if let Some(known) = self.below[node] {
                break known;
            }
            path.push(node);
            let has_scale = match &self.scene.nodes[node].local {
                LocalPose::Trs(pose) => pose.scale != Vector3::repeat(1.0),
                LocalPose::Matrix(_) => true,
            };
            if has_scale {
                break true;
            }
            at = self.scene.nodes[node].parent;
        };
        path.into_iter().for_each(|node| self.below[node] = Some(found));
        found
    }
}

/// The tracks of an animation, by node.
type Channels<'a> = (&'a Animation, HashMap<usize, Vec<&'a Track>>);

fn channels(animation: &Animation) -> Channels<'_> {
    let mut tracks: HashMap<_, Vec<_>> = HashMap::new();
    for channel in &animation.channels {
        tracks.entry(channel.node).or_default().push(&channel.track);
    }
    (animation, tracks)
}

/// The nodes from the root to that of a shape, and their poses, with that of the shape on its node behind them, if it has one.
struct Path {
    /// By index, the root first.
    nodes: Vec<usize>,
    poses: Vec<LocalPose>,
}

/// What is judged: one shape in some engines.
struct Judge<'a> {
    scene: &'a Scene,
    collider: &'a NodeCollider,
    engines: &'a [PhysicsRoad],
    diagonal: f64,
    path: Path,
    /// How many times of an animation are looked at.
    times: usize,
    /// Why it is not known what any engine makes of the path: a node on it does not inherit as in glTF.
    unknown: Option<Reason>,
}

impl<'a> Judge<'a> {
    fn new(
        scene: &'a Scene,
        collider: &'a NodeCollider,
        engines: &'a [PhysicsRoad],
        diagonal: f64,
    ) -> Self {
        let mut nodes: Vec<_> =
            std::iter::successors(Some(collider.node), |&node| scene.nodes[node].parent).collect();
        nodes.reverse();
        let inherits_less = |&node: &usize| scene.nodes[node].inherit != Inherit::All;
        let has_type = |&node: &usize| {
            let of_fbx = scene.fbx.as_ref().zip(scene.of_file(node));
            let of_fbx = of_fbx.and_then(|(file, node)| file.nodes.get(node));
            of_fbx.is_some_and(|node| node.inherit != InheritType::Matrix)
        };
        let unknown = if nodes.iter().any(inherits_less) {
            Some(Reason::Inheritance)
        } else {
            nodes.iter().any(has_type).then_some(Reason::InheritType)
        };
        let mut poses: Vec<_> = nodes.iter().map(|&node| scene.nodes[node].local).collect();
        if collider.offset != xform_scene::Trs::identity() {
            poses.push(collider.offset.into());
        }
        Self {
            scene,
            collider,
            engines,
            diagonal,
            path: Path { nodes, poses },
            times: TIMES,
            unknown,
        }
    }

    fn audit(&self, shape: Result<Shape, String>, channels: &[Channels<'_>]) -> ColliderAudit {
        let shape = match shape {
            Ok(shape) => shape,
            Err(why) => return self.found(Err(why), Vec::new()),
        };
        let mut audit = self.at_rest(&shape);
        for (place, animation) in channels.iter().enumerate() {
            self.in_motion(&shape, place, animation, &mut audit.in_engines);
        }
        let worst = audit.in_engines.iter().enumerate().max_by(|(_, a), (_, b)| {
            let badness = |one: &ColliderInEngine| {
                (one.grade, one.found.as_ref().map_or(0.0, |found| found.distance))
            };
            badness(a).partial_cmp(&badness(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        if let Some((engine, worst)) = worst.filter(|(_, worst)| worst.grade.is_seen()) {
            let poses = match worst.motion {
                Some((place, time)) => self.poses_at(&channels[place], time),
                None => self.path.poses.clone(),
            };
            let cause = self.cause(&shape, &poses, self.engines[engine]);
            audit.cause = cause.map(|(_, cause)| cause);
            let distance = worst.found.as_ref().map_or(f64::INFINITY, |found| found.distance);
            let (is_at_rest, before) = (worst.motion.is_none(), (worst.grade, distance));
            let tried = authored::Tried { judge: self, shape: &shape, poses: &poses, before };
            audit.advice = tried.advice(cause.map(|(at, _)| at), is_at_rest);
        }
        audit
    }

    /// What is known of the shape itself, and of these engines.
    fn found(
        &self,
        kind: Result<xform_engines::physics::ShapeKind, String>,
        in_engines: Vec<ColliderInEngine>,
    ) -> ColliderAudit {
        let world = product(&self.path.poses).fixed_view::<3, 3>(0, 0).into_owned();
        let is_zero = |&node: &usize| {
            let local = self.scene.nodes[node].local.to_affine().linear();
            let flat = local.column_iter().filter(|axis| axis.norm() == 0.0).count();
            // Without any axis it is hidden, and nothing is there to collide with.
            flat == 1 || flat == 2
        };
        let lengths = axis_lengths(&world);
        let skew = skew(&world).map_or(0.0, f64::to_degrees);
        ColliderAudit {
            node: self.told(self.collider.node),
            source: self.collider.source,
            kind,
            is_dynamic: self.collider.is_dynamic,
            is_skewed: skew > SKEWED_DEGREES,
            is_mirrored: Orientation::of(&world) == Orientation::Mirrored,
            is_uneven: skew > SKEWED_DEGREES || !is_even(&lengths),
            flattened_by: self.path.nodes.iter().copied().find(is_zero).map(|node| self.told(node)),
            in_engines,
            cause: None,
            advice: Vec::new(),
        }
    }

    /// The node of the file that a node stands for.
    fn told(&self, node: usize) -> usize {
        self.scene.of_file(node).unwrap_or(node)
    }

    fn at_rest(&self, shape: &Shape) -> ColliderAudit {
        let engines = self.engines.iter();
        let in_engines = engines.map(|&road| self.in_engine(shape, &self.path.poses, road, None));
        self.found(Ok(shape.kind()), in_engines.collect())
    }

    /// Makes the worst of each engine that of an animation, if it is worse there.
    fn in_motion(
        &self,
        shape: &Shape,
        place: usize,
        channels: &Channels<'_>,
        in_engines: &mut [ColliderInEngine],
    ) {
        let (animation, tracks) = channels;
        if !self.path.nodes.iter().any(|node| tracks.contains_key(node)) {
            return;
        }
        for time in motion::times(animation, self.times) {
            let poses = self.poses_at(channels, time);
            if product(&poses).fixed_view::<3, 3>(0, 0).amax() == 0.0 {
                // It is hidden.
                continue;
            }
            for (so_far, &road) in in_engines.iter_mut().zip(self.engines) {
                if self.is_no_worse(shape, &poses, road, so_far) {
                    continue;
                }
                let then = self.in_engine(shape, &poses, road, Some((place, time)));
                if is_worse(&then, so_far) {
                    *so_far = then;
                }
            }
        }
    }

    /// Whether a bound tells that a collider is no farther from what is drawn than it was, or by no more than rounding; the distance takes longer.
    fn is_no_worse(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
        so_far: &ColliderInEngine,
    ) -> bool {
        let Ok((drawn, collider)) = self.placed(shape, poses, road) else { return false };
        let Some(most) = apart::at_most(&drawn, &collider) else { return false };
        let least = so_far.found.as_ref().map_or(f64::INFINITY, |found| found.distance);
        let most_percent = percent(most, apart::size(&drawn));
        let at_most = ColliderApart { distance: most, percent: most_percent, collider, drawn };
        let (worst, _) = self.grade(&at_most, road);
        let rounding = DIFFERING_FRACTION * self.diagonal;
        worst <= so_far.grade && most <= least.max(rounding)
    }

    /// The poses of the path at a time of an animation.
    fn poses_at(&self, (_, tracks): &Channels<'_>, time: f64) -> Vec<LocalPose> {
        let mut poses = self.path.poses.clone();
        for (pose, node) in poses.iter_mut().zip(&self.path.nodes) {
            if let LocalPose::Trs(pose) = pose {
                for track in tracks.get(node).into_iter().flatten() {
                    *pose = track.pose(pose, time);
                }
            }
        }
        poses
    }

    /// What an engine makes of a shape below poses, and how far that is from what it draws.
    fn in_engine(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
        motion: Option<(usize, f64)>,
    ) -> ColliderInEngine {
        let found = self.collided(shape, poses, road);
        let (grade, falls_through) = match &found {
            Ok(found) => self.grade(found, road),
            Err(NoCollider::Refused(_)) => (Grade::Severe, false),
            Err(_) => (Grade::Identical, false),
        };
        ColliderInEngine { found, falls_through, grade, motion }
    }

    /// As that of a node; in a scene without extent it is beside the shape. And whether bodies can fall through it, which is severe.
    fn grade(&self, found: &ColliderApart, on: PhysicsRoad) -> (Grade, bool) {
        let of_scene = percent(found.distance, self.diagonal).or(found.percent);
        let grade = Grade::new(of_scene, found.percent, None);
        let kind = found.collider.shape.kind();
        let skewed = on.engine.skewed.filter(|skewed| skewed.kinds.contains(&kind));
        let least = skewed.and_then(|skewed| skewed.falls_from_degrees);
        let skew = skew(&found.collider.linear).map_or(0.0, f64::to_degrees);
        match least {
            Some(least) if skew >= least => (Grade::Severe, true),
            // Nobody saw it fall through at less; it is told all the same.
            Some(_) if skew > SKEWED_DEGREES => (grade.max(Grade::Negligible), false),
            _ => (grade, false),
        }
    }

    fn collided(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<ColliderApart, NoCollider> {
        let (drawn, collider) = self.placed(shape, poses, on)?;
        let apart = self.apart(drawn, collider);
        if apart.distance.is_finite() { Ok(apart) } else { Err(Reason::Overflow.into()) }
    }

    /// The shape as it is drawn, and what it collides as.
    fn placed(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<(Collider, Collider), NoCollider> {
        let drawn = self.drawn(shape, poses, on)?;
        let imported = poses.iter().map(|local| match on.engine.host() {
            Some(host) => host.imported(local),
            None => Ok(*local),
        });
        let imported: Vec<_> = imported.collect::<Result<_, Reason>>()?;
        Ok((drawn, on.road.collider(&imported, shape)?))
    }

    fn apart(&self, drawn: Collider, collider: Collider) -> ColliderApart {
        let distance = apart::distance(&drawn, &collider);
        let percent = percent(distance, apart::size(&drawn));
        ColliderApart { distance, percent, collider, drawn }
    }

    /// The shape as the engine around draws it; without one, by the product of the matrices.
    fn drawn(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<Collider, NoCollider> {
        if let Some(reason) = self.unknown {
            return Err(reason.into());
        }
        let Some(host) = on.engine.host() else { return Ok(as_drawn(shape, &product(poses))) };
        let above = (0..).map(|index: usize| index.checked_sub(1));
        let nodes: Vec<_> =
            poses.iter().zip(above).map(|(&local, parent)| SourceNode { parent, local }).collect();
        let worlds = host.worlds(&nodes).expect("a chain is a forest");
        let own = worlds.into_iter().next_back().expect("a node of its own");
        let world = own.map_err(|unknown| unknown.reason)?;
        Ok(as_drawn(shape, &world.to_homogeneous()))
    }

    /// The nearest scale that, made uniform or taken away, leaves nothing that is seen; else the one that leaves the least. With its place on
    /// the path.
    fn cause(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
    ) -> Option<(usize, ColliderCause)> {
        // Beside the shape itself, which a smaller scale makes smaller too.
        let left = |poses: &[LocalPose]| match self.collided(shape, poses, road) {
            Ok(found) => {
                let seen = self.grade(&found, road).0.is_seen();
                (seen, found.percent.unwrap_or(found.distance))
            }
            Err(_) => (true, f64::INFINITY),
        };
        let (_, now) = left(poses);
        // An even scale is the cause only where an engine takes none.
        for is_even in [true, false] {
            let mut best: Option<(f64, usize, ColliderCause)> = None;
            for (at, &node) in self.path.nodes.iter().enumerate().rev().take(TRIED) {
                let LocalPose::Trs(pose) = poses[at] else { continue };
                let scale = pose.scale;
                let even = Vector3::repeat(made_uniform(&scale).abs());
                let other = if is_even { even } else { Vector3::repeat(1.0) };
                if (other - scale).amax() <= SCALE_ROUNDING * scale.amax() {
                    continue;
                }
                let mut changed = poses.to_vec();
                changed[at] = pose.with_scale(other).into();
                let (is_seen, remains) = left(&changed);
                let turned = self.turned_below(at, poses).map(|node| self.told(node));
                let (node, is_alone) = (self.told(node), !is_seen);
                let cause = ColliderCause { node, scale, turned, is_alone };
                if is_alone {
                    return Some((at, cause));
                }
                if remains < HELPS * now && best.is_none_or(|(least, ..)| remains < least) {
                    best = Some((remains, at, cause));
                }
            }
            if let Some((_, at, cause)) = best {
                return Some((at, cause));
            }
        }
        None
    }

    /// The first node below a place on the path that is turned.
    fn turned_below(&self, at: usize, poses: &[LocalPose]) -> Option<usize> {
        let below = self.path.nodes.iter().zip(poses).skip(at + 1);
        let mut turned = below.filter(|(_, pose)| match pose {
            LocalPose::Trs(pose) => pose.rotation.angle() > 1e-6,
            LocalPose::Matrix(_) => true,
        });
        turned.next().map(|(&node, _)| node)
    }
}

/// Worse first by grade, then by distance.
fn is_worse(then: &ColliderInEngine, so_far: &ColliderInEngine) -> bool {
    if then.is_unknown() || so_far.is_unknown() {
        // A difference that is seen is told before what is not known.
        return if then.is_unknown() {
            !so_far.is_unknown() && !so_far.grade.is_seen()
        } else {
            then.grade.is_seen()
        };
    }
    let distance = |one: &ColliderInEngine| one.found.as_ref().map_or(0.0, |found| found.distance);
    let badness = |one: &ColliderInEngine| (one.grade, distance(one));
    // By more than rounding: at rest is said first.
    then.grade > so_far.grade
        || badness(then).1 > badness(so_far).1 * (1.0 + 1e-6) && then.grade == so_far.grade
}

/// A shape as a world matrix draws it.
fn as_drawn(shape: &Shape, world: &Matrix4<f64>) -> Collider {
    Collider {
        shape: shape.clone(),
        linear: world.fixed_view::<3, 3>(0, 0).into_owned(),
        position: world.column(3).xyz(),
    }
}

fn product(poses: &[LocalPose]) -> Matrix4<f64> {
    poses.iter().fold(Matrix4::identity(), |above, local| above * local.to_affine().matrix())
}
