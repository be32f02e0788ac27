use xform_scene::BuiltIn;

use super::advice::Repair;
use crate::audit::SceneAudit;

/// The command that repairs the file of a scene, called by `name`; `None` where no difference is seen, or there is no file
/// whose name a shell takes.
#[must_use]
pub fn fix_command(scene: &SceneAudit, name: &str) -> Option<String> {
    // Files of FBX are not repaired.
    if scene.fbx.is_some()
        || BuiltIn::named(&scene.source).is_some()
        || !scene.summary.grade.is_seen()
    {
        return None;
    }
    // Instances are not repaired either.
    let is_repaired = |node: usize| scene.nodes[node].instance_of.is_none();
    if !scene.seen().iter().any(|node| is_repaired(node.index)) {
        return None;
    }
    let (stem, extension) = name.rsplit_once('.')?;
    // Of a folder, or taken for an option.
    if extension.contains(['/', '\\']) || name.starts_with('-') {
        return None;
    }
    let (name, output) = (quoted(name)?, quoted(&format!("{stem}-repaired.{extension}"))?);
    Some(format!("xform fix {name} -o {output}"))
}

/// The command that carries a repair out; `None` where there is none.
#[must_use]
pub fn repair_command(scene: &SceneAudit, name: &str, repair: &Repair) -> Option<String> {
    let command = fix_command(scene, name)?;
    match *repair {
        Repair::Bake { .. } => Some(command),
        Repair::MoveToLeaf { .. } => Some(format!("{command} --repair leaf")),
        Repair::MakeUniform { scaler, .. } => uniform_command(scene, name, Some(scaler)),
        Repair::Nothing | Repair::MakeUnit { .. } | Repair::InheritAll | Repair::HelperNode => None,
    }
}

/// The command that makes the scale of a node uniform, or those of all nodes where that makes a difference: at rest and at
/// keyframes.
#[must_use]
pub fn uniform_command(scene: &SceneAudit, name: &str, only: Option<usize>) -> Option<String> {
    let command = fix_command(scene, name)?;
    let only = match only {
        Some(node) => format!(" --only {}", node_argument(scene, node)?),
        None => String::new(),
    };
    Some(format!("{command} --repair uniform{only}"))
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
