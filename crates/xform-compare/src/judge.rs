//! Conclusions from an audit: the verdict, the findings and their severity, their causes, and advice.

mod advice;
mod cause_group;
mod colliders;
mod diff;
mod diff_report;
mod differences;
mod engines;
mod exceeded;
mod explanation;
mod finding;
mod fix_command;
mod headline;
mod report;
mod rule;
mod undrawn;
mod unread;
mod verdict;

pub use advice::{
    Advice, MotionAdvice, Repair, RepairOutcome, RepairRefusal, ScaleChange, advise,
    advise_in_motion, inherit_types,
};
pub use cause_group::CauseGroup;
pub use colliders::{ColliderText, colliders_cause, colliders_line, colliders_note};
pub use diff::{
    DiffChange, DiffOptions, DiffSide, EngineChange, EnginesDiff, NodeDiff, NodeFigures, SceneDiff,
    diff,
};
pub use diff_report::DiffReport;
pub use differences::{CauseName, Repairable, cause_names, different_in, is_alike, repairable};
pub use engines::{also_in, caveat, definition, footnotes, names};
pub use exceeded::exceeded;
pub use explanation::{explain, explain_at_worst};
pub use finding::{Excess, Finding, Limits, Severity, findings};
pub use fix_command::{fix_command, repair_command, trial_command, uniform_command};
pub use headline::headline;
pub use report::{Advised, Report, ReportError, ReportFrame, Slider};
pub use rule::{RULES, Rule};
pub use undrawn::{UndrawnFigures, UndrawnNode, undrawn, undrawn_line};
pub use unread::{has_unjudged, has_unread, is_unknown, unread};
pub use verdict::{has_unread_vertices, is_at_rest_alone, verdict};
