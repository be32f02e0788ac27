use std::collections::BTreeSet;

use xform_scene::Scene;

use crate::{
    audit::{
        AnimationAudit, AtWorst, Cause, CompareError, NodeAudit, RankedMotion, ranked_at_rest,
    },
    measure::{
        ablation::{Ablation, IN_FULL},
        at_rest::{figures, unmeasured},
        shows::{Show, ShowPair},
        worlds::Worlds,
    },
};

/// The number of nodes that are measured in full at their worst.
const MEASURED_AT_WORST: usize = 10;

/// Measures the first nodes of a ranking in full, posed as at their worst, each in the show in which it is
/// worst.
///
/// `shown` returns two shows of a posed scene, the reference first.
pub(in crate::measure) fn at_worst(
    scene: &Scene,
    animations: &[AnimationAudit],
    ranked: &[RankedMotion],
    diagonal: f64,
    show_of: impl Fn(&RankedMotion) -> usize,
    shown: impl Fn(&Scene, &Worlds, usize) -> [Show; 2],
) -> Result<Vec<AtWorst>, CompareError> {
    let worst = ranked.iter().take(MEASURED_AT_WORST).filter_map(|ranked| {
        let moving = &animations[ranked.animation].nodes[ranked.motion];
        Some((ranked.animation, moving.worst_seconds()?, show_of(ranked), moving))
    });
    let worst: Vec<_> = worst.collect();
    let mut all = Vec::with_capacity(worst.len());
    // Nodes are often at their worst at the same time.
    for together in worst.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        let (animation, seconds, show, _) = together[0];
        let scene = scene.posed(animation, seconds);
        let worlds = Worlds::of(&scene)?;
        let is_worst = |node: usize| together.iter().any(|(.., worst)| worst.index == node);
        let [reference, other] = shown(&scene, &worlds, show);
        let pair = ShowPair { reference: &reference, other: &other };
        let figures = figures(&scene, &worlds, pair, diagonal)?;
        let mut nodes = unmeasured(&scene, &worlds, is_worst);
        nodes.iter_mut().zip(figures).for_each(|(node, figures)| figures.set(node));
        let ranked = ranked_at_rest(&nodes);
        let ablation = Ablation::new(&scene, &worlds, pair);
        for &(.., moving) in together {
            let index = moving.index;
            let rank = ranked.iter().position(|&ranked| ranked == index);
            let cause = rank.and_then(|rank| ablation.cause(&nodes[index], rank < IN_FULL));
            let named = cause.as_ref().map(named).unwrap_or_default();
            let posed = named.into_iter().map(|node| (node, worlds.poses.locals[node])).collect();
            let node = NodeAudit { cause, group: moving.group, ..nodes[index].clone() };
            all.push(AtWorst { animation, seconds, node, posed });
        }
    }
    Ok(all)
}

/// Returns the nodes that a cause names.
fn named(cause: &Cause) -> BTreeSet<usize> {
    let contributing = cause.contributions.iter().map(|contribution| contribution.scaler);
    contributing.chain([cause.scaler]).chain(cause.partner).chain(cause.rotator).collect()
}
