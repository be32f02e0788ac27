/// The number of names in a path. Names above them are replaced by `…`.
const SHOWN: usize = 8;

/// The number of characters of a name that are shown.
const LONGEST_NAME: usize = 60;

/// A hierarchy of nodes by index, some of which have names.
pub trait NodeNames {
    /// Returns the name of a node, if it has one.
    fn name(&self, node: usize) -> Option<&str>;
    /// Returns the parent of a node, unless it is a root.
    fn parent(&self, node: usize) -> Option<usize>;
    /// Whether it is not a node of the file, so that paths leave it out.
    fn is_helper(&self, node: usize) -> bool;
}

/// Returns the names from the root down to a node, such as `Root/Arm/Hand`. `#3` is node 3 without a name, and `…`
/// replaces all but the last eight names.
pub fn path(nodes: &(impl NodeNames + ?Sized), node: usize) -> String {
    let upwards = std::iter::successors(Some(node), |&node| nodes.parent(node));
    let mut upwards = upwards.filter(|&node| !nodes.is_helper(node)).peekable();
    if upwards.peek().is_none() {
        return label(nodes, node);
    }
    let mut names: Vec<_> = upwards.by_ref().take(SHOWN).map(|node| label(nodes, node)).collect();
    if upwards.next().is_some() {
        names.push("…".to_owned());
    }
    names.reverse();
    names.join("/")
}

/// Returns the printable name of a node, or `#3` for node 3 if it has none.
pub fn label(nodes: &(impl NodeNames + ?Sized), node: usize) -> String {
    match nodes.name(node) {
        Some(name) if !name.is_empty() => printable(name),
        _ => format!("#{node}"),
    }
}

/// Makes a text safe to print on a terminal: replaces each control character by U+FFFD, including those that change
/// the direction of the text after them.
#[must_use]
pub fn without_controls(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    text.replace(|c: char| c.is_control() || turns(c), "\u{FFFD}")
}

/// Makes a name safe to print on a terminal: cut after 60 characters, without control characters.
#[must_use]
pub fn printable(name: &str) -> String {
    let mut printable: String = name.chars().take(LONGEST_NAME).collect();
    if printable.len() < name.len() {
        printable.push('…');
    }
    without_controls(&printable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each node below the previous one.
    struct Chain(Vec<Option<String>>);

    impl NodeNames for Chain {
        /// The name of a node, if it has one.
        fn name(&self, node: usize) -> Option<&str> {
            self.0[node].as_deref()
        }

        fn parent(&self, node: usize) -> Option<usize> {
            node.checked_sub(1)
        }

        fn is_helper(&self, node: usize) -> bool {
            self.name(node) == Some("helper")
        }
    }

    #[test]
    fn a_path_shows_the_last_eight_names_and_sixty_characters_of_each() {
        let mut names: Vec<_> = (0..10).map(|level| Some(format!("Level {level}"))).collect();
        names[1] = None;
        names[9] = Some("é".repeat(61));
        let chain = Chain(names);
        assert_eq!(path(&chain, 1), "Level 0/#1");
        assert!(path(&chain, 8).starts_with("…/#1/Level 2/"));
        let cut = format!(
            "…/Level 2/Level 3/Level 4/Level 5/Level 6/Level 7/Level 8/{}…",
            "é".repeat(60)
        );
        assert_eq!(path(&chain, 9), cut);
    }

    #[test]
    fn a_path_leaves_helpers_out() {
        let names = ["helper", "Root", "Mid", "helper", "Hand"].map(|name| Some(name.to_owned()));
        let chain = Chain(names.into());
        let paths = [0, 1, 2, 3, 4].map(|node| path(&chain, node));
        assert_eq!(paths, ["helper", "Root", "Root/Mid", "Root/Mid", "Root/Mid/Hand"]);
    }
}
