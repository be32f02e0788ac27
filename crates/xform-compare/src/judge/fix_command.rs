//! Commands that repair a file, of which none is named that would do nothing.

use std::collections::BTreeSet;

use nalgebra::Vector3;
use xform_engines::Engine;
use xform_scene::BuiltIn;

use super::advice::Repair;
use crate::audit::{Cause, EngineChoice, SceneAudit};

/// The command that repairs the file of a scene, called by `name`, where it would do something about what [looks
/// different](SceneAudit::seen); `None` where it would not, or there is no file whose name a shell takes.
#[must_use]
pub fn fix_command(scene: &SceneAudit, name: &str) -> Option<String> {
    let helps = causes_seen(scene).iter().any(|seen| is_baked(scene, seen.scaler()));
    command(scene, name).filter(|_| helps)
}

/// The command that carries a repair out; `None` where there is none.
#[must_use]
pub fn repair_command(scene: &SceneAudit, name: &str, repair: &Repair) -> Option<String> {
    match *repair {
        Repair::Bake { top } => command(scene, name).filter(|_| is_baked(scene, top)),
        Repair::MoveToLeaf { scaler } => {
            let is_done = is_in(scene, &scene.repairs.to_leaves, scaler);
            Some(format!("{} --repair leaf", command(scene, name).filter(|_| is_done)?))
        }
        Repair::MakeUniform { scaler, .. } => uniform_command(scene, name, &[scaler]),
        Repair::Nothing | Repair::MakeUnit { .. } | Repair::InheritAll | Repair::HelperNode => None,
    }
}

/// The command that makes the scales of these nodes uniform, at rest and at keyframes: of one, or of all of the file that make a
/// difference. `None` where it would leave one of these as it is.
#[must_use]
pub fn uniform_command(scene: &SceneAudit, name: &str, nodes: &[usize]) -> Option<String> {
    let is_done = |node: &usize| scene.repairs.uniform.binary_search(node).is_ok();
    let is_any = !nodes.is_empty() && nodes.iter().all(is_done);
    let command = command(scene, name).filter(|_| is_any)?;
    let only = match *nodes {
        [node] => format!(" --only {}", node_argument(scene, node)?),
        _ => String::new(),
    };
    Some(format!("{command} --repair uniform{only}"))
}

/// The command that says how much the shape would change if scales were made uniform, where nothing else can be done about what
/// looks different.
#[must_use]
pub fn trial_command(scene: &SceneAudit, name: &str) -> Option<String> {
    let is_uniform = |node: &usize| scene.repairs.uniform.binary_search(node).is_ok();
    let (input, _) = files(scene, name)?;
    let helps = fix_command(scene, name).is_none()
        && causes_seen(scene).iter().any(|seen| is_uniform(&seen.scaler()));
    let engines = engines(scene).filter(|_| helps)?;
    Some(format!("xform fix {input}{engines} --repair uniform --dry-run"))
}

fn command(scene: &SceneAudit, name: &str) -> Option<String> {
    let ((input, output), engines) = (files(scene, name)?, engines(scene)?);
    Some(format!("xform fix {input} -o {output}{engines}"))
}

/// The engines of an audit, as options; `None` where they are compared with one, which a repair does not do.
fn engines(scene: &SceneAudit) -> Option<String> {
    let ids = |engines: &[&Engine]| engines.iter().map(|engine| engine.id).collect::<BTreeSet<_>>();
    let [matrices, _] = Engine::strategies();
    let EngineChoice { reference, engines } = scene.engines.choice();
    // That is what glTF defines.
    if reference.is_some_and(|reference| reference.id != matrices.id) {
        return None;
    }
    let asked = ids(&engines);
    let all: Vec<_> = Engine::all().iter().collect();
    if reference.is_none() && asked == ids(&Engine::usual()) {
        return Some(String::new());
    }
    if asked == ids(&all) {
        return Some(" --engine all".to_owned());
    }
    Some(engines.iter().map(|engine| format!(" --engine {}", engine.id)).collect())
}

/// A file as a shell takes it, and what it becomes.
fn files(scene: &SceneAudit, name: &str) -> Option<(String, String)> {
    if BuiltIn::named(&scene.source).is_some() {
        return None;
    }
    let (stem, extension) = name.rsplit_once('.')?;
    // Of a folder, or taken for an option.
    if extension.contains(['/', '\\']) || name.starts_with('-') {
        return None;
    }
    Some((quoted(name)?, quoted(&format!("{stem}-repaired.{extension}"))?))
}

/// Whether a node is one of these, in ascending order, or below one.
fn is_in(scene: &SceneAudit, tops: &[usize], node: usize) -> bool {
    let mut upwards = std::iter::successors(Some(node), |&at| scene.nodes[at].parent);
    upwards.any(|at| tops.binary_search(&at).is_ok())
}

/// Whether a bake takes out what a node or one above it makes look different.
pub(super) fn is_baked(scene: &SceneAudit, node: usize) -> bool {
    is_in(scene, &scene.repairs.baked, node)
}

/// A node that a person sees to look different, and why, when it is at its worst.
pub(super) struct SeenCause<'a> {
    node: usize,
    pub(super) cause: Option<&'a Cause>,
    /// The scale of the node that is the cause, or of the node itself.
    pub(super) scale: Vector3<f64>,
}

impl SeenCause<'_> {
    /// The node whose scale makes it look different, or itself, where no cause is known.
    pub(super) fn scaler(&self) -> usize {
        self.cause.map_or(self.node, |cause| cause.scaler)
    }
}

/// The causes of what a person sees to look different.
pub(super) fn causes_seen(scene: &SceneAudit) -> Vec<SeenCause<'_>> {
    let seen = scene.seen().into_iter().map(|seen| {
        let at_worst =
            seen.motion.and_then(|(animation, _)| scene.at_worst_of(animation, seen.index));
        let node = at_worst.map_or(&scene.nodes[seen.index], |at_worst| &at_worst.node);
        let cause = node.cause.as_ref();
        let scaler = cause.map_or(seen.index, |cause| cause.scaler);
        let posed = at_worst.and_then(|at_worst| {
            at_worst.posed.iter().find(|(other, _)| *other == scaler).map(|(_, local)| local)
        });
        let scale = posed.unwrap_or(&scene.nodes[scaler].local).scale;
        SeenCause { node: seen.index, cause, scale }
    });
    seen.collect()
}

/// What names a node and no other on the command line: its name, else its index.
fn node_argument(scene: &SceneAudit, node: usize) -> Option<String> {
    let named =
        |text: &str| scene.nodes.iter().filter(|node| node.name.as_deref() == Some(text)).count();
    let own = scene.nodes[node].name.as_deref();
    let own = own.filter(|own| named(own) == 1 && !own.starts_with('-') && !own.is_empty());
    let index = || Some(node.to_string()).filter(|index| named(index) == 0);
    own.and_then(quoted).or_else(index)
}

/// A word as shells take it, between quotes within which nothing has a meaning.
fn quoted(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-\\:".contains(c);
    match word {
        _ if word.chars().all(is_plain) => Some(word.to_owned()),
        _ if word.contains(['\'', '`']) || word.chars().any(char::is_control) => None,
        _ => Some(format!("'{word}'")),
    }
}
