use crate::NodeAudit;

/// Which nodes the formats for programs have.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Nodes {
    /// Every node of the file.
    #[default]
    All,
    /// Those alone that are skewed or differ.
    Differing,
}

impl Nodes {
    pub(super) fn shows(self, node: &NodeAudit) -> bool {
        self == Self::All || node.is_differing() || node.is_skewed()
    }
}
