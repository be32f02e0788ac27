use std::cmp::Ordering;

use nalgebra::Matrix4;
use xform_engines::{Engine, Reason};
use xform_scene::text::rounded;

use super::Grade;

/// The engines in which a scene is compared, and the reference.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineChoice {
    /// The engine that the others are compared with. `None` for the file's own definition: multiplied
    /// matrices for glTF, inherit types for FBX.
    pub reference: Option<&'static Engine>,
    /// The engines, in any order.
    pub engines: Vec<&'static Engine>,
}

impl EngineChoice {
    /// Creates a choice of these engines and the reference; `None` for the file's own definition.
    #[must_use]
    pub fn named(engines: Vec<&'static Engine>, reference: Option<&'static Engine>) -> Self {
        Self { reference, engines }
    }

    /// Returns the engines that people [ask about most](Engine::usual), compared with the file's own
    /// definition.
    #[must_use]
    pub fn usual() -> Self {
        Self::named(Engine::usual(), None)
    }

    /// Returns the [two strategies](Engine::strategies): combined TRS, compared with accumulated matrices.
    #[must_use]
    pub fn strategies() -> Self {
        let [matrices, trs] = Engine::strategies();
        Self::named(vec![trs], Some(matrices))
    }
}

// Every statement about a scene is about one set of engines. The two strategies are entries of the registry,
// so there is one question, how engines show a scene compared with a reference, and one answer:
// `EngineAudit`. A node's figures, grade and cause, and the limits and the list, describe the group that
// shows the node worst. The headline is made from the list, so the two cannot disagree.

/// How engines show a scene, in groups that show the same.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineAudit {
    /// The engine that the others are compared with; `None` for the file's own definition.
    pub reference: Option<&'static Engine>,
    /// The engine that was named as the reference but cannot be it, because it is unknown how it shows the
    /// scene.
    pub unknown_reference: Option<&'static Engine>,
    /// The engines in groups that show the same. The group of the reference comes first.
    pub groups: Vec<EngineGroup>,
    /// The engines for which it is unknown how they show the scene.
    pub unknown: Vec<UnknownEngine>,
    /// Whether the scene has a matrix that is not a translation, rotation and scale.
    pub has_sheared_matrices: bool,
}

/// Engines that show the same, and their difference from the reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineGroup {
    /// The engines. Empty for the group of the reference if that is the file's own definition and no engine
    /// follows it.
    pub engines: Vec<&'static Engine>,
    /// The [strategy](Engine::strategies) that these engines reduce to in this scene, if any. The world
    /// transforms of the nodes are then those of the strategy.
    pub strategy: Option<&'static Engine>,
    /// The world matrix of each node at rest. Empty for a strategy, since the nodes hold its matrices.
    pub worlds: Vec<Matrix4<f64>>,
    /// The worst grade of a node that [counts](super::NodeAudit::counts), at rest and in motion.
    pub grade: Grade,
    /// The nodes that count and differ, worst first. Empty for the group of the reference.
    pub nodes: Vec<EngineNode>,
    /// The node with a sheared matrix that these engines import differently: the worst node or an ancestor of
    /// it.
    pub sheared: Option<usize>,
    /// The node whose rotation is not a unit quaternion and that these engines read differently: the worst
    /// node or an ancestor of it.
    pub odd_rotation: Option<usize>,
}

/// The difference of a node from the reference, when it is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineNode {
    /// Its index in the file.
    pub index: usize,
    /// The grade of the difference.
    pub grade: Grade,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves, in scene units.
    pub displacement: f64,
    /// The displacement as a percentage of the scene's diagonal; `None` if the diagonal is zero.
    pub displacement_percent: Option<f64>,
    /// The largest difference in skew at any time, in degrees.
    pub skew_difference_degrees: f64,
    /// The angle by which it points elsewhere, if it is a camera or a light, in degrees.
    pub turned_degrees: Option<f64>,
    /// The animation, as an index into [`SceneAudit::animations`](super::SceneAudit::animations), and the
    /// time in seconds; `None` at rest.
    pub motion: Option<(usize, f64)>,
}

impl EngineNode {
    /// Orders the worse node first: by grade, displacement, turn and skew, then in file order.
    pub(crate) fn worse_first(&self, other: &Self) -> Ordering {
        let badness = |node: &Self| {
            let turned = node.turned_degrees.unwrap_or(0.0);
            (node.grade, node.displacement, turned, node.skew_difference_degrees)
        };
        let by_figures = badness(other).partial_cmp(&badness(self)).unwrap_or(Ordering::Equal);
        by_figures.then(self.index.cmp(&other.index))
    }
}

// Unknown never counts as "shows the same". Such an engine is in no group, text names it with the reason, and
// a limit fails because of it even if it was not named. Taking the nearest pose for it, as the strategies do,
// would be a guess about an importer.

/// An engine for which it is unknown how it shows the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnknownEngine {
    /// The engine.
    pub engine: &'static Engine,
    /// The first node whose world transform is unknown.
    pub node: usize,
    /// The reason.
    pub reason: Reason,
}

impl EngineGroup {
    /// Returns the sort key of groups: the grade, and how far the worst node moves. The displacement is
    /// rounded to nine digits, so that rounding errors do not decide.
    #[must_use]
    pub fn badness(&self) -> (Grade, f64) {
        (self.grade, self.nodes.first().map_or(0.0, |node| rounded(node.displacement, 9)))
    }
}

impl EngineAudit {
    /// Returns the worst grade of any group.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.groups.iter().map(|group| group.grade).max().unwrap_or_default()
    }

    /// Returns the groups that differ from the reference.
    #[must_use]
    pub fn others(&self) -> &[EngineGroup] {
        self.groups.get(1..).unwrap_or_default()
    }

    /// Returns the choice of engines that led to this audit, known and unknown.
    #[must_use]
    pub fn choice(&self) -> EngineChoice {
        let unknown = self.unknown.iter().map(|unknown| unknown.engine);
        let mut engines: Vec<_> = self.shown().into_iter().chain(unknown).collect();
        let reference = self.reference.or(self.unknown_reference);
        engines.retain(|engine| reference.is_none_or(|reference| reference.id != engine.id));
        EngineChoice::named(engines, reference)
    }

    /// Returns the engines of all groups, in the order of the registry.
    #[must_use]
    pub fn shown(&self) -> Vec<&'static Engine> {
        let shown: Vec<_> = self.groups.iter().flat_map(|group| &group.engines).collect();
        let all = Engine::all().iter().chain(Engine::strategies());
        all.filter(|engine| shown.iter().any(|shown| shown.id == engine.id)).collect()
    }
}
