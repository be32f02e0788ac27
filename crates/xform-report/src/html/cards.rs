//! A card for each cause: what is seen, why, and what can be done.

use std::collections::{HashMap, HashSet};

use xform_compare::{
    Advice, Grade, NodeAudit, SceneAudit,
    audit::{AtWorst, NodeMotion, Peak, node_path},
    judge::{Advised, MotionAdvice, Report, explain_at_worst},
};
use xform_scene::text::{shortest, significant};

use super::{
    panel::Panel,
    steps::{how, how_in_motion},
    words::{Words, effect, motion_tip, tip},
};

/// The worst nodes with one cause.
pub(super) struct Card {
    /// The worst of them.
    pub(super) index: usize,
    pub(super) path: String,
    /// The others.
    pub(super) others: Vec<Other>,
    pub(super) more_others: usize,
    pub(super) effect: String,
    /// None where its own axes show nowhere.
    pub(super) panels: Vec<Panel>,
    pub(super) cause: Words,
    pub(super) grade: &'static str,
    /// The groups of engines in which any of its nodes differs, for scripts.
    pub(super) groups: String,
    /// Whether any of its nodes is seen to differ.
    pub(super) is_seen: bool,
    pub(super) tips: Vec<Tip>,
    /// What cannot be done, and why not.
    pub(super) impossible: Vec<Words>,
}

/// How many nodes beside the worst a card names.
const OTHERS: usize = 20;

/// A node with the cause of another.
pub(super) struct Other {
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) grade: &'static str,
    pub(super) moves: String,
}

impl Other {
    /// Of a node of the scene, at rest or at its worst.
    fn new(scene: &SceneAudit, node: &NodeAudit) -> Self {
        let moved = node.displacement_percent.filter(|&percent| percent > Grade::IDENTICAL_PERCENT);
        let moves = moved.map(|percent| format!(", {} % of the scene", significant(percent, 3)));
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            grade: node.grade().name(),
            moves: format!("{}{}", moves.unwrap_or_default(), joint(node)),
        }
    }
}

impl Card {
    pub(super) fn new(report: &Report, Advised { group, advice }: &Advised) -> Self {
        let (scene, nodes) = (&report.audit, &group.nodes);
        let node = &scene.nodes[nodes[0]];
        let others = nodes[1..].iter().map(|&node| &scene.nodes[node]);
        let others: Vec<_> = others.filter(|node| node.grade() > Grade::Identical).collect();
        let (tips, impossible) = tips(scene, nodes, advice);
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            others: others.iter().take(OTHERS).map(|node| Other::new(scene, node)).collect(),
            more_others: others.len().saturating_sub(OTHERS),
            effect: effect(scene, node),
            panels: Panel::both(report, node, None),
            grade: node.grade().name(),
            groups: groups(scene, nodes),
            is_seen: nodes.iter().any(|&node| scene.nodes[node].grade().is_seen()),
            cause: Words::of(&group.explain(scene).unwrap_or_default()),
            tips,
            impossible,
        }
    }
}

/// That a node is a joint, in a clause.
fn joint(node: &NodeAudit) -> &'static str {
    if node.is_followed { ", a joint" } else { "" }
}

/// The worst of the nodes with one cause that are worse in motion than at rest, when it is at its worst.
pub(super) struct MotionCard {
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) others: Vec<Other>,
    pub(super) when: String,
    /// Whether it is a joint, which is seen by what follows it.
    pub(super) is_joint: bool,
    pub(super) effect: String,
    pub(super) panels: Vec<Panel>,
    pub(super) cause: Words,
    pub(super) tip: Option<Words>,
    /// Where in programs that is done.
    pub(super) how: Words,
    pub(super) grade: &'static str,
    /// The groups of engines in which its first node differs, for scripts.
    pub(super) groups: String,
    pub(super) is_seen: bool,
    /// The animation, by its place in the audit, and the time, for scripts.
    pub(super) animation: usize,
    pub(super) seconds: String,
}

impl MotionCard {
    pub(super) fn all(report: &Report) -> Vec<Self> {
        let scene = &report.audit;
        let mut cards: Vec<Self> = Vec::new();
        let mut known = HashMap::new();
        for (at_worst, advice) in scene.at_worst.iter().zip(&report.advice_in_motion) {
            let animation = &scene.animations[at_worst.animation];
            let index = at_worst.node.index;
            let moving = animation.nodes.iter().find(|moving| moving.index == index);
            // What is identical is rounding.
            let Some(moving) = moving.filter(|moving| moving.grade() > Grade::Identical) else {
                continue;
            };
            let cause = at_worst.node.cause.as_ref().filter(|cause| !cause.is_shared());
            let own = cards.len();
            let place = cause.map_or(own, |cause| {
                let key = (at_worst.animation, cause.scaler, cause.partner);
                *known.entry(key).or_insert(own)
            });
            match cards.get_mut(place) {
                Some(card) => card.others.push(Other {
                    grade: moving.grade().name(),
                    ..Other::new(scene, &at_worst.node)
                }),
                None => cards.push(Self::new(report, at_worst, moving, advice.as_ref())),
            }
        }
        cards
    }

    fn new(
        report: &Report,
        at_worst: &AtWorst,
        moving: &NodeMotion,
        advice: Option<&MotionAdvice>,
    ) -> Self {
        let scene = &report.audit;
        let AtWorst { animation, seconds, node, .. } = at_worst;
        let skew = moving.skew_difference_degrees.filter(|_| moving.is_skewed());
        let skew = skew.map_or_else(String::new, |Peak { max, seconds }| {
            let (max, seconds) = (significant(max, 4), significant(seconds, 4));
            format!(" Its skew differs most {seconds} s into the animation, by {max}°.")
        });
        let name = scene.animations[at_worst.animation].label();
        Self {
            index: node.index,
            path: node_path(scene, node.index),
            others: Vec::new(),
            when: format!("At its worst, {} s into {name}:", significant(*seconds, 4)),
            effect: format!("{}{skew}", effect(scene, node)),
            is_joint: node.is_followed,
            panels: Panel::both(report, node, Some((*animation, *seconds))),
            grade: moving.grade().name(),
            groups: groups(scene, &[node.index]),
            is_seen: moving.grade().is_seen() && scene.nodes[node.index].counts,
            animation: *animation,
            seconds: shortest(*seconds),
            cause: Words::of(&explain_at_worst(scene, at_worst).unwrap_or_default()),
            tip: advice.map(|advice| Words::of(&motion_tip(scene, node, advice))),
            how: Words::of(&advice.map(|advice| how_in_motion(scene, advice)).unwrap_or_default()),
        }
    }
}

/// The groups in which any of these nodes differs, by their places, with spaces between.
fn groups(scene: &SceneAudit, nodes: &[usize]) -> String {
    let nodes: HashSet<_> = nodes.iter().collect();
    let groups = scene.engines.groups.iter().enumerate();
    let apart = groups.filter(|(_, group)| group.nodes.iter().any(|n| nodes.contains(&n.index)));
    apart.map(|(place, _)| place.to_string()).collect::<Vec<_>>().join(" ")
}

/// What to do, and what would remain.
pub(super) struct Tip {
    pub(super) words: Words,
    /// Where in programs that is done.
    pub(super) how: Words,
}

/// What can be done, and what cannot.
fn tips(scene: &SceneAudit, nodes: &[usize], advice: &[Advice]) -> (Vec<Tip>, Vec<Words>) {
    let words = |advice: &&Advice| Words::of(&tip(scene, nodes, advice));
    let (possible, impossible): (Vec<_>, Vec<_>) =
        advice.iter().partition(|advice| advice.outcome.is_ok());
    let possible = possible
        .iter()
        .map(|advice| Tip { words: words(advice), how: Words::of(&how(scene, &advice.repair)) });
    (possible.collect(), impossible.iter().map(words).collect())
}
