//! The result of a comparison as plain data: figures, causes, errors, and the ranking of the worst nodes.

mod animation_audit;
mod at_worst;
mod background;
mod cause;
mod collider_audit;
mod compare_error;
mod drift;
mod engine_audit;
mod grade;
mod node_audit;
mod parameter_sweep;
mod playback;
mod problem;
mod ranking;
mod repairs;
mod role;
mod scene_audit;
mod shape_diff;
mod shape_playback;
mod summary;
mod thresholds;
mod worst_in_motion;

pub use animation_audit::{AnimationAudit, NodeMotion, Peak, TimelinePoint};
pub use at_worst::AtWorst;
pub use background::Background;
pub use cause::{Cause, CauseKind, Contribution};
pub use collider_audit::{
    ColliderAdvice, ColliderAdviceKind, ColliderApart, ColliderAudit, ColliderCause,
    ColliderInEngine, PhysicsAudit, PhysicsChoice, PhysicsRoad,
};
pub use compare_error::CompareError;
pub use drift::{Drift, DriftSample};
pub use engine_audit::{EngineAudit, EngineChoice, EngineGroup, EngineNode, UnknownEngine};
pub use grade::{Grade, GradeCounts};
pub use node_audit::NodeAudit;
pub use parameter_sweep::{ParameterSweep, SweepSample};
pub use playback::{
    Playback, PlayedAnimation, PlayedApart, PlayedFigures, PlayedShow, PlayedWeights,
};
pub use problem::{Defect, Problem};
pub(crate) use ranking::{NEWS, is_worse_in_motion, ranked_at_rest, ranked_in_motion};
pub use ranking::{RankedMotion, Ranking};
pub use repairs::Repairs;
pub(crate) use role::Apart;
pub use role::Role;
pub use scene_audit::{SceneAudit, SeenNode, node_path};
pub use shape_diff::{
    Compared, DefaultSceneChange, FixtureDiff, MatchCounts, MatchedBy, NodeChange, NodeChangeKind,
    ShapeDiff, ThingDiff,
};
pub use shape_playback::{ShapePlayback, ShownThing};
pub use summary::{MotionSummary, Summary};
pub(crate) use thresholds::percent_of_scene;
pub use thresholds::{DIFFERING_FRACTION, SKEWED_DEGREES};
pub use worst_in_motion::{AnimationPeak, WorstInMotion};
pub use xform_engines::{Accumulation, SCALE_ROUNDING, is_non_uniform};

/// The audits of one or more scenes, as input for a report.
///
/// The writers iterate over it once. They also accept any other iterator with these items, so that many
/// scenes need not be in memory at the same time.
///
/// `write_json` of `xform-report` writes it as the JSON of `xform audit`, which docs/report-format.md
/// describes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Audit {
    /// The scenes, in the order given.
    pub scenes: Vec<SceneAudit>,
    /// The scenes that could not be audited, in the order given.
    pub errors: Vec<Problem>,
}

impl Audit {
    /// The name of the JSON format: `xform-audit/3`.
    pub const SCHEMA: &'static str = "xform-audit/3";

    /// Creates an audit of these scenes, without errors.
    #[must_use]
    pub fn new(scenes: Vec<SceneAudit>) -> Self {
        Self { scenes, errors: Vec::new() }
    }

    /// Returns this audit with these errors: the scenes that could not be audited.
    #[must_use]
    pub fn with_errors(self, errors: Vec<Problem>) -> Self {
        Self { errors, ..self }
    }
}

impl<'a> IntoIterator for &'a Audit {
    type Item = Result<&'a SceneAudit, Problem>;
    type IntoIter = Box<dyn Iterator<Item = Self::Item> + 'a>;

    /// Yields the scenes, then the errors.
    fn into_iter(self) -> Self::IntoIter {
        let errors = self.errors.iter().cloned().map(Err);
        Box::new(self.scenes.iter().map(Ok).chain(errors))
    }
}
