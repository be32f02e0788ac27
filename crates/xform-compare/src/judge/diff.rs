//! Changes from one scene to the next: in shape, and in how far engines agree.

use serde::Serialize;
use xform_engines::Engine;
use xform_scene::{Scene, WarningCode};

use super::unread::unread;
use crate::{
    audit::{CompareError, Grade, NodeAudit, SceneAudit, ShapeDiff, WorstInMotion, node_path},
    measure::{NodePair, ShapesApart, shapes_apart},
};

/// The parts of two scenes to compare, and the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The farthest that something may move, as a percentage of the scene's diagonal.
    pub tolerance_percent: f64,
    /// Whether to compare shapes.
    pub has_shape: bool,
    /// Whether to compare engines.
    pub has_engines: bool,
    /// Whether cameras, lights and nodes that draw nothing count.
    pub counts_undrawn: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            tolerance_percent: Grade::VISIBLE_PERCENT,
            has_shape: true,
            has_engines: true,
            counts_undrawn: false,
        }
    }
}

/// The comparison of two scenes, such as before and after a conversion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SceneDiff {
    /// The scene before.
    pub before: DiffSide,
    /// The scene after.
    pub after: DiffSide,
    /// The farthest that something may move, as a percentage of the scene's diagonal.
    pub tolerance_percent: f64,
    /// Whether cameras, lights and nodes that draw nothing count.
    pub counts_undrawn: bool,
    /// The comparison of what is drawn, in one engine; `None` if it was not requested.
    pub shape: Option<ShapeDiff>,
    /// The comparison of engines; `None` if it was not requested.
    pub engines: Option<EnginesDiff>,
}

/// One of the two scenes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DiffSide {
    /// The file or built-in scene.
    pub source: String,
    /// Its grade, at rest and in motion.
    pub grade: Grade,
    /// The number of its nodes.
    pub nodes: usize,
}

/// The differences between engines, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EnginesDiff {
    /// Each engine that was compared in either scene.
    pub engines: Vec<EngineChange>,
    /// The nodes that became better or worse, worst first. If anything draws, only nodes that draw, unless
    /// the others count too.
    pub nodes: Vec<NodeDiff>,
}

/// The difference of an engine from the reference, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EngineChange {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The grade before; `None` if it is unknown.
    pub before: Option<Grade>,
    /// The grade after; `None` if it is unknown.
    pub after: Option<Grade>,
}

/// A node that became better or worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeDiff {
    /// Whether it became better or worse.
    pub change: DiffChange,
    /// The names from the root down: the path after if the node still exists, otherwise the path before.
    pub path: String,
    /// The node before; `None` if it is new.
    pub before: Option<NodeFigures>,
    /// The node after; `None` if it is gone.
    pub after: Option<NodeFigures>,
}

/// The direction in which a node changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffChange {
    /// A milder grade.
    Better,
    /// A worse grade.
    Worse,
}

/// The figures of a node at its worst, at rest and in motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeFigures {
    /// Its index in the file.
    pub index: usize,
    /// Its grade.
    pub grade: Grade,
    /// Its displacement as a percentage of the scene's diagonal; `None` if the node draws nothing, or the
    /// scene has no extent.
    pub displacement_percent: Option<f64>,
    /// The difference in skew, in degrees; `None` if it is undefined.
    pub skew_degrees: Option<f64>,
}

impl SceneDiff {
    /// The name of the JSON format: `xform-diff/2`.
    pub const SCHEMA: &'static str = "xform-diff/2";

    /// Whether a drawn part moved, is inside out or could not be compared, or engines differ more.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.is_elsewhere() || self.engines.as_ref().is_some_and(EnginesDiff::is_worse)
    }

    /// Whether a drawn part moved, is inside out or could not be compared.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        let tolerance = self.tolerance_percent;
        self.shape.as_ref().is_some_and(|shape| {
            shape.elsewhere(tolerance).next().is_some()
                || !shape.not_compared.is_empty()
                || self.counts_undrawn
                    && shape.fixtures.iter().any(|fixture| fixture.is_elsewhere(tolerance))
        })
    }
}

impl EnginesDiff {
    /// Whether an engine no longer agrees with the reference, or a node became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.engines.iter().any(EngineChange::is_worse)
            || self.nodes.iter().any(|node| node.change == DiffChange::Worse)
    }
}

impl EngineChange {
    /// Whether a visible difference is new or grew, as far as is known, or the result is no longer known.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => after.is_seen() && after > before,
            (Some(_), None) => true,
            (None, Some(after)) => after.is_seen(),
            (None, None) => false,
        }
    }
}

/// Compares two scenes and their audits: what they draw with multiplied matrices, and how engines differ on
/// them.
///
/// Nodes are matched by the names from the root down, by a unique name, or by the position of what they draw.
/// A node is worse if engines visibly differ on it and differed less before.
///
/// # Errors
///
/// If a world transform exceeds the range of `f64`.
pub fn diff(
    scenes: [(&Scene, &SceneAudit); 2],
    options: &DiffOptions,
) -> Result<SceneDiff, CompareError> {
    let [(before, _), (after, _)] = scenes;
    let audits = scenes.map(|(_, audit)| audit);
    Ok(judged(shapes_apart(before, after)?, audits, options))
}

/// Judges two scenes by their measured differences.
pub(super) fn judged(
    ShapesApart { mut diff, drawn, nodes }: ShapesApart,
    audits: [&SceneAudit; 2],
    options: &DiffOptions,
) -> SceneDiff {
    for (side, audit) in ["before", "after"].into_iter().zip(audits) {
        // A behaviour stays in the file unchanged, and its effect at run time is not part of the shape.
        let unread = unread(audit).filter(|warning| warning.code != WarningCode::Behaviour);
        diff.not_compared.extend(unread.map(|warning| format!("{side}, {}", warning.message)));
    }
    let pairs = if drawn.is_empty() || options.counts_undrawn { nodes } else { drawn };
    SceneDiff {
        before: DiffSide::new(audits[0]),
        after: DiffSide::new(audits[1]),
        tolerance_percent: options.tolerance_percent,
        counts_undrawn: options.counts_undrawn,
        shape: options.has_shape.then_some(diff),
        engines: options.has_engines.then(|| engines(audits, &pairs)),
    }
}

fn engines(audits: [&SceneAudit; 2], pairs: &[NodePair]) -> EnginesDiff {
    let worst = audits.map(SceneAudit::worst_in_motion);
    let figures = |side: usize, node: usize| {
        NodeFigures::new(&audits[side].nodes[node], worst[side][node].as_ref())
    };
    // A node that only one scene has is compared with the worst node that only the other scene has, since
    // parts may have been joined or split.
    let alone = |side: usize| {
        let alone = pairs.iter().filter(|pair| pair[1 - side].is_none());
        let grades = alone.filter_map(|pair| Some(figures(side, pair[side]?).grade));
        grades.max().unwrap_or_default()
    };
    let alone = [alone(0), alone(1)];
    // A scene may have the same size by its vertices as before, but a different size by the boxes that give
    // its diagonal.
    let growth = audits[1].summary.diagonal / audits[0].summary.diagonal;
    let mut nodes = Vec::new();
    for pair in pairs {
        let [old, new] = [0, 1].map(|side| pair[side].map(|node| figures(side, node)));
        let grade = |side: Option<NodeFigures>, place: usize| {
            side.map_or(alone[place], |figures| figures.grade)
        };
        let grades = [grade(old, 0), grade(new, 1)];
        let Some(change) = change(grades, [old, new], growth) else { continue };
        let path = match *pair {
            [_, Some(new)] => node_path(audits[1], new),
            [Some(old), None] => node_path(audits[0], old),
            [None, None] => continue,
        };
        nodes.push(NodeDiff { change, path, before: old, after: new });
    }
    nodes.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).unwrap_or(std::cmp::Ordering::Equal));
    EnginesDiff { engines: engine_changes(audits), nodes }
}

fn engine_changes(audits: [&SceneAudit; 2]) -> Vec<EngineChange> {
    let mut ids: Vec<&'static Engine> = Vec::new();
    for audit in audits {
        let known = audit.engines.groups.iter().flat_map(|group| &group.engines);
        for engine in known.copied().chain(audit.engines.unknown.iter().map(|one| one.engine)) {
            if !ids.iter().any(|known| known.id == engine.id) {
                ids.push(engine);
            }
        }
    }
    ids.sort_by_key(|engine| Engine::all().iter().position(|one| one.id == engine.id));
    let grade = |audit: &SceneAudit, engine: &Engine| {
        let mut groups = audit.engines.groups.iter();
        let own = groups.find(|group| group.engines.iter().any(|one| one.id == engine.id));
        own.map(|group| group.grade)
    };
    let change = |engine: &&'static Engine| EngineChange {
        id: engine.id,
        name: engine.name,
        before: grade(audits[0], engine),
        after: grade(audits[1], engine),
    };
    ids.iter().map(change).collect()
}

impl DiffSide {
    fn new(scene: &SceneAudit) -> Self {
        let (source, summary) = (scene.source.clone(), &scene.summary);
        Self { source, grade: summary.grade, nodes: summary.nodes }
    }
}

impl NodeDiff {
    /// Worse nodes come before better ones, then by the worse grade and displacement of either side.
    fn rank(&self) -> (bool, Grade, f64) {
        let sides = || self.before.iter().chain(&self.after);
        let grade = sides().map(|node| node.grade).max().unwrap_or_default();
        let percent = sides().filter_map(|node| node.displacement_percent).fold(0.0, f64::max);
        (self.change == DiffChange::Worse, grade, percent)
    }
}

impl NodeFigures {
    fn new(node: &NodeAudit, motion: Option<&WorstInMotion>) -> Self {
        let in_motion = |figure: fn(&WorstInMotion) -> Option<f64>| motion.and_then(figure);
        let displacement = in_motion(|motion| motion.displacement_percent);
        let skew = in_motion(|motion| motion.skew_difference_degrees.map(|worst| worst.peak.max));
        let larger = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        Self {
            index: node.index,
            grade: node.grade().max(motion.map_or(Grade::Identical, |motion| motion.grade)),
            displacement_percent: larger(node.displacement_percent, displacement),
            skew_degrees: larger(node.skew_difference_degrees, skew),
        }
    }
}

/// The change in displacement, as a percentage of the scene's diagonal, that is more than rounding and
/// quantization can cause near the threshold of a grade.
const MORE_PERCENT: f64 = Grade::VISIBLE_IF_LARGE_PERCENT;

/// Returns how a node changed. The change must be visible to a person and larger than a small margin, as a
/// percentage of its own scene or of the one before.
///
/// `growth` is the factor by which the scene's diagonal grew.
fn change(
    [before, after]: [Grade; 2],
    [old, new]: [Option<NodeFigures>; 2],
    growth: f64,
) -> Option<DiffChange> {
    let percent = |node: Option<NodeFigures>| node.and_then(|node| node.displacement_percent);
    let is_near = match (percent(old), percent(new)) {
        (Some(old), Some(new)) => {
            [1.0, growth].iter().any(|growth| (old - new * growth).abs() < MORE_PERCENT)
        }
        _ => false,
    };
    if before == after || is_near || !before.max(after).is_seen() {
        return None;
    }
    Some(if after > before { DiffChange::Worse } else { DiffChange::Better })
}
