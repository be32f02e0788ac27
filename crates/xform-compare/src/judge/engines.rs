//! How engines show a scene, in sentences.

use std::cmp::Ordering;

use xform_engines::{Engine, Known, Reason};
use xform_scene::text::{capitalised, significant, units};

use super::unread::has_unread;
use crate::audit::{
    EngineAudit, EngineGroup, EngineNode, Grade, SKEWED_DEGREES, SceneAudit, UnknownEngine,
    node_path,
};

/// Returns the name of the reference if it is not an engine.
#[must_use]
pub fn definition(scene: &SceneAudit) -> &'static str {
    if scene.fbx.is_some() { "what the FBX file defines" } else { "what glTF defines" }
}

/// Returns sentences that list the engines in which the scene looks different, then those in which it looks
/// the same, then those whose result is unknown.
///
/// `when` follows "looks the same" if no engine differs: " at rest", for instance.
pub(crate) fn engine_sentences(scene: &SceneAudit, when: &str) -> Vec<String> {
    let engines = &scene.engines;
    // A sheared matrix that several groups read in different ways is named once.
    let mut told = Vec::new();
    // Worst first.
    let mut others: Vec<_> = engines.others().iter().collect();
    others.sort_by(|a, b| b.badness().partial_cmp(&a.badness()).unwrap_or(Ordering::Equal));
    let apart = others.into_iter().map(|group| {
        let is_new = group.sheared.or(group.odd_rotation).is_some_and(|node| !told.contains(&node));
        told.extend(group.sheared.or(group.odd_rotation));
        let because = if is_new { because(scene, group) } else { String::new() };
        different(scene, group, &because)
    });
    let apart: Vec<_> = apart.collect();
    let when = if apart.is_empty() { when } else { "" };
    let (same, unknown) = (same(scene, when), unknown(scene, engines));
    let instead = engines.unknown_reference.map(|reference| {
        format!(
            "{} therefore cannot be the reference: the others are compared with {}.",
            reference.name,
            definition(scene)
        )
    });
    apart.into_iter().chain(same).chain(unknown).chain(instead).collect()
}

/// Returns the conditions under which this holds for engines that read glTF in their own way.
fn caveats(scene: &SceneAudit) -> impl Iterator<Item = String> {
    let mut caveats: Vec<(&str, Vec<&Engine>)> = Vec::new();
    for engine in scene.engines.shown() {
        let Some(caveat) = caveat(scene, engine) else { continue };
        match caveats.iter_mut().find(|(known, _)| *known == caveat) {
            Some((_, same)) => same.push(engine),
            None => caveats.push((caveat, vec![engine])),
        }
    }
    let note =
        |(caveat, engines): (&str, Vec<&Engine>)| format!("† {}: {caveat}.", names(&engines));
    caveats.into_iter().map(note)
}

/// Returns a condition on how an engine reads the file. Conditions on reading glTF do not apply to FBX.
#[must_use]
pub fn caveat(scene: &SceneAudit, engine: &Engine) -> Option<&'static str> {
    engine.caveat.filter(|_| scene.fbx.is_none())
}

/// Whether an engine's result for a scene like this is known otherwise than by running the engine.
fn is_unrun(engine: &Engine, engines: &EngineAudit) -> bool {
    let known = engine.known(engines.has_sheared_matrices);
    !matches!(known, Known::Run { .. } | Known::Defined)
}

/// Returns the name for the start of a sentence. The name of a strategy is not a proper name, so it is
/// capitalised.
fn at_first(engine: &Engine) -> String {
    match engine.accumulation.known {
        Known::Defined => capitalised(engine.name),
        _ => engine.name.to_owned(),
    }
}

/// Returns the marks on an engine's name, which the [footnotes] explain.
fn marks(scene: &SceneAudit, engine: &Engine) -> String {
    let unrun = if is_unrun(engine, &scene.engines) { "*" } else { "" };
    let caveat = if caveat(scene, engine).is_some() { "†" } else { "" };
    format!("{unrun}{caveat}")
}

/// Lists the names of engines, with their marks.
fn marked(scene: &SceneAudit, group: &[&Engine]) -> String {
    let name = |engine: &&Engine| format!("{}{}", engine.name, marks(scene, engine));
    listed(&group.iter().map(name).collect::<Vec<_>>())
}

/// Explains the marks on the names of engines in the verdict, one line each.
#[must_use]
pub fn footnotes(scene: &SceneAudit) -> Vec<String> {
    if !scene.is_drawn() {
        return Vec::new();
    }
    let engines = &scene.engines;
    let is_any = engines.shown().into_iter().any(|engine| is_unrun(engine, engines));
    let unrun =
        is_any.then(|| "* Known from its source code or documentation; not run.".to_owned());
    unrun.into_iter().chain(caveats(scene)).collect()
}

/// Names the engines that show the same as the reference.
fn same(scene: &SceneAudit, when: &str) -> Option<String> {
    let engines = &scene.engines;
    let group = &engines.groups.first()?.engines;
    let asked = engines.shown().len() + engines.unknown.len();
    match (engines.reference, group.len()) {
        (None, 0) if engines.groups.len() > 1 && asked > 1 => {
            let none = if engines.unknown.is_empty() {
                "None of the engines"
            } else {
                "No engine with a known result"
            };
            Some(format!("{none} shows {}.", definition(scene)))
        }
        (Some(reference), 1) if engines.groups.len() == 1 => Some(format!(
            "{} has no other engine to be compared with.",
            capitalised(reference.name)
        )),
        (_, 0) | (Some(_), 1) => None,
        (_, _) if has_unread(scene) => Some(format!(
            "No difference found{when} in {}: not all of the file could be judged.",
            marked(scene, group)
        )),
        (None, 1) => {
            let (name, marks) = (at_first(group[0]), marks(scene, group[0]));
            Some(format!("{name}{marks} shows {}{when}.", definition(scene)))
        }
        (_, _) => Some(format!("The scene looks the same{when} in {}.", marked(scene, group))),
    }
}

/// States how far a group differs from the reference.
fn different(scene: &SceneAudit, group: &EngineGroup, because: &str) -> String {
    let engines = &scene.engines;
    let who = marked(scene, &group.engines);
    let than = match (engines.reference, engines.groups[0].engines.len()) {
        (Some(reference), 1) => format!(" compared with {}", reference.name),
        _ => String::new(),
    };
    let grade = group.grade;
    let is_counted = |node: &&EngineNode| node.grade >= grade.min(Grade::Visible);
    let count = group.nodes.iter().filter(is_counted).count();
    let all = scene.summary.nodes;
    let of = if all == 1 { "node" } else { "nodes" };
    let (look, differ) = if count == 1 { ("looks", "differs") } else { ("look", "differ") };
    let what = if grade.is_seen() {
        format!("{count} of {all} {of} {look} different")
    } else {
        format!("{count} of {all} {of} {differ}, but not visibly")
    };
    let worst = group.nodes.first().map_or_else(String::new, |worst| most(scene, worst));
    format!("{} in {who}{than}: {what}{worst}.{because}", capitalised(grade.name()))
}

fn most(scene: &SceneAudit, worst: &EngineNode) -> String {
    let path = node_path(scene, worst.index);
    let when = when(scene, worst);
    let by = match worst.displacement_percent {
        _ if worst.turned_degrees > Some(SKEWED_DEGREES) => {
            format!("by up to {}°", significant(worst.turned_degrees.unwrap_or(0.0), 3))
        }
        Some(percent) if percent > Grade::IDENTICAL_PERCENT => {
            format!("by up to {} % of the scene", significant(percent, 3))
        }
        None if worst.displacement > 0.0 => {
            format!("by up to {}", units(worst.displacement, 3))
        }
        _ => format!("by up to {}° of skew", significant(worst.skew_difference_degrees, 3)),
    };
    format!(", {by}, most at \"{path}\"{when}")
}

/// States the time in an animation at which a node differs most, as a clause; empty at rest.
pub(crate) fn when(scene: &SceneAudit, node: &EngineNode) -> String {
    node.motion.map_or_else(String::new, |(animation, seconds)| {
        let name = scene.animations[animation].label();
        format!(", {} s into {name}", significant(seconds, 4))
    })
}

/// Names a sheared matrix or a rotation as the reason, in a sentence; empty if neither is the reason.
pub(crate) fn because(scene: &SceneAudit, group: &EngineGroup) -> String {
    if let Some(node) = group.sheared {
        let path = node_path(scene, node);
        return format!(" \"{path}\" has a sheared matrix, which engines read in different ways.");
    }
    let Some(node) = group.odd_rotation else { return String::new() };
    let length = significant(scene.nodes[node].rotation_length.unwrap_or(1.0), 4);
    let path = node_path(scene, node);
    format!(
        " \"{path}\" has a rotation of length {length}: some engines normalise it, others squash or stretch the node because of it."
    )
}

/// Names the engines whose result is unknown, one sentence for each reason.
fn unknown(scene: &SceneAudit, engines: &EngineAudit) -> Vec<String> {
    let mut reasons: Vec<(usize, Reason)> = Vec::new();
    for UnknownEngine { node, reason, .. } in &engines.unknown {
        if !reasons.contains(&(*node, *reason)) {
            reasons.push((*node, *reason));
        }
    }
    let sentence = |(node, reason): (usize, Reason)| {
        let who = engines.unknown.iter().filter(|one| (one.node, one.reason) == (node, reason));
        let who: Vec<_> = who.map(|one| one.engine).collect();
        let (show, make) =
            if who.len() == 1 { ("shows", "it handles") } else { ("show", "they handle") };
        let path = node_path(scene, node);
        format!(
            "xform does not know what {} {show}: how {make} {reason} is unknown, as at \"{path}\".",
            names(&who)
        )
    };
    reasons.into_iter().map(sentence).collect()
}

/// Lists the names of engines in prose.
#[must_use]
pub fn names(engines: &[&Engine]) -> String {
    listed(&engines.iter().map(|engine| engine.name.to_owned()).collect::<Vec<_>>())
}

/// Lists names in prose.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// States where a node looks different, as a clause: "in Unreal".
pub(crate) fn shown_in(scene: &SceneAudit, node: usize, group: Option<usize>) -> String {
    match scene.shown_in(node, group) {
        [] => "in some of the engines".to_owned(),
        engines => format!("in {}", names(engines)),
    }
}

/// States how far a node differs in groups of engines other than `told`, if a person sees it, in a sentence.
#[must_use]
pub fn also_in(scene: &SceneAudit, node: usize, told: Option<usize>) -> Option<String> {
    let groups = scene.engines.groups.iter().enumerate().skip(1);
    let others = groups.filter(|&(place, _)| Some(place) != told);
    let clause = |(_, group): (usize, &EngineGroup)| {
        let found = group.nodes.iter().find(|found| found.index == node)?;
        let by = match found.displacement_percent {
            _ if found.turned_degrees > Some(SKEWED_DEGREES) => {
                format!("{}°", significant(found.turned_degrees.unwrap_or(0.0), 4))
            }
            Some(percent) => format!("{} % of the scene", significant(percent, 4)),
            None => units(found.displacement, 4),
        };
        let (grade, when) = (found.grade.name(), when(scene, found));
        let clause = format!("{grade} in {}, by {by}{when}", names(&group.engines));
        Some(clause).filter(|_| found.grade.is_seen())
    };
    let clauses: Vec<_> = others.filter_map(clause).collect();
    (!clauses.is_empty()).then(|| format!("Also {}.", clauses.join("; ")))
}
