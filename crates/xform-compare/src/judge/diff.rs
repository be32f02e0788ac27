//! What became better or worse from one audit of a scene to the next.

use std::collections::HashMap;

use serde::Serialize;

use crate::audit::{Grade, NodeAudit, SceneAudit, WorstInMotion, node_path};

/// Two audits of a scene, node by node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SceneDiff {
    /// The scene before.
    pub before: DiffSide,
    /// The scene after.
    pub after: DiffSide,
    /// The nodes that became better or worse, the worst first. A node is matched by its path of names; where that is
    /// gone, by its index.
    pub nodes: Vec<NodeDiff>,
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
    /// A milder grade, or a smaller displacement.
    Better,
    /// A worse grade, or a larger displacement.
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
    /// Whether its grade counts towards that of the scene.
    pub counts: bool,
    /// Its displacement in percent of the diagonal of the scene; `None` where it shows nothing, or beside a scene
    /// without extent.
    pub displacement_percent: Option<f64>,
    /// The difference between its skews in degrees; `None` where that is undefined.
    pub skew_degrees: Option<f64>,
}

impl SceneDiff {
    /// The name of the JSON's form: `xform-diff/1`.
    pub const SCHEMA: &'static str = "xform-diff/1";

    /// Whether a node that counts became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.nodes.iter().any(|node| node.counts() && node.change == DiffChange::Worse)
    }

    /// How many nodes became worse, and how many better.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        [DiffChange::Worse, DiffChange::Better]
            .map(|change| self.nodes.iter().filter(|node| node.change == change).count())
    }
}

/// Compares two audits of a scene, such as before and after an edit.
///
/// A node is worse if its grade is, or if its displacement, in percent of its scene, is larger by more than
/// [what rounding gives](Grade::IDENTICAL_PERCENT). A new node, and one that counts only now, is compared with one that
/// does not differ.
#[must_use]
pub fn diff(before: &SceneAudit, after: &SceneAudit) -> SceneDiff {
    let [worst_before, worst_after] = [before, after].map(SceneAudit::worst_in_motion);
    let figures = |scene: &SceneAudit, worst: &[Option<WorstInMotion>], node: usize| {
        NodeFigures::new(&scene.nodes[node], worst[node].as_ref())
    };
    let mut nodes: Vec<_> = matched(before.nodes_of_the_file(), after.nodes_of_the_file())
        .into_iter()
        .filter_map(|(old, new)| {
            let old = old.map(|node| figures(before, &worst_before, node));
            let new = new.map(|node| figures(after, &worst_after, node));
            let path = match (old, new) {
                (_, Some(new)) => node_path(after, new.index),
                (Some(old), None) => node_path(before, old.index),
                (None, None) => return None,
            };
            let change = change(old.as_ref(), new.as_ref())?;
            Some(NodeDiff { change, path, before: old, after: new })
        })
        .collect();
    nodes.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).unwrap_or(std::cmp::Ordering::Equal));
    SceneDiff { before: DiffSide::new(before), after: DiffSide::new(after), nodes }
}

impl DiffSide {
    fn new(scene: &SceneAudit) -> Self {
        let (source, summary) = (scene.source.clone(), &scene.summary);
        Self { source, grade: summary.grade, nodes: summary.nodes }
    }
}

impl NodeDiff {
    /// Whether its grade counts towards that of the scene, before or after.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.before.iter().chain(&self.after).any(|node| node.counts)
    }

    /// What is worse comes before what is better, then what counts, then the worse grade and displacement on either
    /// side.
    fn rank(&self) -> (bool, bool, Grade, f64) {
        let sides = || self.before.iter().chain(&self.after);
        let grade = sides().map(|node| node.grade).max().unwrap_or_default();
        let percent = sides().filter_map(|node| node.displacement_percent).fold(0.0, f64::max);
        (self.change == DiffChange::Worse, self.counts(), grade, percent)
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
            counts: node.counts,
            displacement_percent: larger(node.displacement_percent, displacement),
            skew_degrees: larger(node.skew_difference_degrees, skew),
        }
    }
}

/// How a node changed; `None` where it did not, beyond rounding.
fn change(before: Option<&NodeFigures>, after: Option<&NodeFigures>) -> Option<DiffChange> {
    // Where one of the two counts, what the other is does not, and so is no difference.
    let counts = before.into_iter().chain(after).any(|node| node.counts);
    let of = |node: Option<&NodeFigures>| {
        let node = node.filter(|node| node.counts == counts);
        let percent = node.and_then(|node| node.displacement_percent).unwrap_or(0.0);
        (node.map_or(Grade::Identical, |node| node.grade), percent)
    };
    let ((old_grade, old), (new_grade, new)) = (of(before), of(after));
    let is_larger = |a: f64, b: f64| a - b > Grade::IDENTICAL_PERCENT;
    match new_grade.cmp(&old_grade) {
        std::cmp::Ordering::Greater => Some(DiffChange::Worse),
        std::cmp::Ordering::Less => Some(DiffChange::Better),
        std::cmp::Ordering::Equal if is_larger(new, old) => Some(DiffChange::Worse),
        std::cmp::Ordering::Equal if is_larger(old, new) => Some(DiffChange::Better),
        std::cmp::Ordering::Equal => None,
    }
}

/// Pairs of nodes that are the same one: by path, then by index; and those without a partner.
fn matched(before: &[NodeAudit], after: &[NodeAudit]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut known = HashMap::new();
    let [before_keys, after_keys] = [before, after].map(|nodes| path_keys(nodes, &mut known));
    let by_key: HashMap<_, _> = before_keys.iter().enumerate().map(|(i, &key)| (key, i)).collect();
    let mut partner: Vec<_> = after_keys.iter().map(|key| by_key.get(key).copied()).collect();
    let mut is_taken = vec![false; before.len()];
    partner.iter().flatten().for_each(|&node| is_taken[node] = true);
    for (index, partner) in partner.iter_mut().enumerate() {
        if partner.is_none() && is_taken.get(index) == Some(&false) {
            is_taken[index] = true;
            *partner = Some(index);
        }
    }
    let kept = partner.into_iter().enumerate().map(|(new, old)| (old, Some(new)));
    let gone = is_taken.iter().enumerate().filter(|&(_, &is_taken)| !is_taken);
    kept.chain(gone.map(|(old, _)| (Some(old), None))).collect()
}

/// A path of names, as the key of the parent, the name, and how many siblings before have that name too.
type PathKeys<'a> = HashMap<(Option<usize>, Option<&'a str>, usize), usize>;

/// A number for each node that is the same for the same path of names.
fn path_keys<'a>(nodes: &'a [NodeAudit], known: &mut PathKeys<'a>) -> Vec<usize> {
    let mut parents_first: Vec<_> = (0..nodes.len()).collect();
    parents_first.sort_by_key(|&node| nodes[node].depth);
    let mut keys = vec![0; nodes.len()];
    let mut siblings: HashMap<(Option<usize>, Option<&str>), usize> = HashMap::new();
    for node in parents_first {
        let NodeAudit { parent, name, .. } = &nodes[node];
        let (parent, name) = (parent.map(|parent| keys[parent]), name.as_deref());
        let before = siblings.entry((parent, name)).or_default();
        let next = known.len();
        keys[node] = *known.entry((parent, name, *before)).or_insert(next);
        *before += 1;
    }
    keys
}
