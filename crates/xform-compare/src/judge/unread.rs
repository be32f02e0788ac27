use xform_scene::{Scene, Warning, WarningCode};

use crate::audit::SceneAudit;

/// The warnings about parts of the scene that move or are drawn and could not be read, so that they were not judged.
pub fn unread(scene: &SceneAudit) -> impl Iterator<Item = &Warning> {
    scene.warnings.iter().filter(|warning| match warning.code {
        // Whoever leaves all animations aside has asked about the rest alone.
        WarningCode::AnimationNotSampled => warning.pointer != Scene::ANIMATIONS,
        WarningCode::SkinnedMesh
        | WarningCode::BrokenMeshes
        | WarningCode::GpuInstancing
        | WarningCode::Behaviour => true,
        _ => false,
    })
}

/// Whether a part of the scene that moves or is drawn could not be judged.
#[must_use]
pub fn has_unread(scene: &SceneAudit) -> bool {
    unread(scene).next().is_some()
}

/// Whether something could not be judged: a part of the scene could not be read, or it is not known what an engine shows.
#[must_use]
pub fn has_unjudged(scene: &SceneAudit) -> bool {
    has_unread(scene) || !scene.engines.unknown.is_empty()
}

/// Whether no difference is seen and [something could not be judged](has_unjudged).
#[must_use]
pub fn is_unknown(scene: &SceneAudit) -> bool {
    !scene.summary.grade.is_seen() && has_unjudged(scene)
}
