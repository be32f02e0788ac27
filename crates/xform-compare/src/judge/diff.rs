//! What is another from one scene to the next: its shape, and which engines agree on it.

use serde::Serialize;
use xform_engines::Engine;
use xform_scene::{Scene, WarningCode};

use super::unread::unread;
use crate::{
    audit::{CompareError, Grade, NodeAudit, SceneAudit, ShapeDiff, WorstInMotion, node_path},
    measure::{NodePair, ShapesApart, shapes_apart},
};

/// What is compared of two scenes, and how closely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// How far something may be elsewhere, in percent of the scene.
    pub tolerance_percent: f64,
    /// Whether shapes are compared.
    pub has_shape: bool,
    /// Whether engines are.
    pub has_engines: bool,
    /// Whether cameras, lights and what draws nothing count.
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

/// Two scenes, such as before and after a conversion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SceneDiff {
    /// The scene before.
    pub before: DiffSide,
    /// The scene after.
    pub after: DiffSide,
    /// How far something may be elsewhere, in percent of the scene.
    pub tolerance_percent: f64,
    /// Whether cameras, lights and what draws nothing count.
    pub counts_undrawn: bool,
    /// What is drawn, in one engine; `None` where that was not asked for.
    pub shape: Option<ShapeDiff>,
    /// The differences between engines; `None` where these were not asked for.
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

/// How engines differ before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EnginesDiff {
    /// Each engine that was compared in either scene.
    pub engines: Vec<EngineChange>,
    /// The nodes that became better or worse, the worst first: those that draw something, where any does.
    pub nodes: Vec<NodeDiff>,
}

/// How an engine differs from the reference before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EngineChange {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How much of its difference a person sees before; `None` where that is not known.
    pub before: Option<Grade>,
    /// The same after.
    pub after: Option<Grade>,
}

/// A node that became better or worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeDiff {
    /// Whether it became better or worse.
    pub change: DiffChange,
    /// The names from the root down to it; as it is after, where it is still there.
    pub path: String,
    /// The node before; `None` where it is new.
    pub before: Option<NodeFigures>,
    /// The node after; `None` where it is gone.
    pub after: Option<NodeFigures>,
}

/// How a node changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffChange {
    /// A milder grade.
    Better,
    /// A worse grade.
    Worse,
}

/// A node at its worst, at rest and in motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeFigures {
    /// Its index in the file.
    pub index: usize,
    /// Its grade.
    pub grade: Grade,
    /// Its displacement in percent of the diagonal of the scene; `None` where it shows nothing, or beside a scene
    /// without extent.
    pub displacement_percent: Option<f64>,
    /// The difference between its skews in degrees; `None` where that is undefined.
    pub skew_degrees: Option<f64>,
}

impl SceneDiff {
    /// The name of the JSON's form: `xform-diff/2`.
    pub const SCHEMA: &'static str = "xform-diff/2";

    /// Whether something that is drawn is elsewhere or inside out or could not be compared, or engines differ more.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.is_elsewhere() || self.engines.as_ref().is_some_and(EnginesDiff::is_worse)
    }

    /// Whether something that is drawn is elsewhere or inside out, or could not be compared.
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
    /// Whether an engine is no longer alike, or a node became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.engines.iter().any(EngineChange::is_worse)
            || self.nodes.iter().any(|node| node.change == DiffChange::Worse)
    }
}

impl EngineChange {
    /// Whether a person sees a difference that was not seen before, as far as is known, or nobody knows any more.
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

/// Compares two scenes, of which these are the audits: what they draw, by multiplied matrices, and how engines differ on it.
///
/// Nodes are the same that have the same names from the root down, or a name of their own, or draw something in the same place. A
/// node is worse if a person sees it differ between engines, and saw less of that before.
///
/// # Errors
///
/// A world transform that is too large for `f64`.
pub fn diff(
    scenes: [(&Scene, &SceneAudit); 2],
    options: &DiffOptions,
) -> Result<SceneDiff, CompareError> {
    let [(before, _), (after, _)] = scenes;
    let audits = scenes.map(|(_, audit)| audit);
    Ok(judged(shapes_apart(before, after)?, audits, options))
}

/// What is another, by what was measured of it.
pub(super) fn judged(
    ShapesApart { mut diff, drawn, nodes }: ShapesApart,
    audits: [&SceneAudit; 2],
    options: &DiffOptions,
) -> SceneDiff {
    for (side, audit) in ["before", "after"].into_iter().zip(audits) {
        // A behaviour is in a file as it is; what it makes of the scene is no part of its shape.
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
    // What only one scene has is compared with the worst that only the other one has: what was joined, or taken apart.
    let alone = |side: usize| {
        let alone = pairs.iter().filter(|pair| pair[1 - side].is_none());
        let grades = alone.filter_map(|pair| Some(figures(side, pair[side]?).grade));
        grades.max().unwrap_or_default()
    };
    let alone = [alone(0), alone(1)];
    // A scene may be as large by its vertices as before, and not by the boxes that its diagonal is measured by.
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
    /// What is worse comes before what is better, then the worse grade and displacement on either side.
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

/// How much more of a displacement, in percent of the scene, is more than what rounding and quantization make of one that is near
/// the bound of a grade.
const MORE_PERCENT: f64 = Grade::VISIBLE_IF_LARGE_PERCENT;

/// How a node changed: a grade that a person sees, and not by a hair, in percent of its own scene or of the one before. `growth` is how many times
/// larger the diagonal of the scene is than before.
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
