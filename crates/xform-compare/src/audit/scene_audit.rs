use std::cmp::Ordering;

use xform_engines::Engine;
use xform_scene::{
    Warning,
    fbx::FbxSettings,
    text::{NodeNames, path},
};

use super::{
    AnimationAudit, AtWorst, EngineAudit, Grade, NodeAudit, NodeMotion, PhysicsAudit, RankedMotion,
    Ranking, Repairs, Summary, WorstInMotion, is_worse_in_motion,
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
    /// Every node of the file, in file order: node `i` is at `i`. Behind them are the [helpers](NodeAudit::is_helper) that stand for
    /// some of them in the scene, without figures: these are with the nodes of the file.
    pub nodes: Vec<NodeAudit>,
    /// Every animation that moves nodes, in file order.
    pub animations: Vec<AnimationAudit>,
    /// The nodes that differ, worst first.
    pub ranking: Ranking,
    /// The first nodes of the ranking in motion, each at its worst, in the order of the ranking.
    pub at_worst: Vec<AtWorst>,
    /// The engines that all of this is about, in groups that show the same.
    pub engines: EngineAudit,
    /// What was tried: which of it `xform fix` repairs.
    pub repairs: Repairs,
    /// What physics engines make of its shapes.
    pub physics: PhysicsAudit,
}

/// A node that looks different to a person, when it does so most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeenNode {
    /// Its index in the file.
    pub index: usize,
    /// How much of that a person sees.
    pub grade: Grade,
    /// The group of engines that shows it worst.
    pub group: Option<usize>,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units.
    pub displacement: Option<f64>,
    /// That in percent of the scene's diagonal; `None` where that is zero.
    pub displacement_percent: Option<f64>,
    /// The place of the animation in [`SceneAudit::animations`] and the time, in seconds; `None` at rest.
    pub motion: Option<(usize, f64)>,
}

impl SeenNode {
    fn badness(&self) -> (Grade, f64) {
        (self.grade, self.displacement.unwrap_or(0.0))
    }
}

impl SceneAudit {
    /// The nodes that differ at rest, in the order of the ranking.
    #[must_use]
    pub fn apart_at_rest(&self) -> Vec<&NodeAudit> {
        self.ranking.at_rest.iter().map(|&node| &self.nodes[node]).collect()
    }

    /// The nodes that are worse in motion than at rest, in the order of the ranking.
    #[must_use]
    pub fn apart_in_motion(&self) -> Vec<&RankedMotion> {
        self.ranking.in_motion.iter().collect()
    }

    /// Whether anything counts.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        self.summary.grades.all() > 0 || self.summary.motion.is_some_and(|m| m.grades.all() > 0)
    }

    /// The nodes that the file has.
    #[must_use]
    pub fn nodes_of_the_file(&self) -> &[NodeAudit] {
        &self.nodes[..self.summary.nodes]
    }

    /// The nodes that count and look different to a person, at rest or in motion, each once and the worst first.
    #[must_use]
    pub fn seen(&self) -> Vec<SeenNode> {
        let at_rest = self.nodes.iter().filter(|node| node.counts_at_rest());
        let at_rest = at_rest.map(|node| SeenNode {
            index: node.index,
            grade: node.grade(),
            group: node.group,
            displacement: node.displacement,
            displacement_percent: node.displacement_percent,
            motion: None,
        });
        let is_worse = |node: &&NodeMotion| {
            let at_rest = &self.nodes[node.index];
            let then = (at_rest.grade(), at_rest.displacement, at_rest.skew_difference_degrees);
            let now = [node.displacement, node.skew_difference_degrees];
            let now = now.map(|peak| peak.map_or(0.0, |peak| peak.max));
            let then = (then.0, then.1.unwrap_or(0.0), then.2.unwrap_or(0.0));
            at_rest.counts
                && (at_rest.is_hidden || is_worse_in_motion((node.grade(), now[0], now[1]), then))
        };
        let animations = self.animations.iter().enumerate();
        let in_motion = animations.flat_map(|(place, animation)| {
            animation.nodes.iter().filter(is_worse).map(move |node| SeenNode {
                index: node.index,
                grade: node.grade(),
                group: node.group,
                displacement: node.displacement.map(|peak| peak.max),
                displacement_percent: node.displacement_percent,
                motion: Some((place, node.worst_seconds().unwrap_or(0.0))),
            })
        });
        let all = at_rest.chain(in_motion);
        let mut all: Vec<_> = all.filter(|node| node.grade.is_seen()).collect();
        all.sort_by(|a, b| b.badness().partial_cmp(&a.badness()).unwrap_or(Ordering::Equal));
        let mut is_told = vec![false; self.nodes.len()];
        all.retain(|node| !std::mem::replace(&mut is_told[node.index], true));
        all
    }

    /// The engines that show a node differently: those of its group. What does not count may differ in some engines of a group alone, and
    /// has no group then.
    #[must_use]
    pub fn shown_in(&self, node: usize, group: Option<usize>) -> &[&'static Engine] {
        let group = group.map(|group| &self.engines.groups[group].engines[..]);
        group.unwrap_or(&self.nodes[node].undrawn_in)
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

    fn is_helper(&self, node: usize) -> bool {
        self.nodes[node].is_helper
    }
}
