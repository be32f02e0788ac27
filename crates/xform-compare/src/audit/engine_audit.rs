use std::cmp::Ordering;

use xform_engines::{Engine, Reason};

use super::{Grade, thresholds::percent_of_scene};

/// The engines that a scene is compared in, and what with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineChoice {
    /// The engine that the others are compared with; `None` for what glTF defines.
    pub reference: Option<&'static Engine>,
    /// The engines, in any order.
    pub engines: Vec<&'static Engine>,
    /// Whether somebody named them: limits are for the differences between them then.
    pub are_named: bool,
}

impl EngineChoice {
    /// Engines that somebody named, and the one that the others are compared with; `None` for what glTF defines.
    #[must_use]
    pub fn named(engines: Vec<&'static Engine>, reference: Option<&'static Engine>) -> Self {
        Self { reference, engines, are_named: true }
    }

    /// The engines that people [ask about most](Engine::usual), which nobody named, compared with what glTF defines.
    #[must_use]
    pub fn usual() -> Self {
        Self { reference: None, engines: Engine::usual(), are_named: false }
    }
}

/// What engines show of a scene, in groups that show the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineAudit {
    /// The engine that the others are compared with; `None` for what glTF defines.
    pub reference: Option<&'static Engine>,
    /// The engine that was to be the reference and cannot be, since it is not known what it shows.
    pub unknown_reference: Option<&'static Engine>,
    /// Whether somebody named the engines.
    pub are_named: bool,
    /// Groups of engines that show the same, that of the reference first. It has no engine where the reference is what
    /// glTF defines and none shows that.
    pub groups: Vec<Vec<&'static Engine>>,
    /// How far each two groups are apart, by their places in the list of groups, the earlier first.
    pub pairs: Vec<EnginePair>,
    /// The engines of which it is not known what they show.
    pub unknown: Vec<UnknownEngine>,
    /// Whether the scene has a matrix that is no translation, rotation and scale.
    pub has_sheared_matrices: bool,
}

/// How far two groups of engines are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct EnginePair {
    /// The places of the groups.
    pub groups: [usize; 2],
    /// The worst grade of a node that [counts](super::NodeAudit::counts), at rest and in motion.
    pub grade: Grade,
    /// The nodes that count and are not the same, the worst first.
    pub nodes: Vec<EngineNode>,
    /// The node with a sheared matrix, at or above the worst of them, that they import in different ways.
    pub sheared: Option<usize>,
    /// The node with a rotation that is no unit quaternion, at or above the worst of them, of which they make different things.
    pub odd_rotation: Option<usize>,
}

/// How far a node is apart between two groups of engines, when it is so most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineNode {
    /// Its index in the file.
    pub index: usize,
    /// How much of that a person sees.
    pub grade: Grade,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units.
    pub displacement: f64,
    /// That in percent of the scene's diagonal; `None` where that is zero.
    pub displacement_percent: Option<f64>,
    /// The largest difference between its skews, in degrees.
    pub skew_degrees: f64,
    /// The place of the animation in [`SceneAudit::animations`](super::SceneAudit::animations) and the time, in seconds;
    /// `None` at rest.
    pub motion: Option<(usize, f64)>,
}

impl EngineNode {
    /// Its displacement in percent of the scene's diagonal; infinite beside a scene without extent.
    pub(crate) fn percent_of_scene(&self) -> f64 {
        percent_of_scene(self.displacement, self.displacement_percent).unwrap_or(0.0)
    }

    /// The worse first: by grade, displacement, skew, then as in the file.
    pub(crate) fn worse_first(&self, other: &Self) -> Ordering {
        let badness = |node: &Self| (node.grade, node.displacement, node.skew_degrees);
        let by_figures = badness(other).partial_cmp(&badness(self)).unwrap_or(Ordering::Equal);
        by_figures.then(self.index.cmp(&other.index))
    }
}

/// An engine of which it is not known what it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnknownEngine {
    /// The engine.
    pub engine: &'static Engine,
    /// The first node that nothing can be said of.
    pub node: usize,
    /// Why not.
    pub reason: Reason,
}

impl EngineAudit {
    /// The pair of the group of the reference and another one.
    #[must_use]
    pub fn from_reference(&self, group: usize) -> Option<&EnginePair> {
        self.pairs.iter().find(|pair| pair.groups == [0, group])
    }

    /// The pairs that limits are for: of groups with an engine that was named, or with the reference where only one engine
    /// was. None unless engines were named.
    pub fn limited(&self) -> impl Iterator<Item = &EnginePair> {
        let named = self.groups.iter().map(Vec::len).sum::<usize>();
        let takes_part = move |group: usize| {
            group > 0 || !self.groups[0].is_empty() || named + self.unknown.len() == 1
        };
        let pairs = self.pairs.iter().filter(|_| self.are_named);
        pairs.filter(move |pair| pair.groups.iter().all(|&group| takes_part(group)))
    }

    /// The worst grade of a group beside the reference.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.beside_reference().map(|pair| pair.grade).max().unwrap_or_default()
    }

    /// The pairs of the group of the reference and each other one.
    pub fn beside_reference(&self) -> impl Iterator<Item = &EnginePair> {
        self.pairs.iter().filter(|pair| pair.groups[0] == 0)
    }

    /// The engines of all groups, in the order of the registry.
    #[must_use]
    pub fn shown(&self) -> Vec<&'static Engine> {
        let shown: Vec<_> = self.groups.iter().flatten().map(|engine| engine.id).collect();
        Engine::all().iter().filter(|engine| shown.contains(&engine.id)).collect()
    }
}
