use xform_compare::{
    NodeAudit, SceneAudit,
    audit::{NodeMotion, WorstInMotion},
};

/// The nodes that the formats for programs list.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NodeSelection {
    /// Every node of the file.
    #[default]
    All,
    /// Only those that are skewed or differ, at rest or in motion.
    Differing,
}

impl NodeSelection {
    /// The nodes of a scene, each with its worst in motion.
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

    /// What the animations of a scene move, each node with the place of its animation.
    pub(super) fn in_motion(
        self,
        scene: &SceneAudit,
    ) -> impl Iterator<Item = (usize, &NodeMotion)> {
        let moved =
            scene.animations.iter().enumerate().flat_map(|(animation, audit)| {
                audit.nodes.iter().map(move |node| (animation, node))
            });
        moved.filter(move |(_, node)| self == Self::All || node.is_differing() || node.is_skewed())
    }
}
