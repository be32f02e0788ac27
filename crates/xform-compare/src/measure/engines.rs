//! What engines show of a scene: groups of those that show the same, and how far the groups are apart.

mod pair;
mod showing;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use xform_engines::{CannotSay, Engine};

use super::{
    motion::{MovedNodes, Subtrees},
    worlds::Worlds,
};
use crate::{
    audit::{CompareError, EngineAudit, EngineChoice, EnginePair, SceneAudit, UnknownEngine},
    scene::Scene,
};
use pair::PairFigures;
use showing::{Placed, Showing};

/// What the engines show of a scene that was audited.
///
/// Engines with rules that come to the same on this scene are measured once. Where that leaves the two strategies alone,
/// the audit has their figures. Where it is not known what the reference shows, what glTF defines stands in its place.
pub(super) fn engines(
    scene: &Scene,
    worlds: &Worlds,
    audit: &SceneAudit,
    choice: &EngineChoice,
) -> Result<EngineAudit, CompareError> {
    let mut showings = Showing::all(scene, worlds, choice);
    let mut figures = Figures::of(scene, worlds, audit, &mut showings)?;
    if let (Some(_), Some(reference)) = (showings[0].unknown, choice.reference) {
        let mut others = choice.clone();
        others.reference = None;
        others.engines.push(reference);
        let found = engines(scene, worlds, audit, &others)?;
        return Ok(EngineAudit { unknown_reference: Some(reference), ..found });
    }
    let mut unknown = Vec::new();
    for showing in &showings {
        if let Some(CannotSay { node, reason }) = showing.unknown {
            let engines = showing.engines.iter();
            unknown.extend(engines.map(|&engine| UnknownEngine { engine, node, reason }));
        }
    }
    unknown.sort_by_key(|unknown| rank(unknown.engine, choice));
    // By group the place of its first member, whom others are compared with.
    let mut first: Vec<usize> = Vec::new();
    let mut groups: Vec<Vec<&'static Engine>> = Vec::new();
    for (place, showing) in showings.iter().enumerate() {
        if showing.unknown.is_some() {
            continue;
        }
        match first.iter().position(|&earlier| figures.pair(earlier, place).is_identical()) {
            Some(group) => groups[group].extend(&showing.engines),
            None => {
                first.push(place);
                groups.push(showing.engines.clone());
            }
        }
    }
    groups.iter_mut().for_each(|group| group.sort_by_key(|engine| rank(engine, choice)));
    let mut pairs = Vec::new();
    for (b, &later) in first.iter().enumerate() {
        for (a, &earlier) in first[..b].iter().enumerate() {
            let nodes = figures.pair(earlier, later).worst_first();
            let sheared = nodes.first().and_then(|worst| {
                showings[earlier].first_other(&showings[later], scene, worst.index)
            });
            let grade = nodes.first().map(|node| node.grade).unwrap_or_default();
            pairs.push(EnginePair { groups: [a, b], grade, nodes, sheared });
        }
    }
    Ok(EngineAudit {
        reference: choice.reference,
        unknown_reference: None,
        are_named: choice.are_named,
        groups,
        pairs,
        unknown,
        has_sheared_matrices: worlds.poses.has_sheared_matrices(),
    })
}

/// The place of an engine in the order of the registry, the reference before all.
fn rank(engine: &Engine, choice: &EngineChoice) -> (bool, usize) {
    let is_reference = choice.reference.is_some_and(|reference| reference.id == engine.id);
    let place = Engine::all().iter().position(|known| known.id == engine.id);
    (!is_reference, place.unwrap_or(usize::MAX))
}

/// How far every two showings are apart.
struct Figures {
    count: usize,
    pairs: Vec<PairFigures>,
}

impl Figures {
    fn of(
        scene: &Scene,
        worlds: &Worlds,
        audit: &SceneAudit,
        showings: &mut [Showing],
    ) -> Result<Self, CompareError> {
        let count = showings.len();
        let mut all = Self { count, pairs: vec![PairFigures::default(); count * count] };
        let strategies = [true, false].map(|by_matrix| {
            showings.iter().position(|showing| showing.is_strategy(scene, worlds, by_matrix))
        });
        // What the audit has measured already need not be measured again.
        if let [Some(matrix), Some(trs)] = strategies {
            *all.pair(matrix, trs) = PairFigures::of_audit(audit);
            if count == 2 {
                return Ok(all);
            }
        }
        let is_measured =
            |a: usize, b: usize| !strategies.iter().all(|place| [Some(a), Some(b)].contains(place));
        let at_rest: Vec<_> =
            showings.iter_mut().map(|showing| showing.at_rest(scene, worlds)).collect();
        let is_known = |place: usize| showings[place].unknown.is_none();
        let measured =
            pairs_of(count).filter(|&(a, b)| is_measured(a, b) && is_known(a) && is_known(b));
        let measured: Vec<_> = measured.collect();
        for &(a, b) in &measured {
            all.pair(a, b).see_at_rest(scene, worlds, audit, [&at_rest[a], &at_rest[b]]);
        }
        if measured.is_empty() {
            return Ok(all);
        }
        let subtrees = Subtrees::of(scene, worlds);
        let shown: &[Showing] = showings;
        let in_motion = |(place, animation): (usize, &crate::audit::AnimationAudit)| {
            let mut found = Self { count, pairs: vec![PairFigures::default(); count * count] };
            if animation.samples == 0 {
                return Ok((found, vec![None; count]));
            }
            let moved =
                MovedNodes::of(scene, worlds, &subtrees, &scene.animations[place], usize::MAX)?;
            let Ok(moved) = moved else { return Ok((found, vec![None; count])) };
            let mut placed: Vec<_> = shown
                .iter()
                .zip(&at_rest)
                .map(|(showing, rest)| Placed::new(showing, rest))
                .collect();
            for point in &animation.timeline {
                placed
                    .iter_mut()
                    .for_each(|placed| placed.pose(scene, worlds, &moved, point.seconds));
                for &(a, b) in &measured {
                    if placed[a].is_known() && placed[b].is_known() {
                        let when = (place, point.seconds);
                        found.pair(a, b).see_in_motion(
                            scene,
                            worlds,
                            audit,
                            &moved,
                            [&placed[a], &placed[b]],
                            when,
                        );
                    }
                }
            }
            Ok((found, placed.into_iter().map(|placed| placed.unknown).collect()))
        };
        let found: Vec<Result<(Self, Vec<Option<CannotSay>>), CompareError>> =
            audit.animations.par_iter().enumerate().map(in_motion).collect();
        for found in found {
            let (found, unknown) = found?;
            for (own, more) in all.pairs.iter_mut().zip(found.pairs) {
                own.merge(more);
            }
            for (showing, unknown) in showings.iter_mut().zip(unknown) {
                showing.unknown = showing.unknown.or(unknown);
            }
        }
        Ok(all)
    }

    fn pair(&mut self, a: usize, b: usize) -> &mut PairFigures {
        let (a, b) = (a.min(b), a.max(b));
        &mut self.pairs[a * self.count + b]
    }
}

/// Every two of so many, the earlier first.
fn pairs_of(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |b| (0..b).map(move |a| (a, b)))
}
