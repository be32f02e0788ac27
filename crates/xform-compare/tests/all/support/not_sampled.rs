//! What is left of an animated file that cannot be read in one place.

use xform_compare::compare;
use xform_scene::{Scene, WarningCode, animation::Channel};

use super::animated::scales;

/// Why channel 0 was not sampled; all that has nothing to do with it was.
pub(crate) fn why_not(scene: &Scene) -> String {
    let [animation] = &scene.animations[..] else { panic!("one animation") };
    assert_eq!(animation.channels, [Channel { node: 1, track: scales() }]);
    let [part] = &animation.not_sampled[..] else { panic!("one part") };
    assert_eq!(part.pointer, "/animations/0/channels/0");
    let audit = compare(scene).unwrap();
    let mut warnings = audit.warnings.iter();
    let warning = warnings.find(|one| one.code == WarningCode::AnimationNotSampled).unwrap();
    assert_eq!((&warning.pointer, warning.node), (&part.pointer, part.node));
    assert_eq!(warning.code.name(), "animation-not-sampled");
    assert!(warning.message.contains(&part.why), "{}", warning.message);
    assert_eq!(audit.animations[0].not_sampled, animation.not_sampled);
    let moved: Vec<_> = audit.animations[0].nodes.iter().map(|node| node.index).collect();
    assert_eq!(moved, [1, 2]);
    assert_eq!(scene.posed(0, 1.0).nodes[0], scene.nodes[0]);
    let motion = audit.summary.motion.unwrap();
    assert_eq!((motion.animations, motion.not_sampled), (1, 1));
    assert!(motion.max_skew_difference_degrees > 35.0);
    part.why.clone()
}
