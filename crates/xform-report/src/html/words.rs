//! Describes in words how a node looks different, and what can be done about it.

use xform_compare::{
    Advice, Engine, Grade, NodeAudit, SceneAudit,
    audit::{EngineGroup, Role, SKEWED_DEGREES},
    judge::{
        MotionAdvice, Repair, RepairOutcome, RepairRefusal, ScaleChange, UndrawnFigures, also_in,
        definition, inherit_types, names, repair_command, trial_command,
    },
};
use xform_scene::{
    Bounds,
    text::{capitalised, label, shortest, significant, units},
};

use super::{shows::group_names, title};

/// A text in parts. Every other part stood between backticks and is the name of a node.
pub(super) struct Words(Vec<(bool, String)>);

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let parts = text.split('`').map(str::to_owned).enumerate();
        Self(parts.map(|(i, part)| (i % 2 == 1, part)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, part)| part.is_empty())
    }

    /// Returns each part, and whether it is a name.
    pub(super) fn parts(&self) -> impl Iterator<Item = &(bool, String)> {
        self.0.iter()
    }
}

/// The fraction of the scene below which a displacement counts as none.
const NOTHING: f64 = 1e-7;

/// Whether a displacement, in percent of the scene, is only rounding.
fn is_rounding(percent: f64) -> bool {
    percent <= Grade::IDENTICAL_PERCENT
}

/// Describes how a node looks different in the engines that show it worst.
pub(super) fn effect(scene: &SceneAudit, node: &NodeAudit) -> String {
    let of_itself = node.displacement_percent_of_itself.map_or_else(String::new, |percent| {
        format!("{} % of its own size", significant(percent, 3))
    });
    let of_scene = node
        .displacement_percent
        .map_or_else(String::new, |percent| format!("{} % of the scene", significant(percent, 3)));
    let shares: Vec<_> =
        [of_itself, of_scene].into_iter().filter(|share| !share.is_empty()).collect();
    let shares =
        if shares.is_empty() { String::new() } else { format!(" ({})", shares.join(", ")) };
    let engines = group_names(scene, node.group);
    let where_ = if engines.is_empty() { String::new() } else { format!("In {engines} ") };
    // A camera, a light or a socket differs by its axes too.
    let axes = UndrawnFigures::at_rest(node).by_axes();
    let axes = axes.map(|axes| capitalised(&format!("{where_}it {axes}. ")));
    let axes = axes.unwrap_or_default();
    let moved = match node.displacement {
        Some(0.0) => "It does not move".to_owned(),
        Some(_) if node.displacement_percent.is_some_and(is_rounding) => {
            "It does not move".to_owned()
        }
        Some(moved) => {
            let what = match node.bounds {
                _ if node.is_skinned => "its farthest vertex shifts",
                Bounds::Box(..) => "its bounding box shifts",
                Bounds::Origin | Bounds::Nothing => "its origin shifts",
            };
            capitalised(&format!("{where_}{what} by up to {}{shares}", units(moved, 4)))
        }
        None => "It draws nothing of its own that could move".to_owned(),
    };
    let skew = node.skew_difference_degrees.filter(|_| node.role == Role::Part);
    let skew = skew.filter(|&skew| skew > SKEWED_DEGREES);
    let skew = skew.map_or_else(String::new, |skew| {
        format!("; its skew differs by {}°", significant(skew, 4))
    });
    let also = also_in(scene, node.index, node.group);
    format!("{axes}{moved}{skew}.{}", also.map_or_else(String::new, |also| format!(" {also}")))
}

/// Describes a repair for nodes with a common cause, the worst first, and what would remain. Names stand between
/// backticks.
pub(super) fn tip(scene: &SceneAudit, nodes: &[usize], advice: &Advice) -> String {
    let what = what(scene, nodes[0], &advice.repair);
    match &advice.outcome {
        Ok(outcome) => {
            let keyed = outcome.keyed.map_or_else(String::new, |node| {
                format!(
                    " Remove the keyframes that hold {} in its rest pose: they would undo this.",
                    name(scene, node)
                )
            });
            let matrix = outcome.matrix.map_or_else(String::new, |node| {
                format!(
                    " Write the matrix of {} as translation, rotation and scale first: programs do not all decompose a matrix \
                     in the same way.",
                    name(scene, node)
                )
            });
            let remains = remains(scene, nodes, &advice.repair, outcome);
            let command = repair_command(scene, title(&scene.source), &advice.repair);
            let command = command.map_or_else(String::new, |command| match advice.repair {
                Repair::MoveToLeaf { .. } => format!(
                    " `{command}` does this for all such scales, and bakes rotated nodes below them, so that nothing moves."
                ),
                _ => format!(" `{command}` does this."),
            });
            format!("{what}: {remains}{matrix}{keyed}{command}")
        }
        Err(refusal) => format!("{what}: {}.", because(scene, *refusal)),
    }
}

/// Describes what to change in an animation for a node at its worst, and what would remain then.
pub(super) fn motion_tip(scene: &SceneAudit, node: &NodeAudit, advice: &MotionAdvice) -> String {
    let MotionAdvice { changes, turn, displacement, in_animation, moves } = advice;
    let changes: Vec<_> = changes.iter().map(|change| scale_change(scene, change)).collect();
    let before = units(node.displacement.unwrap_or(0.0), 4);
    let is_nothing = |left: f64| left <= NOTHING * scene.summary.diagonal;
    let left = displacement.unwrap_or(0.0);
    let left = if is_nothing(left) { "none".to_owned() } else { significant(left, 3) };
    let over_time = in_animation.filter(|&(left, _)| !is_nothing(left));
    let is_seen = |over: f64| {
        node.displacement.zip(node.displacement_percent).is_some_and(|(moved, percent)| {
            Grade::new(Some(over * percent / moved), None, None).is_seen()
        })
    };
    let is_enough = !over_time.is_some_and(|(over, _)| is_seen(over));
    let over_time = over_time.map_or_else(String::new, |(over, seconds)| {
        let (left, seconds) = (units(over, 3), significant(seconds, 4));
        let alone = if is_enough { "" } else { ", so this alone is not enough" };
        format!("; over the whole animation up to {left} would remain, at {seconds} s{alone}")
    });
    let trial = trial_command(scene, title(&scene.source)).filter(|_| !is_enough);
    let trial = trial.map_or_else(String::new, |command| {
        format!(
            " `{command}` shows what remains, and how much the shape changes, if all such scales are made uniform."
        )
    });
    let turn = turn.map_or_else(String::new, |(node, key, seconds)| {
        let (name, seconds) = (name(scene, node), significant(seconds, 4));
        format!(" Below it, {name} is rotated from its key {key} at {seconds} s.")
    });
    let changes = match &changes[..] {
        [] => inherit_all(scene),
        changes => format!("Set {}", changes.join(", and ")),
    };
    let changed = changed(scene, moves);
    format!(
        "{changes}. Of the shift of {before} at the worst moment, {left} would remain{over_time}.{changed}{turn}{trial}"
    )
}

fn scale_change(scene: &SceneAudit, change: &ScaleChange) -> String {
    let &ScaleChange { node, key, scale, uniform } = change;
    let (name, uniform) = (name(scene, node), significant(uniform, 4));
    let scale = scale.map(|factor| significant(factor, 4)).join(", ");
    match key {
        Some((key, seconds)) => {
            let seconds = significant(seconds, 4);
            format!(
                "the scale of {name} at key {key} ({seconds} s) from ({scale}) to {uniform} on all axes"
            )
        }
        None => format!(
            "the scale of {name} in the rest pose from ({scale}) to {uniform} on all axes; the animation has no keyframes for it"
        ),
    }
}

pub(super) fn name(scene: &SceneAudit, node: usize) -> String {
    format!("`{}`", label(scene, node))
}

fn what(scene: &SceneAudit, node: usize, repair: &Repair) -> String {
    match *repair {
        Repair::Nothing => "Leave it".to_owned(),
        Repair::Bake { top } => format!(
            "Bake the non-uniform scales of {} and its descendants into their meshes",
            name(scene, top)
        ),
        Repair::MoveToLeaf { scaler } => format!(
            "Move the scale of {} to a new child without children that shows its mesh, and multiply the translations of its \
             other children by that scale, so that they stay in place",
            name(scene, scaler)
        ),
        Repair::MakeUniform { scaler, scale, half_turn } => {
            let turn = half_turn.map_or_else(String::new, |axis| {
                format!(", and rotate it by 180° about its own {} axis", ["X", "Y", "Z"][axis])
            });
            format!(
                "Set the scale of {} to {} on all axes{turn}",
                name(scene, scaler),
                significant(scale, 4)
            )
        }
        Repair::MakeUnit { node } => {
            format!("Export the rotation of {} as a unit quaternion", name(scene, node))
        }
        Repair::InheritAll => inherit_all(scene),
        Repair::HelperNode => {
            let group = scene.nodes[node].group.unwrap_or(0);
            format!(
                "If {} should show what {} now, make a separate copy with an extra node above {}",
                group_or_file(scene),
                shown_by(scene, group, "show"),
                name(scene, node)
            )
        }
    }
}

/// Lists the nodes of an FBX file that must inherit their parents' scale.
fn inherit_all(scene: &SceneAudit) -> String {
    let names: Vec<_> = inherit_types(scene).iter().map(|&node| name(scene, node)).collect();
    let (first, more) = names.split_at(names.len().min(4));
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let nodes = if names.len() == 1 { "node" } else { "nodes" };
    format!(
        "Let {} {nodes} take the parent's scale in full (inherit type RSrs): {}{more}",
        names.len(),
        first.join(", ")
    )
}

/// Names the engines of the reference, or the file itself.
fn group_or_file(scene: &SceneAudit) -> String {
    match &scene.engines.groups[0].engines[..] {
        [] => definition(scene).to_owned(),
        engines => names(engines),
    }
}

/// Names the engines of a group with a verb: "Unreal shows", "Unity and Godot show".
fn shown_by(scene: &SceneAudit, group: usize, plural: &str) -> String {
    match &scene.engines.groups[group].engines[..] {
        [] => format!("{} {plural}s", definition(scene)),
        [one] => format!("{} {plural}s", one.name),
        all => format!("{} {plural}", names(all)),
    }
}

fn remains(
    scene: &SceneAudit,
    nodes: &[usize],
    repair: &Repair,
    outcome: &RepairOutcome,
) -> String {
    let node = &scene.nodes[nodes[0]];
    let skews = nodes.iter().filter_map(|&node| scene.nodes[node].skew_difference_degrees);
    let skew_before = skews.reduce(f64::max);
    let size = scene.summary.diagonal;
    let length = |value: Option<f64>| figure(value.unwrap_or(0.0), size);
    if let Repair::Nothing = repair {
        return "the difference is too small to see.".to_owned();
    }
    if let Repair::HelperNode = repair {
        let length = |value: Option<f64>| match &*length(value) {
            "1" => "1 unit".to_owned(),
            length => format!("{length} units"),
        };
        return format!(
            "in that copy it shifts by {}. Do not use the copy in {}, where it would differ by {}.",
            length(outcome.changes.first().copied()),
            group_names(scene, node.group),
            length(outcome.displacement)
        );
    }
    let left = match (length(outcome.displacement), node.displacement) {
        (_, None | Some(0.0)) => "there was no visible difference".to_owned(),
        (left, Some(_)) if left == "0" => "no difference remains".to_owned(),
        (left, Some(before)) => format!("{left} of {} remains", units(before, 4)),
    };
    let skew = match outcome.skew_degrees.zip(skew_before) {
        Some((after, before)) if after > before + 1e-6 => format!(
            ", and the difference of skew grows from {}° to {}°",
            figure(before, 1.0),
            figure(after, 1.0)
        ),
        Some((after, before)) if before > SKEWED_DEGREES => match figure(after, 1.0) {
            none if none == "0" => ", and no difference of skew remains".to_owned(),
            left => format!(", and {left}° of the skew difference of {}°", significant(before, 4)),
        },
        _ => String::new(),
    };
    let changed = changed(scene, &outcome.changes);
    let worse = outcome.worsens.iter().map(|&group| group_names(scene, Some(group)));
    let worse: Vec<_> = worse.collect();
    let worse = if worse.is_empty() {
        String::new()
    } else {
        format!(" But something else differs more than now in {}.", worse.join("; "))
    };
    format!("{left}{skew}.{changed}{worse}")
}

/// Names the engines in which the shape stays the same, and states how much it changes in the others.
fn changed(scene: &SceneAudit, changes: &[f64]) -> String {
    let size = scene.summary.diagonal;
    let groups = scene.engines.groups.iter().zip(changes);
    let groups = groups.filter(|(group, _)| !group.engines.is_empty());
    let (same, changed): (Vec<_>, Vec<_>) =
        groups.partition(|&(_, &change)| figure(change, size) == "0");
    let engines = |groups: &[(&EngineGroup, &f64)]| -> Vec<&'static Engine> {
        groups.iter().flat_map(|(group, _)| &group.engines).copied().collect()
    };
    let by = |change: f64| {
        if size > 0.0 {
            format!("by up to {} % of the scene", significant(change / size * 100.0, 3))
        } else {
            format!("by up to {}", units(change, 3))
        }
    };
    if same.is_empty() && changed.len() > 1 {
        let most = changed.iter().map(|&(_, &change)| change).fold(0.0, f64::max);
        return format!(" The shape changes in every engine, {}.", by(most));
    }
    let same = match engines(&same)[..] {
        [] => String::new(),
        ref all => format!(" Nothing moves in {}.", names(all)),
    };
    let changed: Vec<_> = changed
        .iter()
        .map(|&(group, &change)| {
            format!(" The shape changes in {}, {}.", names(&group.engines), by(change))
        })
        .collect();
    format!("{same}{}", changed.concat())
}

/// Formats a figure, or 0 if it is rounding.
fn figure(value: f64, size: f64) -> String {
    if value <= 1e-9 * size { shortest(0.0) } else { significant(value, 3) }
}

fn because(scene: &SceneAudit, refusal: RepairRefusal) -> String {
    match refusal {
        RepairRefusal::Skin(node) => format!("{} belongs to a skin", name(scene, node)),
        RepairRefusal::Animation(node) => format!("an animation moves {}", name(scene, node)),
        RepairRefusal::Behaviour(node) => {
            format!("a behaviour (KHR_interactivity) sets {}", name(scene, node))
        }
        RepairRefusal::Instances(node) => {
            format!("the mesh of {} has instances", name(scene, node))
        }
        RepairRefusal::NoMesh(node) => {
            format!("{} has no mesh of its own to take the scale", name(scene, node))
        }
        RepairRefusal::Flat(node) => format!("{} is flattened", name(scene, node)),
        RepairRefusal::Inherits(node) => {
            format!("{} does not inherit everything", name(scene, node))
        }
        RepairRefusal::Unknown(node) => {
            format!("it is unknown what an engine would then show for {}", name(scene, node))
        }
    }
}
