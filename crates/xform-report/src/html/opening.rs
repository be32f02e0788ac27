use serde::Serialize;
use xform_compare::judge::Report;

/// The initial view of the page: two shows, the node that differs most between them, and the moment.
#[derive(Clone, Copy, PartialEq, Serialize)]
pub(super) struct Opening {
    /// The indices of the reference's show and of the one that differs from it most.
    pub(super) shows: [usize; 2],
    pub(super) node: Option<usize>,
    /// The index of the animation in the audit, and the time in seconds. `None` at rest.
    pub(super) motion: Option<(usize, f64)>,
}

impl Opening {
    pub(super) fn of(report: &Report) -> Self {
        let groups = report.audit.engines.others().iter().enumerate();
        // The first of equally bad ones.
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
