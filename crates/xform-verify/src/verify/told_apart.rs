//! Finds the scenes that would tell rules apart.

use std::cmp::Reverse;

use super::candidate::{Candidate, ids};
use crate::{
    answers, asked::Asked, prediction::Prediction, rule::Rule, scenes::Scenes,
    verification::TellsApart,
};

/// Returns the scenes that would tell apart the rules that all answers follow, until no further scene tells more apart.
pub(super) fn told_apart_by(
    kind: answers::Asked,
    scenes: &Scenes,
    asked: &[Asked<'_>],
    follows: &[&Candidate],
) -> Vec<TellsApart> {
    let rules: Vec<&Rule> = follows.iter().flat_map(|candidate| &candidate.rules).collect();
    let [first, ..] = &rules[..] else { return Vec::new() };
    if rules.iter().all(|rule| rule.engine.id == first.engine.id) {
        return Vec::new();
    }
    // For each scene, the rules in groups that show the same.
    let others = scenes.names_asked(kind).filter_map(|name| {
        let found = scenes.find(&name, kind)?;
        if asked.iter().any(|asked| asked.name == name) {
            return None;
        }
        let one = [Asked::of_all_nodes(&name, found)];
        let mut groups: Vec<(Prediction, Vec<usize>)> = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            let said = Prediction::new(rule, &one);
            match groups.iter_mut().find(|(known, _)| !known.is_told_from(&said)) {
                Some((_, places)) => places.push(place),
                None => groups.push((said, vec![place])),
            }
        }
        let groups: Vec<Vec<usize>> = groups.into_iter().map(|(_, places)| places).collect();
        (groups.len() > 1).then_some((name, groups))
    });
    let mut others: Vec<(String, Vec<Vec<usize>>)> = others.collect();
    let mut told = Vec::new();
    let mut alike: Vec<Vec<usize>> = vec![(0..rules.len()).collect()];
    loop {
        let parted = |groups: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let both = alike.iter().flat_map(|alike| {
                groups.iter().map(move |group| {
                    alike.iter().copied().filter(|place| group.contains(place)).collect::<Vec<_>>()
                })
            });
            both.filter(|places| !places.is_empty()).collect()
        };
        let best = (0..others.len()).max_by_key(|&at| {
            // The first of equally useful ones.
            (parted(&others[at].1).len(), Reverse(at))
        });
        let Some(best) = best.filter(|&at| parted(&others[at].1).len() > alike.len()) else {
            break;
        };
        alike = parted(&others[best].1);
        let (scene, groups) = others.remove(best);
        let group = |places: Vec<usize>| {
            let rules: Vec<Rule> = places.into_iter().map(|place| rules[place].clone()).collect();
            ids(&rules)
        };
        told.push(TellsApart { scene, groups: groups.into_iter().map(group).collect() });
    }
    told
}
