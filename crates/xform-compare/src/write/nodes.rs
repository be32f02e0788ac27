use crate::{NodeAudit, SceneAudit, WorstInMotion};

/// Which nodes the formats for programs have.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Nodes {
    /// Every node of the file.
    #[default]
    All,
    /// Those alone that are skewed or differ, at rest or in motion.
    Differing,
}

impl Nodes {
    /// Those of a scene, each with its worst in motion.
    pub(super) fn of(
        self,
        scene: &SceneAudit,
    ) -> impl Iterator<Item = (&NodeAudit, Option<WorstInMotion>)> {
        let all = scene.nodes.iter().zip(scene.worst_in_motion());
        all.filter(move |(node, motion)| {
            self == Self::All
                || node.is_differing()
                || node.is_skewed()
                || motion.is_some_and(|motion| motion.is_differing())
        })
    }
}
