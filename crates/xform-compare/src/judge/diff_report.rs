use xform_scene::Scene;

use super::{
    diff::{DiffOptions, SceneDiff, judged},
    report::MESH_BUDGET,
};
use crate::{
    audit::{CompareError, SceneAudit, ShapePlayback},
    measure::shapes_shown,
};

/// The data of a page about two scenes.
///
/// `write_diff_html` of `xform-report` writes the page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffReport {
    /// The comparison, as [`diff`](super::diff()) returns it.
    pub diff: SceneDiff,
    /// The scenes before and after.
    pub scenes: [Scene; 2],
    /// Their audits.
    pub audits: [SceneAudit; 2],
    /// The world transforms of both scenes.
    pub playback: ShapePlayback,
    /// The number of bytes that meshes may take on the page. Meshes beyond it are shown as boxes, starting
    /// with those that do not differ.
    pub mesh_budget: u64,
}

impl DiffReport {
    /// Compares two scenes, given with their audits.
    ///
    /// # Errors
    ///
    /// If a world transform exceeds the range of `f64`.
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
