use xform_scene::Scene;

use crate::{audit::SceneAudit, measure::worlds::Worlds};

/// A scene as it was audited.
pub(super) struct AuditedScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) worlds: &'a Worlds,
    pub(super) audit: &'a SceneAudit,
}
