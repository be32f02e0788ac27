//! Audits with figures that are made up.

use nalgebra::Vector3;
use xform_compare::{
    Engine, SceneAudit,
    audit::{EngineGroup, Peak},
    compare,
};
use xform_core::Trs;
use xform_scene::{
    Animation, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

/// The skew in degrees, the linear difference, and the displacement in percent of the scene.
pub(crate) type Set = [f64; 3];

/// An arm and a hand, of which the hand has these figures at rest, and others 1 s into its only animation.
pub(crate) fn hand(at_rest: Set, in_motion: Set) -> SceneAudit {
    let nodes = vec![
        Node::new(None, Trs::identity()).with_name("Arm"),
        Node::new(Some(0), Trs::identity()).with_name("Hand"),
    ];
    let mut scene = Scene::new("hand", nodes);
    let places = vec![[0.0; 3], Vector3::x().into()];
    let places = Curve::new([0.0, 1.0], places, Interpolation::Linear).unwrap();
    let channels = vec![Channel { node: 1, track: Track::Translation(places) }];
    scene.animations = vec![Animation::new(0, channels)];
    let mut audit = compare(&scene).unwrap();
    // What is worst is so in a group of its own.
    let [_, trs] = Engine::strategies();
    audit.engines.groups[0].engines.retain(|engine| engine.id != trs.id);
    audit.engines.groups.push(EngineGroup { engines: vec![trs], ..EngineGroup::default() });
    audit.ranking.at_rest = vec![1];
    let moved = |percent: f64| percent / 100.0 * audit.summary.diagonal;
    let [rest_moved, most_moved] = [at_rest[2], in_motion[2]].map(moved);

    let rest = &mut audit.nodes[1];
    (rest.group, rest.skew_group) = (Some(1), Some(1));
    rest.skew_degrees = Some(at_rest[0]);
    [rest.skew_difference_degrees, rest.linear_difference, rest.displacement_percent] =
        at_rest.map(Some);
    rest.displacement = Some(rest_moved);
    rest.displacement_percent_of_itself = Some(0.0);

    let motion = &mut audit.animations[0].nodes[0];
    assert_eq!(motion.index, 1);
    let peak = |max| Some(Peak { max, seconds: 1.0 });
    (motion.group, motion.skew_group) = (Some(1), Some(1));
    [motion.skew_difference_degrees, motion.linear_difference, motion.displacement] =
        [in_motion[0], in_motion[1], most_moved].map(peak);
    motion.displacement_percent = Some(in_motion[2]);
    motion.displacement_percent_of_itself = Some(0.0);
    audit
}
