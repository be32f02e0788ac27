use rayon::iter::{IntoParallelIterator, ParallelIterator};
use xform_engines::{CannotSay, World};

use super::{
    measured::AuditedScene,
    pair::PairFigures,
    showing::{Placed, Showing},
};
use crate::{
    audit::CompareError,
    measure::motion::{MovedNodes, Subtrees},
};

/// How far every two showings of a scene are apart.
pub(super) struct Figures {
    count: usize,
    pairs: Vec<PairFigures>,
}

/// What was found in an animation: figures, and of each showing what is not known of it there.
type FoundInMotion = (Figures, Vec<Option<CannotSay>>);

impl Figures {
    /// Measures every two showings, at rest and at every time that the audit looked at, and finds what is not known of them.
    pub(super) fn of(
        of: &AuditedScene<'_>,
        showings: &mut [Showing],
    ) -> Result<Self, CompareError> {
        let AuditedScene { scene, worlds, audit } = *of;
        let count = showings.len();
        let mut all = Self::none(count);
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
        let at_rest: Vec<_> =
            showings.iter_mut().map(|showing| showing.at_rest(scene, worlds)).collect();
        let are_strategies =
            |a: usize, b: usize| strategies.iter().all(|place| [Some(a), Some(b)].contains(place));
        let is_known = |place: usize| showings[place].unknown.is_none();
        let pairs = pairs_of(count).filter(|&(a, b)| !are_strategies(a, b));
        let pairs: Vec<_> = pairs.filter(|&(a, b)| is_known(a) && is_known(b)).collect();
        for &(a, b) in &pairs {
            all.pair(a, b).see_at_rest(of, [&at_rest[a], &at_rest[b]]);
        }
        if pairs.is_empty() {
            return Ok(all);
        }
        let subtrees = Subtrees::of(scene, worlds);
        let shown: Vec<_> = showings.iter().zip(&at_rest).collect();
        let in_motion = (0..audit.animations.len())
            .into_par_iter()
            .map(|place| Self::in_motion(of, &shown, &subtrees, &pairs, place));
        let found: Vec<_> = in_motion.collect();
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

    /// Measures these pairs at every time that the audit looked at in the animation at a place.
    fn in_motion(
        of: &AuditedScene<'_>,
        shown: &[(&Showing, &Vec<Option<World>>)],
        subtrees: &Subtrees,
        pairs: &[(usize, usize)],
        place: usize,
    ) -> Result<FoundInMotion, CompareError> {
        let AuditedScene { scene, worlds, audit } = *of;
        let count = shown.len();
        let mut found = Self::none(count);
        let (animation, timeline) = (&scene.animations[place], &audit.animations[place].timeline);
        let moved = if timeline.is_empty() {
            None
        } else {
            MovedNodes::of(scene, worlds, subtrees, animation, usize::MAX)?.ok()
        };
        let Some(moved) = moved else { return Ok((found, vec![None; count])) };
        let mut placed: Vec<_> =
            shown.iter().map(|(showing, at_rest)| Placed::new(showing, at_rest)).collect();
        for point in timeline {
            for placed in &mut placed {
                placed.pose(scene, worlds, &moved, point.seconds);
            }
            for &(a, b) in pairs {
                let both = [&placed[a], &placed[b]];
                if both.iter().all(|placed| placed.is_known()) {
                    let when = (place, point.seconds);
                    found.pair(a, b).see_in_motion(of, &moved, both, when);
                }
            }
        }
        Ok((found, placed.into_iter().map(|placed| placed.unknown).collect()))
    }

    fn none(count: usize) -> Self {
        Self { count, pairs: vec![PairFigures::default(); count * count] }
    }

    /// That of two showings, in any order.
    pub(super) fn pair(&mut self, a: usize, b: usize) -> &mut PairFigures {
        let (a, b) = (a.min(b), a.max(b));
        &mut self.pairs[a * self.count + b]
    }
}

/// Every two of so many, the earlier first.
fn pairs_of(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |b| (0..b).map(move |a| (a, b)))
}
