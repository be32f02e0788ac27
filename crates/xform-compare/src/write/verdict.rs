use super::number::significant;
use crate::{SceneAudit, WarningCode, node_path, ranking::ranked};

/// Whether the scene moves, and only its pose at rest was audited.
pub(super) fn is_at_rest_alone(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::AnimationNotSampled)
}

/// The answer in a sentence or two: will this look different in the other kind of engine?
pub(super) fn verdict(scene: &SceneAudit) -> String {
    let summary = &scene.summary;
    if summary.nodes == 0 {
        return "There are no nodes, so nothing to compare.".to_owned();
    }
    let Some(worst) = ranked(&scene.nodes).first().copied() else {
        let at_rest = if is_at_rest_alone(scene) { " at rest" } else { "" };
        return format!(
            "Safe{at_rest}: accumulated matrices and combined TRS agree on {}.",
            match summary.nodes {
                1 => "the only node".to_owned(),
                count => format!("all {count} nodes"),
            }
        );
    };
    let path = node_path(scene, worst.index);
    let moved = match (worst.displacement, worst.displacement_percent) {
        (Some(moved), Some(percent)) if moved > 0.0 => format!(
            "The largest displacement is {} ({} % of the scene), at \"{path}\".",
            significant(moved, 4),
            significant(percent, 3)
        ),
        (Some(moved), None) if moved > 0.0 => {
            format!("The largest displacement is {}, at \"{path}\".", significant(moved, 4))
        }
        _ => format!("No bounds move; the worst node is \"{path}\"."),
    };
    let differ = if summary.differing_nodes == 1 { "differs" } else { "differ" };
    let skew = match summary.skewed_nodes {
        0 => "Nothing is skewed.".to_owned(),
        count => format!(
            "By accumulated matrices {count} {} skewed, by up to {}°.",
            if count == 1 { "node is" } else { "nodes are" },
            significant(summary.max_skew_degrees, 4)
        ),
    };
    format!("{} of {} nodes {differ}. {moved} {skew}", summary.differing_nodes, summary.nodes)
}
