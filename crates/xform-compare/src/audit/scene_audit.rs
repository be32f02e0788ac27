use xform_scene::{
    Warning,
    fbx::FbxSettings,
    text::{NodeNames, path},
};

use super::{
    AnimationAudit, AtWorst, EngineAudit, Grade, NodeAudit, NodeMotion, RankedMotion, Ranking,
    Summary, WorstInMotion,
};

/// The measurements of one scene: what [`compare`](crate::compare) returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneAudit {
    /// The file or built-in scene.
    pub source: String,
    /// The settings of the FBX file that it was read from, which says itself what it means; `None` where the definition of glTF holds.
    pub fbx: Option<FbxSettings>,
    /// The scene in a few figures.
    pub summary: Summary,
    /// Oddities that were found when the scene was read or measured.
    pub warnings: Vec<Warning>,
    /// Every node of the file, in file order: node `i` is at `i`.
    pub nodes: Vec<NodeAudit>,
    /// Every animation that moves nodes, in file order.
    pub animations: Vec<AnimationAudit>,
    /// The nodes that are skewed or differ, worst first.
    pub ranking: Ranking,
    /// The first nodes of the ranking in motion, each at its worst, in the order of the ranking.
    pub at_worst: Vec<AtWorst>,
    /// What engines show, where that was [asked for](crate::compare_engines).
    pub engines: Option<EngineAudit>,
}

impl SceneAudit {
    /// The nodes with a difference at rest beyond rounding, in the order of the ranking.
    #[must_use]
    pub fn apart_at_rest(&self) -> Vec<&NodeAudit> {
        let ranked = self.ranking.at_rest.iter().map(|&node| &self.nodes[node]);
        ranked.filter(|node| node.grade() > Grade::Identical).collect()
    }

    /// The nodes with a difference in motion beyond rounding, in the order of the ranking.
    #[must_use]
    pub fn apart_in_motion(&self) -> Vec<&RankedMotion> {
        let ranked = self.ranking.in_motion.iter();
        ranked.filter(|ranked| self.in_motion(ranked).1.grade() > Grade::Identical).collect()
    }

    /// The animation and the node in it that an entry of the ranking names.
    ///
    /// # Panics
    ///
    /// If the entry is of another audit's ranking, and leads nowhere in this one.
    #[must_use]
    pub fn in_motion(&self, ranked: &RankedMotion) -> (&AnimationAudit, &NodeMotion) {
        let animation = &self.animations[ranked.animation];
        (animation, &animation.nodes[ranked.motion])
    }

    /// A node where an animation has it at its worst; `None` if it is not among [those](Self::at_worst).
    ///
    /// `animation` is a place in [`animations`](Self::animations), `node` an index into
    /// [`nodes`](Self::nodes).
    #[must_use]
    pub fn at_worst_of(&self, animation: usize, node: usize) -> Option<&AtWorst> {
        let is_it = |worst: &&AtWorst| worst.animation == animation && worst.node.index == node;
        self.at_worst.iter().find(is_it)
    }

    /// For each node the largest figures over all animations; `None` where none moves it.
    #[must_use]
    pub fn worst_in_motion(&self) -> Vec<Option<WorstInMotion>> {
        WorstInMotion::of_nodes(self.nodes.len(), &self.animations)
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
    path(scene, node)
}

impl NodeNames for SceneAudit {
    fn name(&self, node: usize) -> Option<&str> {
        self.nodes[node].name.as_deref()
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }
}
