use super::document::{Document, NodeEntry};
use crate::{Fixture, FixtureAxes, FixtureKind};

/// The camera or light of a node. `None` for a light that is not in the file or has an unknown type.
pub(super) fn of_node(document: &Document<'_>, node: &NodeEntry) -> Option<Fixture> {
    let light = || {
        let light = node.extensions.light.as_ref()?.light?;
        let light = document.extensions.lights.lights.get(light)?;
        match light.kind.as_str() {
            "directional" => Some(FixtureKind::DirectionalLight),
            "point" => Some(FixtureKind::PointLight),
            "spot" => Some(FixtureKind::SpotLight),
            _ => None,
        }
    };
    let camera = node.camera.map(|_| FixtureKind::Camera);
    camera.or_else(light).map(|kind| Fixture::new(kind, FixtureAxes::Gltf))
}
