use nalgebra::Vector3;
use xform_scene::{
    Animation, LocalPose, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::{
    audit::{AtWorst, CauseKind, EngineAudit, EngineChoice, SceneAudit, is_non_uniform},
    measure::{Changes, compare_engines, displacement_in, made_uniform, moved_between},
};

use super::inherit_types;

/// What to change so that a node looks the same in all engines that are compared where an animation has it at its worst, and what
/// comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionAdvice {
    /// The scales to be made uniform: those of the cause, at the keys around that time or at rest. None where it is no scale: every
    /// node of an FBX file is to take its parent's scale then.
    pub changes: Vec<ScaleChange>,
    /// The node whose turn brings the difference out, with the place and the time in seconds of its last key before that
    /// time, where no key of a scale does.
    pub turn: Option<(usize, usize, f64)>,
    /// The displacement that would remain at that time, in scene units; `None` where the node shows nothing.
    pub displacement: Option<f64>,
    /// The largest displacement of the node that would remain in the whole animation, and its time in seconds; `None` where it shows
    /// nothing, or where inherit types are changed, which is for all times.
    pub in_animation: Option<(f64, f64)>,
    /// By [group](crate::audit::EngineAudit::groups) of engines, that of the reference first: the farthest that anything would move
    /// in the animation from where the group shows it now, in scene units; where inherit types are changed, at that time.
    pub moves: Vec<f64>,
}

/// A scale that is to be made uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleChange {
    /// The node that has it.
    pub node: usize,
    /// The place of the key among those of the node's scale, and its time in seconds; `None` for the scale at rest, where
    /// the animation does not key it.
    pub key: Option<(usize, f64)>,
    /// The scale as it is.
    pub scale: [f64; 3],
    /// The scale to give it on all axes: the geometric mean.
    pub uniform: f64,
}

/// What to change in an animation, or in the pose at rest that it leaves as it is, for a node at its worst. It is carried
/// out and measured. `None` where no scale or two are the cause, or where none of them can be changed.
///
/// # Panics
///
/// If `worst` is not of `audit`, or that is not of `scene`.
#[must_use]
pub fn advise_in_motion(
    scene: &Scene,
    audit: &SceneAudit,
    worst: &AtWorst,
) -> Option<MotionAdvice> {
    let cause = worst.node.cause.as_ref().filter(|cause| !cause.is_shared())?;
    if !worst.node.grade().is_seen() {
        return None;
    }
    let animation = worst.animation;
    match cause.kind {
        CauseKind::InheritType => {
            let posed = scene.posed(animation, worst.seconds);
            let changes = Changes::new(&posed, audit).ok()?;
            let changed =
                changes.with_types(&inherit_types(audit), &[scene.shown_by(worst.node.index)])?;
            return Some(MotionAdvice {
                changes: Vec::new(),
                turn: None,
                displacement: changed.displacement,
                in_animation: None,
                moves: changed.changes,
            });
        }
        CauseKind::Rotation => return None,
        CauseKind::Scale => {}
    }
    let scalers = [Some(cause.scaler), cause.partner].into_iter().flatten();
    let changes = scalers.map(|node| changes(scene, animation, node, worst.seconds));
    let changes = changes.collect::<Option<Vec<_>>>()?.concat();
    let is_at_rest = changes.iter().all(|change| change.key.is_none());
    let turn = cause.rotator.filter(|_| is_at_rest).and_then(|node| {
        let curve = curve(&scene.animations[animation], node, |track| match track {
            Track::Rotation(curve) => Some(curve),
            _ => None,
        })?;
        let key = curve.times().partition_point(|&time| time <= worst.seconds).saturating_sub(1);
        Some((node, key, curve.times()[key]))
    });
    let repaired = with(scene, animation, &changes)?;
    let then = repaired.posed(animation, worst.seconds);
    let displacement = farthest(&then, &audit.engines, scene.shown_by(worst.node.index))?;
    let moves = moves(scene, &repaired, audit, worst)?;
    let in_animation = in_animation(repaired, animation, &audit.engines, worst.node.index);
    Some(MotionAdvice { changes, turn, displacement, in_animation, moves })
}

/// At how many times of an animation at most it is looked how far a change moves things, and how many nodes and vertices are placed for
/// that in all.
const LOOKED_AT: usize = 100;
const PLACED: usize = 5_000_000;

/// By group, the farthest that anything moves in an animation from one scene to another.
fn moves(scene: &Scene, repaired: &Scene, audit: &SceneAudit, worst: &AtWorst) -> Option<Vec<f64>> {
    let animation = worst.animation;
    let channels = scene.animations[animation].channels.iter();
    let mut times: Vec<f64> = channels.flat_map(|channel| channel.track.times().to_vec()).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let skins = scene.nodes.iter().filter_map(|node| node.skin.as_ref());
    let each = scene.nodes.len() + skins.map(|skin| skin.vertices.len()).sum::<usize>();
    let at_most = (PLACED / each.max(1)).clamp(1, LOOKED_AT);
    let step = times.len().div_ceil(at_most).max(1);
    let some = times.iter().copied().step_by(step).chain([worst.seconds]);
    let mut farthest = vec![0.0_f64; audit.engines.groups.len()];
    for seconds in some {
        let [now, then] = [scene, repaired].map(|scene| scene.posed(animation, seconds));
        let moved = moved_between(&now, &then, &audit.engines).ok()?;
        farthest.iter_mut().zip(moved).for_each(|(most, moved)| *most = most.max(moved));
    }
    Some(farthest)
}

/// The largest displacement of a node in an animation, and when.
fn in_animation(
    mut scene: Scene,
    animation: usize,
    engines: &EngineAudit,
    node: usize,
) -> Option<(f64, f64)> {
    scene.animations = vec![scene.animations.swap_remove(animation)];
    let one_of_each = engines.others().iter().filter_map(|group| group.engines.first()).copied();
    let choice = EngineChoice::named(one_of_each.collect(), engines.reference);
    let audit = compare_engines(&scene, &choice).ok()?;
    let moved = audit.animations[0].nodes.iter().find(|moved| moved.index == node)?;
    moved.displacement.map(|peak| (peak.max, peak.seconds))
}

/// How far a node is from the reference in the group of engines where it is farthest; `None` where that cannot be said.
fn farthest(scene: &Scene, engines: &EngineAudit, node: usize) -> Option<Option<f64>> {
    let groups = 1..engines.groups.len();
    let all: Vec<_> = groups
        .map(|group| displacement_in(scene, engines, group, node))
        .collect::<Result<_, _>>()
        .ok()?;
    Some(all.into_iter().flatten().reduce(f64::max))
}

/// The last curve of a kind that an animation has for a node, which is the one that counts.
fn curve<const N: usize>(
    animation: &Animation,
    node: usize,
    of: impl Fn(&Track) -> Option<&Curve<N>>,
) -> Option<&Curve<N>> {
    let channels = animation.channels.iter().rev();
    channels.filter(|channel| channel.node == node).find_map(|channel| of(&channel.track))
}

/// The non-uniform scales of a node at a time of an animation; `None` where there is none that could be changed.
fn changes(scene: &Scene, animation: usize, node: usize, seconds: f64) -> Option<Vec<ScaleChange>> {
    let change = |key, scale: &Vector3<f64>| {
        let uniform = made_uniform(scale);
        let is_non_uniform = is_non_uniform(scale);
        is_non_uniform.then_some(ScaleChange { node, key, scale: (*scale).into(), uniform })
    };
    let shown = scene.shown_by(node);
    let changes: Vec<_> = match curve(&scene.animations[animation], shown, scale_of) {
        Some(curve) => {
            let times = curve.times();
            let last = times.partition_point(|&time| time <= seconds).saturating_sub(1);
            let is_between = times[last] < seconds && curve.interpolation() != Interpolation::Step;
            let next = Some(last + 1).filter(|&next| is_between && next < times.len());
            let keys = [Some(last), next].into_iter().flatten();
            keys.filter_map(|key| change(Some((key, times[key])), &(*curve.value(key)).into()))
                .collect()
        }
        None => match &scene.nodes[shown].local {
            LocalPose::Trs(pose) => change(None, &pose.scale).into_iter().collect(),
            LocalPose::Matrix(_) => Vec::new(),
        },
    };
    (!changes.is_empty()).then_some(changes)
}

fn scale_of(track: &Track) -> Option<&Curve<3>> {
    match track {
        Track::Scale(curve) => Some(curve),
        _ => None,
    }
}

/// The scene with these scales made uniform.
fn with(scene: &Scene, animation: usize, changes: &[ScaleChange]) -> Option<Scene> {
    let mut changed = scene.clone();
    for &ScaleChange { node, key, uniform, .. } in changes {
        let node = scene.shown_by(node);
        let Some((key, _)) = key else {
            if let LocalPose::Trs(pose) = &mut changed.nodes[node].local {
                *pose = pose.with_scale(Vector3::repeat(uniform));
            }
            continue;
        };
        let animation = &mut changed.animations[animation];
        let curve = curve(animation, node, scale_of)?.with_value(key, [uniform; 3]);
        animation.channels.push(Channel { node, track: Track::Scale(curve) });
    }
    Some(changed)
}
