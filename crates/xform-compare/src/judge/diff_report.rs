use xform_scene::Scene;

use super::{
    diff::{DiffOptions, SceneDiff, judged},
    report::MESH_BUDGET,
};
use crate::{
    audit::{CompareError, SceneAudit, ShapePlayback},
    measure::shapes_shown,
};

/// All that the page about two scenes shows, as data.
///
/// `write_diff_html` of `xform-report` makes the page of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffReport {
    /// What is another, as [`diff`](super::diff()) finds it.
    pub diff: SceneDiff,
    /// The scenes before and after.
    pub scenes: [Scene; 2],
    /// Their audits.
    pub audits: [SceneAudit; 2],
    /// Where everything is in both.
    pub playback: ShapePlayback,
    /// How many bytes the meshes may take on the page. What is too much is shown as boxes, first what is not apart.
    pub mesh_budget: u64,
}

impl DiffReport {
    /// Compares two scenes, of which these are the audits.
    ///
    /// # Errors
    ///
    /// A world transform that is too large for `f64`.
    pub fn new(
        [before, after]: [(Scene, SceneAudit); 2],
        options: &DiffOptions,
    ) -> Result<Self, CompareError> {
        let (apart, playback) = shapes_shown(&before.0, &after.0)?;
        let diff = judged(apart, [&before.1, &after.1], options);
        let (scenes, audits) = ([before.0, after.0], [before.1, after.1]);
        Ok(Self { diff, scenes, audits, playback, mesh_budget: MESH_BUDGET })
    }
}
