//! A card for each cause: what is seen, why, and what can be done.

// Nodes with one cause share a card. Its sentence is true of each of them, and its advice is measured at the node that
// it leaves worst.

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

/// The worst nodes with a common cause.
pub(super) struct Card {
    /// The worst of these nodes.
    pub(super) index: usize,
    pub(super) path: String,
    /// The other nodes.
    pub(super) others: Vec<Other>,
    pub(super) more_others: usize,
    pub(super) effect: String,
    /// Empty if its own axes are not visible anywhere.
    pub(super) panels: Vec<Panel>,
    pub(super) cause: Words,
    pub(super) grade: &'static str,
    /// The groups of engines in which any of its nodes differs, for scripts.
    pub(super) groups: String,
    /// Whether any of its nodes differs visibly.
    pub(super) is_seen: bool,
    pub(super) tips: Vec<Tip>,
    /// Repairs that are impossible, with the reasons.
    pub(super) impossible: Vec<Words>,
}

/// The number of nodes that a card names besides the worst.
const OTHERS: usize = 20;

/// A node with the same cause as another.
pub(super) struct Other {
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) grade: &'static str,
    pub(super) moves: String,
}

impl Other {
    /// Creates the entry of a node, at rest or at its worst.
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

/// Notes that a node is a joint, as a clause.
fn joint(node: &NodeAudit) -> &'static str {
    if node.is_followed { ", a joint" } else { "" }
}

/// The worst of the nodes with a common cause that are worse in motion than at rest, at its worst moment.
pub(super) struct MotionCard {
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) others: Vec<Other>,
    pub(super) when: String,
    /// Whether it is a joint, visible only through the meshes that follow it.
    pub(super) is_joint: bool,
    pub(super) effect: String,
    pub(super) panels: Vec<Panel>,
    pub(super) cause: Words,
    pub(super) tip: Option<Words>,
    /// The steps in programs.
    pub(super) how: Words,
    pub(super) grade: &'static str,
    /// The groups of engines in which its first node differs, for scripts.
    pub(super) groups: String,
    pub(super) is_seen: bool,
    /// The animation, by its index in the audit, and the time, for scripts.
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
            // Differences graded identical are rounding.
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
            format!(" Its skew differs most at {seconds} s, by {max}°.")
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

/// Returns the groups in which any of these nodes differs, by index, separated by spaces.
fn groups(scene: &SceneAudit, nodes: &[usize]) -> String {
    let nodes: HashSet<_> = nodes.iter().collect();
    let groups = scene.engines.groups.iter().enumerate();
    let apart = groups.filter(|(_, group)| group.nodes.iter().any(|n| nodes.contains(&n.index)));
    apart.map(|(place, _)| place.to_string()).collect::<Vec<_>>().join(" ")
}

/// A repair, and what would remain.
pub(super) struct Tip {
    pub(super) words: Words,
    /// The steps in programs.
    pub(super) how: Words,
}

/// Returns the possible repairs and the impossible ones.
fn tips(scene: &SceneAudit, nodes: &[usize], advice: &[Advice]) -> (Vec<Tip>, Vec<Words>) {
    let words = |advice: &&Advice| Words::of(&tip(scene, nodes, advice));
    let (possible, impossible): (Vec<_>, Vec<_>) =
        advice.iter().partition(|advice| advice.outcome.is_ok());
    let possible = possible
        .iter()
        .map(|advice| Tip { words: words(advice), how: Words::of(&how(scene, &advice.repair)) });
    (possible.collect(), impossible.iter().map(words).collect())
}
