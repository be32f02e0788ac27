use xform_engines::Engine;

use super::{engines::names, unread::has_unread, verdict::when_looked_at};
use crate::audit::{EngineGroup, Grade, SceneAudit, SeenNode};

/// Returns the answer in a sentence or two that name engines, and its grade.
#[must_use]
pub fn headline(scene: &SceneAudit) -> (Grade, String) {
    let answer = match scene.summary.grade {
        _ if scene.summary.nodes == 0 => "There are no nodes, so nothing to compare.".to_owned(),
        _ if !scene.is_drawn() => "Nothing is drawn, so nothing looks different.".to_owned(),
        _ if scene.engines.shown().is_empty() => String::new(),
        grade => between_engines(scene, grade),
    };
    let answer = format!("{answer}{}", unknown(scene));
    (scene.summary.grade, answer.trim_start().to_owned())
}

fn between_engines(scene: &SceneAudit, grade: Grade) -> String {
    let engines = &scene.engines;
    let reference = match (engines.reference, &engines.groups[0].engines[..]) {
        (None, []) if scene.fbx.is_some() => "in the FBX file".to_owned(),
        (None, []) => "in glTF viewers".to_owned(),
        (_, group) => format!("in {}", names(group)),
    };
    let is_worst =
        |group: &&EngineGroup| group.grade == grade || grade.is_seen() && group.grade.is_seen();
    let others = engines.others().iter().filter(is_worst);
    let others: Vec<&Engine> = others.flat_map(|group| &group.engines).copied().collect();
    match grade {
        grade if grade.is_seen() => {
            let seen = scene.seen();
            let at_rest = |node: &SeenNode| {
                let node = &scene.nodes[node.index];
                node.counts_at_rest() && node.grade().is_seen()
            };
            let in_motion = !seen.iter().any(at_rest);
            let different = different(scene, seen.len(), in_motion);
            format!("{different} in {} than {reference}.", names(&others))
        }
        Grade::Negligible => format!(
            "It looks the same in {} as {reference}: the differences are too small to be seen.",
            names(&others)
        ),
        _ => {
            let (all, when) = (names(&engines.shown()), when_looked_at(scene));
            if has_unread(scene) {
                format!(
                    "No difference was found in {all}{when}, but not all of the file could be judged."
                )
            } else {
                format!("It looks the same in {all}{when}.")
            }
        }
    }
}

/// States that the result of some engines is unknown.
fn unknown(scene: &SceneAudit) -> String {
    let unknown: Vec<_> = scene.engines.unknown.iter().map(|unknown| unknown.engine).collect();
    match &unknown[..] {
        [] => String::new(),
        [one] => format!(" xform does not know what {} shows.", one.name),
        all => format!(" xform does not know what {} show.", names(all)),
    }
}

fn different(scene: &SceneAudit, seen: usize, in_motion: bool) -> String {
    let all = scene.summary.nodes;
    let nodes = if all == 1 { "node" } else { "nodes" };
    let look = if seen == 1 { "looks" } else { "look" };
    let motion = if in_motion { " in motion" } else { "" };
    format!("{seen} of {all} {nodes} {look} different{motion}")
}
