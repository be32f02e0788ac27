use crate::{audit::SceneAudit, measure::worlds::Worlds, scene::Scene};

/// A scene as it was audited.
pub(super) struct Measured<'a> {
    pub(super) scene: &'a Scene,
    pub(super) worlds: &'a Worlds,
    pub(super) audit: &'a SceneAudit,
}
