//! Chooses the engines in which a scene is compared, and lists all engines.

use std::io::{self, Write};

use xform_compare::{Engine, audit::EngineChoice, physics::PhysicsEngine};

use crate::{arguments::ReadingArguments, engine_name::EngineName};

/// Returns the engines in which a scene is compared: those of the command line, else those of the configuration, else
/// the usual ones. A built-in scene is compared in the two strategies, which it exists to demonstrate.
pub(crate) fn choice(
    settings: &ReadingArguments,
    configured: &[EngineName],
    is_built_in: bool,
) -> EngineChoice {
    let named = if settings.engines.is_empty() { configured } else { &settings.engines };
    let engines = all_of(named);
    match (named.is_empty(), settings.reference) {
        (false, reference) => EngineChoice::named(engines, reference),
        (true, None) if is_built_in => EngineChoice::strategies(),
        (true, reference) => {
            let mut usual = EngineChoice::usual();
            usual.reference = reference;
            usual
        }
    }
}

/// Returns the engines whose differences are repaired: the named ones, else the usual ones.
pub(crate) fn to_repair(named: &[EngineName]) -> EngineChoice {
    if named.is_empty() { EngineChoice::usual() } else { EngineChoice::named(all_of(named), None) }
}

fn all_of(named: &[EngineName]) -> Vec<&'static Engine> {
    let mut engines: Vec<&'static Engine> = Vec::new();
    for name in named {
        match name {
            EngineName::All => engines.extend(Engine::all()),
            EngineName::One(engine) => engines.push(engine),
        }
    }
    engines
}

/// Writes every engine: its name, its rule in a sentence, and how that is known.
pub(crate) fn write_list(out: &mut dyn Write) -> io::Result<()> {
    for Engine { id, name, sentence, accumulation, import, .. } in Engine::all() {
        writeln!(out, "{id:<16}{name}: {sentence}")?;
        writeln!(out, "{:16}worlds: {}", "", accumulation.known)?;
        writeln!(out, "{:16}sheared matrices: {}", "", import.known)?;
    }
    writeln!(out, "\nPhysics engines, for `xform audit --physics`:")?;
    for PhysicsEngine { id, name, sentence, roads, .. } in PhysicsEngine::all() {
        writeln!(out, "{id:<16}{name}: {sentence}")?;
        for road in *roads {
            writeln!(out, "{:16}/{}: {}; {}", "", road.id, road.words, road.rule.known)?;
        }
    }
    writeln!(out, "\nStrategies, which can be named like an engine but are not part of `all`:")?;
    for Engine { id, name, sentence, .. } in Engine::strategies() {
        writeln!(out, "{id:<16}{name}: {sentence}")?;
    }
    Ok(())
}
