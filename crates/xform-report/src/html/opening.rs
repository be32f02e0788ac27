use serde::Serialize;
use xform_compare::{Grade, NodeAudit, audit::EnginePair, judge::Report};

/// Where the page opens: two shows, the node that is apart most between them, and when it is so.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Opening {
    /// The show that the scene was made for, and the one it differs from most, by their places.
    pub(super) shows: [usize; 2],
    pub(super) node: Option<usize>,
    /// The place of the animation in the audit, and the time, in seconds; `None` at rest.
    pub(super) motion: Option<(usize, f64)>,
}

impl Opening {
    pub(super) fn of(report: &Report) -> Self {
        let audit = &report.audit;
        if let Some((shows, pair)) = of_engines(report) {
            let worst = pair.nodes.first();
            let motion = worst.and_then(|worst| worst.motion);
            return Self { shows, node: worst.map(|worst| worst.index), motion };
        }
        if audit.engines.is_some() {
            return Self { shows: [0, 1], node: None, motion: None };
        }
        let badness = |node: &NodeAudit| (node.grade(), node.displacement.unwrap_or(0.0));
        let at_rest = audit.apart_at_rest().into_iter().filter(|node| node.counts_at_rest());
        let at_rest = at_rest.map(|node| (badness(node), node.index, None));
        let in_motion = audit.at_worst.iter().filter(|worst| worst.node.counts);
        let in_motion = in_motion.map(|worst| {
            (badness(&worst.node), worst.node.index, Some((worst.animation, worst.seconds)))
        });
        let worse =
            |a: (_, usize, Option<(usize, f64)>), b: (_, _, _)| if b.0 > a.0 { b } else { a };
        let worst = at_rest.chain(in_motion).reduce(worse);
        let worst = worst.filter(|((grade, _), ..)| *grade > Grade::Identical);
        let (node, motion) = worst.map_or((None, None), |(_, node, motion)| (Some(node), motion));
        Self { shows: [0, 1], node, motion }
    }
}

/// The shows of the reference and of the engines that differ from it most, where any does so visibly.
fn of_engines(report: &Report) -> Option<([usize; 2], &EnginePair)> {
    let engines = report.audit.engines.as_ref()?;
    let show = |group: usize| {
        let first = engines.groups[group].first();
        let place = report.playback.shows.iter().position(|show| {
            first.is_some_and(|first| show.engines.iter().any(|engine| engine.id == first.id))
        });
        place.or((group == 0).then_some(0))
    };
    let pairs =
        engines.pairs.iter().filter(|pair| pair.groups[0] == 0 && pair.grade > Grade::Identical);
    // The first of those that are as bad.
    let worst = pairs.reduce(|a, b| {
        let badness =
            |pair: &EnginePair| (pair.grade, pair.nodes.first().map(|node| node.displacement));
        if badness(b) > badness(a) { b } else { a }
    })?;
    Some(([show(0)?, show(worst.groups[1])?], worst))
}
