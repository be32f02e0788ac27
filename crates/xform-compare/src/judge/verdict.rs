use crate::{
    audit::{SceneAudit, max, node_path},
    scene::{Warning, WarningCode},
    text::significant,
};

/// Whether the scene moves, and that, or some of it, was not audited.
pub(crate) fn is_at_rest_alone(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::AnimationNotSampled)
}

/// Whether nothing differs, neither at rest nor in what was sampled of its motion.
pub(crate) fn is_safe(scene: &SceneAudit) -> bool {
    scene.ranking.at_rest.is_empty() && scene.ranking.in_motion.is_empty()
}

/// The answer in a few sentences: will this look different in the other kind of engine?
pub(crate) fn verdict(scene: &SceneAudit) -> String {
    match in_motion(scene) {
        Some(in_motion) => format!("{} {in_motion}", at_rest(scene)),
        None => at_rest(scene),
    }
}

fn at_rest(scene: &SceneAudit) -> String {
    let summary = &scene.summary;
    if summary.nodes == 0 {
        return "There are no nodes, so nothing to compare.".to_owned();
    }
    let Some(&worst) = scene.ranking.at_rest.first() else {
        let is_sampled = !scene.animations.is_empty() && !is_at_rest_alone(scene);
        let is_thinned = |warning: &Warning| warning.code == WarningCode::AnimationThinned;
        let when = match (is_sampled, is_safe(scene)) {
            (true, true) if scene.warnings.iter().any(is_thinned) => {
                " at rest and in what was sampled of its motion"
            }
            (true, true) => " at rest and in motion",
            (true, false) => " at rest",
            (false, _) if is_at_rest_alone(scene) => " at rest",
            (false, _) => "",
        };
        return format!(
            "Safe{when}: accumulated matrices and combined TRS agree on {}.",
            match summary.nodes {
                1 => "the only node".to_owned(),
                count => format!("all {count} nodes"),
            }
        );
    };
    let worst = &scene.nodes[worst];
    let moved =
        largest(&node_path(scene, worst.index), worst.displacement, worst.displacement_percent);
    let differ = if summary.differing_nodes == 1 { "differs" } else { "differ" };
    let skew = skewed(summary.skewed_nodes, summary.max_skew_degrees);
    format!("{} of {} nodes {differ}. {moved}. {skew}", summary.differing_nodes, summary.nodes)
}

/// The part of the answer about nodes that are worse in motion than at rest.
fn in_motion(scene: &SceneAudit) -> Option<String> {
    let (animation, node) = scene.in_motion(scene.ranking.in_motion.first()?);
    let summary = scene.summary.motion.as_ref()?;
    let count = summary.differing_nodes.max(summary.skewed_nodes);
    let differ = if count == 1 { "node differs" } else { "nodes differ" };
    let moved =
        largest(&node_path(scene, node.index), max(node.displacement), node.displacement_percent);
    let seconds = significant(node.worst_seconds().unwrap_or(0.0), 4);
    let name = animation.label();
    let skew = skewed(summary.skewed_nodes, summary.max_skew_degrees);
    Some(format!("In motion {count} {differ}. {moved}, {seconds} s into {name}. {skew}"))
}

fn largest(path: &str, displacement: Option<f64>, percent: Option<f64>) -> String {
    match (displacement, percent) {
        (Some(moved), Some(percent)) if moved > 0.0 => format!(
            "The largest displacement is {} ({} % of the scene), at \"{path}\"",
            significant(moved, 4),
            significant(percent, 3)
        ),
        (Some(moved), None) if moved > 0.0 => {
            format!("The largest displacement is {}, at \"{path}\"", significant(moved, 4))
        }
        _ => format!("No bounds move; the worst node is \"{path}\""),
    }
}

fn skewed(count: usize, degrees: f64) -> String {
    match count {
        0 => "Nothing is skewed.".to_owned(),
        count => format!(
            "By accumulated matrices {count} {} skewed, by up to {}°.",
            if count == 1 { "node is" } else { "nodes are" },
            significant(degrees, 4)
        ),
    }
}
