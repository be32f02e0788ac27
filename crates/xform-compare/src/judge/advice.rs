//! What can be done about a difference, each repair carried out on all that it changes and measured.

mod in_motion;
mod refusal;
mod repaired;

use std::cmp::Ordering;

use xform_scene::Scene;

use crate::{audit::SceneAudit, measure::Changes};
use repaired::Repaired;

pub use in_motion::{MotionAdvice, ScaleChange, advise_in_motion};
pub use refusal::RepairRefusal;

/// A way to make a node look the same in all engines that are compared, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The repair.
    pub repair: Repair,
    /// What it would leave, or why it cannot be done.
    pub outcome: Result<RepairOutcome, RepairRefusal>,
}

/// A change to a scene that may make a node look the same in all engines that are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repair {
    /// Nothing: nobody [sees](crate::Grade::is_seen) a difference.
    Nothing,
    /// Take the non-uniform scales of a node and of all below it into their meshes: each vertex is moved to
    /// where accumulated matrices show it, each origin stays. Where a scale mirrors, faces are to be
    /// turned over too. A mesh that other nodes show too is copied. `xform fix --repair bake`.
    Bake {
        /// The uppermost node above with a non-uniform scale.
        top: usize,
    },
    /// Give the scale of a node to a new leaf below it that shows its mesh, so that nothing hangs below
    /// the scale. Origins stay where accumulated matrices have them. `xform fix --repair leaf`.
    MoveToLeaf {
        /// The node whose scale is the cause.
        scaler: usize,
    },
    /// Give a node a uniform scale. Where that has other signs than the scale had, two axes are turned
    /// round by half a turn, so that a mirror stays what it is: diag(−1, 1, 1) is −1 on all axes and half a
    /// turn about x. `xform fix --repair uniform`.
    MakeUniform {
        /// The node whose scale is the cause.
        scaler: usize,
        /// The geometric mean of what it has.
        scale: f64,
        /// About which of its own axes it is turned by half a turn, if at all.
        half_turn: Option<usize>,
    },
    /// Make a rotation a unit quaternion, as glTF demands.
    MakeUnit {
        /// The node that has it.
        node: usize,
    },
    /// Let every node of an FBX file take its parent's scale as matrices do: inherit type `RSrs`. In Maya that is Segment Scale
    /// Compensate off.
    InheritAll,
    /// In a copy for engines that multiply matrices, put a node between this one and its parent. Those engines
    /// then show of the copy what combined TRS shows of the original. In the copy itself the strategies still
    /// differ.
    ///
    /// The two local poses are `T·U·Σ` and `Vᵀ`, from the singular value decomposition of the node's combined TRS
    /// in its parent's accumulated matrix.
    HelperNode,
}

/// What a repair leaves.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairOutcome {
    /// The displacement of the node that would remain, in scene units, in the group of engines where it would be largest; `None`
    /// where it shows nothing. Of several nodes, the largest.
    pub displacement: Option<f64>,
    /// The difference between its skews that would remain, in degrees. Of several nodes, the largest.
    pub skew_degrees: Option<f64>,
    /// By [group](crate::audit::EngineAudit::groups) of engines, that of the reference first: the farthest that anything would move
    /// from where the group shows it now, in scene units: the node, or what else hangs below the cause.
    pub changes: Vec<f64>,
    /// The groups in which something that counts would be farther from the reference than it is now.
    pub worsens: Vec<usize>,
    /// The node whose scale is changed, where its pose is a `matrix` in the file: it has to become a translation, rotation
    /// and scale, since how a matrix with a mirror in it is taken apart is not the same everywhere.
    pub matrix: Option<usize>,
    /// A node that an animation sets to the pose that it has at rest: its channels are to be removed, or they undo the
    /// repair.
    pub keyed: Option<usize>,
}

/// The repairs for a node that differs, the best first, each measured in every group of engines.
///
/// The best makes nothing worse in any of them and leaves the least difference; of those that leave the same, the one that changes
/// the reference least. Then come repairs that cannot be done. The helper node is last, since it is for a copy.
///
/// # Panics
///
/// If `audit` is not of `scene`, or `node` is out of range.
#[must_use]
pub fn advise(scene: &Scene, audit: &SceneAudit, node: usize) -> Vec<Advice> {
    advise_all(scene, audit, &[node])
}

/// The nodes of an FBX file that do not take the scale of their parent, which has one, as matrices do: those that
/// [`Repair::InheritAll`] changes.
#[must_use]
pub fn inherit_types(audit: &SceneAudit) -> Vec<usize> {
    let mut has_scale = vec![false; audit.nodes.len()];
    // A node with a scale that something below it leaves out shows it in a helper.
    let helpers = audit.nodes.iter().filter(|node| node.is_helper);
    helpers.filter_map(|node| node.parent).for_each(|frame| has_scale[frame] = true);
    let typed = audit.nodes.iter().filter(|node| node.inherit_type.is_some());
    let below = typed.filter(|node| node.parent.is_some_and(|parent| has_scale[parent]));
    below.map(|node| node.index).collect()
}

/// Like [`advise`], for nodes with one cause, the worst first. An outcome has the figures of the one that it leaves
/// worst. There is a helper node only for one node, since each would need its own.
pub(super) fn advise_all(scene: &Scene, audit: &SceneAudit, nodes: &[usize]) -> Vec<Advice> {
    assert_eq!(scene.nodes.len(), audit.nodes.len(), "the audit of the scene");
    let found = &audit.nodes[nodes[0]];
    if !nodes.iter().any(|&node| audit.nodes[node].grade().is_seen()) {
        let outcome = RepairOutcome {
            displacement: found.displacement,
            skew_degrees: found.skew_difference_degrees,
            changes: vec![0.0; audit.engines.groups.len()],
            worsens: Vec::new(),
            matrix: None,
            keyed: None,
        };
        return vec![Advice { repair: Repair::Nothing, outcome: Ok(outcome) }];
    }
    let changes = Changes::new(scene, audit).expect("an audited scene can be placed again");
    let repaired = Repaired { scene, audit, nodes, changes: &changes };
    let mut advice: Vec<_> = repaired
        .repairs()
        .into_iter()
        .map(|(repair, scaler)| Advice { repair, outcome: repaired.outcome(&repair, scaler) })
        .collect();
    // What makes nothing worse, then what leaves least, then what changes least; what cannot be done, and the copy, last.
    let size = audit.summary.diagonal.max(f64::MIN_POSITIVE);
    let rank = |advice: &Advice| match &advice.outcome {
        Ok(RepairOutcome { displacement, changes, worsens, .. }) => {
            let of_reference = changes.first().copied();
            let [left, change] =
                [*displacement, of_reference].map(|figure| figure.unwrap_or(0.0) / size);
            let worsens = if worsens.is_empty() { 0.0 } else { 1.0 };
            [worsens, (left * 1e9).round(), (change * 1e9).round()]
        }
        Err(_) => [f64::INFINITY; 3],
    };
    advice.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
    if let &[node] = nodes {
        let helper = repaired.with_helper(node);
        advice.extend(helper.map(|outcome| Advice { repair: Repair::HelperNode, outcome }));
    }
    advice
}
