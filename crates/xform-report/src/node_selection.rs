use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{NodeMotion, WorstInMotion},
};

/// The nodes that a format lists.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NodeSelection {
    /// Every node of the file.
    #[default]
    All,
    /// Nodes that differ, at rest or in motion, even invisibly.
    Differing,
    /// Nodes that look different to a person: nodes that count, with a grade of at least visible.
    Seen,
}

impl NodeSelection {
    /// Returns the nodes of a scene, each with its worst in motion.
    pub(super) fn of(
        self,
        scene: &SceneAudit,
    ) -> impl Iterator<Item = (&NodeAudit, Option<WorstInMotion>)> {
        // Without animations there is no list.
        let moves = !scene.animations.is_empty();
        let worst = if moves { scene.worst_in_motion() } else { Vec::new() };
        let all = scene.nodes_of_the_file().iter();
        let all = all.map(move |node| (node, worst.get(node.index).copied().flatten()));
        all.filter(move |(node, motion)| match self {
            Self::All => true,
            Self::Differing => {
                node.is_differing() || motion.is_some_and(|motion| motion.is_differing())
            }
            Self::Seen => {
                let in_motion = motion.is_some_and(|motion| motion.grade.is_seen());
                self.lists_at_rest(node) || node.counts && in_motion
            }
        })
    }

    /// Returns the nodes that the animations of a scene move, each with the index of its animation.
    pub(super) fn in_motion(
        self,
        scene: &SceneAudit,
    ) -> impl Iterator<Item = (usize, &NodeMotion)> {
        let moved =
            scene.animations.iter().enumerate().flat_map(|(animation, audit)| {
                audit.nodes.iter().map(move |node| (animation, node))
            });
        moved.filter(move |(_, node)| match self {
            Self::All => true,
            Self::Differing => node.is_differing(),
            Self::Seen => self.lists_in_motion(scene, node),
        })
    }

    /// Whether a list of differences at rest includes a node.
    pub(super) fn lists_at_rest(self, node: &NodeAudit) -> bool {
        match self {
            Self::All | Self::Differing => node.is_differing(),
            Self::Seen => node.counts_at_rest() && node.grade().is_seen(),
        }
    }

    /// Whether a list of differences in motion includes a node.
    pub(super) fn lists_in_motion(self, scene: &SceneAudit, node: &NodeMotion) -> bool {
        match self {
            Self::All | Self::Differing => node.is_differing(),
            Self::Seen => scene.nodes[node.index].counts && node.grade().is_seen(),
        }
    }

    /// States how many more nodes differ invisibly, as a clause. `None` if there are none or the list includes them.
    pub(super) fn unseen(self, scene: &SceneAudit) -> Option<String> {
        if self != Self::Seen {
            return None;
        }
        let at_rest = scene
            .nodes
            .iter()
            .map(|node| if node.counts_at_rest() { node.grade() } else { Grade::Identical });
        let mut grades: Vec<_> = at_rest.collect();
        for moved in scene.animations.iter().flat_map(|animation| &animation.nodes) {
            let grade = &mut grades[moved.index];
            *grade = moved.grade().max(*grade);
        }
        let unseen = scene.nodes.iter().zip(grades);
        let count = unseen.filter(|(node, g)| node.counts && *g == Grade::Negligible).count();
        match count {
            0 => None,
            1 => Some("1 more node moves invisibly".to_owned()),
            count => Some(format!("{count} more nodes move invisibly")),
        }
    }
}
