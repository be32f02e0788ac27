use xform_scene::{
    Animation, LocalPose, Scene, Warning, WarningCode,
    animation::{Channel, Track},
    text::significant,
};

/// A test of whether a scale is of some kind.
type Is = fn(&[f64; 3]) -> bool;

/// Returns warnings about nodes that an animation flattens or mirrors although they are neither at rest: one
/// of each kind for each node and animation.
pub(in crate::measure) fn scales(scene: &Scene) -> Vec<Warning> {
    let of_animation = |animation| of_animation(scene, animation);
    scene.animations.iter().flat_map(of_animation).collect()
}

fn of_animation(scene: &Scene, animation: &Animation) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for Channel { node, track } in &animation.channels {
        let local = scene.nodes.get(*node).map(|node| &node.local);
        let (Track::Scale(curve), Some(LocalPose::Trs(rest))) = (track, local) else { continue };
        let rest: [f64; 3] = rest.scale.into();
        let kinds: [(WarningCode, Is, &str); 2] = [
            (WarningCode::ZeroScale, is_flat, "a scale of 0 flattens"),
            (WarningCode::Mirrored, is_mirrored, "a negative scale mirrors"),
        ];
        for (code, is_so, what) in kinds {
            let mut keyframes = 0..curve.times().len();
            let found = keyframes.find(|&keyframe| is_so(curve.value(keyframe)));
            let Some(keyframe) = found.filter(|_| !is_so(&rest)) else { continue };
            let seconds = significant(curve.times()[keyframe], 4);
            let message =
                format!("{what} the node and its descendants {seconds} s into the animation");
            let pointer = format!("/animations/{}", animation.index);
            warnings.push(Warning::new(code, pointer, message).with_node(Some(*node)));
        }
    }
    warnings
}

fn is_flat(scale: &[f64; 3]) -> bool {
    scale.contains(&0.0)
}

fn is_mirrored(scale: &[f64; 3]) -> bool {
    scale.iter().product::<f64>() < 0.0
}
