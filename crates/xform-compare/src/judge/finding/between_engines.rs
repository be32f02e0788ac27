use super::{Excess, Finding, Limits, Severity, how_far, severity};
use crate::{
    audit::{EngineAudit, EngineNode, EnginePair, SceneAudit, UnknownEngine, node_path},
    judge::engines::{because, definition, names, when},
};

/// What is known by the rule `engines-differ`: the nodes that the engines which were named show differently, each between
/// the two groups of engines that are farthest apart there, the worst first.
pub(super) fn between_engines(
    scene: &SceneAudit,
    engines: &EngineAudit,
    limits: &Limits,
) -> Vec<Finding> {
    let nodes = engines.limited().flat_map(|pair| pair.nodes.iter().map(move |node| (pair, node)));
    let mut nodes: Vec<(&EnginePair, &EngineNode)> = nodes.collect();
    nodes.sort_by(|(_, a), (_, b)| a.worse_first(b));
    let mut seen = vec![false; scene.nodes.len()];
    nodes.retain(|(_, node)| !std::mem::replace(&mut seen[node.index], true));
    let apart = nodes.into_iter().map(|(pair, node)| finding(scene, engines, pair, node, limits));
    apart.chain(unknown_engines(scene, engines, limits)).collect()
}

/// The engines of which it is not known what they show.
pub(super) fn unknown_engines<'a>(
    scene: &'a SceneAudit,
    engines: &'a EngineAudit,
    limits: &'a Limits,
) -> impl Iterator<Item = Finding> + 'a {
    engines.unknown.iter().map(|unknown| not_known(scene, unknown, limits))
}

/// An engine that cannot be judged is not taken for one that is within the limits.
fn not_known(scene: &SceneAudit, unknown: &UnknownEngine, limits: &Limits) -> Finding {
    let UnknownEngine { engine, node, reason } = *unknown;
    let path = node_path(scene, node);
    let message = format!("{path}: it is not known what {} makes of {reason}", engine.name);
    let fails = limits.refuses_unknown();
    let severity = if fails { Severity::Error } else { Severity::Warning };
    let found = Finding::new("engine-unknown", severity, scene.nodes[node].pointer(), message);
    Finding { node: Some((node, path)), fails, ..found }
}

fn finding(
    scene: &SceneAudit,
    engines: &EngineAudit,
    pair: &EnginePair,
    node: &EngineNode,
    limits: &Limits,
) -> Finding {
    let percent = node.percent_of_scene();
    let excess = Excess::over(limits.max_displacement_percent, percent, "displacement", " %")
        .or_else(|| Excess::over(limits.max_skew_degrees, node.skew_degrees, "skew", "°"))
        .or_else(|| {
            Excess::of_grade(
                limits.fail_on,
                (node.index, node.grade, true),
                percent.max(node.skew_degrees),
            )
        });
    let [a, b] = pair.groups.map(|group| match &engines.groups[group][..] {
        [] => definition(scene).to_owned(),
        group => names(group),
    });
    let comma =
        if pair.groups.iter().all(|&group| engines.groups[group].len() <= 1) { "" } else { "," };
    let between = format!("between {a}{comma} and {b}");
    let animation = node.motion.map(|(animation, _)| scene.animations[animation].label());
    let when = when(scene, node);
    let path = node_path(scene, node.index);
    let moved = how_far(node.displacement, node.displacement_percent);
    let is_worst = Some(node) == pair.nodes.first();
    let because = if is_worst { because(scene, pair) } else { String::new() };
    let message = format!("{path}: is apart by {moved} {between}{when}.{because}");
    let severity = severity(node.grade, true, excess.is_some());
    let excess = excess
        .map(|excess| Excess { words: format!("{} {between}{when}", excess.words), ..excess });
    let pointer = scene.nodes[node.index].pointer();
    let found = Finding::new("engines-differ", severity, pointer, message);
    Finding { node: Some((node.index, path)), fails: excess.is_some(), excess, animation, ..found }
}

/// In which engines a node is not as in the reference's, in a sentence.
pub(super) fn seen_in(engines: &EngineAudit, node: usize) -> Option<String> {
    let groups = (1..engines.groups.len()).filter_map(|group| {
        let pair = engines.from_reference(group)?;
        let found = pair.nodes.iter().find(|found| found.index == node)?;
        Some(format!("{} in {}", found.grade.name(), names(&engines.groups[group])))
    });
    let groups: Vec<_> = groups.collect();
    (!groups.is_empty()).then(|| format!(" Engine by engine: {}.", groups.join("; ")))
}
