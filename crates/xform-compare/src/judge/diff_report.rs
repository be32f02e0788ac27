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
#[derive(Debug)]
#[non_exhaustive]
pub struct DiffReport<'a> {
    /// What is another, as [`diff`](super::diff()) finds it.
    pub diff: SceneDiff,
    /// The scenes before and after.
    pub scenes: [&'a Scene; 2],
    /// Their audits.
    pub audits: [&'a SceneAudit; 2],
    /// Where everything is in both.
    pub playback: ShapePlayback,
    /// How many bytes the meshes may take on the page. What is too much is shown as boxes, first what is not apart.
    pub mesh_budget: u64,
}

impl<'a> DiffReport<'a> {
    /// Compares two scenes, of which these are the audits.
    ///
    /// # Errors
    ///
    /// A world transform that is too large for `f64`.
    pub fn new(
        scenes: [(&'a Scene, &'a SceneAudit); 2],
        options: &DiffOptions,
    ) -> Result<Self, CompareError> {
        let (scenes, audits) = (scenes.map(|(scene, _)| scene), scenes.map(|(_, audit)| audit));
        let (apart, playback) = shapes_shown(scenes[0], scenes[1])?;
        let diff = judged(apart, audits, options);
        Ok(Self { diff, scenes, audits, playback, mesh_budget: MESH_BUDGET })
    }
}
