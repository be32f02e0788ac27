//! Engines to compare, by name.

use xform_compare::{Engine, audit::EngineChoice};

pub(crate) fn all() -> EngineChoice {
    EngineChoice::named(Engine::all().iter().collect(), None)
}

pub(crate) fn named(engines: &[&str], reference: Option<&str>) -> EngineChoice {
    let engine = |id: &str| Engine::named(id).unwrap();
    EngineChoice::named(engines.iter().map(|id| engine(id)).collect(), reference.map(engine))
}
