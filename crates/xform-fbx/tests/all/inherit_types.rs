//! What is said of a file whose nodes leave out their parent's scale, and what becomes of it once that is mended.

use xform_compare::{
    Grade, SceneAudit,
    audit::EngineChoice,
    compare_engines,
    judge::{Advice, Repair, Report, advise, inherit_types},
};
use xform_engines::Engine;
use xform_scene::Scene;

use crate::{
    motion::{stretched_along_x, turned_about_z},
    support::{named, read},
    text::{Fbx, Model},
};

/// An arm whose hand is of this type, with fingers below; it is stretched at rest, or in motion alone.
fn arm(of_hand: u8, is_moving: bool) -> Scene {
    let mut fbx = Fbx::default();
    let stretch = if is_moving { 1.0 } else { 2.0 };
    let arm = fbx.add(&Model { name: "Arm", scale: [stretch, 1.0, 1.0], ..Model::default() });
    let hand = fbx.add(&Model {
        name: "Hand",
        parent: Some(arm),
        inherit: of_hand,
        translation: [3.0, 0.0, 0.0],
        rotation: [0.0, 0.0, 30.0],
        ..Model::default()
    });
    fbx.add(&Model {
        name: "Finger",
        parent: Some(hand),
        translation: [1.0, 0.0, 0.0],
        ..Model::default()
    });
    if is_moving {
        stretched_along_x(&mut fbx, arm);
        turned_about_z(&mut fbx, hand, 45.0);
    }
    read(&fbx)
}

/// Beside the engines whose importers are known for every type.
fn audited(scene: &Scene) -> SceneAudit {
    let engines = ["blender", "three"].map(|id| Engine::named(id).unwrap()).to_vec();
    let audit = compare_engines(scene, &EngineChoice::named(engines, None)).unwrap();
    assert!(audit.engines.unknown.is_empty(), "{:?}", audit.engines.unknown);
    audit
}

#[test]
fn once_types_are_what_the_advice_says_nothing_differs() {
    for (of_hand, is_moving) in [(0, false), (2, false), (0, true), (2, true)] {
        let scene = arm(of_hand, is_moving);
        let audit = audited(&scene);
        assert!(audit.summary.grade.is_seen(), "{of_hand} {is_moving}");
        assert_eq!(inherit_types(&audit), [named(&scene, "Hand")]);
        let report = Report::of_audit(&scene, audit);
        let left = if is_moving {
            let advice = report.advice_in_motion.iter().flatten();
            advice.map(|advice| (advice.changes.len(), advice.displacement)).collect::<Vec<_>>()
        } else {
            let seen = report.audit.seen();
            let first = seen.iter().map(|node| advise(&scene, &report.audit, node.index).remove(0));
            let outcome = |advice: Advice| {
                assert_eq!(advice.repair, Repair::InheritAll);
                (0, advice.outcome.unwrap().displacement)
            };
            first.map(outcome).collect()
        };
        assert!(!left.is_empty());
        for (changes, displacement) in left {
            assert_eq!(changes, 0, "the type is to be changed, and no scale");
            assert!(displacement.unwrap() < 1e-9, "{of_hand} {is_moving}: {displacement:?}");
        }
        // As the advice says, in Maya: Segment Scale Compensate off.
        let followed = audited(&arm(1, is_moving));
        assert_eq!(followed.summary.grade, Grade::Identical, "{of_hand} {is_moving}");
    }
}

/// The reader has a node of its own for the scale of the arm, which the hand leaves out.
#[test]
fn no_node_is_told_of_that_the_file_does_not_have() {
    for is_moving in [false, true] {
        let scene = arm(2, is_moving);
        assert_eq!((scene.nodes.len(), scene.nodes_of_the_file()), (4, 3));
        let audit = audited(&scene);
        let names: Vec<_> = audit.nodes_of_the_file().iter().map(|node| &node.name).collect();
        assert_eq!(names, [&scene.nodes[0].name, &scene.nodes[1].name, &scene.nodes[2].name]);
        let depths: Vec<_> = audit.nodes_of_the_file().iter().map(|node| node.depth).collect();
        assert_eq!((audit.summary.nodes, audit.summary.max_depth, depths), (3, 2, vec![0, 1, 2]));
        let parents: Vec<_> = audit.nodes_of_the_file().iter().map(|node| node.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1)]);
        let told = |node: usize| assert!(node < 3, "{node} is a helper");
        audit.ranking.at_rest.iter().for_each(|&node| told(node));
        let moved = audit.animations.iter().flat_map(|animation| &animation.nodes);
        moved.for_each(|node| told(node.index));
        let groups = audit.engines.groups.iter().flat_map(|group| &group.nodes);
        groups.for_each(|node| told(node.index));
        let causes = audit.at_worst.iter().map(|worst| &worst.node).chain(&audit.nodes);
        causes.filter_map(|node| node.cause.as_ref()).for_each(|cause| told(cause.scaler));
        let worst = audit.worst_in_motion();
        assert!(worst[3].is_none());
    }
}
