//! Names of engines on the command line and in the configuration.

use xform_compare::{Engine, audit::PhysicsRoad, physics::PhysicsEngine};

use crate::suggestion::nearest;

/// The meaning of one engine name: an engine or all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EngineName {
    All,
    One(&'static Engine),
}

/// The name for all engines.
pub(crate) const ALL: &str = "all";

/// Parses the name of an engine, or that of all engines.
pub(crate) fn engine_name(text: &str) -> Result<EngineName, String> {
    if text == ALL { Ok(EngineName::All) } else { engine(text).map(EngineName::One) }
}

/// Parses the name of an engine.
pub(crate) fn engine(text: &str) -> Result<&'static Engine, String> {
    Engine::named(text).ok_or_else(|| {
        let ids = Engine::all().iter().map(|engine| engine.id);
        let meant = nearest(&text.to_lowercase(), ids);
        let meant = meant.map_or_else(|| ";".to_owned(), |id| format!("; did you mean `{id}`?"));
        format!("there is no engine `{text}`{meant} `xform engines` lists them")
    })
}

/// Parses the name of a physics engine, optionally followed by a slash and how shapes get there.
pub(crate) fn physics(text: &str) -> Result<PhysicsRoad, String> {
    PhysicsRoad::named(text).ok_or_else(|| {
        let (id, road) = text.split_once('/').map_or((text, ""), |(id, road)| (id, road));
        if let Some(engine) = PhysicsEngine::named(id) {
            let roads: Vec<_> = engine.roads.iter().map(|road| road.id).collect();
            let roads = roads.join(", ");
            return format!("`{id}` has no `{road}`; possible after the slash: {roads}");
        }
        let ids = PhysicsEngine::all().iter().map(|engine| engine.id);
        let meant = nearest(&id.to_lowercase(), ids);
        let meant = meant.map_or_else(|| ";".to_owned(), |id| format!("; did you mean `{id}`?"));
        format!("there is no physics engine `{id}`{meant} `xform engines` lists them")
    })
}
