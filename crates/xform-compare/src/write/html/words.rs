//! What becomes of a node, and what can be done about it, in words and numbers.

use crate::{
    Advice, NodeAudit, Outcome, Refusal, Repair, SceneAudit,
    path::label,
    write::{number::shortest, significant},
};

/// What becomes of a node from one kind of engine to the other.
pub(super) fn effect(node: &NodeAudit) -> String {
    let moved = match (node.displacement, node.displacement_percent) {
        (Some(0.0), _) => "Nothing of it moves".to_owned(),
        (Some(moved), Some(percent)) => format!(
            "From one kind of engine to the other it moves by up to {} ({} % of the scene)",
            significant(moved, 4),
            significant(percent, 3)
        ),
        (Some(moved), None) => format!(
            "From one kind of engine to the other it moves by up to {}",
            significant(moved, 4)
        ),
        (None, _) => "It shows nothing of its own that could move".to_owned(),
    };
    let skew = match node.skew_degrees {
        None => "two of its axes have no angle, since one has no length".to_owned(),
        Some(_) if !node.is_skewed() => "it is skewed in neither".to_owned(),
        Some(skew) => {
            format!("by matrices its axes are skewed by {}°", significant(skew, 4))
        }
    };
    format!("{moved}; {skew}.")
}

/// What to do, and what would remain.
pub(super) struct Tip {
    /// Whether it can be done.
    pub(super) is_possible: bool,
    pub(super) what: String,
    pub(super) outcome: String,
}

pub(super) fn tip(scene: &SceneAudit, node: usize, advice: &Advice) -> Tip {
    Tip {
        is_possible: advice.outcome.is_ok(),
        what: what(scene, node, &advice.repair),
        outcome: match &advice.outcome {
            Ok(outcome) => remains(scene, &scene.nodes[node], &advice.repair, outcome),
            Err(refusal) => format!("not possible: {}.", because(scene, *refusal)),
        },
    }
}

fn name(scene: &SceneAudit, node: usize) -> String {
    format!("`{}`", label(scene.nodes.as_slice(), node))
}

fn what(scene: &SceneAudit, node: usize, repair: &Repair) -> String {
    match *repair {
        Repair::Nothing => "Leave it".to_owned(),
        Repair::Bake { scaler } => {
            format!("Bake the scale of {} into the meshes at and below it", name(scene, scaler))
        }
        Repair::MoveToLeaf { scaler } => format!(
            "Move the scale of {} to a new leaf that shows its mesh, so that nothing hangs below it",
            name(scene, scaler)
        ),
        Repair::MakeUniform { scaler, scale } => {
            format!("Scale {} by {} on all axes", name(scene, scaler), significant(scale, 4))
        }
        Repair::HelperNode => format!("Put a helper node above {}", name(scene, node)),
    }
}

fn remains(scene: &SceneAudit, node: &NodeAudit, repair: &Repair, outcome: &Outcome) -> String {
    let size = scene.summary.diagonal;
    let length = |value: Option<f64>| value.map(|value| figure(value, size));
    let change = length(outcome.change).unwrap_or_else(|| "0".to_owned());
    let remains = match (length(outcome.displacement), node.displacement) {
        (Some(remains), Some(before)) => {
            format!("leaves {remains} of the displacement of {}", significant(before, 4))
        }
        _ => "moves nothing that can be seen".to_owned(),
    };
    let skew = match outcome.skew_degrees.zip(node.skew_degrees) {
        Some((after, before)) if node.is_skewed() => {
            format!(" and {}° of the skew of {}°", figure(after, 1.0), significant(before, 4))
        }
        _ => String::new(),
    };
    let picture = match repair {
        Repair::Nothing => {
            return "it moves by less than a two-thousandth of the scene.".to_owned();
        }
        Repair::HelperNode => format!(
            "; engines that multiply matrices then show what combined TRS shows, {change} from what \
             they show now"
        ),
        _ if change == "0" => {
            "; what engines that multiply matrices show stays as it is".to_owned()
        }
        _ => format!("; what engines that multiply matrices show moves by up to {change}"),
    };
    format!("{remains}{skew}{picture}.")
}

/// A figure, and 0 where it is rounding.
fn figure(value: f64, size: f64) -> String {
    if value <= 1e-12 * size { shortest(0.0) } else { significant(value, 3) }
}

fn because(scene: &SceneAudit, refusal: Refusal) -> String {
    match refusal {
        Refusal::SharedMesh { mesh, node } => {
            format!("mesh {mesh} is shown by {} and by other nodes", name(scene, node))
        }
        Refusal::Skin(node) => format!("a skin has to do with {}", name(scene, node)),
        Refusal::Animation(node) => format!("an animation moves {}", name(scene, node)),
        Refusal::NoMesh(node) => {
            format!("{} has no mesh of its own that its scale could go to", name(scene, node))
        }
        Refusal::Flat(node) => format!("{} is flattened", name(scene, node)),
        Refusal::Inherits(node) => format!("{} does not inherit everything", name(scene, node)),
    }
}
