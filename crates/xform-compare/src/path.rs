use crate::{NodeAudit, Scene, SceneAudit};

/// How many names a path shows; what is above them becomes `…`.
const SHOWN: usize = 8;

/// How many characters of a name are shown.
const LONGEST_NAME: usize = 60;

/// What has named nodes under one another.
pub(crate) trait Named {
    fn name(&self, node: usize) -> Option<&str>;
    fn parent(&self, node: usize) -> Option<usize>;
}

impl Named for Scene {
    fn name(&self, node: usize) -> Option<&str> {
        self.nodes[node].name.as_deref()
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }
}

impl Named for [NodeAudit] {
    fn name(&self, node: usize) -> Option<&str> {
        self[node].name.as_deref()
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self[node].parent
    }
}

/// The names from the root down to a node, `Root/Arm/Hand`; `#3` stands for node 3 where it has no
/// name, and `…` for all but the last eight.
///
/// Control characters in names are replaced, so that a path is safe to print on a terminal, and a
/// name is cut after 60 characters.
///
/// # Panics
///
/// If `node` is out of range.
#[must_use]
pub fn node_path(scene: &SceneAudit, node: usize) -> String {
    path(scene.nodes.as_slice(), node)
}

pub(crate) fn path(nodes: &(impl Named + ?Sized), node: usize) -> String {
    let mut upwards = std::iter::successors(Some(node), |&node| nodes.parent(node));
    let mut names: Vec<_> = upwards.by_ref().take(SHOWN).map(|node| label(nodes, node)).collect();
    if upwards.next().is_some() {
        names.push("…".to_owned());
    }
    names.reverse();
    names.join("/")
}

/// The name of a node as people read it; `#3` stands for node 3 where it has none.
pub(crate) fn label(nodes: &(impl Named + ?Sized), node: usize) -> String {
    match nodes.name(node) {
        Some(name) if !name.is_empty() => shown(name),
        _ => format!("#{node}"),
    }
}

/// A name that is safe to print, and not too long.
pub(crate) fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(LONGEST_NAME).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown.replace(|c: char| c.is_control(), "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuiltIn, compare};

    #[test]
    fn a_path_shows_the_last_eight_names_and_sixty_characters_of_each() {
        let settings = [("n".to_owned(), 9.0)];
        let mut scene = BuiltIn::named("levels").unwrap().scene(&settings).unwrap();
        scene.nodes[1].name = None;
        scene.nodes[9].name = Some("é".repeat(61));
        let audit = compare(&scene).unwrap();
        assert_eq!(node_path(&audit, 1), "Level 0/#1");
        assert!(node_path(&audit, 8).starts_with("…/#1/Level 2/"));
        let cut = format!(
            "…/Level 2/Level 3/Level 4/Level 5/Level 6/Level 7/Level 8/{}…",
            "é".repeat(60)
        );
        assert_eq!(node_path(&audit, 9), cut);
    }
}
