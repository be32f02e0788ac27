use serde::Serialize;
use xform_compare::judge::Report;

/// Where the page opens: two shows, the node that is apart most between them, and when it is so.
#[derive(Clone, Copy, PartialEq, Serialize)]
pub(super) struct Opening {
    /// The show of the reference, and the one that differs from it most, by their places.
    pub(super) shows: [usize; 2],
    pub(super) node: Option<usize>,
    /// The place of the animation in the audit, and the time, in seconds; `None` at rest.
    pub(super) motion: Option<(usize, f64)>,
}

impl Opening {
    pub(super) fn of(report: &Report) -> Self {
        let groups = report.audit.engines.others().iter().enumerate();
        // The first of those that are as bad.
        let worst = groups.reduce(|a, b| if b.1.badness() > a.1.badness() { b } else { a });
        let Some((place, group)) = worst else {
            let last = report.playback.shows.len().saturating_sub(1);
            return Self { shows: [0, last.min(1)], node: None, motion: None };
        };
        let node = group.nodes.first();
        let motion = node.and_then(|node| node.motion);
        Self { shows: [0, place + 1], node: node.map(|node| node.index), motion }
    }
}
