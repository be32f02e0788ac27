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

/// The changes that make a node look the same in all compared engines at its worst time in an animation, and
/// their result.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionAdvice {
    /// The scales to make uniform: those of the cause, at the keys around that time or at rest. Empty if the
    /// cause is not a scale: then every node of an FBX file must inherit its parent's scale as matrices do.
    pub changes: Vec<ScaleChange>,
    /// The node whose rotation brings out the difference, if no key of a scale does, with the index and the
    /// time in seconds of its last key before that time.
    pub turn: Option<(usize, usize, f64)>,
    /// The displacement that would remain at that time, in scene units; `None` if the node draws nothing.
    pub displacement: Option<f64>,
    /// The largest displacement of the node that would remain in the whole animation, and its time in
    /// seconds. `None` if the node draws nothing, or if inherit types are changed, which applies at all
    /// times.
    pub in_animation: Option<(f64, f64)>,
    /// By [group](crate::audit::EngineAudit::groups) of engines, that of the reference first: the farthest
    /// that anything would move during the animation from where the group shows it now, in scene units. If
    /// inherit types are changed, only at the worst time.
    pub moves: Vec<f64>,
}

/// A scale to make uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleChange {
    /// The node with the scale.
    pub node: usize,
    /// The key's index among the keys of the node's scale, and its time in seconds; `None` for the scale at
    /// rest, if the animation does not key it.
    pub key: Option<(usize, f64)>,
    /// The current scale.
    pub scale: [f64; 3],
    /// The new scale on all axes: the geometric mean.
    pub uniform: f64,
}

/// Returns changes to an animation, or to the pose at rest that it leaves alone, that help a node at its worst.
///
/// The changes are carried out and measured. `None` if the cause is not one scale, two scales or an inherit type, if
/// nobody sees a difference, if one of the scales cannot be changed, or if the result is unknown.
///
/// # Panics
///
/// If `worst` is not of `audit`, or `audit` is not of `scene`.
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
    // The keys of the scale on both sides of the worst time are made uniform, then that time is measured
    // again.
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

/// Limits on the work of [`moves`]: the number of times of an animation that it samples, and the number of
/// nodes and vertices that it places in all.
const LOOKED_AT: usize = 100;
const PLACED: usize = 5_000_000;

/// Returns for each group the farthest that anything moves between the two scenes during an animation.
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

/// Returns the largest displacement of a node in an animation, and its time.
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

/// Returns the distance of a node from the reference in the group of engines where it is farthest; `None` if
/// that is unknown.
fn farthest(scene: &Scene, engines: &EngineAudit, node: usize) -> Option<Option<f64>> {
    let groups = 1..engines.groups.len();
    let all: Vec<_> = groups
        .map(|group| displacement_in(scene, engines, group, node))
        .collect::<Result<_, _>>()
        .ok()?;
    Some(all.into_iter().flatten().reduce(f64::max))
}

/// Returns an animation's last curve of a kind for a node, which is the one that takes effect.
fn curve<const N: usize>(
    animation: &Animation,
    node: usize,
    of: impl Fn(&Track) -> Option<&Curve<N>>,
) -> Option<&Curve<N>> {
    let channels = animation.channels.iter().rev();
    channels.filter(|channel| channel.node == node).find_map(|channel| of(&channel.track))
}

/// Returns the non-uniform scales of a node at a time of an animation; `None` if there are none that can be
/// changed.
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

/// Returns the scene with these scales made uniform.
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
