use std::cmp::Ordering;

use nalgebra::Matrix4;
use xform_engines::{Engine, Reason};
use xform_scene::text::rounded;

use super::Grade;

/// The engines that a scene is compared in, and what with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineChoice {
    /// The engine that the others are compared with; `None` for what the file itself defines: glTF that matrices are multiplied,
    /// FBX its inherit types.
    pub reference: Option<&'static Engine>,
    /// The engines, in any order.
    pub engines: Vec<&'static Engine>,
}

impl EngineChoice {
    /// Engines, and the one that the others are compared with; `None` for what the file defines.
    #[must_use]
    pub fn named(engines: Vec<&'static Engine>, reference: Option<&'static Engine>) -> Self {
        Self { reference, engines }
    }

    /// The engines that people [ask about most](Engine::usual), compared with what the file defines.
    #[must_use]
    pub fn usual() -> Self {
        Self::named(Engine::usual(), None)
    }

    /// The [two strategies](Engine::strategies): combined TRS, compared with accumulated matrices.
    #[must_use]
    pub fn strategies() -> Self {
        let [matrices, trs] = Engine::strategies();
        Self::named(vec![trs], Some(matrices))
    }
}

/// What engines show of a scene, in groups that show the same.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineAudit {
    /// The engine that the others are compared with; `None` for what the file defines.
    pub reference: Option<&'static Engine>,
    /// The engine that was to be the reference and cannot be, since it is not known what it shows.
    pub unknown_reference: Option<&'static Engine>,
    /// The engines in groups that show the same, that of the reference first.
    pub groups: Vec<EngineGroup>,
    /// The engines of which it is not known what they show.
    pub unknown: Vec<UnknownEngine>,
    /// Whether the scene has a matrix that is no translation, rotation and scale.
    pub has_sheared_matrices: bool,
}

/// Engines that show the same, and how far that is from what the reference shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineGroup {
    /// The engines. That of the reference has none where the reference is what the file defines and none shows that.
    pub engines: Vec<&'static Engine>,
    /// The [strategy](Engine::strategies) that they come to in this scene, if it is one: the world transforms of nodes are those by
    /// it.
    pub strategy: Option<&'static Engine>,
    /// The world matrix of each node at rest; none of a strategy, of which the nodes have them.
    pub worlds: Vec<Matrix4<f64>>,
    /// The worst grade of a node that [counts](super::NodeAudit::counts), at rest and in motion.
    pub grade: Grade,
    /// The nodes that count and are not the same, the worst first; none of the group of the reference.
    pub nodes: Vec<EngineNode>,
    /// The node with a sheared matrix, at or above the worst of them, that is imported otherwise.
    pub sheared: Option<usize>,
    /// The node with a rotation that is no unit quaternion, at or above the worst of them, of which something else is made.
    pub odd_rotation: Option<usize>,
}

/// How far a node is from what the reference shows, when it is so most.
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
    /// The largest difference between its skews at any time, in degrees.
    pub skew_difference_degrees: f64,
    /// How far it points elsewhere as a camera or a light, in degrees.
    pub turned_degrees: Option<f64>,
    /// The place of the animation in [`SceneAudit::animations`](super::SceneAudit::animations) and the time, in seconds;
    /// `None` at rest.
    pub motion: Option<(usize, f64)>,
}

impl EngineNode {
    /// The worse first: by grade, displacement, turn, skew, then as in the file.
    pub(crate) fn worse_first(&self, other: &Self) -> Ordering {
        let badness = |node: &Self| {
            let turned = node.turned_degrees.unwrap_or(0.0);
            (node.grade, node.displacement, turned, node.skew_difference_degrees)
        };
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

impl EngineGroup {
    /// What groups are told by, the worst first: the grade, and how far the worst node moves, to nine digits, so that no rounding
    /// decides.
    #[must_use]
    pub fn badness(&self) -> (Grade, f64) {
        (self.grade, self.nodes.first().map_or(0.0, |node| rounded(node.displacement, 9)))
    }
}

impl EngineAudit {
    /// The worst grade of a group.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.groups.iter().map(|group| group.grade).max().unwrap_or_default()
    }

    /// The groups that show something else than the reference.
    #[must_use]
    pub fn others(&self) -> &[EngineGroup] {
        self.groups.get(1..).unwrap_or_default()
    }

    /// The choice that was made: every engine that is known or not.
    #[must_use]
    pub fn choice(&self) -> EngineChoice {
        let unknown = self.unknown.iter().map(|unknown| unknown.engine);
        let mut engines: Vec<_> = self.shown().into_iter().chain(unknown).collect();
        let reference = self.reference.or(self.unknown_reference);
        engines.retain(|engine| reference.is_none_or(|reference| reference.id != engine.id));
        EngineChoice::named(engines, reference)
    }

    /// The engines of all groups, in the order of the registry.
    #[must_use]
    pub fn shown(&self) -> Vec<&'static Engine> {
        let shown: Vec<_> = self.groups.iter().flat_map(|group| &group.engines).collect();
        let all = Engine::all().iter().chain(Engine::strategies());
        all.filter(|engine| shown.iter().any(|shown| shown.id == engine.id)).collect()
    }
}
