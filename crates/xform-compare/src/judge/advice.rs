//! Remedies for a difference. Each is carried out on everything that it changes, and measured.

// Advice is carried out before it is given. The subtree below the cause is propagated again with the repair
// in place, in every group of engines, and the advice reports the difference that remains and how far things
// would move. A repair that a skin, an animation or a shared mesh prevents is refused with the node. Nodes
// with the same cause share one card, whose sentence is true of each and whose advice is measured at the node
// that it leaves worst.

mod in_motion;
mod refusal;
mod repaired;

use std::cmp::Ordering;

use xform_scene::Scene;

use crate::{audit::SceneAudit, measure::Changes};
use repaired::Repaired;

pub use in_motion::{MotionAdvice, ScaleChange, advise_in_motion};
pub use refusal::RepairRefusal;

/// A repair that may make a node look the same in all compared engines, and its result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The repair.
    pub repair: Repair,
    /// The difference that would remain, or the reason why the repair cannot be done.
    pub outcome: Result<RepairOutcome, RepairRefusal>,
}

/// A change to a scene that may make a node look the same in all compared engines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repair {
    /// Nothing, because nobody [sees](crate::Grade::is_seen) a difference.
    Nothing,
    /// Bake the non-uniform scales of a node and its descendants into their meshes (`xform fix --repair
    /// bake`).
    ///
    /// Each vertex moves to where accumulated matrices show it, and each origin stays. If a scale mirrors,
    /// faces are reversed too. A mesh that other nodes also use is copied.
    Bake {
        /// The topmost ancestor with a non-uniform scale.
        top: usize,
    },
    /// Move the scale of a node to a new leaf below it that holds its mesh, so that the scale has no
    /// descendants (`xform fix --repair leaf`).
    ///
    /// Origins stay where accumulated matrices have them.
    MoveToLeaf {
        /// The node whose scale is the cause.
        scaler: usize,
    },
    /// Make the scale of a node uniform (`xform fix --repair uniform`).
    ///
    /// If that changes the signs of the scale, two axes are also rotated by half a turn, so that a mirror
    /// remains the same mirror: diag(−1, 1, 1) is −1 on all axes and half a turn about x.
    MakeUniform {
        /// The node whose scale is the cause.
        scaler: usize,
        /// The new scale: the geometric mean of the old one.
        scale: f64,
        /// The local axis about which the node is rotated by half a turn, if it is.
        half_turn: Option<usize>,
    },
    /// Make a rotation a unit quaternion, as glTF requires.
    MakeUnit {
        /// The node with the rotation.
        node: usize,
    },
    /// Let every node of an FBX file inherit its parent's scale as matrices do: inherit type `RSrs`. In Maya,
    /// turn Segment Scale Compensate off.
    InheritAll,
    /// In a copy for engines that multiply matrices, insert a node between this one and its parent.
    ///
    /// Those engines then show the copy as combined TRS shows the original. In the copy itself the strategies
    /// still differ.
    ///
    /// The two local poses are `T·U·Σ` and `Vᵀ`, from the singular value decomposition of the node's combined
    /// TRS in its parent's accumulated matrix.
    HelperNode,
}

/// The difference that remains after a repair, and the changes that it makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairOutcome {
    /// The displacement of the node that would remain, in scene units, in the group of engines where it would
    /// be largest; `None` if the node draws nothing. For several nodes, the largest.
    pub displacement: Option<f64>,
    /// The difference in skew that would remain, in degrees. For several nodes, the largest.
    pub skew_degrees: Option<f64>,
    /// By [group](crate::audit::EngineAudit::groups) of engines, that of the reference first: the farthest
    /// that the node or anything else below the cause would move from where the group shows it now, in scene
    /// units.
    pub changes: Vec<f64>,
    /// The groups in which something that counts would end up farther from the reference than it is now.
    pub worsens: Vec<usize>,
    /// The node whose scale is changed, if its pose is a `matrix` in the file. It must become a translation,
    /// rotation and scale, because engines decompose a mirroring matrix in different ways.
    pub matrix: Option<usize>,
    /// A node that an animation sets to the pose that it has at rest. Its channels must be removed, or they
    /// undo the repair.
    pub keyed: Option<usize>,
}

/// Returns the repairs for a node that differs, the best first, each measured in every group of engines.
///
/// The best repair makes nothing worse in any group and leaves the least difference; among equals, it changes
/// the reference least. Repairs that cannot be done follow. The helper node is last, because it applies only
/// to a copy.
///
/// # Panics
///
/// If `audit` is not of `scene`, or `node` is out of range.
#[must_use]
pub fn advise(scene: &Scene, audit: &SceneAudit, node: usize) -> Vec<Advice> {
    advise_all(scene, audit, &[node])
}

/// Returns the nodes of an FBX file that [`Repair::InheritAll`] changes: those whose parent has a scale that
/// they do not inherit as matrices do.
#[must_use]
pub fn inherit_types(audit: &SceneAudit) -> Vec<usize> {
    let mut has_scale = vec![false; audit.nodes.len()];
    // If a child leaves out the scale of its parent, that scale is on a helper of the parent.
    let helpers = audit.nodes.iter().filter(|node| node.is_helper);
    helpers.filter_map(|node| node.parent).for_each(|frame| has_scale[frame] = true);
    let typed = audit.nodes.iter().filter(|node| node.inherit_type.is_some());
    let below = typed.filter(|node| node.parent.is_some_and(|parent| has_scale[parent]));
    below.map(|node| node.index).collect()
}

/// Like [`advise`], for nodes with the same cause, worst first. An outcome has the figures of the node that
/// it leaves worst. Only a single node gets a helper node, since each would need its own.
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
    // Repairs that make nothing worse come first, then by what they leave, then by what they change. Repairs
    // that cannot be done, and the helper node, are last.
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
