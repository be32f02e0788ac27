//! Plans repairs before anything is changed.

use std::collections::{BTreeSet, HashMap, HashSet};

use xform_compare::{SceneAudit, audit::node_path};
use xform_scene::{LocalPose, Scene};

use crate::{
    bake::Baked,
    error::FixError,
    non_uniform::{subtree, tops},
    proof::Proof,
    refusal::Refusal,
    repair_kind::RepairKind,
    repose::Reposed,
    selection::{sheared, to_make_uniform},
    source::Source,
};

/// A unit of repair, done as a whole or not at all: a subtree if scales are baked, otherwise one node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The node with the uppermost non-uniform scale, or the node that gets a new pose.
    pub top: usize,
    /// The path of that node.
    pub path: String,
    /// The number of nodes in its subtree, including itself.
    pub nodes: usize,
    /// Whether its repair was requested.
    pub is_asked_for: bool,
    /// The reasons not to repair it, each with the path of its node. Empty if it was repaired.
    pub refusals: Vec<(String, Refusal)>,
    /// How far the repair moved its vertices in engines that multiply matrices, if the repair changes the shape.
    pub change: Option<Proof>,
    /// The displacement in percent of the scene, before and after: that of everything shown in its subtree, in the
    /// engines that show it worst, at rest or in motion. If it differs only in an engine that the repair of another group
    /// made known, the first is measured after that repair.
    pub displacement_percent: [f64; 2],
}

impl Group {
    /// Whether it was repaired.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.is_asked_for && self.refusals.is_empty()
    }
}

/// The new poses of the nodes of a group.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Bake(Vec<Baked>),
    Repose(Reposed),
}

impl Plan {
    /// Whether a refusal at a node concerns the group.
    pub(crate) fn has(&self, node: usize) -> bool {
        match self {
            Self::Bake(baked) => baked.iter().any(|one| one.node == node),
            Self::Repose(reposed) => reposed.node == node,
        }
    }
}

/// Returns the nodes that need a repair by an audit of a scene: that of the file, or of the file after a repair.
pub(crate) fn to_repair(
    source: &Source<'_>,
    scene: &Scene,
    audit: &SceneAudit,
    kind: RepairKind,
) -> BTreeSet<usize> {
    match kind {
        RepairKind::Bake => tops(scene, audit),
        RepairKind::Leaf => {
            // A pose without children would only get a leaf like itself.
            let mut tops = tops(scene, audit);
            let parents: HashSet<_> = scene.nodes.iter().filter_map(|node| node.parent).collect();
            let is_matrix = |top: usize| matches!(scene.nodes[top].local, LocalPose::Matrix(_));
            tops.retain(|&top| parents.contains(&top) || is_matrix(top));
            tops
        }
        RepairKind::Uniform => to_make_uniform(source, audit, &tops(scene, audit)),
        RepairKind::Helper | RepairKind::Nearest => sheared(source, audit),
    }
}

/// Returns the groups with these tops, each with its plan.
pub(crate) fn planned(
    source: &Source<'_>,
    audit: &SceneAudit,
    tops: BTreeSet<usize>,
    kind: RepairKind,
    only: Option<&str>,
) -> Result<Vec<(Group, Plan)>, FixError> {
    let asked_for = match only {
        Some(only) => asked_for(source, audit, &tops, only)?,
        None => tops.clone(),
    };
    let mut around = match kind {
        RepairKind::Bake | RepairKind::Leaf => HashMap::new(),
        RepairKind::Uniform | RepairKind::Helper | RepairKind::Nearest => {
            source.around(audit, kind, &tops)
        }
    };
    let sizes = sizes(source);
    let planned = tops.into_iter().map(|top| {
        let is_asked_for = asked_for.contains(&top);
        let (plan, refusals) = match kind {
            RepairKind::Bake | RepairKind::Leaf => {
                let baked = source.baked(top, kind == RepairKind::Leaf);
                let refusals = if is_asked_for { source.refusals(&baked) } else { Vec::new() };
                (Plan::Bake(baked), refusals)
            }
            RepairKind::Uniform | RepairKind::Helper | RepairKind::Nearest => {
                let (reposed, of_itself) = source.reposed(audit, top, kind);
                let mut refusals = around.remove(&top).unwrap_or_default();
                refusals.extend(of_itself);
                refusals.retain(|_| is_asked_for);
                (Plan::Repose(reposed), refusals)
            }
        };
        let named = |refusal: Refusal| (node_path(audit, refusal.node), refusal);
        let group = Group {
            top,
            path: node_path(audit, top),
            nodes: sizes[top],
            is_asked_for,
            refusals: refusals.into_iter().map(named).collect(),
            change: None,
            displacement_percent: [0.0; 2],
        };
        (group, plan)
    });
    Ok(planned.collect())
}

/// Returns the number of nodes in the subtree of each node, including itself.
fn sizes(source: &Source<'_>) -> Vec<usize> {
    let nodes = &source.scene.nodes;
    let mut sizes = vec![1; nodes.len()];
    let roots = (0..nodes.len()).filter(|&node| nodes[node].parent.is_none());
    let order: Vec<_> = roots.flat_map(|root| subtree(&source.children, root)).collect();
    for node in order.into_iter().rev() {
        if let Some(parent) = nodes[node].parent {
            sizes[parent] += sizes[node];
        }
    }
    sizes
}

/// Returns the tops that a text selects: those it names, or else the tops above the nodes it names.
fn asked_for(
    source: &Source<'_>,
    audit: &SceneAudit,
    tops: &BTreeSet<usize>,
    only: &str,
) -> Result<BTreeSet<usize>, FixError> {
    let nodes = named(source.scene, audit, only)?;
    let mut found: BTreeSet<_> = nodes.intersection(tops).copied().collect();
    if found.is_empty() {
        let above = nodes.iter().flat_map(|&node| source.upwards(node));
        found = above.filter(|at| tops.contains(at)).collect();
    }
    if found.is_empty() { Err(FixError::NothingThere(only.to_owned())) } else { Ok(found) }
}

/// Returns the nodes that a text names, by path or name, or else by index.
fn named(scene: &Scene, audit: &SceneAudit, text: &str) -> Result<BTreeSet<usize>, FixError> {
    let is_named = |&node: &usize| {
        scene.nodes[node].name.as_deref() == Some(text) || node_path(audit, node) == text
    };
    let mut nodes: BTreeSet<_> = (0..scene.nodes.len()).filter(is_named).collect();
    if nodes.is_empty() {
        nodes.extend(text.parse::<usize>().ok().filter(|&node| node < scene.nodes.len()));
    }
    if nodes.is_empty() { Err(FixError::NoNode(text.to_owned())) } else { Ok(nodes) }
}
