//! Rules with their residuals, each in the axes in which it fits best.

use std::cmp::Reverse;

use xform_engines::Engine;

use super::steps::{are_by_matrices, step_bound, steps_in};
use crate::{
    answers::Answers,
    asked::Asked,
    convention::Convention,
    distance::{NEAR, VERTICES, worst},
    mistake::explained,
    prediction::Prediction,
    rule::Rule,
    trial::{Residuals, Trial},
    verification::{NamedRule, Verdict},
};

/// Rules that predict the same for all answers, with the axes in which they fit best.
pub(super) struct Candidate {
    pub(super) rules: Vec<Rule>,
    pub(super) said: Prediction,
    pub(super) axes: Convention,
    pub(super) as_good: usize,
    pub(super) residuals: Residuals,
}

/// Returns each group of rules with equal predictions, in the axes in which the answers follow it.
///
/// All groups that are not followed use the same axes: those of a followed rule, or else those in which the answers are
/// nearest to what glTF defines.
pub(super) fn candidates(run: &Answers, asked: &[Asked<'_>], trial: &Trial<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut nearest = None;
    let has_animations = asked.iter().any(|asked| !asked.found.scene.scene.animations.is_empty());
    let in_motion = if has_animations { Rule::all_in_motion(run.asked) } else { Vec::new() };
    for rules in [Rule::all(run.asked), in_motion] {
        let groups = groups(rules, asked);
        let right: Vec<_> = groups.iter().map(|(_, said)| trial.right(said)).collect();
        let both = || groups.iter().zip(&right);
        let followed = both().find(|((_, said), right)| right.is_some() && said.is_of_all());
        let followed = followed.and_then(|(_, right)| *right).map(|(axes, _)| axes);
        let others = followed.or(nearest).or_else(|| {
            let is_defined =
                |(rules, _): &&(Vec<Rule>, Prediction)| rules.iter().any(Rule::is_defined);
            let (rules, said) = groups.iter().find(is_defined).or(groups.first())?;
            Some(nearest_axes(asked, trial, rules, said))
        });
        nearest = others;
        let candidates = groups.into_iter().zip(right).filter_map(|((rules, said), right)| {
            let (axes, as_good) = right.or(Some((others?, 0)))?;
            let residuals = trial.residuals(&said, &axes);
            Some(Candidate { rules, said, axes, as_good, residuals })
        });
        found.extend(candidates);
        if followed.is_some() {
            break;
        }
    }
    found
}

/// Groups rules by equal predictions.
fn groups(rules: Vec<Rule>, asked: &[Asked<'_>]) -> Vec<(Vec<Rule>, Prediction)> {
    let mut groups: Vec<(Vec<Rule>, Prediction)> = Vec::new();
    for rule in rules {
        let said = Prediction::new(&rule, asked);
        match groups.iter_mut().find(|(_, known)| known.is_same(&said)) {
            Some((rules, _)) => rules.push(rule),
            None => groups.push((vec![rule], said)),
        }
    }
    groups
}

/// Returns the axes and unit in which the answers are nearest to a rule: those in which most answers are near, or else
/// those in which most steps are right or explained by one mistake.
fn nearest_axes(
    asked: &[Asked<'_>],
    trial: &Trial<'_>,
    rules: &[Rule],
    said: &Prediction,
) -> Convention {
    let choices = trial.nearest(said);
    let first = choices[0];
    let is_mostly_near = trial.residuals(said, &first).is_mostly_near();
    if choices.len() == 1 || is_mostly_near || !are_by_matrices(rules) {
        return first;
    }
    let explained = |axes: &Convention| explained(&steps_in(asked, axes), step_bound(trial));
    let most =
        choices.iter().enumerate().max_by_key(|(place, axes)| (explained(axes), Reverse(*place)));
    most.map_or(first, |(_, axes)| *axes)
}

/// Returns each engine with its plainest rule. The two strategies are listed only if no engine is.
pub(super) fn named_rules(rules: &[Rule]) -> Vec<NamedRule> {
    let mut named: Vec<NamedRule> = Vec::new();
    for rule in rules {
        if !named.iter().any(|known| known.engine == rule.engine.id) {
            named.push(NamedRule { engine: rule.engine.id.to_owned(), with: rule.words() });
        }
    }
    let place = |rule: &NamedRule| {
        Engine::all().iter().position(|engine| engine.id == rule.engine).unwrap_or(usize::MAX)
    };
    if named.iter().any(|rule| place(rule) != usize::MAX) {
        named.retain(|rule| place(rule) != usize::MAX);
    }
    named.sort_by_key(place);
    named
}

pub(super) fn ids(rules: &[Rule]) -> Vec<String> {
    named_rules(rules).into_iter().map(|rule| rule.engine).collect()
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl Residuals {
    pub(super) fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        let worlds = self.worlds.iter().flatten().map(|off| (*off, 1.0));
        worlds.chain(self.vertices.iter().flatten().map(|off| (*off, VERTICES)))
    }

    pub(super) fn known(&self) -> usize {
        self.all().count()
    }

    pub(super) fn unknown(&self) -> usize {
        self.worlds.len() + self.vertices.len() - self.known()
    }

    /// Ranks residuals, the best first: most answers near, then most answers predicted, then fewest wrong. An answer
    /// without a prediction does not count as right.
    pub(super) fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.near()), self.unknown(), self.wrong)
    }

    pub(super) fn near(&self) -> usize {
        self.all().filter(|(off, factor)| *off <= NEAR * factor).count()
    }

    pub(super) fn is_mostly_near(&self) -> bool {
        2 * self.near() >= self.known() + self.unknown()
    }

    pub(super) fn worst(&self) -> f64 {
        worst(self.all().map(|(off, _)| off))
    }

    pub(super) fn verdict(&self) -> Verdict {
        match (self.wrong, self.unknown()) {
            _ if self.known() == 0 => Verdict::Nothing,
            (0, 0) => Verdict::Follows,
            (0, _) => Verdict::PartlyKnown,
            _ if self.all().all(|(off, factor)| off <= NEAR * factor) => Verdict::Nearly,
            _ => Verdict::Wrong,
        }
    }

    /// Returns the residuals of a part of the answers.
    pub(super) fn part(
        &self,
        worlds: std::ops::Range<usize>,
        vertices: std::ops::Range<usize>,
        trial: &Trial<'_>,
    ) -> Self {
        trial.counted(self.worlds[worlds].to_vec(), self.vertices[vertices].to_vec())
    }
}
