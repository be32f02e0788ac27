//! Causes by the rules of the engines that they are about: of all single scales, none removes more than the one that is named.

use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{NodeAudit, audit::EngineChoice, compare_engines};
use xform_scene::Scene;

use crate::{
    ablation::{any_posed_scene, candidates, figure, without},
    support::engine_choices::named,
};

fn choices() -> impl Strategy<Value = EngineChoice> {
    let some: &[(&[&str], Option<&str>)] = &[
        (&["unreal"], None),
        (&["ogre"], None),
        (&["three", "unreal", "ogre"], None),
        (&["three", "ogre"], Some("unreal")),
        (&["playcanvas", "unreal"], Some("trs")),
    ];
    let some = some.iter().map(|&(engines, reference)| named(engines, reference));
    prop::sample::select(some.collect::<Vec<_>>())
}

/// The node in one engine beside the reference, as the whole scene compared again has it.
fn alone(scene: &Scene, choice: &EngineChoice, engine: &str, node: usize) -> Option<NodeAudit> {
    let reference = choice.reference.map(|reference| reference.id);
    let audit = compare_engines(scene, &named(&[engine], reference)).unwrap();
    let is_known = audit.engines.unknown.is_empty();
    is_known.then(|| audit.nodes[node].clone())
}

properties! {
    #![cases(48)]

    #[test]
    fn no_scale_removes_more_than_the_one_that_is_named(
        (scene, choice) in (any_posed_scene(), choices())
    ) {
        let audit = compare_engines(&scene, &choice).unwrap();
        for node in &audit.nodes {
            let (Some(cause), Some(group)) = (&node.cause, node.group) else { continue };
            let engine = audit.engines.groups[group].engines[0].id;
            let figure_of = |scene: &Scene| {
                figure(node, &alone(scene, &choice, engine, node.index)?)
            };
            let whole = figure(node, node).unwrap();
            // The same figure, of that engine alone.
            prop_assert!((figure_of(&scene).unwrap() - whole).abs() <= 1e-8 * (1.0 + whole));
            // Rules that look at signs, or at a matrix, may make something of the node's own scale.
            let mut candidates = candidates(&scene, node.index);
            if cause.candidates > candidates.len() {
                candidates.push(node.index);
            }
            prop_assert_eq!(cause.candidates, candidates.len());
            let removes = |removed: &[usize]| Some(whole - figure_of(&without(&scene, removed))?);
            let told = cause.removes_fraction * whole;
            let own: Vec<_> = std::iter::once(cause.scaler).chain(cause.partner).collect();
            if let Some(removed) = removes(&own) {
                prop_assert!((removed - told).abs() <= 1e-7 * (1.0 + whole), "{:?}: {}", cause, removed);
            }
            for candidate in candidates {
                let Some(removed) = removes(&[candidate]) else { continue };
                prop_assert!(
                    removed <= told + 1e-7 * (1.0 + whole),
                    "{} {}: {:?}, but {} removes {} of {}", engine, node.index, cause, candidate, removed, whole
                );
            }
        }
    }
}
