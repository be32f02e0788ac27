use super::{
    engines::{BY_MATRICES, BY_TRS, names},
    verdict::when_looked_at,
};
use crate::audit::{EngineAudit, EngineNode, EnginePair, Grade, SceneAudit};

/// The answer in one sentence, engines by name, and its grade.
#[must_use]
pub fn headline(scene: &SceneAudit) -> (Grade, String) {
    if scene.summary.nodes == 0 {
        return (Grade::Identical, "There are no nodes, so nothing to compare.".to_owned());
    }
    if scene.summary.grades.all() == 0 {
        return (Grade::Identical, "Nothing is drawn, so nothing looks different.".to_owned());
    }
    match &scene.engines {
        Some(engines) => between_engines(scene, engines),
        None => between_strategies(scene),
    }
}

fn between_strategies(scene: &SceneAudit) -> (Grade, String) {
    let rest = &scene.summary.grades;
    let motion = scene.summary.motion.map(|motion| motion.grades).unwrap_or_default();
    let in_motion = motion.seen() > rest.seen();
    let seen = rest.seen().max(motion.seen());
    let text = match scene.summary.grade {
        grade if grade.is_seen() => {
            format!("{} in {BY_TRS} than in {BY_MATRICES}.", different(scene, seen, in_motion))
        }
        Grade::Negligible => format!(
            "It looks the same in {BY_TRS} as in {BY_MATRICES}: what differs is too little to be seen."
        ),
        _ => format!(
            "It looks the same in {BY_TRS} as in {BY_MATRICES}{}.",
            when_looked_at(scene, true)
        ),
    };
    (scene.summary.grade, text)
}

fn between_engines(scene: &SceneAudit, engines: &EngineAudit) -> (Grade, String) {
    let grade = engines.grade();
    let reference = match (engines.reference, &engines.groups[0][..]) {
        (Some(reference), []) => format!("in {}", reference.name),
        (None, []) if scene.fbx.is_some() => "the FBX file says".to_owned(),
        (None, []) => "in glTF viewers".to_owned(),
        (_, group) => format!("in {}", names(group)),
    };
    let of_group = |pair: &EnginePair| &engines.groups[pair.groups[1]][..];
    let apart = engines.beside_reference();
    let apart: Vec<_> =
        apart.filter(|pair| pair.grade == grade && !of_group(pair).is_empty()).collect();
    let others: Vec<_> = apart.iter().flat_map(|pair| of_group(pair)).copied().collect();
    let text = match grade {
        grade if grade.is_seen() => {
            let is_seen = |node: &&EngineNode| node.grade.is_seen();
            let worst = apart.iter().max_by_key(|pair| pair.nodes.iter().filter(is_seen).count());
            let seen = worst.map_or(0, |pair| pair.nodes.iter().filter(is_seen).count());
            let first = worst.and_then(|pair| pair.nodes.first());
            let in_motion = first.is_some_and(|worst| worst.motion.is_some());
            let different = different(scene, seen, in_motion);
            format!("{different} in {} than {reference}.", names(&others))
        }
        Grade::Negligible => format!(
            "It looks the same in {} as {reference}: what differs is too little to be seen.",
            names(&others)
        ),
        _ => {
            let all = names(&engines.shown());
            format!("It looks the same in {all}{}.", when_looked_at(scene, true))
        }
    };
    (grade, text)
}

fn different(scene: &SceneAudit, seen: usize, in_motion: bool) -> String {
    let all = scene.summary.nodes;
    let nodes = if all == 1 { "node" } else { "nodes" };
    let look = if seen == 1 { "looks" } else { "look" };
    let motion = if in_motion { " in motion" } else { "" };
    format!("{seen} of {all} {nodes} {look} different{motion}")
}
