use super::{Finding, Limits, Severity, pointer};
use crate::audit::{SceneAudit, UnknownEngine, node_path};

/// Returns the engines whose result is unknown. None of them is assumed to be within the limits.
pub(super) fn unknown_engines<'a>(
    scene: &'a SceneAudit,
    limits: &'a Limits,
) -> impl Iterator<Item = Finding> + 'a {
    scene.engines.unknown.iter().map(|&UnknownEngine { engine, node, reason }| {
        let path = node_path(scene, node);
        let message = format!("{path}: it is unknown how {} handles {reason}", engine.name);
        let fails = limits.refuses_unknown();
        let severity = if fails { Severity::Error } else { Severity::Warning };
        let found = Finding::new("engine-unknown", severity, pointer(scene, node), message);
        Finding { node: Some((node, path)), fails, ..found }
    })
}
