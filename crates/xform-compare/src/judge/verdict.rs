use xform_scene::{Bounds, Warning, WarningCode, text::significant};

use super::engines::{BY_MATRICES, BY_TRS, engine_sentences};
use crate::audit::{EngineAudit, Grade, GradeCounts, NodeAudit, NodeMotion, SceneAudit, node_path};

/// Whether the scene moves, and that, or some of it, was not audited.
#[must_use]
pub fn is_at_rest_alone(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::AnimationNotSampled)
}

/// Whether there is a skinned mesh whose vertices could not be read.
#[must_use]
pub fn has_unread_vertices(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::SkinnedMesh)
}

/// What the answer leaves out, where not all that is drawn could be read.
fn unread(scene: &SceneAudit) -> Option<String> {
    has_unread_vertices(scene).then(|| {
        "The vertices of skinned meshes could not be read: their joints were looked at instead, so the meshes may \
         look different all the same."
            .to_owned()
    })
}

/// The answer in a few sentences: does this look the same in both kinds of engines?
#[must_use]
pub fn verdict(scene: &SceneAudit) -> String {
    let drawn = scene.summary.grades.all() > 0;
    let answer = match scene.engines.as_ref().filter(|_| drawn) {
        Some(engines) => by_engines(scene, engines),
        None => [Some(at_rest(scene)), in_motion(scene)].into_iter().flatten().collect(),
    };
    let left_out = [undrawn(scene), invisible(scene), unread(scene)].into_iter().flatten();
    answer.into_iter().chain(left_out).collect::<Vec<_>>().join(" ")
}

/// What the lists below the answer are about.
const LISTED: &str = "The list compares matrices multiplied with scales, rotations and positions combined apart; an \
     engine may differ from both.";

/// The answer engine by engine.
fn by_engines(scene: &SceneAudit, engines: &EngineAudit) -> Vec<String> {
    let mut sentences = engine_sentences(scene, engines, when_looked_at(scene, true));
    let summary = &scene.summary;
    let motion = summary.motion.unwrap_or_default();
    let degrees = summary.max_skew_degrees.max(motion.max_skew_degrees);
    let count = summary.skewed_nodes.max(motion.skewed_nodes);
    if count > 0 {
        let (nodes, are) = if count == 1 { ("node", "is") } else { ("nodes", "are") };
        let degrees = significant(degrees, 4);
        let by = if scene.fbx.is_some() { "As the FBX file says" } else { "As glTF defines it" };
        sentences.push(format!("{by}, {count} {nodes} {are} sheared, by up to {degrees}°."));
    }
    if !scene.apart_at_rest().is_empty() || !scene.apart_in_motion().is_empty() {
        sentences.push(LISTED.to_owned());
    }
    sentences
}

fn at_rest(scene: &SceneAudit) -> String {
    let summary = &scene.summary;
    if summary.nodes == 0 {
        return "There are no nodes, so nothing to compare.".to_owned();
    }
    let ranked = scene.ranking.at_rest.iter().map(|&node| &scene.nodes[node]);
    let counting = ranked.filter(|node| node.counts_at_rest());
    let grade = summary.grades.worst();
    // The first of those that move by the same.
    let moves_more = |a: &NodeAudit, b: &NodeAudit| b.displacement > a.displacement;
    let worst = counting.reduce(|worst, node| if moves_more(worst, node) { node } else { worst });
    let Some(worst) = worst.filter(|_| grade > Grade::Identical) else { return safe(scene) };
    let path = node_path(scene, worst.index);
    let moved = largest(&path, worst.displacement, worst.displacement_percent);
    let skew = skewed(summary.skewed_nodes, summary.max_skew_degrees, "");
    if grade.is_seen() {
        let grades = &summary.grades;
        let (different, severely) = (different(grades, Some(summary.nodes)), severely(grades));
        format!("{different} in {BY_TRS} than in {BY_MATRICES}{severely}. {moved}. {skew}")
    } else {
        format!("Nothing that you would see looks different. {moved}. {skew}")
    }
}

/// Whether what looks the same does so at rest alone, or in motion too, where it `moves_alike`.
pub(super) fn when_looked_at(scene: &SceneAudit, moves_alike: bool) -> &'static str {
    let is_sampled = !scene.animations.is_empty() && !is_at_rest_alone(scene);
    let is_thinned = |warning: &Warning| warning.code == WarningCode::AnimationThinned;
    match (is_sampled, moves_alike) {
        (true, true) if scene.warnings.iter().any(is_thinned) => {
            " at rest and in what was sampled of its motion"
        }
        (true, true) => " at rest and in motion",
        (true, false) => " at rest",
        (false, _) if is_at_rest_alone(scene) => " at rest",
        (false, _) => "",
    }
}

/// Where nothing that counts differs at rest.
fn safe(scene: &SceneAudit) -> String {
    let summary = &scene.summary;
    let when = when_looked_at(scene, summary.grade == Grade::Identical);
    let who = match (summary.grades.all(), summary.undrawn.all()) {
        (0, _) => return format!("Safe{when}: nothing is drawn."),
        (1, 0) => "the only node looks".to_owned(),
        (2, 0) => "both nodes look".to_owned(),
        (count, 0) => format!("all {count} nodes look"),
        (1, _) => "the only node that draws anything looks".to_owned(),
        (2, _) => "both nodes that draw anything look".to_owned(),
        (count, _) => format!("all {count} nodes that draw anything look"),
    };
    let safe = if has_unread_vertices(scene) { "No difference found" } else { "Safe" };
    format!("{safe}{when}: {who} the same in {BY_MATRICES} as in {BY_TRS}.")
}

/// The part of the answer about nodes that are worse in motion than at rest.
fn in_motion(scene: &SceneAudit) -> Option<String> {
    let ranked = scene.ranking.in_motion.iter().map(|ranked| scene.in_motion(ranked));
    let is_seen_to_be_worse = |node: &NodeMotion| {
        let at_rest = &scene.nodes[node.index];
        let is_moved_more = node.percent_of_scene().is_some_and(|now| at_rest.is_moved_more(now));
        at_rest.counts && (node.grade() > at_rest.grade() || is_moved_more || at_rest.is_hidden)
    };
    let counting: Vec<_> = ranked.filter(|(_, node)| is_seen_to_be_worse(node)).collect();
    let moves_more = |a: &NodeMotion, b: &NodeMotion| {
        b.displacement.map(|peak| peak.max) > a.displacement.map(|peak| peak.max)
    };
    let worst = counting.iter().reduce(|a, b| if moves_more(a.1, b.1) { b } else { a });
    let (animation, worst) = worst?;
    let summary = scene.summary.motion.as_ref()?;
    let grades: GradeCounts = counting.iter().map(|(_, node)| node.grade()).collect();
    let what = match grades.worst() {
        grade if grade.is_seen() => {
            let (different, severely) = (different(&grades, None), severely(&grades));
            let at_rest = scene.summary.grades.worst().is_seen();
            let more = if at_rest { ", or more so than at rest" } else { "" };
            format!("In motion {different}{more}{severely}")
        }
        Grade::Negligible if !scene.summary.grades.worst().is_seen() => {
            "In motion nothing that you would see looks different".to_owned()
        }
        _ => return None,
    };
    let path = node_path(scene, worst.index);
    let moved = largest(&path, worst.displacement.map(|peak| peak.max), worst.displacement_percent);
    let seconds = significant(worst.worst_seconds().unwrap_or(0.0), 4);
    let skew = skewed(summary.skewed_nodes, summary.max_skew_degrees, " in motion");
    Some(format!("{what}. {moved}, {seconds} s into {}. {skew}", animation.label()))
}

/// The part of the answer about nodes that would be seen to move if they drew anything. A joint is seen by the mesh
/// that follows it, which has been told of.
fn undrawn(scene: &SceneAudit) -> Option<String> {
    let at_rest = scene.ranking.at_rest.iter().map(|&node| &scene.nodes[node]);
    let at_rest = at_rest.filter(|node| !node.counts_at_rest() && node.grade().is_seen());
    let at_rest = at_rest.map(|node: &NodeAudit| (node.index, node.percent_of_scene()));
    let in_motion = scene.ranking.in_motion.iter().map(|ranked| scene.in_motion(ranked).1);
    let in_motion =
        in_motion.filter(|node| !scene.nodes[node.index].counts && node.grade().is_seen());
    let in_motion = in_motion.map(|node: &NodeMotion| (node.index, node.percent_of_scene()));
    let undrawn = at_rest.chain(in_motion);
    let is_told = |node: &NodeAudit| node.is_followed || node.is_invisible;
    let undrawn = undrawn.filter(|&(node, _)| !is_told(&scene.nodes[node]));
    let mut seen: Vec<_> = undrawn.map(|(node, percent)| (node, percent.unwrap_or(0.0))).collect();
    let &(worst, percent) = seen.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    seen.sort_unstable_by_key(|&(node, _)| node);
    seen.dedup_by_key(|&mut (node, _)| node);
    let joints = scene.nodes.iter().any(|node| node.is_followed);
    let aside = if joints { ", joints aside," } else { "" };
    let how_far = if percent.is_finite() {
        format!(" {} % of the scene", significant(percent, 3))
    } else {
        " more than the whole scene".to_owned()
    };
    let nodes = match seen.len() {
        1 => format!("1 node that draws nothing{aside} moves by{how_far}"),
        count => format!("{count} nodes that draw nothing{aside} move, the farthest by{how_far}"),
    };
    Some(format!("{nodes}, at \"{}\".", node_path(scene, worst)))
}

/// The part of the answer about meshes that the file hides.
fn invisible(scene: &SceneAudit) -> Option<String> {
    let has_mesh = |node: &&NodeAudit| node.is_skinned || matches!(node.bounds, Bounds::Box(..));
    let hidden = scene.nodes.iter().filter(|node| node.is_invisible && !node.counts);
    match hidden.filter(has_mesh).count() {
        0 => None,
        1 => Some("1 node is hidden in the file, and does not count.".to_owned()),
        count => Some(format!("{count} nodes are hidden in the file, and do not count.")),
    }
}

/// How many nodes look different, of so many.
fn different(grades: &GradeCounts, of: Option<usize>) -> String {
    let seen = grades.seen();
    let of_all = of.map_or_else(String::new, |all| format!(" of {all}"));
    let nodes = if of.unwrap_or(seen) == 1 { "node" } else { "nodes" };
    let look = if seen == 1 { "looks" } else { "look" };
    format!("{seen}{of_all} {nodes} {look} different")
}

/// How many of those that look different do so severely.
fn severely(grades: &GradeCounts) -> String {
    match (grades.severe, grades.seen()) {
        (0, _) => String::new(),
        (1, 1) => ", severely".to_owned(),
        (2, 2) => ", both severely".to_owned(),
        (severe, seen) if severe == seen => ", all of them severely".to_owned(),
        (severe, _) => format!(", {severe} of them severely"),
    }
}

fn largest(path: &str, displacement: Option<f64>, percent: Option<f64>) -> String {
    match (displacement, percent) {
        (Some(moved), Some(percent)) if percent > Grade::IDENTICAL_PERCENT => {
            format!(
                "The largest shift is {} ({} % of the scene), at \"{path}\"",
                significant(moved, 4),
                significant(percent, 3)
            )
        }
        (Some(moved), None) if moved > 0.0 => {
            format!("The largest shift is {}, at \"{path}\"", significant(moved, 4))
        }
        (_, Some(percent)) if percent > 0.0 => {
            let least = Grade::IDENTICAL_PERCENT;
            format!(
                "No bounds move by more than {least} % of the scene; the worst node is \"{path}\""
            )
        }
        _ => format!("No bounds move; the worst node is \"{path}\""),
    }
}

fn skewed(count: usize, degrees: f64, when: &str) -> String {
    match count {
        0 => format!("Nothing is skewed{when}."),
        count => format!(
            "Engines that multiply matrices skew {count} {}{when}, by up to {}°.",
            if count == 1 { "node" } else { "nodes" },
            significant(degrees, 4)
        ),
    }
}
