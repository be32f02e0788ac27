//! The text beside the answer: the cause of the worst difference, the first thing to do, and how much is the same.

use xform_compare::{
    SceneAudit,
    audit::AnimationAudit,
    judge::{Advised, MotionAdvice, Report, explain_at_worst, has_unread},
};
use xform_scene::text::{capitalised, label, significant};

use super::{
    opening::Opening,
    words::{Words, motion_tip, tip},
};

/// Why the worst node differs, and the first thing to do.
pub(super) struct First {
    pub(super) cause: Words,
    pub(super) tip: Option<Words>,
}

impl First {
    pub(super) fn of(report: &Report, opening: &Opening) -> Option<Self> {
        let (scene, node) = (&report.audit, opening.node?);
        if opening.motion.is_some() {
            let place = scene.at_worst.iter().position(|worst| worst.node.index == node)?;
            let at_worst = &scene.at_worst[place];
            let advice = report.advice_in_motion[place].as_ref();
            // The turn that brings it out is named further down the page.
            let advice = advice.map(|advice| MotionAdvice { turn: None, ..advice.clone() });
            let tip = advice.map(|advice| Words::of(&motion_tip(scene, &at_worst.node, &advice)));
            let cause = explain_at_worst(scene, at_worst).unwrap_or_default();
            let animation = scene.animations.get(at_worst.animation).map(AnimationAudit::label);
            let when = format!(
                "`{}` is at its worst {} s into {}. ",
                label(scene, node).replace('`', "'"),
                significant(at_worst.seconds, 3),
                animation.unwrap_or_default()
            );
            return Some(Self { cause: Words::of(&(when + &cause)), tip });
        }
        let with_node = |advised: &&Advised| advised.group.nodes.contains(&node);
        let Advised { group, advice } = report.advice.iter().find(with_node)?;
        let possible = advice.iter().find(|advice| advice.outcome.is_ok());
        let tip = possible.map(|advice| Words::of(&tip(scene, &group.nodes, advice)));
        Some(Self { cause: Words::of(&group.explain(scene).unwrap_or_default()), tip })
    }
}

/// States how much of the scene looks the same, or `None` if not all of it could be judged.
pub(super) fn alike(scene: &SceneAudit) -> Option<String> {
    if has_unread(scene) {
        return None;
    }
    let drawn = scene.nodes.iter().filter(|node| node.counts).count();
    let nodes = match drawn - scene.seen().len() {
        0 => None,
        1 => Some("1 other node looks the same".to_owned()),
        others => Some(format!("{others} other nodes look the same")),
    };
    let all = scene.animations.iter().filter_map(|animation| animation.grade);
    let (all, alike) = all.fold((0, 0), |(all, alike), grade| {
        (all + 1, if grade.is_seen() { alike } else { alike + 1 })
    });
    let animations = match (all, alike) {
        (_, 0) => None,
        (1, _) => Some("nothing looks different in its animation".to_owned()),
        (all, 1) => Some(format!("nothing looks different in 1 of {all} animations")),
        (all, alike) => Some(format!("nothing looks different in {alike} of {all} animations")),
    };
    let parts: Vec<_> = nodes.into_iter().chain(animations).collect();
    (!parts.is_empty()).then(|| format!("{}.", capitalised(&parts.join("; "))))
}
