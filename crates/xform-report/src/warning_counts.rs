use xform_compare::{SceneAudit, audit::node_path};
use xform_scene::Warning;

/// The warnings of one kind, as text and pages list them.
pub(super) struct WarningCount<'a> {
    pub(super) first: &'a Warning,
    pub(super) count: usize,
}

impl<'a> WarningCount<'a> {
    /// Groups warnings by kind, in the order of the first of each.
    pub(super) fn of(warnings: &'a [Warning]) -> Vec<Self> {
        let mut kinds: Vec<Self> = Vec::new();
        for warning in warnings {
            match kinds.iter_mut().find(|kind| kind.first.code == warning.code) {
                Some(kind) => kind.count += 1,
                None => kinds.push(Self { first: warning, count: 1 }),
            }
        }
        kinds
    }

    /// Returns the place of the first one: the path of its node and the JSON pointer, or whichever exists.
    pub(super) fn place(&self, scene: &SceneAudit) -> String {
        let Warning { node, pointer, .. } = self.first;
        // A pointer to all scenes is about more than its node.
        let is_of_node = |&node: &usize| {
            pointer.is_empty()
                || scene.nodes[node].name.is_some() && !pointer.starts_with("/scenes")
        };
        let named = node.filter(is_of_node);
        match named.map(|node| node_path(scene, node)) {
            Some(path) if pointer.is_empty() => path,
            Some(path) => format!("{path} ({pointer})"),
            None => pointer.clone(),
        }
    }

    /// Returns the code of the kind, and its count if that is more than one.
    pub(super) fn label(&self) -> String {
        let code = self.first.code.name();
        match self.count {
            1 => code.to_owned(),
            count => format!("{code}, {count} times"),
        }
    }
}
