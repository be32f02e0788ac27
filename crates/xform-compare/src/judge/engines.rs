//! What engines show of a scene, in sentences.

use xform_engines::{Engine, Known, Reason};
use xform_scene::text::{capitalised, significant};

use crate::audit::{
    EngineAudit, EngineNode, EnginePair, Grade, SceneAudit, UnknownEngine, node_path,
};

/// The engines that multiply matrices which most people know.
pub const BY_MATRICES: &str = "Unity, Godot, three.js and Blender";
/// The engines that combine TRS which most people know.
pub const BY_TRS: &str = "Unreal and OGRE";

/// What the others are compared with where no engine is the reference.
#[must_use]
pub fn definition(scene: &SceneAudit) -> &'static str {
    if scene.fbx.is_some() { "what the FBX file says" } else { "what glTF defines" }
}

/// Which engines show the same, how far the others are apart from these, and of which it is not known. `when` follows "the
/// same" where all show that: " at rest", for instance.
pub(crate) fn engine_sentences(
    scene: &SceneAudit,
    engines: &EngineAudit,
    when: &str,
) -> Vec<String> {
    let others = 1..engines.groups.len();
    // A sheared matrix that several groups read in ways of their own is named once.
    let mut told = Vec::new();
    let apart = others.filter_map(|group| {
        let pair = engines.from_reference(group)?;
        let is_new = pair.sheared.or(pair.odd_rotation).is_some_and(|node| !told.contains(&node));
        told.extend(pair.sheared.or(pair.odd_rotation));
        let because = if is_new { because(scene, pair) } else { String::new() };
        Some(different(scene, engines, &engines.groups[group], pair, &because))
    });
    let apart: Vec<_> = apart.collect();
    let when = if apart.is_empty() { when } else { "" };
    let (same, unknown) = (same(scene, engines, when), unknown(scene, engines));
    let instead = engines.unknown_reference.map(|reference| {
        format!(
            "So not {} is what the others are compared with, but {}.",
            reference.name,
            definition(scene)
        )
    });
    let sentences = same.into_iter().chain(apart).chain(unknown).chain(instead);
    sentences.chain(caveats(scene, engines)).chain(not_run(engines)).collect()
}

/// Under which conditions this holds, of engines that do not read glTF as others do.
fn caveats(scene: &SceneAudit, engines: &EngineAudit) -> Vec<String> {
    let mut caveats: Vec<(&str, Vec<&Engine>)> = Vec::new();
    for engine in engines.shown() {
        let Some(caveat) = caveat(scene, engine) else { continue };
        match caveats.iter_mut().find(|(known, _)| *known == caveat) {
            Some((_, same)) => same.push(engine),
            None => caveats.push((caveat, vec![engine])),
        }
    }
    let sentence =
        |(caveat, engines): (&str, Vec<&Engine>)| format!("{}: {caveat}.", names(&engines));
    caveats.into_iter().map(sentence).collect()
}

/// What must be known of how an engine reads the file; that of glTF says nothing of FBX.
#[must_use]
pub fn caveat(scene: &SceneAudit, engine: &Engine) -> Option<&'static str> {
    engine.caveat.filter(|_| scene.fbx.is_none())
}

/// Whose rules were read, not run.
fn not_run(engines: &EngineAudit) -> Vec<String> {
    let is_run = |known: &Known| matches!(known, Known::Run { .. });
    let (run, read): (Vec<&Engine>, Vec<&Engine>) =
        engines.shown().into_iter().partition(|engine| is_run(&engine.accumulation.known));
    let read = (!read.is_empty()).then(|| match &read[..] {
        [one] => format!("The rule of {} was read, not run.", one.name),
        all => format!("The rules of {} were read, not run.", names(all)),
    });
    let importers = run.into_iter().filter(|engine| !is_run(&engine.import.known));
    let importers: Vec<_> = importers.filter(|_| engines.has_sheared_matrices).collect();
    let importers = (!importers.is_empty()).then(|| {
        let their = if importers.len() == 1 { "importer was" } else { "importers were" };
        format!("Of {} the {their} read, not run.", names(&importers))
    });
    read.into_iter().chain(importers).collect()
}

/// The engines that show what the reference does.
fn same(scene: &SceneAudit, engines: &EngineAudit, when: &str) -> Option<String> {
    let group = engines.groups.first()?;
    match (engines.reference, group.len()) {
        (None, 0) if engines.groups.len() > 1 => {
            let none = if engines.unknown.is_empty() {
                "None of the engines"
            } else {
                "No engine whose answer is known"
            };
            Some(format!("{none} shows {}.", definition(scene)))
        }
        (Some(reference), 1) if engines.groups.len() == 1 => {
            Some(format!("{} has no other engine to be compared with.", reference.name))
        }
        (_, 0) | (Some(_), 1) => None,
        (None, 1) => Some(format!("{} shows {}{when}.", group[0].name, definition(scene))),
        (_, _) => Some(format!("The same{when} in {}.", names(group))),
    }
}

/// How far a group is apart from the reference.
fn different(
    scene: &SceneAudit,
    engines: &EngineAudit,
    group: &[&Engine],
    pair: &EnginePair,
    because: &str,
) -> String {
    let who = names(group);
    let than = match (engines.reference, engines.groups[0].len()) {
        (Some(reference), 1) => format!(" beside {}", reference.name),
        _ => String::new(),
    };
    let grade = pair.grade;
    let is_counted = |node: &&EngineNode| node.grade >= grade.min(Grade::Visible);
    let count = pair.nodes.iter().filter(is_counted).count();
    let all = scene.summary.nodes;
    let of = if all == 1 { "node" } else { "nodes" };
    let (look, differ) = if count == 1 { ("looks", "differs") } else { ("look", "differ") };
    let what = if grade.is_seen() {
        format!("{count} of {all} {of} {look} different")
    } else {
        format!("{count} of {all} {of} {differ}, which nobody would see")
    };
    let worst = pair.nodes.first().map_or_else(String::new, |worst| most(scene, worst));
    format!("{} in {who}{than}: {what}{worst}.{because}", capitalised(grade.name()))
}

fn most(scene: &SceneAudit, worst: &EngineNode) -> String {
    let path = node_path(scene, worst.index);
    let when = when(scene, worst);
    let by = match worst.displacement_percent {
        Some(percent) if percent > Grade::IDENTICAL_PERCENT => {
            format!("by up to {} % of the scene", significant(percent, 3))
        }
        None if worst.displacement > 0.0 => {
            format!("by up to {}", significant(worst.displacement, 3))
        }
        _ => format!("by up to {}° of skew", significant(worst.skew_degrees, 3)),
    };
    format!(", {by}, most at \"{path}\"{when}")
}

/// When in an animation a node is apart most, in a clause; nothing at rest.
pub(crate) fn when(scene: &SceneAudit, node: &EngineNode) -> String {
    node.motion.map_or_else(String::new, |(animation, seconds)| {
        let name = scene.animations[animation].label();
        format!(", {} s into {name}", significant(seconds, 4))
    })
}

/// That a sheared matrix or a rotation is the reason, in a sentence; nothing where none is.
pub(crate) fn because(scene: &SceneAudit, pair: &EnginePair) -> String {
    if let Some(node) = pair.sheared {
        let path = node_path(scene, node);
        return format!(" \"{path}\" has a sheared matrix, which is read in different ways.");
    }
    let Some(node) = pair.odd_rotation else { return String::new() };
    let length = significant(scene.nodes[node].rotation_length.unwrap_or(1.0), 4);
    let path = node_path(scene, node);
    format!(
        " \"{path}\" has a rotation of length {length}: some engines make it 1, others squash or stretch the node by it."
    )
}

/// The engines of which nothing can be said, together where the reason is the same.
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
            if who.len() == 1 { ("shows", "it makes") } else { ("show", "they make") };
        let path = node_path(scene, node);
        format!(
            "xform cannot say what {} {show}: it is not known what {make} of {reason}, as at \"{path}\".",
            names(&who)
        )
    };
    reasons.into_iter().map(sentence).collect()
}

/// The names of engines, as people list them.
#[must_use]
pub fn names(engines: &[&Engine]) -> String {
    match engines {
        [] => String::new(),
        [one] => one.name.to_owned(),
        [others @ .., last] => {
            let others: Vec<_> = others.iter().map(|engine| engine.name).collect();
            format!("{} and {}", others.join(", "), last.name)
        }
    }
}
