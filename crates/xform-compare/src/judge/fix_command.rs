//! Commands that repair a file. No command is returned that would do nothing.

use std::collections::BTreeSet;

use nalgebra::Vector3;
use xform_engines::Engine;
use xform_scene::BuiltIn;

use super::advice::Repair;
use crate::audit::{Cause, EngineChoice, SceneAudit};

/// Returns the command that repairs the scene's file, which is called `name`, if it would improve something
/// that [looks different](SceneAudit::seen).
///
/// `None` if it would not, if there is no file, or if a shell would not accept its name.
#[must_use]
pub fn fix_command(scene: &SceneAudit, name: &str) -> Option<String> {
    let helps = causes_seen(scene).iter().any(|seen| is_baked(scene, seen.scaler()));
    command(scene, name).filter(|_| helps)
}

/// Returns the command that carries out a repair; `None` if there is none.
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

/// Returns the command that makes the scales of these nodes uniform, at rest and at keyframes. For a single
/// node it is limited to that node; for several it covers all scales of the file that make a difference.
///
/// `None` if it would leave one of the nodes unchanged.
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

/// Returns the command that shows how much the shape would change if scales were made uniform, if no other
/// repair helps.
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

/// Returns the engines of an audit as options; `None` if they are compared with an engine, which a repair
/// does not do.
fn engines(scene: &SceneAudit) -> Option<String> {
    let ids = |engines: &[&Engine]| engines.iter().map(|engine| engine.id).collect::<BTreeSet<_>>();
    let [matrices, _] = Engine::strategies();
    let EngineChoice { reference, engines } = scene.engines.choice();
    // Multiplied matrices are the definition of glTF.
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

/// Returns a file name as a shell accepts it, and the name of the repaired file.
fn files(scene: &SceneAudit, name: &str) -> Option<(String, String)> {
    if BuiltIn::named(&scene.source).is_some() {
        return None;
    }
    let (stem, extension) = name.rsplit_once('.')?;
    // A dot in a folder name, or a name that would be read as an option.
    if extension.contains(['/', '\\']) || name.starts_with('-') {
        return None;
    }
    Some((quoted(name)?, quoted(&format!("{stem}-repaired.{extension}"))?))
}

/// Whether a node is one of `tops`, which are in ascending order, or a descendant of one.
fn is_in(scene: &SceneAudit, tops: &[usize], node: usize) -> bool {
    let mut upwards = std::iter::successors(Some(node), |&at| scene.nodes[at].parent);
    upwards.any(|at| tops.binary_search(&at).is_ok())
}

/// Whether a bake removes the difference that a node or one of its ancestors causes.
pub(super) fn is_baked(scene: &SceneAudit, node: usize) -> bool {
    is_in(scene, &scene.repairs.baked, node)
}

/// A node with a visible difference, and the cause when it is at its worst.
pub(super) struct SeenCause<'a> {
    node: usize,
    pub(super) cause: Option<&'a Cause>,
    /// The scale of the node that is the cause, or of the node itself.
    pub(super) scale: Vector3<f64>,
}

impl SeenCause<'_> {
    /// Returns the node whose scale causes the difference; the node itself if no cause is known.
    pub(super) fn scaler(&self) -> usize {
        self.cause.map_or(self.node, |cause| cause.scaler)
    }
}

/// Returns the causes of visible differences.
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

/// Returns an argument that identifies a node uniquely on the command line: its name, or else its index.
fn node_argument(scene: &SceneAudit, node: usize) -> Option<String> {
    let named =
        |text: &str| scene.nodes.iter().filter(|node| node.name.as_deref() == Some(text)).count();
    let own = scene.nodes[node].name.as_deref();
    let own = own.filter(|own| named(own) == 1 && !own.starts_with('-') && !own.is_empty());
    let index = || Some(node.to_string()).filter(|index| named(index) == 0);
    own.and_then(quoted).or_else(index)
}

/// Quotes a word for a shell, in quotes that disable all special characters.
fn quoted(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-\\:".contains(c);
    match word {
        _ if word.chars().all(is_plain) => Some(word.to_owned()),
        _ if word.contains(['\'', '`']) || word.chars().any(char::is_control) => None,
        _ => Some(format!("'{word}'")),
    }
}
