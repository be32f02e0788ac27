use crate::{audit::SceneAudit, scene::BuiltIn};

/// The command that repairs the file of a scene, called by `name`; `None` where no difference is seen, or there is no file
/// whose name a shell takes.
pub(crate) fn fix_command(scene: &SceneAudit, name: &str) -> Option<String> {
    if BuiltIn::named(&scene.source).is_some() || !scene.summary.grade.is_seen() {
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

/// A word as shells take it, between quotes within which nothing has a meaning.
fn quoted(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-\\:".contains(c);
    match word {
        _ if word.chars().all(is_plain) => Some(word.to_owned()),
        _ if word.contains(['\'', '`']) || word.chars().any(char::is_control) => None,
        _ => Some(format!("'{word}'")),
    }
}
