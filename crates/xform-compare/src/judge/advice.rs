//! What can be done about a difference, each repair carried out on all that it changes and measured.

mod in_motion;
mod refusal;
mod repaired;

use std::cmp::Ordering;

use xform_scene::Scene;

use crate::{audit::SceneAudit, measure::SkinnedMesh};
use repaired::Repaired;

pub use in_motion::{MotionAdvice, ScaleChange, advise_in_motion};
pub use refusal::RepairRefusal;

/// A way to make a node look the same under both strategies, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The repair.
    pub repair: Repair,
    /// What it would leave, or why it cannot be done.
    pub outcome: Result<RepairOutcome, RepairRefusal>,
}

/// A change to a scene that may make a node look the same under both strategies.
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
    /// In a copy for engines that multiply matrices, put a node between this one and its parent. Those engines
    /// then show of the copy what combined TRS shows of the original. In the copy itself the strategies still
    /// differ.
    ///
    /// The two local poses are `T·U·Σ` and `Vᵀ`, from the singular value decomposition of the node's combined TRS
    /// in its parent's accumulated matrix.
    HelperNode,
}

/// What a repair leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairOutcome {
    /// The displacement of the node that would remain between the strategies, in scene units; `None` where it
    /// shows nothing. Of several nodes, the largest.
    pub displacement: Option<f64>,
    /// The skew of the node that would remain by accumulated matrices, in degrees. Of several nodes, the largest.
    pub skew_degrees: Option<f64>,
    /// The farthest that anything would move from where accumulated matrices show it now, in scene units: the node,
    /// or what else hangs below the cause.
    pub change: Option<f64>,
    /// The farthest that anything would move from where combined TRS shows it now, in scene units.
    pub change_by_trs: Option<f64>,
    /// The node whose scale is changed, where its pose is a `matrix` in the file: it has to become a translation, rotation
    /// and scale, since how a matrix with a mirror in it is taken apart is not the same everywhere.
    pub matrix: Option<usize>,
    /// A node that an animation sets to the pose that it has at rest: its channels are to be removed, or they undo the
    /// repair.
    pub keyed: Option<usize>,
}

/// The repairs for a node that is skewed or differs, the best first.
///
/// The best leaves the least difference; of those that leave the same, the one that changes the fewest
/// nodes. Then come repairs that cannot be done. The helper node is last, since it is for a copy.
///
/// # Panics
///
/// If `audit` is not of `scene`, or `node` is out of range.
#[must_use]
pub fn advise(scene: &Scene, audit: &SceneAudit, node: usize) -> Vec<Advice> {
    advise_all(scene, audit, &[node])
}

/// Like [`advise`], for nodes with one cause, the worst first. An outcome has the figures of the one that it leaves
/// worst. There is a helper node only for one node, since each would need its own.
pub(super) fn advise_all(scene: &Scene, audit: &SceneAudit, nodes: &[usize]) -> Vec<Advice> {
    assert_eq!(scene.nodes.len(), audit.nodes.len(), "the audit of the scene");
    let found = &audit.nodes[nodes[0]];
    if !nodes.iter().any(|&node| audit.nodes[node].grade().is_seen()) {
        let (displacement, skew_degrees) = (found.displacement, found.skew_degrees);
        let (change, change_by_trs) = (Some(0.0), Some(0.0));
        let (matrix, keyed) = (None, None);
        let outcome =
            RepairOutcome { displacement, skew_degrees, change, change_by_trs, matrix, keyed };
        return vec![Advice { repair: Repair::Nothing, outcome: Ok(outcome) }];
    }
    let skinned = SkinnedMesh::of_scene(scene).expect("an audited scene has its joints");
    let repaired = Repaired { scene, audit, nodes, skinned: &skinned };
    let mut advice: Vec<_> = repaired
        .repairs()
        .into_iter()
        .map(|(repair, scaler)| Advice { repair, outcome: repaired.outcome(&repair, scaler) })
        .collect();
    // What leaves least, then what changes least; what cannot be done, and the copy, last.
    let size = audit.summary.diagonal.max(f64::MIN_POSITIVE);
    let rank = |advice: &Advice| match &advice.outcome {
        Ok(RepairOutcome { displacement, change, .. }) => {
            let [left, change] = [displacement, change].map(|figure| figure.unwrap_or(0.0) / size);
            [(left * 1e9).round(), (change * 1e9).round()]
        }
        Err(_) => [f64::INFINITY; 2],
    };
    advice.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
    if let &[node] = nodes {
        advice.push(Advice { repair: Repair::HelperNode, outcome: repaired.with_helper(node) });
    }
    advice
}
