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

/// The measurements of one scene, as returned by [`compare`](crate::compare).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneAudit {
    /// The file or built-in scene.
    pub source: String,
    /// The settings of the FBX file that it was read from. Such a file defines its own meaning; `None` if the
    /// definition of glTF holds.
    pub fbx: Option<FbxSettings>,
    /// The scene in a few figures.
    pub summary: Summary,
    /// Oddities that were found while the scene was read or measured.
    pub warnings: Vec<Warning>,
    /// Every node of the file, in file order: node `i` is at `i`. Behind them are the
    /// [helpers](NodeAudit::is_helper) that stand for some of them in the scene. Helpers have no figures;
    /// these are on the nodes of the file.
    pub nodes: Vec<NodeAudit>,
    /// Every animation that moves nodes, in file order.
    pub animations: Vec<AnimationAudit>,
    /// The nodes that differ, worst first.
    pub ranking: Ranking,
    /// The first nodes of the ranking in motion, each at its worst, in the order of the ranking.
    pub at_worst: Vec<AtWorst>,
    /// The engines that the whole audit is about, in groups that show the same.
    pub engines: EngineAudit,
    /// The repairs that `xform fix` can make, as far as they were tried.
    pub repairs: Repairs,
    /// How physics engines collide with its shapes.
    pub physics: PhysicsAudit,
}

/// A node that visibly differs, at the time when it differs most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeenNode {
    /// Its index in the file.
    pub index: usize,
    /// The grade of the difference.
    pub grade: Grade,
    /// The group of engines that shows it worst.
    pub group: Option<usize>,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units.
    pub displacement: Option<f64>,
    /// The displacement as a percentage of the scene's diagonal; `None` if the diagonal is zero.
    pub displacement_percent: Option<f64>,
    /// The animation, as an index into [`SceneAudit::animations`], and the time in seconds; `None` at rest.
    pub motion: Option<(usize, f64)>,
}

impl SeenNode {
    fn badness(&self) -> (Grade, f64) {
        (self.grade, self.displacement.unwrap_or(0.0))
    }
}

impl SceneAudit {
    /// Returns the nodes that differ at rest, in the order of the ranking.
    #[must_use]
    pub fn apart_at_rest(&self) -> Vec<&NodeAudit> {
        self.ranking.at_rest.iter().map(|&node| &self.nodes[node]).collect()
    }

    /// Returns the nodes that are worse in motion than at rest, in the order of the ranking.
    #[must_use]
    pub fn apart_in_motion(&self) -> Vec<&RankedMotion> {
        self.ranking.in_motion.iter().collect()
    }

    /// Whether any node counts.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        self.summary.grades.all() > 0 || self.summary.motion.is_some_and(|m| m.grades.all() > 0)
    }

    /// Returns the nodes of the file, without helpers.
    #[must_use]
    pub fn nodes_of_the_file(&self) -> &[NodeAudit] {
        &self.nodes[..self.summary.nodes]
    }

    /// Returns the nodes that count and visibly differ, at rest or in motion, each once, worst first.
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

    /// Returns the engines that show a node differently: those of its group. A node that does not count may
    /// differ in only some engines of a group, and then has no group; its own list of engines is returned.
    #[must_use]
    pub fn shown_in(&self, node: usize, group: Option<usize>) -> &[&'static Engine] {
        let group = group.map(|group| &self.engines.groups[group].engines[..]);
        group.unwrap_or(&self.nodes[node].undrawn_in)
    }

    /// Returns the animation, and the node in it, that an entry of the ranking names.
    ///
    /// # Panics
    ///
    /// If the entry is from another audit's ranking and its indices do not exist in this one.
    #[must_use]
    pub fn in_motion(&self, ranked: &RankedMotion) -> (&AnimationAudit, &NodeMotion) {
        let animation = &self.animations[ranked.animation];
        (animation, &animation.nodes[ranked.motion])
    }

    /// Returns a node at its worst in an animation; `None` if it is not among [those
    /// measured](Self::at_worst).
    ///
    /// `animation` is an index into [`animations`](Self::animations), `node` an index into
    /// [`nodes`](Self::nodes).
    #[must_use]
    pub fn at_worst_of(&self, animation: usize, node: usize) -> Option<&AtWorst> {
        let is_it = |worst: &&AtWorst| worst.animation == animation && worst.node.index == node;
        self.at_worst.iter().find(is_it)
    }

    /// Returns for each node the largest figures over all animations; `None` if no animation moves it.
    #[must_use]
    pub fn worst_in_motion(&self) -> Vec<Option<WorstInMotion>> {
        WorstInMotion::of_nodes(self.nodes.len(), &self.animations)
    }
}

/// Returns the names from the root down to a node, like `Root/Arm/Hand`. A node 3 without a name appears as
/// `#3`. Only the last eight names are kept; `…` stands for the rest.
///
/// Control characters in names are replaced, so that a path is safe to print on a terminal. A name is cut
/// after 60 characters.
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
