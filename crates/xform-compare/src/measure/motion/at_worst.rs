use std::collections::BTreeSet;

use xform_scene::Scene;

use crate::{
    audit::{
        AnimationAudit, AtWorst, Cause, CompareError, NodeAudit, RankedMotion, ranked_at_rest,
    },
    measure::{
        ablation::Ablation,
        at_rest::{IN_FULL, measured},
        worlds::Worlds,
    },
};

/// How many nodes are measured in full as they are at their worst.
const MEASURED_AT_WORST: usize = 10;

/// Measures the first nodes of a ranking in full, posed as they are at their worst.
pub(in crate::measure) fn at_worst(
    scene: &Scene,
    animations: &[AnimationAudit],
    ranked: &[RankedMotion],
    diagonal: f64,
) -> Result<Vec<AtWorst>, CompareError> {
    let worst = ranked.iter().take(MEASURED_AT_WORST).filter_map(|ranked| {
        let moving = &animations[ranked.animation].nodes[ranked.motion];
        Some((ranked.animation, moving.worst_seconds()?, moving.index))
    });
    let worst: Vec<_> = worst.collect();
    let mut all = Vec::with_capacity(worst.len());
    // Nodes are often at their worst together.
    for together in worst.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (animation, seconds, _) = together[0];
        let scene = scene.posed(animation, seconds);
        let worlds = Worlds::of(&scene)?;
        let is_worst = |node: usize| together.iter().any(|&(.., worst)| worst == node);
        let nodes = measured(&scene, &worlds, diagonal, is_worst)?;
        let (ranked, ablation) = (ranked_at_rest(&nodes), Ablation::new(&scene, &worlds));
        for &(.., node) in together {
            let rank = ranked.iter().position(|&ranked| ranked == node);
            let cause = rank.and_then(|rank| ablation.cause(&nodes[node], rank < IN_FULL));
            let named = cause.as_ref().map(named).unwrap_or_default();
            let posed = named.into_iter().map(|node| (node, worlds.poses.locals[node])).collect();
            let node = NodeAudit { cause, ..nodes[node].clone() };
            all.push(AtWorst { animation, seconds, node, posed });
        }
    }
    Ok(all)
}

/// The nodes that a cause names.
fn named(cause: &Cause) -> BTreeSet<usize> {
    let contributing = cause.contributions.iter().map(|contribution| contribution.scaler);
    contributing.chain([cause.scaler]).chain(cause.partner).chain(cause.rotator).collect()
}
