use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use xform_matrix::Method;
use xform_scene::{
    Scene,
    fbx::{FbxNode, InheritType},
};

use super::{
    metrics::{orthogonality, skew_pairs_degrees, worst_skew_degrees},
    shows::{Figures, ShowPair},
    skinned::SkinnedMesh,
    worlds::Worlds,
};
use crate::audit::{CompareError, NodeAudit};

/// Returns every node of the scene at rest, without the figures that depend on a pair of shows.
///
/// The distance from the nearest translation, rotation and scale is the slowest figure; it is 0 for nodes
/// that do not need it.
pub(super) fn unmeasured(
    scene: &Scene,
    worlds: &Worlds,
    needs_nearest: impl Fn(usize) -> bool + Sync,
) -> Vec<NodeAudit> {
    let counts_all = scene.counts_all();
    let mut is_followed = vec![false; scene.nodes.len()];
    worlds.skinned.iter().flat_map(SkinnedMesh::joints).for_each(|node| is_followed[node] = true);
    let depths = worlds.depths(scene).into_par_iter().enumerate();
    let nodes = depths.map(|(node, depth)| {
        let audit = node_audit(scene, worlds, node, depth, needs_nearest(node));
        // In a scene that draws nothing, hidden nodes still do not count.
        let is_shown = scene.counts_undrawn || !scene.nodes[node].is_invisible;
        let counts = is_shown && (counts_all || scene.nodes[node].draws());
        let (is_followed, is_hidden) =
            (is_followed[node], audit.is_hidden && !scene.counts_undrawn);
        NodeAudit { counts, is_followed, is_hidden, ..audit }
    });
    let mut nodes: Vec<_> = nodes.collect();
    let typed = scene.fbx.iter().flat_map(|file| &file.nodes);
    for (node, FbxNode { inherit, .. }) in nodes.iter_mut().zip(typed) {
        node.inherit_type = Some(*inherit).filter(|kind| *kind != InheritType::Matrix);
    }
    nodes
}

/// Measures a node, without its cause.
fn node_audit(
    scene: &Scene,
    worlds: &Worlds,
    index: usize,
    depth: usize,
    needs_nearest: bool,
) -> NodeAudit {
    let node = &scene.nodes[index];
    let (by_matrix, by_trs) = (worlds.by_matrix[index], worlds.by_trs[index]);
    let axes = worlds.axes[index];
    let nearest_trs_distance = if needs_nearest {
        let nearest = by_matrix.decompose(Method::NearestTrs);
        nearest.expect("worlds are checked to be finite").residual
    } else {
        0.0
    };
    NodeAudit {
        index,
        instance_of: node.instance_of,
        name: node.name.clone(),
        parent: node.parent,
        depth,
        local: worlds.poses.locals[index],
        rotation_length: node.rotation_length,
        inherit: node.inherit,
        inherit_type: None,
        local_residual: worlds.poses.residual(index),
        by_matrix,
        by_trs,
        skew_degrees: worst_skew_degrees(&axes),
        skew_pairs_degrees: skew_pairs_degrees(&axes),
        orthogonality: orthogonality(&axes),
        nearest_trs_distance,
        group: None,
        linear_difference: None,
        skew_difference_degrees: None,
        skew_group: None,
        displacement: None,
        displacement_percent: None,
        displacement_percent_of_itself: None,
        turned_degrees: None,
        cause: None,
        bounds: node.bounds,
        counts: true,
        role: worlds.roles[index],
        undrawn_in: Vec::new(),
        is_skinned: node.skin.is_some(),
        is_followed: false,
        is_hidden: worlds.hides(index),
        is_invisible: node.is_invisible,
        is_helper: node.is_helper,
    }
}

/// Measures every node between two shows, at rest.
pub(super) fn figures(
    scene: &Scene,
    worlds: &Worlds,
    pair: ShowPair<'_>,
    diagonal: f64,
) -> Result<Vec<Figures>, CompareError> {
    let nodes = (0..scene.nodes.len()).into_par_iter();
    let all: Vec<_> = nodes.map(|node| pair.figures(scene, worlds, diagonal, node)).collect();
    // If several nodes overflow, the first one is reported, regardless of the order in which threads finish.
    let overflows =
        |figures: &Figures| figures.displacement.is_some_and(|moved| !moved.is_finite());
    match all.iter().position(overflows) {
        Some(node) => Err(CompareError::overflow(scene, node)),
        None => Ok(all),
    }
}
