use xform_scene::{Scene, Warning, WarningCode};

use crate::audit::SceneAudit;

/// Returns the warnings about parts of the scene that are drawn or move but could not be read, and so were
/// not judged.
pub fn unread(scene: &SceneAudit) -> impl Iterator<Item = &Warning> {
    scene.warnings.iter().filter(|warning| match warning.code {
        // A caller who skipped all animations asked only about the rest.
        WarningCode::AnimationNotSampled => warning.pointer != Scene::ANIMATIONS,
        WarningCode::SkinnedMesh
        | WarningCode::BrokenMeshes
        | WarningCode::GpuInstancing
        | WarningCode::Behaviour => true,
        _ => false,
    })
}

/// Whether a part of the scene that is drawn or moves could not be judged.
#[must_use]
pub fn has_unread(scene: &SceneAudit) -> bool {
    unread(scene).next().is_some()
}

/// Whether something could not be judged: a part of the scene could not be read, or an engine's result is
/// unknown.
#[must_use]
pub fn has_unjudged(scene: &SceneAudit) -> bool {
    has_unread(scene) || !scene.engines.unknown.is_empty()
}

/// Whether no difference is visible but [something could not be judged](has_unjudged).
#[must_use]
pub fn is_unknown(scene: &SceneAudit) -> bool {
    !scene.summary.grade.is_seen() && has_unjudged(scene)
}
