use xform_compare::{SceneAudit, audit::node_path};
use xform_scene::Warning;

/// The warnings of one kind, as text and pages list them.
pub(super) struct WarningCount<'a> {
    pub(super) first: &'a Warning,
    pub(super) count: usize,
}

impl<'a> WarningCount<'a> {
    /// For each kind of warning, in the order of the first of each.
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

    /// Where the first is: a JSON pointer, or in a file that has no JSON the path of a node.
    pub(super) fn place(&self, scene: &SceneAudit) -> String {
        match self.first.node {
            Some(node) if self.first.pointer.is_empty() => node_path(scene, node),
            _ => self.first.pointer.clone(),
        }
    }

    /// The code of the kind, and how often it occurs where that is more than once.
    pub(super) fn label(&self) -> String {
        let code = self.first.code.name();
        match self.count {
            1 => code.to_owned(),
            count => format!("{code}, {count} times"),
        }
    }
}
