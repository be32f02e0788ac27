use std::collections::BTreeMap;

use xform_scene::{
    Animation, Scene, Warning, WarningCode,
    animation::{Curve, Interpolation, Track},
    text::significant,
};

use super::sample_times::turn;

/// The smallest turn between two keyframes, in radians, that may be the other half of a mirror.
const HALF_A_TURN: f64 = 175.0 / 180.0 * std::f64::consts::PI;

/// Returns warnings about nodes whose scale changes sign between two keyframes while they turn by half a
/// turn. The poses at the keyframes may be alike, but between them the node shrinks to nothing and spins.
///
/// Such keyframes result from mirrored matrices that were decomposed frame by frame. There is one warning for
/// each node and animation.
pub(in crate::measure) fn flips(scene: &Scene) -> Vec<Warning> {
    scene.animations.iter().flat_map(of_animation).collect()
}

fn of_animation(animation: &Animation) -> Vec<Warning> {
    let mut tracks: BTreeMap<usize, (Option<&Curve<3>>, Option<&Curve<4>>)> = BTreeMap::new();
    for channel in &animation.channels {
        let of_node = tracks.entry(channel.node).or_default();
        match &channel.track {
            Track::Scale(curve) => of_node.0 = Some(curve),
            Track::Rotation(curve) => of_node.1 = Some(curve),
            Track::Translation(_) => {}
        }
    }
    let flips = tracks.into_iter().filter_map(|(node, (scale, rotation))| {
        let [start, end] = flip(scale?, rotation?)?.map(|seconds| significant(seconds, 4));
        let message = format!(
            "between {start} s and {end} s of the animation its scale changes sign while it turns by 180°, \
             so that it shrinks to nothing and spins on the way"
        );
        let pointer = format!("/animations/{}", animation.index);
        Some(Warning::new(WarningCode::ScaleFlip, pointer, message).with_node(Some(node)))
    });
    flips.collect()
}

/// Returns the first two keyframes of a scale between which the scale and the rotation flip, in seconds.
fn flip(scale: &Curve<3>, rotation: &Curve<4>) -> Option<[f64; 2]> {
    if scale.interpolation() == Interpolation::Step {
        return None; // nothing is between two keyframes
    }
    let pairs = scale.times().windows(2).map(|pair| [pair[0], pair[1]]);
    let is_flip = |&[start, end]: &[f64; 2]| {
        let [before, behind] = [start, end].map(|time| scale.at(time));
        let changes_sign = before.iter().zip(behind).any(|(a, b)| a * b < 0.0);
        let [from, to] = [start, end].map(|time| rotation.rotation_at(time));
        changes_sign && turn(&from, &to) >= HALF_A_TURN
    };
    pairs.into_iter().find(is_flip)
}
