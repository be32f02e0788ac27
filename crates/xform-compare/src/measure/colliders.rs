//! The colliders that physics engines make of a scene's shapes, compared with the shapes as the engines draw
//! them.

mod apart;
mod authored;
mod cause;
mod judge;
mod unasked;

pub(super) use unasked::unasked;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_engines::physics::Shape;
use xform_scene::{NodeCollider, Scene};

use crate::audit::{ColliderAudit, PhysicsAudit, PhysicsChoice};
use judge::{Channels, Drawn, Judge, channels};

/// The number of triangles of a mesh that are placed in an animation, over all engines.
const TRIANGLES: usize = 2_000_000;

/// The number of times of an animation at which a collider is examined, and the number of examinations over
/// all colliders, animations and engines, which take a second or two. Each collider is examined at least at
/// both ends of each animation.
const TIMES: usize = 64;
const LOOKS: usize = 200_000;
const FEWEST_TIMES: usize = 2;

/// Judges how physics engines collide with the shapes of a scene, at rest and in motion.
///
/// The vertices of meshes come from [`Scene::drawing`], which must have been read.
///
/// `diagonal` is [`Summary::diagonal`](crate::Summary::diagonal).
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
        audit(&judge, shape, &channels, times.min(of_mesh))
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

/// Judges one shape in all engines, at rest and at `times` times of each animation, with the cause of the
/// worst difference and remedies.
fn audit(
    judge: &Judge<'_>,
    shape: Result<Shape, String>,
    channels: &[Channels<'_>],
    times: usize,
) -> ColliderAudit {
    let shape = match shape {
        Ok(shape) => shape,
        Err(why) => return judge.found(Err(why), Vec::new()),
    };
    let mut audit = judge.at_rest(&shape);
    for (place, animation) in channels.iter().enumerate() {
        judge.in_motion(&shape, (place, animation), times, &mut audit.in_engines);
    }
    let worst = audit.worst_engine().map(|engine| (engine, &audit.in_engines[engine]));
    if let Some((engine, worst)) = worst.filter(|(_, worst)| worst.grade.is_seen()) {
        let poses = match worst.motion {
            Some((place, time)) => judge.poses_at(&channels[place], time),
            None => judge.poses.clone(),
        };
        let drawn = Drawn::by(&poses);
        audit.is_skewed |= drawn.is_skewed;
        audit.is_uneven |= drawn.is_uneven;
        let cause = judge.cause(&shape, &poses, judge.engines[engine]);
        audit.cause = cause.map(|(_, cause)| cause);
        let distance = worst.found.as_ref().map_or(f64::INFINITY, |found| found.distance);
        let (is_at_rest, before) = (worst.motion.is_none(), (worst.grade, distance));
        let tried = authored::Tried { judge, shape: &shape, poses: &poses, before };
        audit.advice = tried.advice(cause.map(|(at, _)| at), is_at_rest);
    }
    audit
}
