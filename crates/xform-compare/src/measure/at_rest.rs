use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use xform_matrix::Method;
use xform_scene::Scene;

use super::{
    ablation::Ablation,
    metrics::{linear_difference, orthogonality, percent, skew_pairs_degrees, worst_skew_degrees},
    skinned::SkinnedMesh,
    worlds::{Seen, Worlds},
};
use crate::audit::{Cause, CompareError, NodeAudit};

/// Measures every node as the scene stands, without causes. The distance from the nearest translation, rotation and scale,
/// which takes the longest to find, is 0 where it is not asked for.
pub(super) fn measured(
    scene: &Scene,
    worlds: &Worlds,
    diagonal: f64,
    needs_nearest: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<NodeAudit>, CompareError> {
    let counts_all = scene.counts_all();
    let mut is_followed = vec![false; scene.nodes.len()];
    worlds.skinned.iter().flat_map(SkinnedMesh::joints).for_each(|node| is_followed[node] = true);
    let depths = worlds.depths(scene).into_par_iter().enumerate();
    let nodes: Vec<_> = depths
        .map(|(node, depth)| {
            let audit = node_audit(scene, worlds, node, depth, diagonal, needs_nearest(node))?;
            // Where nothing is drawn, what is hidden does not count in its place.
            let is_shown = scene.counts_undrawn || !scene.nodes[node].is_invisible;
            let counts = is_shown && (counts_all || scene.nodes[node].draws());
            let (is_followed, is_hidden) =
                (is_followed[node], audit.is_hidden && !scene.counts_undrawn);
            Ok(NodeAudit { counts, is_followed, is_hidden, ..audit })
        })
        .collect();
    // Of several errors the first, whatever finishes first.
    nodes.into_iter().collect()
}

/// Measures a node, without its cause.
fn node_audit(
    scene: &Scene,
    worlds: &Worlds,
    index: usize,
    depth: usize,
    diagonal: f64,
    needs_nearest: bool,
) -> Result<NodeAudit, CompareError> {
    let node = &scene.nodes[index];
    let (by_matrix, by_trs) = (worlds.by_matrix[index], worlds.by_trs[index]);
    let axes = worlds.axes[index];
    let (linear, trs_linear) = (by_matrix.linear(), by_trs.to_trs().to_linear());
    let nearest_trs_distance = if needs_nearest {
        let nearest = by_matrix.decompose(Method::NearestTrs);
        nearest.expect("worlds are checked to be finite").residual
    } else {
        0.0
    };
    let Seen { displacement, size, is_hidden } = worlds.seen(scene, index);
    if !displacement.is_none_or(f64::is_finite) {
        return Err(CompareError::overflow(scene, index));
    }
    Ok(NodeAudit {
        index,
        instance_of: node.instance_of,
        name: node.name.clone(),
        parent: node.parent,
        depth,
        local: worlds.poses.locals[index],
        rotation_length: node.rotation_length,
        inherit: node.inherit,
        local_residual: worlds.poses.residual(index),
        by_matrix,
        by_trs,
        skew_degrees: worst_skew_degrees(&axes),
        skew_pairs_degrees: skew_pairs_degrees(&axes),
        orthogonality: orthogonality(&axes),
        linear_difference: linear_difference(&linear, &trs_linear),
        nearest_trs_distance,
        displacement,
        displacement_percent: displacement.and_then(|moved| percent(moved, diagonal)),
        displacement_percent_of_itself: percent(displacement.unwrap_or(0.0), size),
        cause: None,
        bounds: node.bounds,
        counts: true,
        is_skinned: node.skin.is_some(),
        is_followed: false,
        is_hidden,
        is_invisible: node.is_invisible,
    })
}

/// How many of the worst nodes get the contribution of every candidate.
pub(super) const IN_FULL: usize = 100;

/// Finds the causes of those nodes that are ranked.
pub(super) fn with_causes(
    nodes: Vec<NodeAudit>,
    ranked: &[usize],
    scene: &Scene,
    worlds: &Worlds,
) -> Vec<NodeAudit> {
    if ranked.is_empty() {
        return nodes;
    }
    let ablation = Ablation::new(scene, worlds);
    let found = ranked.par_iter().enumerate();
    let found = found.map(|(rank, &index)| ablation.cause(&nodes[index], rank < IN_FULL));
    let mut causes: Vec<Option<Cause>> = vec![None; nodes.len()];
    let found: Vec<_> = found.collect();
    ranked.iter().zip(found).for_each(|(&index, cause)| causes[index] = cause);
    nodes.into_iter().zip(causes).map(|(node, cause)| NodeAudit { cause, ..node }).collect()
}
